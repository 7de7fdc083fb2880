package ai.wood.lab.benchmarks;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import ai.wood.transport.ExactTransport;
import ai.wood.transport.GroundCost;
import ai.wood.transport.Sinkhorn;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleBiFunction;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The WOOD score of 100 samples by closed form, and of one sample by Sinkhorn's algorithm and by linear programs, which
 * must try every class under the binary cost and one under the dynamic cost, as the paper does.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class TransportBenchmark {

    static final int SAMPLES = 100;

    @Param({"10", "30", "100", "300", "1000"})
    int classes;

    private double[][] samples = {};

    @Setup
    public void draw() {
        SplittableRandom random = new SplittableRandom(1);
        samples = new double[SAMPLES][classes];
        for (double[] f : samples) {
            for (int i = 0; i < classes; i++) {
                f[i] = 6 * random.nextDouble();
            }
            Probabilities.softmax(f);
        }
    }

    @Benchmark
    public double closedBinary() {
        return closed(GroundCost.binary());
    }

    @Benchmark
    public double closedDynamic() {
        return closed(GroundCost.dynamic());
    }

    private double closed(GroundCost cost) {
        double sum = 0;
        for (double[] f : samples) {
            sum += cost.score(f);
        }
        return sum;
    }

    @Benchmark
    public double sinkhornBinary() {
        return least(classes, GroundCost.binary(), this::sinkhorn);
    }

    @Benchmark
    public double sinkhornDynamic() {
        return least(1, GroundCost.dynamic(), this::sinkhorn);
    }

    @Benchmark
    public double programBinary() {
        return least(classes, GroundCost.binary(), this::program);
    }

    @Benchmark
    public double programDynamic() {
        return least(1, GroundCost.dynamic(), this::program);
    }

    private double least(int tried, GroundCost cost, ToDoubleBiFunction<double[], Matrix> distance) {
        double least = Double.POSITIVE_INFINITY;
        for (int k = 0; k < tried; k++) {
            double[] target = new double[classes];
            target[k] = 1;
            least = Math.min(least, distance.applyAsDouble(target, cost.matrix(samples[0], k)));
        }
        return least;
    }

    private double sinkhorn(double[] target, Matrix costs) {
        return Sinkhorn.of(20).solve(samples[0], target, costs).value();
    }

    private double program(double[] target, Matrix costs) {
        return ExactTransport.solve(samples[0], target, costs).value();
    }
}
