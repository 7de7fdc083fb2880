package ai.wood.lab.benchmarks;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.score.WoodScorer;
import ai.wood.transport.GroundCost;
import java.util.SplittableRandom;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A million rows of float outputs, scored; against merely summing the same array, which is what memory allows. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class ScoreBenchmark {

    static final int ROWS = 1_000_000;

    /** So many rows are drawn and repeated: too many for branch predictors to learn, few enough to fill quickly. */
    private static final int DRAWN_ROWS = 20_000;

    @Param({"10", "100", "1000"})
    int classes;

    private float[] data = {};
    private Matrix matrix = Matrix.wrap(new float[1], 1);
    private final ForkJoinPool one = new ForkJoinPool(1);
    private final ForkJoinPool two = new ForkJoinPool(2);

    /** Probabilities of random logits; they serve as logits too, whose values do not matter for speed. */
    @Setup
    public void fill() {
        data = new float[ROWS * classes];
        SplittableRandom random = new SplittableRandom(1);
        int drawn = DRAWN_ROWS * classes;
        double[] row = new double[classes];
        for (int start = 0; start < drawn; start += classes) {
            for (int i = 0; i < classes; i++) {
                row[i] = 6 * random.nextDouble();
            }
            Probabilities.softmax(row);
            for (int i = 0; i < classes; i++) {
                data[start + i] = (float) row[i];
            }
        }
        for (int start = drawn; start < data.length; start += drawn) {
            System.arraycopy(data, 0, data, start, Math.min(drawn, data.length - start));
        }
        matrix = Matrix.wrap(data, classes);
    }

    @TearDown
    public void close() {
        one.shutdown();
        two.shutdown();
    }

    /** The loop anybody would write. */
    @Benchmark
    public double sum() {
        double sum = 0;
        for (float x : data) {
            sum += x;
        }
        return sum;
    }

    /** Eight accumulators, so that additions do not wait for each other: as fast as plain Java gets. */
    @Benchmark
    public double sumUnrolled() {
        float s0 = 0;
        float s1 = 0;
        float s2 = 0;
        float s3 = 0;
        float s4 = 0;
        float s5 = 0;
        float s6 = 0;
        float s7 = 0;
        int length = data.length & ~7;
        for (int i = 0; i < length; i += 8) {
            s0 += data[i];
            s1 += data[i + 1];
            s2 += data[i + 2];
            s3 += data[i + 3];
            s4 += data[i + 4];
            s5 += data[i + 5];
            s6 += data[i + 6];
            s7 += data[i + 7];
        }
        return s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;
    }

    @Benchmark
    public double[] binary() {
        return score(one, GroundCost.binary(), Outputs.ofProbabilities(matrix));
    }

    @Benchmark
    public double[] dynamic() {
        return score(one, GroundCost.dynamic(), Outputs.ofProbabilities(matrix));
    }

    @Benchmark
    public double[] binaryTwoThreads() {
        return score(two, GroundCost.binary(), Outputs.ofProbabilities(matrix));
    }

    @Benchmark
    public double[] dynamicTwoThreads() {
        return score(two, GroundCost.dynamic(), Outputs.ofProbabilities(matrix));
    }

    @Benchmark
    public double[] binaryOfLogits() {
        return score(one, GroundCost.binary(), Outputs.ofLogits(matrix));
    }

    @Benchmark
    public double[] dynamicOfLogits() {
        return score(one, GroundCost.dynamic(), Outputs.ofLogits(matrix));
    }

    private static double[] score(ForkJoinPool pool, GroundCost cost, Outputs outputs) {
        return pool.submit(() -> new WoodScorer(cost).score(outputs)).join();
    }
}
