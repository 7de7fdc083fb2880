package ai.wood.cli;

import ai.wood.bundle.Bundle;
import ai.wood.bundle.DetectorDescription;
import ai.wood.onnx.export.OnnxExport.Judge;
import ai.wood.torch.train.RunFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A trained network in, an ONNX file out. */
@Command(
        name = "export",
        description = "Writes a run's network as an ONNX file, with score and threshold where it has a detector.",
        footer = {
            "",
            "In: images, floats between 0 and 1, count x channels x height x width. Out: logits, probabilities, features, and",
            "of a calibrated run score and ood. Before the file is written it is run beside the network. See docs/onnx.md.",
            "",
            "Examples:",
            "  wood calibrate run --scorer energy",
            "  wood export run --onnx detector.onnx"
        })
final class ExportCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "RUN", description = "The folder that train or adopt left.")
    private Path run;

    @Option(names = "--onnx", paramLabel = "FILE", required = true, description = "The file to write.")
    private Path file;

    @Override
    public Integer call() throws IOException {
        new RunFolder(run).refuse(file);
        Judge judge = judge();
        CheckedExport made = CheckedExport.of(run, judge);
        made.file().write(file);
        print(judge, made);
        return 0;
    }

    /** The run's detector, which must be that of its network; null for none. */
    private @Nullable Judge judge() throws IOException {
        if (!Files.exists(run.resolve(DetectorDescription.FILE))) {
            return null;
        }
        try (Bundle bundle = Bundle.open(run, "cpu")) {
            return new Judge(
                    bundle.scorer(),
                    bundle.description().scorer().options(bundle.statistics()),
                    bundle.statistics(),
                    bundle.description().thresholds());
        }
    }

    private void print(@Nullable Judge judge, CheckedExport made) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        out.printf("file        %s, %,d bytes%n", file, Files.size(file));
        out.printf("outputs     %s%n", String.join(", ", made.file().outputs()));
        out.printf(
                "scorer      %s%n",
                judge == null
                        ? "none; wood calibrate makes a detector"
                        : judge.scorer().id());
        out.printf("difference  %.1e from libtorch on %d random images%n", made.difference(), CheckedExport.IMAGES);
    }
}
