package ai.wood;

import java.util.Arrays;
import java.util.function.IntToDoubleFunction;

/** Quantiles and counts of sorted numbers. */
public final class Quantiles {

    private Quantiles() {}

    /**
     * The quantile with linear interpolation between order statistics (Hyndman and Fan's type 7, NumPy's default). Between
     * a finite number and an infinite one it is infinite; between both infinities, positive.
     */
    public static double linear(double[] sorted, double level) {
        return interpolate(sorted.length, level, i -> sorted[i]);
    }

    public static double interpolate(int count, double level, IntToDoubleFunction orderStatistic) {
        if (!(level >= 0 && level <= 1)) {
            throw new IllegalArgumentException("a quantile's level must lie in [0, 1] but is " + level);
        }
        if (count == 0) {
            throw new IllegalArgumentException("a quantile needs at least one value but there are none");
        }
        double position = (count - 1) * level;
        int below = (int) position;
        double low = orderStatistic.applyAsDouble(below);
        double share = position - below;
        if (share == 0) {
            return low;
        }
        double high = orderStatistic.applyAsDouble(below + 1);
        if (low == high || (low == Double.NEGATIVE_INFINITY && high < Double.POSITIVE_INFINITY)) {
            return low;
        }
        if (high == Double.POSITIVE_INFINITY) {
            return high;
        }
        double gap = high - low; // may be too large for a number
        return gap < Double.POSITIVE_INFINITY ? low + share * gap : (1 - share) * low + share * high;
    }

    /** How many elements do not exceed the value. */
    public static int countUpTo(double[] sorted, double value) {
        return firstFrom(sorted, value, true);
    }

    /** How many elements lie below the value. */
    public static int countBelow(double[] sorted, double value) {
        return firstFrom(sorted, value, false);
    }

    private static int firstFrom(double[] sorted, double value, boolean passEqual) {
        int low = 0;
        int high = sorted.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle] < value || (passEqual && sorted[middle] == value)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Copies and sorts scores of one kind; refuses NaN. */
    public static double[] sortedCopy(String kind, double[] scores) {
        double[] sorted = scores.clone();
        Arrays.sort(sorted);
        if (sorted.length > 0 && Double.isNaN(sorted[sorted.length - 1])) {
            throw new IllegalArgumentException("every " + kind + " score must be a number but one is NaN");
        }
        return sorted;
    }
}
