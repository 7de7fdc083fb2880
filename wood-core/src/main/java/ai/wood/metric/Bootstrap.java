package ai.wood.metric;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Percentile intervals by the stratified bootstrap: InD and OOD are drawn again separately, so that their proportion
 * stays. Shares of missed and alarmed samples have no narrower interval than counting them gives (Clopper and Pearson);
 * so has the AUROC where it is 0 or 1.
 *
 * @param replicates how often to draw; 0 for no intervals
 * @param confidence of the intervals
 * @param seed same seed, same intervals, whatever the number of threads
 */
public record Bootstrap(int replicates, double confidence, long seed) {

    private static final int MAX_REPLICATES = 1_000_000;

    /** 1,000 replicates, 95%. */
    public static final Bootstrap DEFAULTS = new Bootstrap(1000, 0.95, 1);

    /** No intervals. */
    public static final Bootstrap NONE = new Bootstrap(0, 0.95, 1);

    public Bootstrap {
        if (replicates < 0 || replicates > MAX_REPLICATES) {
            throw new IllegalArgumentException(
                    "the number of replicates must lie in 0 to " + MAX_REPLICATES + " but is " + replicates);
        }
        if (!(confidence > 0 && confidence < 1)) {
            throw new IllegalArgumentException("the confidence must lie strictly between 0 and 1 but is " + confidence);
        }
    }

    public Bootstrap withReplicates(int count) {
        return new Bootstrap(count, confidence, seed);
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
            intervals.put(metrics[m], percentiles.and(exact(scores, metrics[m]).orElse(percentiles)));
        }
        return intervals;
    }

    /**
     * What few samples allow whatever the drawing says: of samples none of which was missed it never draws one that is.
     * Missed and alarmed samples are counted, with the threshold as it is; where InD and OOD are told apart without error,
     * so are as many pairs as can be made without using a sample twice.
     */
    private Optional<Interval> exact(RankedScores scores, Metric metric) {
        double value = scores.value(metric);
        return switch (metric) {
            case FNR95 -> Optional.of(ofShare(value, scores.oodCount()));
            case FPR95_OPENOOD -> Optional.of(ofShare(value, scores.indCount()));
            case AUROC ->
                value > 0 && value < 1
                        ? Optional.empty()
                        : Optional.of(ofShare(value, Math.min(scores.indCount(), scores.oodCount())));
            case AUPR_IN, AUPR_OUT, DETECTION_ERROR -> Optional.empty();
        };
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
