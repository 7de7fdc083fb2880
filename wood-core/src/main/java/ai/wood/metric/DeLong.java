package ai.wood.metric;

import ai.wood.Quantiles;
import java.util.Arrays;
import org.apache.commons.statistics.distribution.TDistribution;

/**
 * DeLong's test for the difference of two AUROCs measured on the same samples, by Student's law instead of the normal one:
 * with five samples of one kind the latter finds differences that are none twice as often as it says. The p-value is never
 * less than that of a sign test that nothing contradicts, on as many pairs as can be made without using a sample twice.
 *
 * @param first AUROC of the first scorer
 * @param second AUROC of the second scorer
 * @param standardError of their difference
 * @param pValue two-sided: the chance of a difference at least this large where there is none
 * @see <a href="https://doi.org/10.2307/2531595">DeLong, DeLong and Clarke-Pearson 1988</a>
 */
public record DeLong(double first, double second, double standardError, double pValue) {

    /** Scores of two scorers on the same InD and the same OOD samples, in the same order; at least two of each, none NaN. */
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
        double[] firstOnOod = onOod(firstInd, firstOod);
        double[] secondOnOod = onOod(secondInd, secondOod);
        double[] onOod = difference(firstOnOod, secondOnOod);
        double[] onInd = difference(onInd(firstInd, firstOod), onInd(secondInd, secondOod));
        StandardError error = StandardError.of(onInd, onOod);
        double first = mean(firstOnOod);
        double second = mean(secondOnOod);
        return new DeLong(first, second, error.deviation(), pValue(first - second, error));
    }

    private static double pValue(double difference, StandardError error) {
        if (difference == 0) {
            return 1;
        }
        double signs = Math.scalb(2.0, -error.pairs());
        return error.deviation() == 0
                ? signs
                : Math.max(signs, 2 * error.law().survivalProbability(Math.abs(difference) / error.deviation()));
    }

    /** The standard error of the AUROC of one scorer; at least two samples of each kind. */
    static StandardError error(double[] ind, double[] ood) {
        return StandardError.of(onInd(ind, ood), onOod(ind, ood));
    }

    /**
     * A standard error.
     *
     * @param deviation the error itself
     * @param freedom degrees of freedom that it was estimated with (Welch and Satterthwaite): few where one kind has few
     *     samples, however many the other has
     * @param pairs how many pairs can be made without using a sample twice
     */
    record StandardError(double deviation, double freedom, int pairs) {

        private static StandardError of(double[] onInd, double[] onOod) {
            double ofInd = variance(onInd) / onInd.length;
            double ofOod = variance(onOod) / onOod.length;
            double sum = ofInd + ofOod;
            double freedom = sum * sum / (ofInd * ofInd / (onInd.length - 1) + ofOod * ofOod / (onOod.length - 1));
            return new StandardError(Math.sqrt(sum), freedom, Math.min(onInd.length, onOod.length));
        }

        /** What the estimate, divided by this error, follows about its truth. */
        TDistribution law() {
            return TDistribution.of(freedom);
        }
    }

    private static double[] onInd(double[] ind, double[] ood) {
        return placements(Quantiles.sortedCopy("OOD", ood), ind);
    }

    private static double[] onOod(double[] ind, double[] ood) {
        return placements(Quantiles.sortedCopy("InD", ind), ood);
    }

    /** For each sample the share of the others that score less, ties half: its contribution to the AUROC. */
    private static double[] placements(double[] sorted, double[] samples) {
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
