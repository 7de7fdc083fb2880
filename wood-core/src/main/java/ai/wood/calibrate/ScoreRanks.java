package ai.wood.calibrate;

/**
 * Ranks each score among all before it, in constant memory.
 *
 * <p>Scores are told apart by their leading 18 bits as floats, a relative difference of 1/512; the order among those that
 * look equal is drawn. If calibration scores and new ones are exchangeable, the p-values of the new ones are then
 * <em>independent and exactly uniform</em> (Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World, 2005,
 * chapter 8), which p-values against a fixed sample are not: those share its accidents.
 */
final class ScoreRanks {

    private static final int BITS = 18;
    private static final int SIZE = 1 << BITS;

    /** A Fenwick tree of counts, so that a rank costs 18 steps. */
    private final long[] tree = new long[SIZE + 1];

    private long count;

    void add(double score) {
        for (int i = place(score) + 1; i <= SIZE; i += i & -i) {
            tree[i]++;
        }
        count++;
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
        long upTo = upTo(place);
        long equal = upTo - upTo(place - 1);
        return (count - upTo + draw * equal) / count;
    }

    private long upTo(int place) {
        long sum = 0;
        for (int i = place + 1; i > 0; i -= i & -i) {
            sum += tree[i];
        }
        return sum;
    }

    /** Keeps the order of scores. A score that is no number counts as the largest. */
    private static int place(double score) {
        float value = Double.isNaN(score) ? Float.POSITIVE_INFINITY : (float) score + 0f; // -0 becomes 0
        int bits = Float.floatToIntBits(value);
        return (bits ^ (bits >> 31 | Integer.MIN_VALUE)) >>> (Integer.SIZE - BITS);
    }
}
