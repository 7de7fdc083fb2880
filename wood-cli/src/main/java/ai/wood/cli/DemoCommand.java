package ai.wood.cli;

import ai.wood.Requirement;
import ai.wood.ScorerKind;
import ai.wood.evaluate.Comparison;
import ai.wood.evaluate.Comparison.OnOod;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.evaluate.Demo;
import ai.wood.evaluate.NetworkOutputs;
import ai.wood.io.AtomicFile;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.Metric;
import ai.wood.report.Report;
import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The first thing to run: trains, detects, measures and reports, on bundled real images. */
@Command(
        name = "demo",
        description = "Trains a classifier of digits plainly and with WOOD, and shows what each knows of its limits.",
        footer = {
            "",
            "Bundled subsets of MNIST (InD) and Fashion-MNIST (OOD seen in training); noise, blobs, turned and broken",
            "digits are OOD that training never saw. WOOD is trained with three weights of its OOD term, of which validation",
            "data chooses one. Nothing is downloaded; the same seed gives the same figures on as many processors of one kind.",
            "",
            "Example:",
            "  wood demo --out demo"
        })
final class DemoCommand implements Callable<Integer> {

    /** Those that are printed; the report has all. */
    private static final Set<String> PRINTED = Set.of("msp", "energy", "mahalanobis", "wood");

    private static final int REPLICATES = 200;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "wood-demo",
            description = "Where to write the runs, report.html, histogram.svg and figures. Default: ${DEFAULT-VALUE}.")
    private Path directory;

    @Option(
            names = "--epochs",
            paramLabel = "N",
            defaultValue = "4",
            description = "Passes over the training data. Default: ${DEFAULT-VALUE}.")
    private int epochs;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "0",
            description = "Use only N random samples of each dataset, for a quick look. Default: all.")
    private int limit;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Override
    public Integer call() throws IOException {
        new OptionRules(spec).positive("--epochs", "--limit");
        PrintWriter out = spec.commandLine().getOut();
        Demo demo = new Demo(directory, epochs, limit, seed);
        List<ScorerKind> all =
                ScorerKinds.all().stream().filter(DemoCommand::isOfOutputs).toList();
        Demo.Outcome outcome;
        try (RunProgress progress = new RunProgress(out, null)) {
            outcome = demo.run(all, progress);
        }
        TuneCommand.print(outcome.trials(), out);
        List<Comparison> comparisons = new ArrayList<>();
        for (NetworkOutputs outputs : outcome.outputs()) {
            out.printf("%nComparing %d scorers on the %s network", all.size(), outputs.network());
            out.flush();
            comparisons.add(Comparison.of(outputs, all, 0.95, Bootstrap.DEFAULTS.withReplicates(REPLICATES)));
        }
        Map<String, Path> runs = new HashMap<>();
        comparisons.forEach(comparison -> {
            String network = comparison.outputs().network();
            runs.put(network, directory.resolve(network));
        });
        Report report = Reports.of(spec, comparisons, runs);
        report.write(directory.resolve("report.html"));
        report.writeFigures(directory.resolve("figures"));
        AtomicFile.replace(directory.resolve("histogram.svg"), report.histogram());
        print(report, out);
        out.printf("%n%s%n%nReport: %s%n", report.headline(), directory.resolve("report.html"));
        return 0;
    }

    /** Whether outputs suffice to compare it: the networks are closed by then. */
    private static boolean isOfOutputs(ScorerKind kind) {
        return !kind.requires().contains(Requirement.SAMPLES)
                && !kind.requires().contains(Requirement.INPUT_GRADIENT);
    }

    private static void print(Report report, PrintWriter out) {
        List<Comparison> comparisons = report.comparisons();
        out.printf("%n%n  %-8s %8s%n", "network", "accuracy");
        for (Comparison comparison : comparisons) {
            NetworkOutputs outputs = comparison.outputs();
            out.printf("  %-8s %8.4f%n", outputs.network(), outputs.accuracy());
        }
        for (int i = 0; i < comparisons.get(0).outputs().ood().size(); i++) {
            out.printf("%n%s%n", report.title(i));
            out.printf(
                    "  %-8s %-12s %10s %8s %11s %11s%n",
                    "network", "scorer", "FNR@95TNR", "AUROC", "false alarms", "detected");
            for (Comparison comparison : comparisons) {
                for (Result result : comparison.results()) {
                    if (!PRINTED.contains(result.name())) {
                        continue;
                    }
                    OnOod on = result.onOod().get(i);
                    out.printf(
                            "  %-8s %-12s %10.4f %8.4f %11.4f %11.4f%n",
                            comparison.outputs().network(),
                            result.name(),
                            on.evaluation().value(Metric.FNR95),
                            on.evaluation().value(Metric.AUROC),
                            result.falseAlarmRate(),
                            on.detectionRate());
                }
            }
        }
    }
}
