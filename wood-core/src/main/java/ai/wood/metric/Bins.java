package ai.wood.metric;

import ai.wood.Quantiles;
import java.util.Arrays;

/**
 * Scores counted in bins of equal width. Scores beyond the range, infinite ones too, count in the outermost bins.
 *
 * @param range what the bins divide
 * @param count number of bins
 */
public record Bins(Range range, int count) {

    /** How many times the spread of the InD scores a picture may extend to either side of them. */
    private static final double REACH = 20;

    /** What a picture of scores shows; {@code low < high}. */
    public record Range(double low, double high) {

        public Range {
            if (!(low < high)) {
                throw new IllegalArgumentException("a range must begin below its end but is " + low + " to " + high);
            }
        }

        /**
         * All finite scores, unless OOD lies so far off that nothing could be seen of InD: then as far as twenty times
         * the middle 99% of InD.
         */
        public static Range of(double[] ind, double[]... others) {
            double[] sorted = finite(ind);
            double low = min(sorted);
            double high = max(sorted);
            for (double[] other : others) {
                double[] scores = finite(other);
                low = Math.min(low, min(scores));
                high = Math.max(high, max(scores));
            }
            if (!(low <= high)) {
                return new Range(0, 1);
            }
            if (sorted.length > 0) {
                double from = Quantiles.linear(sorted, 0.005);
                double to = Quantiles.linear(sorted, 0.995);
                if (to > from) {
                    low = Math.max(low, from - REACH * (to - from));
                    high = Math.min(high, to + REACH * (to - from));
                }
            }
            return low < high ? new Range(low, high) : new Range(low, low + Math.max(1, 1e-3 * Math.abs(low)));
        }

        private static double[] finite(double[] scores) {
            return Arrays.stream(scores).filter(Double::isFinite).sorted().toArray();
        }

        private static double min(double[] sorted) {
            return sorted.length == 0 ? Double.POSITIVE_INFINITY : sorted[0];
        }

        private static double max(double[] sorted) {
            return sorted.length == 0 ? Double.NEGATIVE_INFINITY : sorted[sorted.length - 1];
        }
    }

    /** How many scores lie in each bin. */
    public int[] counts(double[] scores) {
        int[] counts = new int[count];
        for (double score : scores) {
            double position = (score - range.low()) / (range.high() - range.low()) * count;
            counts[(int) Math.max(0, Math.min(count - 1, position))]++;
        }
        return counts;
    }
}
