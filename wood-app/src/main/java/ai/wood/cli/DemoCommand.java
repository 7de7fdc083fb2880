package ai.wood.cli;

import ai.wood.data.AtomicFile;
import ai.wood.experiment.BundledOutputs;
import ai.wood.experiment.Comparison;
import ai.wood.experiment.Comparison.OnOod;
import ai.wood.experiment.Comparison.Result;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.Metric;
import ai.wood.report.Report;
import ai.wood.score.Scorers;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The first thing to run: scores, thresholds, figures and a report on bundled outputs of a real classifier. */
@Command(
        name = "demo",
        description = "Shows it all on bundled outputs of a real classifier: CIFAR-10 against SVHN and Tiny-ImageNet.",
        footer = {"", "Example:", "  wood demo --out demo"})
final class DemoCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "wood-demo",
            description = "Where to write report.html and histogram.svg. Default: ${DEFAULT-VALUE}.")
    private Path directory;

    @Override
    public Integer call() throws IOException {
        BundledOutputs outputs = BundledOutputs.load();
        Comparison comparison = Comparison.of(
                outputs,
                Arrays.stream(Scorers.values())
                        .filter(scorer -> !scorer.needsFeatures())
                        .toList(),
                0.95,
                Bootstrap.DEFAULTS);
        Report report = new Report(comparison);
        Files.createDirectories(directory);
        write(directory.resolve("report.html"), report.html());
        write(directory.resolve("histogram.svg"), report.svg());
        print(comparison, report.headline(), spec.commandLine().getOut());
        return 0;
    }

    private static void write(Path file, String text) throws IOException {
        AtomicFile.replace(file, channel -> channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
    }

    private void print(Comparison comparison, String headline, PrintWriter out) {
        BundledOutputs outputs = comparison.outputs();
        out.printf(
                "A DenseNet trained on %s with WOOD against SVHN; accuracy %.1f%% on %,d test images.%n",
                outputs.ind(), 100 * outputs.accuracy(), outputs.test().size());
        for (int i = 0; i < outputs.ood().size(); i++) {
            BundledOutputs.Ood ood = outputs.ood().get(i);
            out.printf("%n%s (%s in training)%n", ood.name(), ood.seen() ? "seen" : "never seen");
            out.printf("  %-22s %10s %8s %12s %12s%n", "scorer", "FNR@95TNR", "AUROC", "InD alarms", "OOD caught");
            for (Result result : comparison.results()) {
                OnOod on = result.onOod().get(i);
                out.printf(
                        "  %-22s %10.4f %8.4f %12.4f %12.4f%n",
                        result.scorer().id(),
                        on.evaluation().value(Metric.FNR95),
                        on.evaluation().value(Metric.AUROC),
                        result.indAlarms(),
                        on.caught());
            }
        }
        out.printf("%n%s%n%nReport: %s%n", headline, directory.resolve("report.html"));
    }
}
