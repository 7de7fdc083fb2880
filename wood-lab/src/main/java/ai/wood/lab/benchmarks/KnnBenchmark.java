package ai.wood.lab.benchmarks;

import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Scorer;
import ai.wood.Settings;
import ai.wood.score.ScorerKinds;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** KNN scores a second against CIFAR-10's 50,000 training samples of 342 features, as DenseNet-BC-100-12 gives them. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class KnnBenchmark {

    static final int SAMPLES = 50_000;
    static final int FEATURES = 342;
    static final int QUERIES = 1000;
    static final int PLAIN_QUERIES = 20;
    static final int K = 50;

    private final float[] samples = directions(1, SAMPLES);
    private final float[] queries = directions(2, QUERIES);
    private final Scorer scorer = ScorerKinds.knn().fit(FitData.of(outputs(samples)), Settings.NONE.with("k", K));
    private final ForkJoinPool one = new ForkJoinPool(1);
    private final ForkJoinPool two = new ForkJoinPool(2);

    @TearDown
    public void close() {
        one.shutdown();
        two.shutdown();
    }

    @Benchmark
    @OperationsPerInvocation(QUERIES)
    public double[] oneThread() {
        return one.submit(() -> scorer.score(outputs(queries))).join();
    }

    @Benchmark
    @OperationsPerInvocation(QUERIES)
    public double[] twoThreads() {
        return two.submit(() -> scorer.score(outputs(queries))).join();
    }

    /** The loop anybody would write: one distance after another, the nearest in a queue. */
    @Benchmark
    @OperationsPerInvocation(PLAIN_QUERIES)
    public double[] plainLoop() {
        double[] scores = new double[PLAIN_QUERIES];
        for (int q = 0; q < PLAIN_QUERIES; q++) {
            PriorityQueue<Double> nearest = new PriorityQueue<>((a, b) -> Double.compare(b, a));
            for (int s = 0; s < SAMPLES; s++) {
                double square = square(q * FEATURES, s * FEATURES);
                if (nearest.size() < K) {
                    nearest.add(square);
                } else if (square < nearest.element()) {
                    nearest.remove();
                    nearest.add(square);
                }
            }
            scores[q] = Math.sqrt(nearest.element());
        }
        return scores;
    }

    private double square(int query, int sample) {
        double sum = 0;
        for (int i = 0; i < FEATURES; i++) {
            double difference = queries[query + i] - samples[sample + i];
            sum += difference * difference;
        }
        return sum;
    }

    private static Outputs outputs(float[] features) {
        Matrix matrix = Matrix.wrap(features, FEATURES);
        return Outputs.ofLogits(Matrix.wrap(new float[2 * matrix.rows()], 2)).withFeatures(matrix);
    }

    /** Rows of length 1 without negative elements, as features after ReLU are. */
    private static float[] directions(long seed, int rows) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] values = new float[rows * FEATURES];
        for (int r = 0; r < rows; r++) {
            double squares = 0;
            for (int i = r * FEATURES; i < (r + 1) * FEATURES; i++) {
                values[i] = (float) random.nextDouble();
                squares += values[i] * values[i];
            }
            for (int i = r * FEATURES; i < (r + 1) * FEATURES; i++) {
                values[i] /= (float) Math.sqrt(squares);
            }
        }
        return values;
    }
}
