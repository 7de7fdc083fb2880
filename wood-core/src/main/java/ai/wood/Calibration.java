package ai.wood;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;

/** Held-out InD scores, and the thresholds and p-values that follow from them. */
public final class Calibration {

    private final double[] sorted;

    private Calibration(double[] sorted) {
        this.sorted = sorted;
    }

    /**
     * Copies and sorts the scores.
     *
     * @param indScores of InD samples that neither the network nor the scorer was fitted to
     */
    public static Calibration of(double[] indScores) {
        double[] sorted = indScores.clone();
        Arrays.sort(sorted);
        if (sorted.length == 0) {
            throw new IllegalArgumentException("calibration needs at least one InD score but got none");
        }
        if (Double.isNaN(sorted[sorted.length - 1])) {
            throw new IllegalArgumentException("every score must be a number but one is NaN");
        }
        return new Calibration(sorted);
    }

    public int size() {
        return sorted.length;
    }

    /**
     * The plain quantile of the {@code n} scores with linear interpolation: keeps about the given share of new InD samples, on
     * average {@code (1 + (n - 1) tnr) / (n + 1)} where scores near it are evenly spread. Of few scores that is less: 0.905 of 19
     * at a TNR of 0.95.
     */
    public Threshold quantile(double tnr) {
        return new Threshold(Quantiles.linear(sorted, tnr), tnr);
    }

    /**
     * The conformal threshold: the {@code ceil((n + 1) tnr)}-th smallest of the {@code n} scores. Over the draw of
     * calibration and new samples, at most {@code 1 - tnr} of exchangeable InD samples raise an alarm.
     *
     * <p>Where there are too few scores for that promise the threshold is infinite and never raises an alarm; see
     * {@link #scoresNeeded}.
     */
    public Threshold conformal(double tnr) {
        int rank = conformalRank(sorted.length, tnr);
        return new Threshold(rank > sorted.length ? Double.POSITIVE_INFINITY : sorted[rank - 1], tnr);
    }

    private static int conformalRank(int count, double tnr) {
        requireTnr(tnr);
        double exact = (count + 1.0) * tnr;
        double rounded = Math.rint(exact);
        // 20 * 0.95 is 19, whatever binary fractions say.
        return (int) Math.max(1, Math.abs(exact - rounded) < 1e-9 ? rounded : Math.ceil(exact));
    }

    /** How many scores a finite conformal threshold needs at this TNR: the least {@code n} of at least {@code (n + 1) tnr}. */
    public static long scoresNeeded(double tnr) {
        requireTnr(tnr);
        BigDecimal share = BigDecimal.valueOf(tnr); // 0.95, whatever binary fractions say
        return share.divide(BigDecimal.ONE.subtract(share), 0, RoundingMode.CEILING)
                .longValue();
    }

    private static void requireTnr(double tnr) {
        if (!(tnr > 0 && tnr < 1)) {
            throw new IllegalArgumentException("a TNR must lie strictly between 0 and 1 but is " + tnr);
        }
    }

    /**
     * Chance of a score at least this large from an exchangeable InD sample, {@code (1 + #{scores >= s}) / (n + 1)}:
     * at most {@code alpha} of InD samples have a p-value of {@code alpha} or less. NaN counts as larger than all of them.
     */
    public double pValue(double score) {
        if (Double.isNaN(score)) {
            return 1.0 / (sorted.length + 1);
        }
        return (1.0 + sorted.length - Quantiles.countBelow(sorted, score)) / (sorted.length + 1);
    }

    /** Fraction of these scores that the threshold keeps. */
    public double tnr(Threshold threshold) {
        return (double) kept(threshold) / sorted.length;
    }

    /**
     * Clopper and Pearson's interval for the TNR on new samples, from the number of these scores that the threshold
     * keeps. Conservative for scores the threshold was not chosen on; for the calibration scores themselves its lower
     * end is the quantile of the Beta law that the TNR of a conformal threshold follows.
     */
    public Interval tnrInterval(Threshold threshold, double confidence) {
        return Interval.ofShare(kept(threshold), sorted.length, confidence);
    }

    private int kept(Threshold threshold) {
        return Quantiles.countUpTo(sorted, threshold.value());
    }
}
