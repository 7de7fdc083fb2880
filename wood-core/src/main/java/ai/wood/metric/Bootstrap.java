package ai.wood.metric;

import ai.wood.Interval;
import ai.wood.Quantiles;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Percentile intervals by the stratified bootstrap: InD and OOD are drawn again separately, so that their proportion
 * stays. No interval but that of an AUPR is narrower than few samples allow: those of missed and alarmed samples than
 * counting them at the order statistics between which the threshold lies gives (Clopper and Pearson), that of an AUROC
 * than DeLong's for its log-odds and, near 0 or 1, than counting pairs. Intervals of an AUPR on fewer than some hundred
 * samples of a kind are too narrow.
 *
 * @param replicates how often to draw, at least 100; 0 for no intervals
 * @param confidence of the intervals
 * @param seed same seed, same intervals, whatever the number of threads
 */
public record Bootstrap(int replicates, double confidence, long seed) {

    /** Of fewer replicates the percentiles of a 95% interval would be hardly more than the least and the greatest. */
    private static final int LEAST_REPLICATES = 100;

    private static final int MOST_REPLICATES = 1_000_000;

    /** 1,000 replicates, 95%. */
    public static final Bootstrap DEFAULTS = new Bootstrap(1000, 0.95, 1);

    /** No intervals. */
    public static final Bootstrap NONE = new Bootstrap(0, 0.95, 1);

    public Bootstrap {
        if (replicates != 0 && (replicates < LEAST_REPLICATES || replicates > MOST_REPLICATES)) {
            throw new IllegalArgumentException("the number of replicates must be 0, for no intervals, or lie in "
                    + LEAST_REPLICATES + " to " + MOST_REPLICATES + " but is " + replicates);
        }
        if (!(confidence > 0 && confidence < 1)) {
            throw new IllegalArgumentException("the confidence must lie strictly between 0 and 1 but is " + confidence);
        }
    }

    public Bootstrap withReplicates(int count) {
        return new Bootstrap(count, confidence, seed);
    }

    /** With fewer replicates where only so many can be afforded, but never so few that intervals mean little. */
    public Bootstrap withAtMost(double affordable) {
        return withReplicates((int) Math.min(replicates, Math.max(LEAST_REPLICATES, affordable)));
    }

    public Bootstrap withSeed(long newSeed) {
        return new Bootstrap(replicates, confidence, newSeed);
    }

    Map<Metric, Interval> intervals(RankedScores scores) {
        Map<Metric, Interval> intervals = new EnumMap<>(Metric.class);
        if (replicates == 0) {
            return intervals;
        }
        Metric[] metrics = Metric.values();
        double[][] values = new double[metrics.length][replicates];
        long[] seeds = new SplittableRandom(seed).longs(replicates).toArray();
        IntStream.range(0, replicates).parallel().forEach(replicate -> {
            SplittableRandom random = new SplittableRandom(seeds[replicate]);
            RankedScores drawn = scores.resampled(draw(scores.indCount(), random), draw(scores.oodCount(), random));
            for (int m = 0; m < metrics.length; m++) {
                values[m][replicate] = drawn.value(metrics[m]);
            }
        });
        for (int m = 0; m < metrics.length; m++) {
            Arrays.sort(values[m]);
            double tail = (1 - confidence) / 2;
            Interval percentiles =
                    new Interval(Quantiles.linear(values[m], tail), Quantiles.linear(values[m], 1 - tail));
            intervals.put(metrics[m], percentiles.and(exact(scores, metrics[m])));
        }
        return intervals;
    }

    /**
     * What few samples allow whatever the drawing says: of samples none of which was missed it never draws one that is, and
     * of few scores never one beyond them. Missed and alarmed samples are counted with the threshold as it is, and with the
     * threshold moved as far as the samples that it was chosen on allow. An AUPR is larger where samples are drawn twice, so
     * that of drawings alone its interval might begin above it.
     */
    private Interval exact(RankedScores scores, Metric metric) {
        double value = scores.value(metric);
        return switch (metric) {
            case FNR95 -> ofShare(value, scores.oodCount()).and(scores.fnrAtTnr(RankedScores.LEVEL, confidence));
            case FPR95_OPENOOD ->
                ofShare(value, scores.indCount()).and(scores.fprAtTpr(RankedScores.LEVEL, confidence));
            case AUROC -> auroc(scores, value);
            case DETECTION_ERROR -> scores.detectionError(confidence);
            case AUPR_IN, AUPR_OUT -> new Interval(value, value);
        };
    }

    /**
     * DeLong's interval for the log-odds of the AUROC. Where less than one is wrong, or right, of as many pairs as can be
     * made without using a sample twice, it may be that none was by chance.
     */
    private Interval auroc(RankedScores scores, double value) {
        int pairs = Math.min(scores.indCount(), scores.oodCount());
        Interval interval = pairs < 2 ? new Interval(value, value) : logOdds(value, scores.aurocError());
        if ((1 - value) * pairs < 1) {
            interval = interval.and(Interval.ofShare(pairs, pairs, confidence));
        }
        return value * pairs < 1 ? interval.and(Interval.ofShare(0, pairs, confidence)) : interval;
    }

    private Interval logOdds(double value, DeLong.StandardError error) {
        if (error.deviation() == 0) {
            return new Interval(value, value);
        }
        double odds = value / (1 - value);
        double quantile = error.law().inverseSurvivalProbability((1 - confidence) / 2);
        double factor = Math.exp(quantile * error.deviation() / (value * (1 - value)));
        return new Interval(odds / (odds + factor), odds / (odds + 1 / factor));
    }

    private Interval ofShare(double share, int count) {
        return Interval.ofShare((int) Math.round(share * count), count, confidence);
    }

    private static int[] draw(int count, SplittableRandom random) {
        int[] counts = new int[count];
        for (int i = 0; i < count; i++) {
            counts[random.nextInt(count)]++;
        }
        return counts;
    }
}
