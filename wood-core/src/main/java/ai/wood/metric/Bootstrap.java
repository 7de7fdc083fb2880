package ai.wood.metric;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Percentile intervals by the stratified bootstrap: InD and OOD are drawn again separately, so that their proportion
 * stays.
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
            intervals.put(
                    metrics[m], new Interval(Quantiles.linear(values[m], tail), Quantiles.linear(values[m], 1 - tail)));
        }
        return intervals;
    }

    private static int[] draw(int count, SplittableRandom random) {
        int[] counts = new int[count];
        for (int i = 0; i < count; i++) {
            counts[random.nextInt(count)]++;
        }
        return counts;
    }
}
