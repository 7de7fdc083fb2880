package ai.wood;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Everything a scorer is restored from: its settings and its fitted matrices by name. A number is a matrix of one
 * element, a vector a matrix of one row. Anything that does not fit together is refused before the first score.
 */
public record Parameters(Settings settings, Map<String, Matrix> matrices) {

    /** The matrix of a name, which must have a row. */
    public Matrix matrix(String name) {
        Matrix matrix = matrices.get(name);
        if (matrix == null || matrix.rows() == 0) {
            throw new IllegalArgumentException(
                    "the scorer needs the fitted matrix '" + name + "' but there are " + matrices.keySet());
        }
        return matrix;
    }

    /** The matrix of a name, which must have this number of columns. */
    public Matrix matrix(String name, int columns) {
        return require(name, matrix(name), matrix(name).rows(), columns);
    }

    /** The only row of a matrix, which must have this length. */
    public double[] vector(String name, int length) {
        return require(name, matrix(name), 1, length).row(0);
    }

    /** The only element of a matrix. */
    public double number(String name) {
        return vector(name, 1)[0];
    }

    /** The network's last layer, as {@link #of(Head, Map.Entry[])} stores it. */
    public Head head() {
        return new Head(matrix("head.weights"), matrix("head.bias"));
    }

    /** The matrices whose names begin with a prefix, which is removed. */
    public Parameters under(String prefix) {
        Map<String, Matrix> under = new LinkedHashMap<>();
        matrices.forEach((name, matrix) -> {
            if (name.startsWith(prefix)) {
                under.put(name.substring(prefix.length()), matrix);
            }
        });
        return new Parameters(settings, under);
    }

    /** The names of the matrices. */
    public Set<String> names() {
        return matrices.keySet();
    }

    /** A map in this order, so that files made from it are the same every time. */
    @SafeVarargs
    public static Map<String, Matrix> of(Map.Entry<String, Matrix>... matrices) {
        Map<String, Matrix> all = new LinkedHashMap<>();
        for (Map.Entry<String, Matrix> one : matrices) {
            all.put(one.getKey(), one.getValue());
        }
        return all;
    }

    /** The matrices of a head, and others after them. */
    @SafeVarargs
    public static Map<String, Matrix> of(Head head, Map.Entry<String, Matrix>... matrices) {
        Map<String, Matrix> all = of(Map.entry("head.weights", head.weights()), Map.entry("head.bias", head.bias()));
        all.putAll(of(matrices));
        return all;
    }

    /** The same matrices under longer names. */
    public static Map<String, Matrix> prefixed(String prefix, Map<String, Matrix> matrices) {
        Map<String, Matrix> prefixed = new LinkedHashMap<>();
        matrices.forEach((name, matrix) -> prefixed.put(prefix + name, matrix));
        return prefixed;
    }

    private static Matrix require(String name, Matrix matrix, int rows, int columns) {
        if (matrix.rows() != rows || matrix.columns() != columns) {
            throw new IllegalArgumentException("the fitted matrix '" + name + "' must be " + rows + " x " + columns
                    + " but is " + matrix.rows() + " x " + matrix.columns());
        }
        return matrix;
    }
}
