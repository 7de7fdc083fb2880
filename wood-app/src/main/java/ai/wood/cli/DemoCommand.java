package ai.wood.cli;

import ai.wood.data.AtomicFile;
import ai.wood.experiment.Comparison;
import ai.wood.experiment.Comparison.OnOod;
import ai.wood.experiment.Comparison.Result;
import ai.wood.experiment.Demo;
import ai.wood.experiment.NetworkOutputs;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.Metric;
import ai.wood.report.Report;
import ai.wood.score.Scorers;
import ai.wood.torch.train.TrainListener;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
            "Bundled subsets of MNIST (InD) and Fashion-MNIST (OOD seen in training); noise, blobs and broken digits are",
            "OOD that training never saw. Nothing is downloaded; the same seed gives the same figures.",
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
            defaultValue = "6",
            description = "Passes over the training data. Default: ${DEFAULT-VALUE}.")
    private int epochs;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        Files.createDirectories(directory);
        List<Comparison> comparisons = new ArrayList<>();
        List<Scorers> all = Arrays.asList(Scorers.values());
        try (Progress progress = new Progress(out)) {
            for (NetworkOutputs outputs : new Demo(directory, epochs, seed).run(all, progress)) {
                out.printf("Comparing %d scorers on the %s network%n", all.size(), outputs.network());
                out.flush();
                comparisons.add(Comparison.of(outputs, all, 0.95, Bootstrap.DEFAULTS.withReplicates(REPLICATES)));
            }
        }
        Map<String, Path> runs = new HashMap<>();
        comparisons.forEach(comparison -> {
            String network = comparison.outputs().network();
            runs.put(network, directory.resolve(network));
        });
        Report report = Reports.of(spec, comparisons, runs);
        report.write(directory.resolve("report.html"));
        report.writeFigures(directory.resolve("figures"));
        AtomicFile.replace(directory.resolve("histogram.svg"), report.svg().getBytes(StandardCharsets.UTF_8));
        print(comparisons, out);
        out.printf("%n%s%n%nReport: %s%n", report.headline(), directory.resolve("report.html"));
        return 0;
    }

    private static void print(List<Comparison> comparisons, PrintWriter out) {
        List<NetworkOutputs.Ood> sets = comparisons.get(0).outputs().ood();
        for (int i = 0; i < sets.size(); i++) {
            out.printf("%n%s%n", sets.get(i).title());
            out.printf(
                    "  %-8s %-12s %10s %8s %11s %11s%n",
                    "network", "scorer", "FNR@95TNR", "AUROC", "InD alarms", "OOD caught");
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
                            result.indAlarms(),
                            on.caught());
                }
            }
        }
    }

    /** Bars for trainings and passes over data. */
    private static final class Progress implements Demo.Progress, Closeable {

        private final PrintWriter out;
        private final TrainProgress training;
        private final TaskBar passes = TaskBar.of("images");

        Progress(PrintWriter out) {
            this.out = out;
            this.training = new TrainProgress(out, Demo.IMAGES_PER_STEP, null);
        }

        @Override
        public TrainListener training(String network) {
            out.printf("Training the %s network%n", network);
            out.flush();
            return training;
        }

        @Override
        public void update(String dataset, long done, long total) {
            passes.update(dataset, done, total);
        }

        @Override
        public void close() throws IOException {
            passes.close();
            training.close();
        }
    }
}
