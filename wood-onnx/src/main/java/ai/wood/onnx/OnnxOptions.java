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
 * How images go into an ONNX file and what comes out. A file can carry it among its metadata ({@code metadata_props}), under
 * keys that begin with {@code wood.}; {@link OnnxFile#options} reads it there, and finds out what the graph tells of the rest.
 *
 * @param input name of the value that takes the images
 * @param layout order of the images' values
 * @param shape of the images; those of another shape are fitted to it
 * @param mean of each channel, or of all, for {@link Normalise}
 * @param deviation of each channel, or of all
 * @param output name of the value that holds a number for each class; any value of the graph will do
 * @param logits whether these are logits, or else probabilities
 * @param features name of the value that holds the features, best the input of the last layer; empty for none
 * @param classes their names, in the order of the output; empty where unknown
 */
public record OnnxOptions(
        String input,
        Layout layout,
        Shape shape,
        List<Double> mean,
        List<Double> deviation,
        String output,
        boolean logits,
        String features,
        List<String> classes) {

    /** Keys of the metadata. */
    public static final String INPUT = "wood.input";

    public static final String LAYOUT = "wood.layout";
    public static final String SHAPE = "wood.shape";
    public static final String MEAN = "wood.mean";
    public static final String DEVIATION = "wood.deviation";
    public static final String OUTPUT = "wood.output";
    public static final String SAYS = "wood.says";
    public static final String FEATURES = "wood.features";
    public static final String CLASSES = "wood.classes";

    /** What an output {@link #SAYS}. */
    public static final String LOGITS = "logits";

    public static final String PROBABILITIES = "probabilities";

    /** The order of an image's values. */
    public enum Layout {
        /** Channel by channel, as PyTorch has it. */
        NCHW,
        /** Pixel by pixel, as TensorFlow has it. */
        NHWC
    }

    public OnnxOptions {
        mean = List.copyOf(mean);
        deviation = List.copyOf(deviation);
        classes = List.copyOf(classes);
        if (input.isEmpty() || output.isEmpty()) {
            throw new IllegalArgumentException("the input and the output of a network must be named");
        }
        if (shape.channels() != 1 && shape.channels() != 3) {
            throw new IllegalArgumentException("images have 1 or 3 channels but the network takes " + shape);
        }
        new Normalise(mean, deviation).check(shape);
        if (classes.size() == 1) {
            throw new IllegalArgumentException("a classifier needs at least 2 classes but has 1");
        }
    }

    /** Turns images into the floats that the network expects. */
    public Normalise normalise() {
        return new Normalise(mean, deviation);
    }

    /** Whether images go in with the same numbers, by channel or for all. */
    public boolean sameNormalise(OnnxOptions other) {
        return channels(mean).equals(channels(other.mean))
                && channels(deviation).equals(channels(other.deviation));
    }

    private List<Double> channels(List<Double> numbers) {
        return numbers.size() == 1 ? Collections.nCopies(shape.channels(), numbers.get(0)) : numbers;
    }

    public OnnxOptions withInput(String input) {
        return new OnnxOptions(input, layout, shape, mean, deviation, output, logits, features, classes);
    }

    public OnnxOptions withLayout(Layout layout) {
        return new OnnxOptions(input, layout, shape, mean, deviation, output, logits, features, classes);
    }

    public OnnxOptions withShape(Shape shape) {
        return new OnnxOptions(input, layout, shape, mean, deviation, output, logits, features, classes);
    }

    public OnnxOptions withNormalise(Normalise normalise) {
        return new OnnxOptions(
                input, layout, shape, normalise.mean(), normalise.deviation(), output, logits, features, classes);
    }

    public OnnxOptions withLogits(String output) {
        return new OnnxOptions(input, layout, shape, mean, deviation, output, true, features, classes);
    }

    public OnnxOptions withProbabilities(String output) {
        return new OnnxOptions(input, layout, shape, mean, deviation, output, false, features, classes);
    }

    /** With features read at a value of the graph; an empty name for none. */
    public OnnxOptions withFeatures(String features) {
        return new OnnxOptions(input, layout, shape, mean, deviation, output, logits, features, classes);
    }

    public OnnxOptions withClasses(List<String> classes) {
        return new OnnxOptions(input, layout, shape, mean, deviation, output, logits, features, classes);
    }

    /**
     * As a file carries it.
     *
     * @throws IllegalArgumentException where the name of a class has several lines, which would be read as several classes
     */
    Map<String, String> metadata() {
        if (classes.stream().anyMatch(name -> name.contains("\n"))) {
            throw new IllegalArgumentException(
                    "ONNX files carry classes with names of one line but one has more: " + classes);
        }
        Map<String, String> entries = new LinkedHashMap<>();
        entries.put(INPUT, input);
        entries.put(LAYOUT, layout.name());
        entries.put(SHAPE, shape.toString());
        entries.put(MEAN, text(mean));
        entries.put(DEVIATION, text(deviation));
        entries.put(OUTPUT, output);
        entries.put(SAYS, logits ? LOGITS : PROBABILITIES);
        entries.put(FEATURES, features);
        entries.put(CLASSES, String.join("\n", classes));
        return entries;
    }

    /**
     * As a file carries it, and what it does not carry as the graph tells.
     *
     * @param open shape of the images where neither tells
     * @throws IllegalArgumentException where something is senseless or cannot be told
     */
    static OnnxOptions of(Map<String, String> entries, OnnxGraph graph, @Nullable Shape open) {
        ValueInfoProto input = graph.input(entries.get(INPUT));
        long[] dimensions = OnnxGraph.dimensions(input);
        Layout layout = entry(entries, LAYOUT)
                .map(text -> Names.find("layout", text.toUpperCase(Locale.ROOT), Layout.values(), Layout::name))
                .orElseGet(() -> OnnxGraph.layout(dimensions));
        boolean logits = entry(entries, SAYS).map(OnnxOptions::isLogits).orElse(true);
        String output = entry(entries, OUTPUT).orElseGet(() -> graph.output(logits));
        return new OnnxOptions(
                input.getName(),
                layout,
                entry(entries, SHAPE).map(Shape::parse).orElseGet(() -> OnnxGraph.shape(dimensions, layout, open)),
                entry(entries, MEAN).map(OnnxOptions::numbers).orElse(List.of(0.0)),
                entry(entries, DEVIATION).map(OnnxOptions::numbers).orElse(List.of(1.0)),
                output,
                logits,
                entry(entries, FEATURES).orElseGet(() -> graph.features(output)),
                entry(entries, CLASSES)
                        .filter(names -> !names.isEmpty())
                        .map(names -> List.of(names.split("\n", -1)))
                        .orElse(List.of()));
    }

    private static Optional<String> entry(Map<String, String> entries, String key) {
        return Optional.ofNullable(entries.get(key));
    }

    private static boolean isLogits(String said) {
        if (!said.equals(LOGITS) && !said.equals(PROBABILITIES)) {
            throw new IllegalArgumentException(
                    SAYS + " must be " + LOGITS + " or " + PROBABILITIES + " but is '" + said + "'");
        }
        return said.equals(LOGITS);
    }

    private static String text(List<Double> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private static List<Double> numbers(String text) {
        return Arrays.stream(text.split(",", -1)).map(Double::valueOf).toList();
    }
}
