package ai.wood.cli;

import ai.wood.cli.Detection.Target;
import ai.wood.io.AtomicFile;
import ai.wood.io.VerdictWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Samples in, verdicts out. */
@Command(
        name = "detect",
        description = {
            "Detects which samples are OOD: one verdict per image, or per row of arrays.",
            "Prints one JSON object per line: input, label, probability, score, pValue, threshold, ood."
        },
        exitCodeList = {
            "0:done",
            "1:a defect in this program; --debug shows where",
            "2:bad input or options",
            "3:some images could not be read; the others have verdicts"
        },
        footer = {
            "",
            "DETECTOR is a .wood file or a run folder, made by wood calibrate. Images are fitted to the shape of its network.",
            "",
            "Arrays are .npy or .csv files with one row per sample. input is then the number of the row, from 0. Files of any"
                    + " size are read in constant memory. A row of logits with NaN or +Infinity is OOD; its score is null.",
            "",
            "-o FILE.npy writes an array of 64-bit numbers with the columns label, score, pValue, threshold and ood (0 or 1)."
                    + " A missing label is -1, a missing score NaN.",
            "",
            "Examples:",
            "  wood detect run photos/ one-more.jpg",
            "  wood detect d.wood --logits x.npy --features g.npy",
            "  wood detect d.wood --features g.npy -o verdicts.csv"
        })
final class DetectCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "DETECTOR", description = "A .wood file or a run folder.")
    private Path detector;

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "INPUT", description = "Images and folders of images.")
    private List<Path> inputs = List.of();

    @Mixin
    private OutputOptions outputs;

    @Option(
            names = {"-o", "--out"},
            paramLabel = "FILE",
            description = "Write the verdicts to FILE.jsonl, .csv or .npy. Default: print JSON Lines.")
    private @Nullable Path out;

    @Mixin
    private DeviceName device;

    @Override
    public Integer call() throws IOException {
        OutputFiles files = outputs.files();
        if (files.isEmpty() == inputs.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    files.isEmpty()
                            ? "detect needs images or arrays. Name images or folders, or give --logits,"
                                    + " --probabilities or --features."
                            : "detect takes images or arrays, but there are both. Run it twice.");
        }
        new OptionRules(spec).onlyFor("images", files.isEmpty(), "arrays need no network", "--device");
        if (out != null) {
            VerdictWriter.requireEnding(out);
            AtomicFile.check(out);
        }
        Detection detection = new Detection(
                detector, spec.commandLine().getOut(), spec.commandLine().getErr());
        Target target = new Target(out, "input");
        return files.isEmpty() ? detection.images(inputs, target, device.name()) : detection.arrays(files, target);
    }
}
