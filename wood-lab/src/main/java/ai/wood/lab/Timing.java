package ai.wood.lab;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import ai.wood.Seed;
import ai.wood.transport.GroundCost;
import ai.wood.transport.Sinkhorn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;

/**
 * Section 4.3 of the paper again: how long the WOOD score of 100 samples takes under the binary and the dynamic cost, by
 * the closed forms and by Sinkhorn's algorithm, which the paper uses. Sinkhorn tries every class under the binary cost;
 * under the dynamic cost every class gives the same, so that one is enough.
 *
 * @param classes K
 * @param closedBinary ms
 * @param closedDynamic ms
 * @param sinkhornBinary ms; the time of one sample times 100
 * @param sinkhornDynamic ms; the time of one sample times 100
 */
record Timing(int classes, double closedBinary, double closedDynamic, double sinkhornBinary, double sinkhornDynamic) {

    /** What the paper prints for K = 10, in ms. */
    public static final double PRINTED_BINARY = 30.7;

    public static final double PRINTED_DYNAMIC = 3.5;

    private static final int SAMPLES = 100;
    private static final int ROUNDS = 5;
    private static final double LAMBDA = 20;
    private static final double ROUND_NANOS = 5e7;

    /** Measures for several numbers of classes, telling each. */
    public static List<Timing> sweep(List<Integer> classes, Consumer<Timing> progress) {
        List<Timing> timings = new ArrayList<>();
        for (int k : classes) {
            Timing timing = of(k);
            timings.add(timing);
            progress.accept(timing);
        }
        return timings;
    }

    private static Timing of(int classes) {
        double[][] samples = samples(classes);
        return new Timing(
                classes,
                milliseconds(() -> closed(GroundCost.binary(), samples)),
                milliseconds(() -> closed(GroundCost.dynamic(), samples)),
                SAMPLES * milliseconds(() -> sinkhorn(GroundCost.binary(), samples[0], classes)),
                SAMPLES * milliseconds(() -> sinkhorn(GroundCost.dynamic(), samples[0], 1)));
    }

    private static double[][] samples(int classes) {
        SplittableRandom random = new Seed(1).random();
        double[][] samples = new double[SAMPLES][];
        Arrays.setAll(samples, i -> {
            double[] f = random.doubles(classes, 0, 6).toArray();
            Probabilities.softmax(f);
            return f;
        });
        return samples;
    }

    private static double closed(GroundCost cost, double[][] samples) {
        return Arrays.stream(samples).mapToDouble(cost::score).sum();
    }

    private static double sinkhorn(GroundCost cost, double[] f, int tried) {
        double least = Double.POSITIVE_INFINITY;
        for (int k = 0; k < tried; k++) {
            double[] target = new double[f.length];
            target[k] = 1;
            Matrix costs = cost.matrix(f, k);
            least = Math.min(least, Sinkhorn.of(LAMBDA).solve(f, target, costs).value());
        }
        return least;
    }

    /** The median over rounds, each of as many calls as fill its time, after one to warm up. */
    private static double milliseconds(DoubleSupplier work) {
        double[] times = new double[ROUNDS];
        for (int round = -1; round < ROUNDS; round++) {
            long start = System.nanoTime();
            int calls = 0;
            double sum = 0;
            do {
                sum += work.getAsDouble();
                calls++;
            } while (System.nanoTime() - start < ROUND_NANOS);
            if (Double.isNaN(sum)) {
                throw new IllegalStateException("a score is not a number");
            }
            times[Math.max(round, 0)] = (System.nanoTime() - start) / 1e6 / calls;
        }
        Arrays.sort(times);
        return times[ROUNDS / 2];
    }
}
