package ai.wood.onnx.export;

import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.OperatorSetIdProto;
import ai.onnx.proto.OnnxMl.TensorProto.DataType;
import ai.wood.Matrix;
import ai.wood.data.Shape;
import ai.wood.onnx.OnnxFile;
import ai.wood.onnx.OnnxOptions;
import ai.wood.onnx.OnnxOptions.Layout;
import ai.wood.onnx.export.NetworkGraph.Said;
import ai.wood.score.ScorerOptions;
import ai.wood.score.Scorers;
import ai.wood.torch.Architecture;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.net.Networks;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a trained network, and a detector's score and thresholds, as an ONNX file.
 *
 * <p>In: {@code images}, any number of them, channel by channel, floats between 0 and 1; they are normalised inside. Out:
 * {@code logits}, {@code probabilities}, {@code features}, what else the network says under the names of its branches, and with a
 * detector {@code score} and {@code ood}, one for each image. The metadata are those of {@link OnnxOptions}, so that the file can be
 * opened as it is, and tell the scorer and its thresholds.
 */
public final class OnnxExport {

    private static final int IR_VERSION = 8;
    private static final int OPERATORS = 17;

    private static final String IMAGES = "images";
    private static final String LOGITS = "logits";
    private static final String FEATURES = "features";

    private OnnxExport() {}

    /** Where the values of a network's tensors come from. */
    @FunctionalInterface
    public interface Source {
        float[] floats(String tensor) throws IOException;
    }

    /**
     * What makes a detector of a network.
     *
     * @param scorer its name in the catalogue
     * @param options ground cost, lambda and temperature
     * @param statistics what it has learnt; see {@link ai.wood.Scorer}
     * @param thresholds one for all classes, or one for each
     */
    public record Judge(
            Scorers scorer, ScorerOptions options, Map<String, Matrix> statistics, List<Double> thresholds) {

        public Judge {
            statistics = Map.copyOf(statistics);
            thresholds = List.copyOf(thresholds);
        }
    }

    /**
     * A network as an ONNX file.
     *
     * @param weights the values of its tensors, by the names of its layout
     * @param judge null for a network alone
     * @throws IllegalArgumentException for a network or scorer that cannot be written, telling which can
     */
    public static OnnxFile of(NetworkDescription description, Source weights, @Nullable Judge judge)
            throws IOException {
        Architecture network = Networks.byId(description.network()).with(description.options());
        GraphBuilder graph = new GraphBuilder();
        Shape shape = description.shape();
        String images = graph.input(IMAGES, shape.channels(), shape.height(), shape.width());
        Said said = new NetworkGraph(new GraphLayers(graph, network.layout(), weights))
                .of(network, normalised(graph, images, description));
        outputs(graph, said, description, judge);
        ModelProto model = ModelProto.newBuilder()
                .setIrVersion(IR_VERSION)
                .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(OPERATORS))
                .setProducerName("wood")
                .setGraph(graph.build())
                .build();
        return OnnxFile.of(description.network(), model)
                .with(options(description))
                .with(facts(description, judge));
    }

    private static String normalised(GraphBuilder graph, String images, NetworkDescription description) {
        String centred = graph.add("Sub", images, perChannel(graph, "mean", description.mean()));
        return graph.add("Div", centred, perChannel(graph, "deviation", description.deviation()));
    }

    private static String perChannel(GraphBuilder graph, String name, List<Double> values) {
        float[] floats = new float[values.size()];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = values.get(i).floatValue();
        }
        return graph.floats(name, floats, 1, floats.length, 1, 1);
    }

    private static void outputs(GraphBuilder graph, Said said, NetworkDescription description, @Nullable Judge judge) {
        int classes = description.classes().size();
        ScoreGraph scores = new ScoreGraph(graph, said, classes);
        graph.output(LOGITS, said.logits(), DataType.FLOAT, classes);
        graph.output("probabilities", scores.probabilities().name(), DataType.FLOAT, classes);
        graph.output(FEATURES, said.features(), DataType.FLOAT, width(description));
        description
                .options()
                .branches()
                .forEach((branch, width) -> graph.output(branch, said.branch(branch), DataType.FLOAT, width));
        if (judge != null) {
            Value score = scores.of(judge.scorer, judge.options, judge.statistics);
            graph.output("score", score.flat().name(), DataType.FLOAT);
            graph.output("ood", scores.alarm(score, judge.thresholds).flat().name(), DataType.BOOL);
        }
    }

    /** How many features there are. */
    private static long width(NetworkDescription description) {
        Architecture network = Networks.byId(description.network()).with(description.options());
        return network.layout().slot("fc.weight").shape().get(1);
    }

    private static OnnxOptions options(NetworkDescription description) {
        return new OnnxOptions(
                IMAGES,
                Layout.NCHW,
                description.shape(),
                List.of(0.0),
                List.of(1.0),
                LOGITS,
                true,
                FEATURES,
                description.classes());
    }

    private static Map<String, String> facts(NetworkDescription description, @Nullable Judge judge) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("wood.network", description.network());
        if (judge != null) {
            facts.put("wood.scorer", judge.scorer.id());
            facts.put("wood.cost", judge.options.cost().toString());
            facts.put("wood.thresholds", judge.thresholds.toString());
        }
        return facts;
    }
}
