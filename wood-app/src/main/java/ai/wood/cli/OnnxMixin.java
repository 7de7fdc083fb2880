package ai.wood.cli;

import ai.wood.Dataset;
import ai.wood.Shape;
import ai.wood.Split;
import ai.wood.data.Catalogue;
import ai.wood.data.transform.Normalise;
import ai.wood.experiment.DataOptions;
import ai.wood.onnx.OnnxFile;
import ai.wood.onnx.OnnxFormat;
import ai.wood.onnx.OnnxNetwork;
import ai.wood.onnx.OnnxOptions;
import ai.wood.onnx.OnnxOptions.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** How images go into an ONNX file and what comes out, where the file does not tell. */
final class OnnxMixin {

    /** All of these options, with a blank between them. */
    static final String NAMES = "--input --layout --shape --logits --probabilities --features";

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
            description = "ONNX: shape of the images where the file leaves it open. Default: that of the data.")
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
        OnnxFile whole = OnnxFile.read(file);
        OnnxOptions told =
                told(whole.options(shape == null ? learnt.shape() : shape)).withClasses(learnt.classes());
        OnnxOptions options = normalise == null ? told : told.withNormalise(normalise);
        OnnxNetwork.of(whole, options).close();
        Files.createDirectories(run);
        data.withAdopted(true).write(run);
        whole.with(options).write(run.resolve(OnnxFormat.FILE));
    }

    private OnnxOptions told(OnnxOptions guessed) {
        OnnxOptions options = input == null ? guessed : guessed.withInput(input);
        options = layout == null ? options : options.withLayout(layout);
        options = shape == null ? options : options.withShape(shape);
        options = output.logits == null ? options : options.withLogits(output.logits);
        options = output.probabilities == null ? options : options.withProbabilities(output.probabilities);
        return features == null ? options : options.withFeatures(features);
    }
}
