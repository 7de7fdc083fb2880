package ai.wood;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Named settings of a method, such as {@code k = 50}. A value is a number, a word, or a matrix.
 *
 * <p>A detector file contains the settings its scorer was fitted with, so a changed default never changes an old
 * detector. Immutable; names keep their order.
 */
public final class Settings {

    /** No settings. */
    public static final Settings NONE = new Settings(Map.of());

    private final Map<String, Object> values; // Double, String or Matrix

    private Settings(Map<String, Object> values) {
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** These settings with a number added or replaced. */
    public Settings with(String name, double value) {
        return put(name, value);
    }

    /** These settings with a word added or replaced. */
    public Settings with(String name, String value) {
        return put(name, value);
    }

    /** These settings with a matrix added or replaced. */
    public Settings with(String name, Matrix value) {
        return put(name, value);
    }

    private Settings put(String name, Object value) {
        Map<String, Object> copy = new LinkedHashMap<>(values);
        copy.put(name, value);
        return new Settings(copy);
    }

    /** These settings with others added or replaced. */
    public Settings and(Settings others) {
        Map<String, Object> copy = new LinkedHashMap<>(values);
        copy.putAll(others.values);
        return new Settings(copy);
    }

    /**
     * These settings, completed by defaults.
     *
     * @throws IllegalArgumentException for a name that has no default, or a value of another type than its default; only
     *     a word may be replaced by a matrix
     */
    public Settings over(Settings defaults) {
        Map<String, Object> all = new LinkedHashMap<>(defaults.values);
        values.forEach((name, value) -> {
            Object usual = defaults.values.get(name);
            if (usual == null) {
                throw Names.unknown("setting", name, List.copyOf(defaults.values.keySet()));
            }
            if (usual instanceof Double != value instanceof Double) {
                throw new IllegalArgumentException("the setting '" + name + "' must be "
                        + (usual instanceof Double ? "a number" : "a word") + " but is " + value);
            }
            all.put(name, value);
        });
        return new Settings(all);
    }

    /** The number of this name. */
    public double number(String name) {
        if (values.get(name) instanceof Double number) {
            return number;
        }
        throw new IllegalArgumentException("the setting '" + name + "' must be a number but is " + values.get(name));
    }

    /** The number of this name, which must be whole and at least 0. */
    public int count(String name) {
        double number = number(name);
        if (!(number >= 0 && number <= Integer.MAX_VALUE) || number != Math.rint(number)) {
            throw new IllegalArgumentException(
                    "the setting '" + name + "' must be a whole number of at least 0 but is " + number);
        }
        return (int) number;
    }

    /** The word of this name. */
    public String word(String name) {
        if (values.get(name) instanceof String word) {
            return word;
        }
        throw new IllegalArgumentException("the setting '" + name + "' must be a word but is " + values.get(name));
    }

    /** The matrix of this name; empty if the value is a word or a number. */
    public Optional<Matrix> matrix(String name) {
        return values.get(name) instanceof Matrix matrix ? Optional.of(matrix) : Optional.empty();
    }

    /** Whether there is a setting of this name. */
    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** All values by name: {@link Double}, {@link String} or {@link Matrix}. */
    public Map<String, Object> values() {
        return values;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Settings that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** Such as {@code k=50, cost=dynamic}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        values.forEach((name, value) -> text.append(text.isEmpty() ? "" : ", ")
                .append(name)
                .append('=')
                .append(
                        value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15
                                ? String.valueOf(number.longValue())
                                : value));
        return text.toString();
    }
}
