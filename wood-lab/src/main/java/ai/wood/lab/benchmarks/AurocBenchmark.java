package ai.wood.lab.benchmarks;

import ai.wood.metric.Metric;
import ai.wood.metric.RankedScores;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Ten million scores, half of them InD: the AUROC and all metrics against sorting the scores once. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class AurocBenchmark {

    private static final int COUNT = 10_000_000;

    private final double[] all =
            new SplittableRandom(1).doubles(COUNT).map(Math::exp).toArray();
    private final double[] ind = Arrays.copyOf(all, COUNT / 2);
    private final double[] ood = Arrays.copyOfRange(all, COUNT / 2, COUNT);

    @Benchmark
    public double[] sort() {
        double[] copy = all.clone();
        Arrays.sort(copy);
        return copy;
    }

    @Benchmark
    public double auroc() {
        return RankedScores.of(ind, ood).auroc();
    }

    @Benchmark
    public double allMetrics() {
        RankedScores scores = RankedScores.of(ind, ood);
        double sum = 0;
        for (Metric metric : Metric.values()) {
            sum += scores.value(metric);
        }
        return sum;
    }
}
