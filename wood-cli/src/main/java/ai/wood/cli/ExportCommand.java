package ai.wood.cli;

import ai.wood.Detector;
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
        Detector detector = Files.exists(run.resolve("detector.json")) ? Detector.load(run) : null;
        CheckedExport made = CheckedExport.of(run, detector);
        made.file().write(file);
        print(detector, made);
        return 0;
    }

    private void print(@Nullable Detector detector, CheckedExport made) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        out.printf("file        %s, %,d bytes%n", file, Files.size(file));
        out.printf("outputs     %s%n", String.join(", ", made.file().outputs()));
        out.printf(
                "scorer      %s%n",
                detector == null
                        ? "none; wood calibrate makes a detector"
                        : detector.kind().id());
        out.printf("difference  %.1e from libtorch on %d random images%n", made.difference(), CheckedExport.IMAGES);
    }
}
