package ai.wood.calibrate;

import java.util.HashMap;
import java.util.Map;

/**
 * Ranks each score among all before it, in bounded memory.
 *
 * <p>Scores are told apart by the leading 22 bits, as floats, of the score and of its differences from some typical ones: by
 * 1/8192 of themselves or of such a difference. So both small scores and ones that all lie close together, far from 0, have
 * their places. The order among those that look equal is drawn. If the scores to be ranked are exchangeable, whatever the
 * typical ones are, the p-values of the new ones are then <em>independent and exactly uniform</em> (Vovk, Gammerman and
 * Shafer, Algorithmic Learning in a Random World, 2005, chapter 8), which p-values against a fixed sample are not: those
 * share its accidents.
 */
final class ScoreRanks {

    private static final int BITS = 22;
    private static final int FINE_BITS = 8;
    private static final int FINE = 1 << FINE_BITS;

    private final double[] typical;

    /** How many scores there are in each block of places. */
    private final Counts blocks;

    /** How many there are in each place of the blocks that are not empty: 2 KB each, 135 MB if all were in use. */
    private final Map<Integer, Counts> places = new HashMap<>();

    private long count;

    /**
     * Knows no scores yet.
     *
     * @param typical scores near which others are told apart finely; not among those that are ranked
     */
    ScoreRanks(double... typical) {
        this.typical = typical.clone();
        this.blocks = new Counts((typical.length + 1) << (BITS - FINE_BITS));
    }

    void add(double score) {
        int place = place(score);
        blocks.add(place / FINE);
        block(place).add(place % FINE);
        count++;
    }

    private Counts block(int place) {
        return places.computeIfAbsent(place / FINE, block -> new Counts(FINE));
    }

    /**
     * Adds a score and tells how large it is among all so far: the share of larger ones, and of equal ones, itself among
     * them, as much as was drawn.
     *
     * @param draw uniform on [0, 1)
     */
    double pValue(double score, double draw) {
        add(score);
        int place = place(score);
        Counts block = block(place);
        long smaller = blocks.below(place / FINE) + block.below(place % FINE);
        long equal = block.below(place % FINE + 1) - block.below(place % FINE);
        return (count - smaller - equal + draw * equal) / count;
    }

    /** Keeps the order of scores, because each summand does: two scores have one place only if all summands are equal. */
    private int place(double score) {
        int place = leadingBits(score);
        for (double other : typical) {
            place += leadingBits(score - other);
        }
        return place;
    }

    /** A score that is no number counts as the largest. */
    private static int leadingBits(double score) {
        float value = Double.isNaN(score) ? Float.POSITIVE_INFINITY : (float) score + 0f; // -0 becomes 0
        int bits = Float.floatToIntBits(value);
        return (bits ^ (bits >> 31 | Integer.MIN_VALUE)) >>> (Integer.SIZE - BITS);
    }

    /** A Fenwick tree: adding and summing take as many steps as its size has bits. */
    private static final class Counts {

        private final long[] tree;

        Counts(int size) {
            tree = new long[size + 1];
        }

        void add(int index) {
            for (int i = index + 1; i < tree.length; i += i & -i) {
                tree[i]++;
            }
        }

        /** The sum over all smaller indices. */
        long below(int index) {
            long sum = 0;
            for (int i = index; i > 0; i -= i & -i) {
                sum += tree[i];
            }
            return sum;
        }
    }
}
