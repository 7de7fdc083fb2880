package ai.wood.cli;

import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import ai.wood.data.transform.Normalise;
import ai.wood.evaluate.DataOptions;
import ai.wood.onnx.OnnxFile;
import ai.wood.onnx.OnnxFormat;
import ai.wood.onnx.OnnxNetwork;
import ai.wood.onnx.OnnxOptions;
import ai.wood.onnx.OnnxOptions.Layout;
import ai.wood.onnx.OnnxOptions.Tokens;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The inputs and outputs of an ONNX file, if the file does not state them. */
final class OnnxMixin {

    /** The options that apply only to ONNX files, separated by blanks. */
    static final String ALONE = "--input --layout --logits --probabilities --features --tokens";

    /** All of these options. */
    static final String NAMES = ALONE + " --shape";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(names = "--input", paramLabel = "NAME", description = "ONNX: the input for images. Default: the only one.")
    private @Nullable String input;

    @Option(
            names = "--layout",
            paramLabel = "L",
            description = "ONNX: nchw (channels first) or nhwc (last). Default: inferred from the input's dimensions.")
    private @Nullable Layout layout;

    @Option(
            names = "--shape",
            paramLabel = "CxHxW",
            converter = ShapeConverter.class,
            description =
                    "Shape of the images if the file leaves it open. Default: the shape of the data; for weights, the"
                            + " shape that wood train uses.")
    private @Nullable Shape shape;

    @ArgGroup(exclusive = true)
    private Output output = new Output();

    /** The value with one number for each class. */
    static final class Output {
        @Option(
                names = "--logits",
                paramLabel = "NAME",
                description = "ONNX: the value with the logits. Default: the first output, before its softmax.")
        @Nullable
        String logits;

        @Option(
                names = "--probabilities",
                paramLabel = "NAME",
                description = "ONNX: the value with the probabilities, if there are no logits.")
        @Nullable
        String probabilities;
    }

    @Option(
            names = "--features",
            paramLabel = "NAME",
            description = "ONNX: the value with the features; any value of the graph. Maps are averaged."
                    + " Default: the input of a linear last layer.")
    private @Nullable String features;

    @Option(
            names = "--tokens",
            paramLabel = "T",
            description =
                    "ONNX: which token of a sequence gives the features: first (the class token of ViT) or mean (the"
                            + " mean of all tokens). Default: first.")
    private @Nullable Tokens tokens;

    /** The shape of the images; empty if the option is missing. */
    String shape() {
        return shape == null ? "" : shape.toString();
    }

    /**
     * Makes a run folder from an ONNX file.
     *
     * @param data the data of its training
     * @param normalise of the images; null for the file's own, or values between 0 and 1
     * @throws IOException if the file is not a classifier of these data; then there is no folder
     */
    void adopt(Path file, DataOptions data, @Nullable Normalise normalise, Catalogue catalogue, Path run)
            throws IOException {
        Dataset learnt = catalogue.open(data.ind(), Split.TEST);
        OnnxFile whole = OnnxFile.read(file).with(told());
        OnnxOptions told = whole.options(learnt.shape());
        OnnxOptions named = told.withClasses(classes(file, told.classes(), learnt));
        OnnxOptions options = normalise == null ? named : named.withNormalise(normalise);
        if (whole.metadata().containsKey(OnnxOptions.MEAN)) {
            warnOfNormalisation(file, named, options);
        }
        OnnxNetwork.of(whole, options).close();
        OnnxFile adopted = whole.with(options);
        Files.createDirectories(run);
        data.withAdopted(true).write(run);
        adopted.write(run.resolve(OnnxFormat.FILE));
    }

    /** Warns if the option contradicts the file, because a wrong normalisation lowers the performance. */
    private void warnOfNormalisation(Path file, OnnxOptions own, OnnxOptions given) {
        if (!own.sameNormalise(given)) {
            Main.warn(
                    command,
                    file + " states that images are normalised by " + text(own) + ", but --normalise states "
                            + text(given) + ". Omit --normalise unless the file is wrong.");
        }
    }

    private static String text(OnnxOptions options) {
        return "mean " + options.normalise().mean() + " and deviation "
                + options.normalise().deviation();
    }

    /** The options as metadata of a file. */
    private Map<String, String> told() {
        Map<String, String> told = new HashMap<>();
        tell(told, OnnxOptions.INPUT, input);
        tell(told, OnnxOptions.LAYOUT, layout);
        tell(told, OnnxOptions.SHAPE, shape);
        tell(told, OnnxOptions.OUTPUT, output.logits == null ? output.probabilities : output.logits);
        tell(
                told,
                OnnxOptions.SAYS,
                output.logits != null
                        ? OnnxOptions.LOGITS
                        : output.probabilities != null ? OnnxOptions.PROBABILITIES : null);
        tell(told, OnnxOptions.FEATURES, features);
        tell(told, OnnxOptions.TOKENS, tokens);
        return told;
    }

    private static void tell(Map<String, String> told, String key, @Nullable Object value) {
        if (value != null) {
            told.put(key, value.toString());
        }
    }

    /** The class names of the file, or those of the data if the file has none. */
    private List<String> classes(Path file, List<String> own, Dataset learnt) throws IOException {
        List<String> given = learnt.classes();
        if (own.isEmpty() || own.equals(given)) {
            return given;
        }
        if (given.isEmpty()) {
            return own;
        }
        if (own.size() != given.size() || Set.copyOf(own).equals(Set.copyOf(given))) {
            throw new IOException(file + ": the classes must be those of " + learnt.name() + ", in this order: " + given
                    + ", but are " + own);
        }
        Main.warn(
                command,
                file + " has the classes " + own + " but " + learnt.name() + " has " + given
                        + ". Check that the network was trained on these data.");
        return own;
    }
}
