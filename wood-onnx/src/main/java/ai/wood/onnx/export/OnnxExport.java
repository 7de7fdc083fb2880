package ai.wood.onnx.export;

import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.OperatorSetIdProto;
import ai.onnx.proto.OnnxMl.TensorProto.DataType;
import ai.wood.Detector;
import ai.wood.data.Shape;
import ai.wood.data.transform.Normalise;
import ai.wood.onnx.OnnxFile;
import ai.wood.onnx.OnnxOptions;
import ai.wood.onnx.OnnxOptions.Layout;
import ai.wood.onnx.OnnxOptions.Tokens;
import ai.wood.onnx.export.NetworkGraph.Said;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a trained network, and a detector's score and thresholds, as an ONNX file.
 *
 * <p>The input {@code images} takes any number of images, channel by channel, as floats between 0 and 1. The graph normalises them.
 * The outputs are {@code logits}, {@code probabilities}, {@code features} and the branches of the network. With a detector there are
 * also {@code score} and {@code ood}, one for each image. The metadata are those of {@link OnnxOptions}, so that the file can be
 * opened without options, and the scorer and its thresholds.
 */
public final class OnnxExport {

    private static final int IR_VERSION = 8;
    private static final int OPERATORS = 17;

    private static final String IMAGES = "images";
    private static final String LOGITS = "logits";
    private static final String FEATURES = "features";

    private OnnxExport() {}

    /**
     * A trained network of the catalogue.
     *
     * @param id its name in the catalogue, which starts with its family
     * @param legacyPool whether a DenseNet has the pooling of the paper's code
     * @param shape of the images
     * @param classes names, in the order of the logits
     * @param branches names of the linear layers, other than the last one, that read the features
     * @param tensors shapes of the weights by name
     */
    public record Description(
            String id,
            boolean legacyPool,
            Shape shape,
            Normalise normalise,
            List<String> classes,
            List<String> branches,
            Map<String, List<Long>> tensors) {

        public Description {
            classes = List.copyOf(classes);
            branches = List.copyOf(branches);
            tensors = Map.copyOf(tensors);
        }
    }

    /** Reads the values of a network's tensors. */
    @FunctionalInterface
    public interface Source {
        float[] floats(String tensor) throws IOException;
    }

    /**
     * Converts a network to an ONNX file.
     *
     * @param detector adds score and verdict; null for a network alone
     * @throws IllegalArgumentException for a network or scorer that cannot be written, with a list of those that can
     */
    public static OnnxFile of(Description description, Source weights, @Nullable Detector detector) throws IOException {
        GraphBuilder graph = new GraphBuilder();
        Shape shape = description.shape();
        String images = graph.input(IMAGES, shape.channels(), shape.height(), shape.width());
        GraphLayers layers = new GraphLayers(graph, description.tensors(), weights);
        Said said = new NetworkGraph(layers).of(description, normalised(graph, images, description.normalise()));
        graph.output(LOGITS, said.logits(), DataType.FLOAT, layers.outputs("fc"));
        ScoreGraph scores = new ScoreGraph(graph, said, description.classes().size());
        graph.output("probabilities", scores.probabilities().name(), DataType.FLOAT, layers.outputs("fc"));
        graph.output(FEATURES, said.features(), DataType.FLOAT, layers.width("fc"));
        said.branches().forEach((branch, value) -> graph.output(branch, value, DataType.FLOAT, layers.outputs(branch)));
        if (detector != null) {
            Value score = scores.of(
                    detector.kind().id(), detector.settings(), detector.scorer().parameters());
            graph.output("score", score.flat().name(), DataType.FLOAT);
            graph.output(
                    "ood", scores.alarm(score, detector.thresholds()).flat().name(), DataType.BOOL);
        }
        ModelProto model = ModelProto.newBuilder()
                .setIrVersion(IR_VERSION)
                .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(OPERATORS))
                .setProducerName("wood")
                .setGraph(graph.build())
                .build();
        return OnnxFile.of(description.id(), model).with(options(description)).with(facts(description, detector));
    }

    private static String normalised(GraphBuilder graph, String images, Normalise normalise) {
        String centred = graph.add("Sub", images, perChannel(graph, "mean", normalise.mean()));
        return graph.add("Div", centred, perChannel(graph, "deviation", normalise.deviation()));
    }

    private static String perChannel(GraphBuilder graph, String name, List<Double> values) {
        float[] floats = new float[values.size()];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = values.get(i).floatValue();
        }
        return graph.floats(name, floats, 1, floats.length, 1, 1);
    }

    private static OnnxOptions options(Description description) {
        return new OnnxOptions(
                IMAGES,
                Layout.NCHW,
                description.shape(),
                Normalise.UNIT,
                LOGITS,
                true,
                FEATURES,
                Tokens.FIRST,
                description.classes());
    }

    private static Map<String, String> facts(Description description, @Nullable Detector detector) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("wood.network", description.id());
        if (detector != null) {
            facts.put("wood.scorer", detector.kind().id());
            facts.put("wood.settings", detector.settings().toString());
            facts.put("wood.thresholds", detector.thresholds().toString());
        }
        return facts;
    }
}
