package ai.wood.onnx;

import ai.onnx.proto.OnnxMl.ValueInfoProto;
import ai.wood.Names;
import ai.wood.data.Shape;
import ai.wood.data.transform.Normalise;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The inputs and outputs of an ONNX file. A file can contain them in its metadata ({@code metadata_props}), under keys that begin
 * with {@code wood.}. {@link OnnxFile#options} reads these keys and infers missing ones from the graph.
 *
 * @param input name of the value that takes the images
 * @param layout order of the images' values
 * @param shape of the images; images of another shape are resized to it
 * @param normalise turns images into the floats that the network expects
 * @param output name of the value with one number for each class; any value of the graph is allowed
 * @param logits true for logits, false for probabilities
 * @param features name of the value with the features, best the input of the last layer; empty for none
 * @param tokens how a sequence of tokens becomes one vector of features
 * @param classes their names, in the order of the output; empty if unknown
 */
public record OnnxOptions(
        String input,
        Layout layout,
        Shape shape,
        Normalise normalise,
        String output,
        boolean logits,
        String features,
        Tokens tokens,
        List<String> classes) {

    /** Metadata keys. */
    public static final String INPUT = "wood.input";

    public static final String LAYOUT = "wood.layout";
    public static final String SHAPE = "wood.shape";
    public static final String MEAN = "wood.mean";
    public static final String DEVIATION = "wood.deviation";
    public static final String OUTPUT = "wood.output";
    public static final String SAYS = "wood.says";
    public static final String FEATURES = "wood.features";
    public static final String TOKENS = "wood.tokens";
    public static final String CLASSES = "wood.classes";

    /** Values of the key {@link #SAYS}. */
    public static final String LOGITS = "logits";

    public static final String PROBABILITIES = "probabilities";

    /** The order of an image's values. */
    public enum Layout {
        /** Channel by channel, as in PyTorch. */
        NCHW,
        /** Pixel by pixel, as in TensorFlow. */
        NHWC
    }

    /** How features of the form images x tokens x width become one vector for each image. */
    public enum Tokens {
        /** The first token: the class token of ViT and DeiT, {@code [CLS]} of BERT. Their own last layer reads this token. */
        FIRST,
        /** The mean of all tokens, for encoders without a class token, such as Swin. */
        MEAN
    }

    public OnnxOptions {
        classes = List.copyOf(classes);
        if (input.isEmpty() || output.isEmpty()) {
            throw new IllegalArgumentException("the input and the output of a network must be named");
        }
        if (shape.channels() != 1 && shape.channels() != 3) {
            throw new IllegalArgumentException("images have 1 or 3 channels but the network takes " + shape);
        }
        normalise.check(shape);
        if (classes.size() == 1) {
            throw new IllegalArgumentException("a classifier needs at least 2 classes but has 1");
        }
    }

    /** Whether both normalise every channel in the same way. */
    public boolean sameNormalise(OnnxOptions other) {
        return channels(normalise.mean()).equals(channels(other.normalise.mean()))
                && channels(normalise.deviation()).equals(channels(other.normalise.deviation()));
    }

    private List<Double> channels(List<Double> numbers) {
        return numbers.size() == 1 ? Collections.nCopies(shape.channels(), numbers.get(0)) : numbers;
    }

    public OnnxOptions withNormalise(Normalise normalise) {
        return new OnnxOptions(input, layout, shape, normalise, output, logits, features, tokens, classes);
    }

    public OnnxOptions withClasses(List<String> classes) {
        return new OnnxOptions(input, layout, shape, normalise, output, logits, features, tokens, classes);
    }

    /**
     * Returns the options as metadata of a file.
     *
     * @throws IllegalArgumentException if a class name has several lines, which would be read as several classes
     */
    Map<String, String> metadata() {
        if (classes.stream().anyMatch(name -> name.contains("\n"))) {
            throw new IllegalArgumentException(
                    "class names in ONNX files must be single lines but one contains a line break: " + classes);
        }
        Map<String, String> entries = new LinkedHashMap<>();
        entries.put(INPUT, input);
        entries.put(LAYOUT, layout.name());
        entries.put(SHAPE, shape.toString());
        entries.put(MEAN, text(normalise.mean()));
        entries.put(DEVIATION, text(normalise.deviation()));
        entries.put(OUTPUT, output);
        entries.put(SAYS, logits ? LOGITS : PROBABILITIES);
        entries.put(FEATURES, features);
        entries.put(TOKENS, tokens.name().toLowerCase(Locale.ROOT));
        entries.put(CLASSES, String.join("\n", classes));
        return entries;
    }

    /**
     * Reads the metadata of a file and infers missing entries from the graph.
     *
     * @param open shape of the images if neither states it
     * @throws IllegalArgumentException if an entry is invalid or cannot be inferred
     */
    static OnnxOptions of(Map<String, String> entries, OnnxGraph graph, @Nullable Shape open) {
        ValueInfoProto input = graph.input(entries.get(INPUT));
        long[] dimensions = OnnxGraph.dimensions(input);
        Layout layout = entry(entries, LAYOUT)
                .map(text -> constant("layout", text, Layout.values()))
                .orElseGet(() -> OnnxGraph.layout(dimensions));
        boolean logits = entry(entries, SAYS).map(OnnxOptions::isLogits).orElse(true);
        String output = entry(entries, OUTPUT).orElseGet(() -> graph.output(logits));
        return new OnnxOptions(
                input.getName(),
                layout,
                entry(entries, SHAPE).map(Shape::parse).orElseGet(() -> OnnxGraph.shape(dimensions, layout, open)),
                new Normalise(
                        entry(entries, MEAN).map(OnnxOptions::numbers).orElse(List.of(0.0)),
                        entry(entries, DEVIATION).map(OnnxOptions::numbers).orElse(List.of(1.0))),
                output,
                logits,
                entry(entries, FEATURES).orElseGet(() -> graph.features(output)),
                entry(entries, TOKENS)
                        .map(text -> constant("tokens", text, Tokens.values()))
                        .orElse(Tokens.FIRST),
                entry(entries, CLASSES)
                        .filter(names -> !names.isEmpty())
                        .map(names -> List.of(names.split("\n", -1)))
                        .orElse(List.of()));
    }

    private static Optional<String> entry(Map<String, String> entries, String key) {
        return Optional.ofNullable(entries.get(key));
    }

    private static <E extends Enum<E>> E constant(String what, String text, E[] values) {
        return Names.find(what, text.toUpperCase(Locale.ROOT), values, E::name);
    }

    private static boolean isLogits(String text) {
        if (!text.equals(LOGITS) && !text.equals(PROBABILITIES)) {
            throw new IllegalArgumentException(
                    SAYS + " must be " + LOGITS + " or " + PROBABILITIES + " but is '" + text + "'");
        }
        return text.equals(LOGITS);
    }

    private static String text(List<Double> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private static List<Double> numbers(String text) {
        return Arrays.stream(text.split(",", -1)).map(Double::valueOf).toList();
    }
}
