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

/** How images go into an ONNX file and what comes out, where the file does not tell. */
final class OnnxMixin {

    /** Those of these options that are for ONNX files alone, with a blank between them. */
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
            description = "ONNX: nchw (channels first) or nhwc (last). Default: what the input's extents tell.")
    private @Nullable Layout layout;

    @Option(
            names = "--shape",
            paramLabel = "CxHxW",
            converter = ShapeConverter.class,
            description = "Shape of the images where the file leaves it open. Default: that of the data; for weights as"
                    + " wood train fits them.")
    private @Nullable Shape shape;

    @ArgGroup(exclusive = true)
    private Output output = new Output();

    /** Which value tells the classes. */
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
                description = "ONNX: the value with the probabilities, where there are no logits.")
        @Nullable
        String probabilities;
    }

    @Option(
            names = "--features",
            paramLabel = "NAME",
            description = "ONNX: the value with the features, which need be no output; maps are averaged."
                    + " Default: what a linear last layer reads.")
    private @Nullable String features;

    @Option(
            names = "--tokens",
            paramLabel = "T",
            description =
                    "ONNX: which token of a sequence gives the features: first (the class token of ViT) or mean (the"
                            + " mean of all tokens). Default: first.")
    private @Nullable Tokens tokens;

    /** That the images have; empty where nobody says. */
    String shape() {
        return shape == null ? "" : shape.toString();
    }

    /**
     * Makes a run folder of an ONNX file.
     *
     * @param data what it learnt
     * @param normalise of the images; null for what the file says, else 0..1
     * @throws IOException where the file is no classifier of these data; no folder is left then
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

    /** Warns where images are to go in otherwise than the file says of itself: figures suffer then. */
    private void warnOfNormalisation(Path file, OnnxOptions own, OnnxOptions given) {
        if (!own.sameNormalise(given)) {
            Main.warn(
                    command,
                    file + " says that images are normalised by " + text(own) + ", and --normalise says by "
                            + text(given) + ". Maybe leave --normalise out.");
        }
    }

    private static String text(OnnxOptions options) {
        return "mean " + options.mean() + " and deviation " + options.deviation();
    }

    /** What the options tell, as a file would carry it. */
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

    /** The names that the file has for its classes, or else the data's. */
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
                file + " calls its classes " + own + " but " + learnt.name() + " " + given
                        + ". Maybe it learnt something else.");
        return own;
    }
}
