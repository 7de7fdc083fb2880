package ai.wood.cli;

import ai.wood.bundle.Bundle;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A calibrated run in, one file out. */
@Command(
        name = "bundle",
        description = "Packs the detector of a run folder into one file that runs anywhere.",
        footer = {
            "",
            "The file holds the network, the fitted scorer, thresholds, calibration scores, class names and the hashes of",
            "everything. Make the detector with wood calibrate first.",
            "",
            "Examples:",
            "  wood bundle run -o detector.wood",
            "  wood score detector.wood photos/",
            "  wood bundle run --outputs-only -o outputs.wood"
        })
final class BundleCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "RUN", description = "A run folder with a detector.")
    private Path run;

    @Option(
            names = {"-o", "--out"},
            paramLabel = "FILE",
            required = true,
            description = "The file to write, such as detector.wood.")
    private Path out;

    @Option(names = "--outputs-only", description = "Without the network: it judges logits, and needs no native code.")
    private boolean outputsOnly;

    @Override
    public Integer call() throws IOException {
        try (Bundle bundle = Bundle.openForOutputs(run)) {
            if (outputsOnly) {
                bundle.write(out);
            } else {
                Bundle.pack(run, out);
            }
            PrintWriter printer = spec.commandLine().getOut();
            printer.printf("Bundle: %s, %,d bytes%n", out, Files.size(out));
            printer.printf(
                    "scorer %s, %d classes, network %s%n",
                    bundle.scorer().id(),
                    bundle.classes().size(),
                    outputsOnly ? "none" : bundle.description().network());
        }
        return 0;
    }
}
