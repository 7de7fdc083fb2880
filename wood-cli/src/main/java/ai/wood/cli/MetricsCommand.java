package ai.wood.cli;

import ai.wood.Interval;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.DeLong;
import ai.wood.metric.Evaluation;
import ai.wood.metric.Metric;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Scores of InD and OOD test samples in, every figure with its interval out. */
@Command(
        name = "metrics",
        description = "Measures how well scores tell OOD from InD: every metric with a bootstrap interval.",
        footer = {
            "",
            "OOD is the positive class. FNR@95TNR: share of OOD missed with the threshold at the 95%% quantile of the InD",
            "scores (others call it FPR95 with InD positive). FPR95 (OpenOOD): share of InD alarmed at 95%% OOD recall.",
            "One of the files may be -, standard input.",
            "",
            "Examples:",
            "  wood metrics --ind-scores cifar10.txt --ood-scores svhn.txt",
            "  wood metrics --ind-scores a-ind.npy --ood-scores a-ood.npy --other-ind-scores b-ind.npy"
                    + " --other-ood-scores b-ood.npy",
            "  wood metrics --ind-scores cifar10.txt --ood-scores svhn.txt --json --bootstrap 0"
        })
final class MetricsCommand implements Callable<Integer> {

    private static final double BOOTSTRAP_DRAWS = 2e8;

    @Spec
    private CommandSpec spec;

    @Option(names = "--ind-scores", paramLabel = "FILE", required = true, description = "InD scores, one a row.")
    private Path indScores;

    @Option(names = "--ood-scores", paramLabel = "FILE", required = true, description = "OOD scores, one a row.")
    private Path oodScores;

    @ArgGroup(exclusive = false)
    private @Nullable Other other;

    /** A second scorer on the same samples. */
    static final class Other {
        @Option(
                names = "--other-ind-scores",
                paramLabel = "FILE",
                required = true,
                description = "InD scores of another scorer on the same samples: adds DeLong's test.")
        Path ind;

        @Option(
                names = "--other-ood-scores",
                paramLabel = "FILE",
                required = true,
                description = "OOD scores of that scorer.")
        Path ood;
    }

    @Option(
            names = "--bootstrap",
            paramLabel = "N",
            description = "Replicates for the intervals, at least 100; 0 for none. Default: 1000, fewer for more than"
                    + " 200,000 scores.")
    private @Nullable Integer replicates;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the bootstrap. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        new OptionRules(spec).onlyFor("intervals", replicates == null || replicates > 0, "--bootstrap is 0", "--seed");
        Inputs inputs = new Inputs();
        double[] ind = inputs.scores(indScores);
        double[] ood = inputs.scores(oodScores);
        Evaluation evaluation = Evaluation.of(ind, ood, bootstrap(ind.length + (long) ood.length));
        Optional<DeLong> deLong = other == null
                ? Optional.empty()
                : Optional.of(DeLong.compare(ind, ood, inputs.scores(other.ind), inputs.scores(other.ood)));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Json.pretty(values(evaluation, deLong)));
        } else {
            print(evaluation, deLong, out);
        }
        return 0;
    }

    private Bootstrap bootstrap(long scores) {
        Bootstrap bootstrap = Bootstrap.DEFAULTS.withSeed(seed);
        return replicates == null
                ? bootstrap.withAtMost(BOOTSTRAP_DRAWS / scores)
                : bootstrap.withReplicates(replicates);
    }

    private static Map<String, Object> values(Evaluation evaluation, Optional<DeLong> deLong) {
        Map<String, Object> values = new LinkedHashMap<>();
        Map<String, Object> intervals = new LinkedHashMap<>();
        for (Metric metric : Metric.values()) {
            values.put(metric.key(), evaluation.value(metric));
            evaluation.interval(metric).ifPresent(interval -> intervals.put(metric.key(), Json.of(interval)));
        }
        values.put("intervals", intervals);
        values.put("indScores", evaluation.indCount());
        values.put("oodScores", evaluation.oodCount());
        deLong.ifPresent(test -> values.put("delong", Json.of(test)));
        return values;
    }

    private static void print(Evaluation evaluation, Optional<DeLong> deLong, PrintWriter out) {
        out.printf("%,d InD and %,d OOD scores%n%n", evaluation.indCount(), evaluation.oodCount());
        for (Metric metric : Metric.values()) {
            String interval =
                    evaluation.interval(metric).map(MetricsCommand::text).orElse("");
            out.printf("%-16s %.6f%s%n", metric.title(), evaluation.value(metric), interval);
        }
        deLong.ifPresent(test -> out.printf(
                "%nthe other scorer's AUROC is %.6f; the difference has p = %.3g (DeLong)%n",
                test.second(), test.pValue()));
    }

    private static String text(Interval interval) {
        return String.format("   %.6f .. %.6f", interval.low(), interval.high());
    }
}
