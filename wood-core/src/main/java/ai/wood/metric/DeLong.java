package ai.wood.metric;

import java.util.Arrays;
import org.apache.commons.statistics.distribution.NormalDistribution;

/**
 * DeLong's test for the difference of two AUROCs measured on the same samples.
 *
 * @param first AUROC of the first scorer
 * @param second AUROC of the second scorer
 * @param standardError of their difference
 * @param pValue two-sided: the chance of a difference at least this large where there is none
 * @see <a href="https://doi.org/10.2307/2531595">DeLong, DeLong and Clarke-Pearson 1988</a>
 */
public record DeLong(double first, double second, double standardError, double pValue) {

    /** Scores of two scorers on the same InD and the same OOD samples, in the same order; at least two of each. */
    public static DeLong compare(double[] firstInd, double[] firstOod, double[] secondInd, double[] secondOod) {
        if (firstInd.length != secondInd.length || firstOod.length != secondOod.length) {
            throw new IllegalArgumentException("both scorers must have seen the same samples but scored "
                    + firstInd.length + " and " + secondInd.length + " InD, " + firstOod.length + " and "
                    + secondOod.length + " OOD");
        }
        if (firstInd.length < 2 || firstOod.length < 2) {
            throw new IllegalArgumentException("the test needs at least two samples of each kind but there are "
                    + firstInd.length + " InD and " + firstOod.length + " OOD");
        }
        double[] onOod = difference(placements(firstInd, firstOod), placements(secondInd, secondOod));
        double[] onInd = difference(placements(firstOod, firstInd), placements(secondOod, secondInd));
        double error = Math.sqrt(variance(onOod) / onOod.length + variance(onInd) / onInd.length);
        double first = mean(placements(firstInd, firstOod));
        double second = mean(placements(secondInd, secondOod));
        return new DeLong(first, second, error, pValue(first - second, error));
    }

    private static double pValue(double difference, double error) {
        if (error == 0) {
            return difference == 0 ? 1 : 0;
        }
        return 2 * NormalDistribution.of(0, 1).survivalProbability(Math.abs(difference) / error);
    }

    /** For each sample the share of the others that score less, ties half: its contribution to the AUROC. */
    private static double[] placements(double[] others, double[] samples) {
        double[] sorted = Quantiles.sortedCopy(others);
        return Arrays.stream(samples)
                .map(s -> (Quantiles.countBelow(sorted, s) + Quantiles.countUpTo(sorted, s)) / (2.0 * sorted.length))
                .toArray();
    }

    private static double[] difference(double[] a, double[] b) {
        double[] difference = new double[a.length];
        for (int i = 0; i < a.length; i++) {
            difference[i] = a[i] - b[i];
        }
        return difference;
    }

    private static double mean(double[] values) {
        return Arrays.stream(values).sum() / values.length;
    }

    private static double variance(double[] values) {
        double mean = mean(values);
        return Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum() / (values.length - 1);
    }
}
