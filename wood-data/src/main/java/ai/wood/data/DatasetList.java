package ai.wood.data;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Parses lists of datasets.
 *
 * <table>
 * <caption>syntax</caption>
 * <tr><td>{@code A,B}</td><td>two datasets</td></tr>
 * <tr><td>{@code mix:A*3+B,C}</td><td>a mixture of A, with weight 3, and B; then the dataset C</td></tr>
 * <tr><td>{@code C,mix:A*3,B}</td><td>the same mixture in its old form. It takes the rest of the list.</td></tr>
 * <tr><td>{@code cifar10/0+3,B}</td><td>some classes of a dataset, then B</td></tr>
 * <tr><td>{@code NAME=logits:F,features:G,B}</td><td>a set of arrays in files, then B</td></tr>
 * </table>
 *
 * <p>A backslash before a comma or a plus makes it a part of the name or path. Any other backslash stands for itself. A
 * mixture has the old form unless a plus follows before the next comma; in the old form a plus belongs to the name.
 * Classes joined by a plus cannot be named within a mixture, only single ones and ranges.
 */
public final class DatasetList {

    private static final String MIXTURE = "mix:";

    private DatasetList() {}

    /** What a file of a set of arrays contains. */
    public enum ArrayKind {
        LOGITS,
        PROBABILITIES,
        FEATURES,
        LABELS;

        private static Optional<ArrayKind> of(String segment) {
            return Arrays.stream(values())
                    .filter(kind -> segment.startsWith(kind.name().toLowerCase(Locale.ROOT) + ":"))
                    .findFirst();
        }
    }

    /**
     * A dataset by its name in the {@link Catalogue}, or a set of arrays.
     *
     * @param arrays files by what they contain; empty for a dataset
     */
    public record Item(String name, Map<ArrayKind, Path> arrays) {
        public Item {
            Map<ArrayKind, Path> copy = new EnumMap<>(ArrayKind.class);
            copy.putAll(arrays);
            arrays = Collections.unmodifiableMap(copy);
        }

        public boolean isArrays() {
            return !arrays.isEmpty();
        }
    }

    /** Part of a text and where it begins. */
    private record Segment(String text, int start) {}

    /**
     * The items of a list.
     *
     * @throws IllegalArgumentException with the list and the position of what is wrong in it
     */
    public static List<Item> parse(String list) {
        List<Item> items = new ArrayList<>();
        List<Segment> segments = split(list, ',');
        for (int i = 0; i < segments.size(); i++) {
            Segment segment = segments.get(i);
            int equals = nameEnd(segment.text());
            if (equals >= 0) {
                Map<ArrayKind, Path> arrays = new EnumMap<>(ArrayKind.class);
                String name = segment.text().substring(0, equals);
                add(new Segment(segment.text().substring(equals + 1), segment.start() + equals + 1), arrays, list);
                while (i + 1 < segments.size()
                        && ArrayKind.of(segments.get(i + 1).text()).isPresent()) {
                    add(segments.get(++i), arrays, list);
                }
                items.add(new Item(name, arrays));
            } else if (segment.text().startsWith(MIXTURE)) {
                boolean old = split(segment.text(), '+').size() == 1;
                String mixture = old ? list.substring(segment.start()) : segment.text();
                items.add(new Item(mixture, Map.of()));
                i = old ? segments.size() : i;
            } else {
                requireText(segment, list, "a dataset");
                items.add(new Item(unescaped(segment.text()), Map.of()));
            }
        }
        return items;
    }

    /**
     * The names of a list of datasets alone.
     *
     * @throws IllegalArgumentException also for a set of arrays
     */
    public static List<String> names(String list) {
        List<Item> items = parse(list);
        for (int i = 0; i < items.size(); i++) {
            if (items.get(i).isArrays()) {
                throw new IllegalArgumentException("entry " + (i + 1) + " of the list '" + list
                        + "' is a set of arrays but must be the name of a dataset: "
                        + items.get(i).name());
            }
        }
        return items.stream().map(Item::name).toList();
    }

    /** Whether a dataset's name is that of a mixture. */
    static boolean isMixture(String name) {
        return name.startsWith(MIXTURE);
    }

    /**
     * The parts of a mixture, with their weights.
     *
     * @throws IllegalArgumentException with the mixture and the position of what is wrong in it
     */
    static List<String> parts(String mixture) {
        List<String> parts = new ArrayList<>();
        for (Segment segment : split(mixture, separator(mixture))) {
            String text = segment.start() == 0 ? segment.text().substring(MIXTURE.length()) : segment.text();
            requireText(new Segment(text, segment.start()), mixture, "a part of the mixture");
            parts.add(unescaped(text));
        }
        return parts;
    }

    /** The mixture of other parts, in the form of the given one. */
    static String withParts(String mixture, List<String> parts) {
        char separator = separator(mixture);
        StringBuilder text = new StringBuilder(MIXTURE);
        for (int i = 0; i < parts.size(); i++) {
            String part = parts.get(i).replace(",", "\\,");
            text.append(i > 0 ? String.valueOf(separator) : "")
                    .append(separator == '+' ? part.replace("+", "\\+") : part);
        }
        return text.toString();
    }

    private static char separator(String mixture) {
        return split(mixture, ',').size() > 1 ? ',' : '+';
    }

    /** Where the name of a set of arrays ends; -1 for a dataset. */
    private static int nameEnd(String segment) {
        for (int i = 0; i < segment.length(); i++) {
            char letter = segment.charAt(i);
            if (letter == '=') {
                return i;
            }
            if (letter == ':' || letter == '/' || letter == '\\') {
                return -1;
            }
        }
        return -1;
    }

    private static void add(Segment segment, Map<ArrayKind, Path> arrays, String list) {
        ArrayKind kind = ArrayKind.of(segment.text())
                .orElseThrow(() -> wrong(
                        segment,
                        list,
                        "an array needs its kind (logits:, probabilities:, features: or labels:) and a file but is '"
                                + segment.text() + "'"));
        String file = unescaped(segment.text().substring(kind.name().length() + 1));
        requireText(new Segment(file, segment.start()), list, "the file of an array");
        if (arrays.put(kind, Path.of(file)) != null) {
            throw wrong(
                    segment,
                    list,
                    "the set has two files of kind " + kind.name().toLowerCase(Locale.ROOT));
        }
    }

    private static void requireText(Segment segment, String list, String what) {
        if (segment.text().isBlank()) {
            throw wrong(segment, list, what + " is missing. Remove the separator or give a name");
        }
    }

    private static IllegalArgumentException wrong(Segment segment, String list, String problem) {
        return new IllegalArgumentException(
                "in the list '" + list + "' at position " + (segment.start() + 1) + ": " + problem + ".");
    }

    /** Splits at a separator, unless a backslash precedes it. */
    private static List<Segment> split(String text, char separator) {
        List<Segment> segments = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == separator && (i == 0 || text.charAt(i - 1) != '\\')) {
                segments.add(new Segment(text.substring(start, i), start));
                start = i + 1;
            }
        }
        segments.add(new Segment(text.substring(start), start));
        return segments;
    }

    private static String unescaped(String text) {
        return text.replace("\\,", ",").replace("\\+", "+");
    }
}
