package ai.wood;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** Finds things by the names that people type, and tells what they may have meant where there is no such name. */
public final class Names {

    /** A longer name was not typed by anybody. */
    private static final int MAX_LENGTH = 100;

    private Names() {}

    /** What a constant is called on the command line and in files: {@code max-logit} for {@code MAX_LOGIT}. */
    public static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * The one of that name.
     *
     * @param kind what is looked for, such as "scorer"
     * @throws IllegalArgumentException with the nearest name and all names
     */
    public static <T> T find(String kind, String name, T[] all, Function<T, String> id) {
        return Arrays.stream(all)
                .filter(one -> id.apply(one).equals(name))
                .findFirst()
                .orElseThrow(
                        () -> unknown(kind, name, Arrays.stream(all).map(id).toList()));
    }

    /** Says that there is no such name, which one may have been meant, and which there are. */
    public static IllegalArgumentException unknown(String kind, String name, List<String> known) {
        return new IllegalArgumentException("there is no " + kind + " '" + shortened(name) + "'. "
                + nearest(name, known)
                        .map(meant -> "Did you mean " + meant + "? ")
                        .orElse("")
                + "There are " + String.join(", ", known));
    }

    private static String shortened(String name) {
        return name.length() <= MAX_LENGTH ? name : name.substring(0, MAX_LENGTH) + "...";
    }

    /** The known name that takes the fewest changes to type; none where all of them take too many to be meant. */
    public static Optional<String> nearest(String name, List<String> known) {
        if (name.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        String typed = plain(name);
        String best = null;
        int least = Math.max(1, typed.length() / 3) + 1;
        for (String candidate : known) {
            if (candidate.length() > 2 * MAX_LENGTH) {
                continue;
            }
            int changes = changes(typed, plain(candidate));
            if (changes < least) {
                least = changes;
                best = candidate;
            }
        }
        return Optional.ofNullable(best);
    }

    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[-_ ]", "");
    }

    /** Letters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
    private static int changes(String from, String to) {
        int[][] cost = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                cost[i][j] = i == 0 || j == 0 ? i + j : cheapest(cost, from, to, i, j);
            }
        }
        return cost[from.length()][to.length()];
    }

    private static int cheapest(int[][] cost, String from, String to, int i, int j) {
        boolean same = from.charAt(i - 1) == to.charAt(j - 1);
        int least = Math.min(Math.min(cost[i - 1][j], cost[i][j - 1]) + 1, cost[i - 1][j - 1] + (same ? 0 : 1));
        boolean swapped =
                i > 1 && j > 1 && from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1);
        return swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
    }
}
