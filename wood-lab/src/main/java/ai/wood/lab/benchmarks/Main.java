package ai.wood.lab.benchmarks;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs the benchmarks and prints tables of ratios. */
public final class Main {

    private Main() {}

    public static void main(String[] args) throws RunnerException {
        List<String> tables =
                args.length == 0 ? List.of("scores", "transport", "auroc", "loader", "knn") : List.of(args);
        for (String table : tables) {
            switch (table) {
                case "scores" -> scores();
                case "transport" -> transport();
                case "auroc" -> auroc();
                case "loader" -> loader();
                case "knn" -> knn();
                default ->
                    throw new IllegalArgumentException(
                            "there is no table '" + table + "'. There are scores, transport, auroc, loader, knn");
            }
        }
    }

    private static void scores() throws RunnerException {
        System.out.printf("%nWOOD score of %,d rows of floats, in ms (JMH average)%n", ScoreBenchmark.ROWS);
        System.out.println("| K | sum, plain loop | sum, unrolled | binary | dynamic | binary, 2 threads | dynamic, 2"
                + " threads | binary of logits | dynamic of logits | bytes allocated a row |");
        System.out.println("|---|---|---|---|---|---|---|---|---|---|");
        for (String classes : List.of("10", "100", "1000")) {
            Map<String, RunResult> r = run(options("ScoreBenchmark", 1, 5)
                    .param("classes", classes)
                    .addProfiler(GCProfiler.class)
                    .jvmArgs("-Xms6g", "-Xmx6g"));
            System.out.printf(
                    "| %s | %.1f | %.1f | %s | %s | %s | %s | %s | %s | %.1f |%n",
                    classes,
                    score(r, "sum"),
                    score(r, "sumUnrolled"),
                    speed(r, "binary", "sum", "sumUnrolled"),
                    speed(r, "dynamic", "sum", "sumUnrolled"),
                    speed(r, "binaryTwoThreads", "binary"),
                    speed(r, "dynamicTwoThreads", "dynamic"),
                    speed(r, "binaryOfLogits", "sum"),
                    speed(r, "dynamicOfLogits", "sum"),
                    allocated(r, "dynamic") / ScoreBenchmark.ROWS);
        }
        System.out.println(
                "In brackets the speed relative to the sums (plain, unrolled), or to one thread; 8 bytes a row"
                        + " are the result itself.");
    }

    private static void transport() throws RunnerException {
        System.out.println("\nWOOD score of 100 samples, in ms (closed form: measured on 100; solvers: 100 times one)");
        System.out.println("| K | binary: closed form | Sinkhorn | linear program | dynamic: closed form | Sinkhorn |"
                + " linear program |");
        System.out.println("|---|---|---|---|---|---|---|");
        for (int classes : new int[] {10, 30, 100, 300, 1000}) {
            String solvers =
                    classes <= 100 ? "TransportBenchmark" : "TransportBenchmark.(closed|sinkhorn|programDynamic)";
            Map<String, RunResult> r = run(options(solvers, 1, 3).param("classes", String.valueOf(classes)));
            System.out.printf(
                    "| %d | %.5f | %.3f | %s | %.5f | %.3f | %.1f |%n",
                    classes,
                    score(r, "closedBinary") / 1e3,
                    100 * score(r, "sinkhornBinary") / 1e3,
                    r.containsKey("programBinary") ? String.format("%.1f", 100 * score(r, "programBinary") / 1e3) : "-",
                    score(r, "closedDynamic") / 1e3,
                    100 * score(r, "sinkhornDynamic") / 1e3,
                    100 * score(r, "programDynamic") / 1e3);
        }
        System.out.println("The paper reports 30.7 ms (binary) and 3.5 ms (dynamic) for K = 10, on its machine.");
    }

    private static void auroc() throws RunnerException {
        Map<String, RunResult> r = run(options("AurocBenchmark", 2, 5).jvmArgs("-Xms2g", "-Xmx2g"));
        System.out.println("\nTen million scores, in ms");
        System.out.println("| sorting once | AUROC | all six metrics |");
        System.out.println("|---|---|---|");
        System.out.printf(
                "| %.0f | %.0f (%.2f times) | %.0f (%.2f times) |%n",
                score(r, "sort"),
                score(r, "auroc"),
                score(r, "auroc") / score(r, "sort"),
                score(r, "allMetrics"),
                score(r, "allMetrics") / score(r, "sort"));
    }

    private static void loader() throws RunnerException {
        Map<String, RunResult> one = run(options("LoaderBenchmark", 3, 5).param("threads", "1"));
        Map<String, RunResult> two = run(options("LoaderBenchmark.epoch", 3, 5).param("threads", "2"));
        System.out.println("\nCIFAR-10-sized images shifted, flipped and normalised into a reused buffer, a second");
        System.out.println("| plain loop | loader, 1 thread | loader, 2 threads |");
        System.out.println("|---|---|---|");
        double plain = score(one, "plainLoop");
        System.out.printf(
                "| %,.0f | %,.0f (%.2f times) | %,.0f (%.2f times) |%n",
                plain,
                score(one, "epoch"),
                score(one, "epoch") / plain,
                score(two, "epoch"),
                score(two, "epoch") / plain);
        System.out.println(LoaderBenchmark.memory());
    }

    private static void knn() throws RunnerException {
        Map<String, RunResult> r = run(options("KnnBenchmark", 1, 3).jvmArgs("-Xms2g", "-Xmx2g"));
        System.out.printf(
                "%nKNN scores a second against %,d samples of %d features%n",
                KnnBenchmark.SAMPLES, KnnBenchmark.FEATURES);
        System.out.println("| plain loop | 1 thread | 2 threads |");
        System.out.println("|---|---|---|");
        double plain = score(r, "plainLoop");
        System.out.printf(
                "| %,.0f | %,.0f (%.1f times) | %,.0f (%.1f times) |%n",
                plain,
                score(r, "oneThread"),
                score(r, "oneThread") / plain,
                score(r, "twoThreads"),
                score(r, "twoThreads") / plain);
    }

    private static ChainedOptionsBuilder options(String include, int warmups, int iterations) {
        return new OptionsBuilder()
                .include(include)
                .forks(1)
                .warmupIterations(warmups + 1)
                .warmupTime(TimeValue.seconds(1))
                .measurementIterations(iterations)
                .measurementTime(TimeValue.seconds(1))
                .verbosity(VerboseMode.SILENT)
                .shouldFailOnError(true);
    }

    private static Map<String, RunResult> run(ChainedOptionsBuilder options) throws RunnerException {
        Collection<RunResult> results = new Runner(options.build()).run();
        Map<String, RunResult> byMethod = new LinkedHashMap<>();
        for (RunResult result : results) {
            String benchmark = result.getParams().getBenchmark();
            byMethod.put(benchmark.substring(benchmark.lastIndexOf('.') + 1), result);
        }
        return byMethod;
    }

    /** The median over the iterations: the machines that run this are noisy. */
    private static double score(Map<String, RunResult> results, String method) {
        return result(results, method).getPrimaryResult().getStatistics().getPercentile(50);
    }

    private static double allocated(Map<String, RunResult> results, String method) {
        RunResult result = result(results, method);
        String key = result.getSecondaryResults().keySet().stream()
                .filter(name -> name.endsWith("gc.alloc.rate.norm"))
                .findFirst()
                .orElseThrow();
        return Objects.requireNonNull(result.getSecondaryResults().get(key)).getScore();
    }

    private static RunResult result(Map<String, RunResult> results, String method) {
        RunResult result = results.get(method);
        if (result == null) {
            throw new IllegalStateException("benchmark " + method + " did not run");
        }
        return result;
    }

    private static String speed(Map<String, RunResult> results, String method, String... baselines) {
        StringBuilder text = new StringBuilder(String.format("%.1f (", score(results, method)));
        for (int i = 0; i < baselines.length; i++) {
            text.append(i == 0 ? "" : ", ")
                    .append(String.format("%.2f", score(results, baselines[i]) / score(results, method)));
        }
        return text.append(")").toString();
    }
}
