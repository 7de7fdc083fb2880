package ai.wood.onnx.export;

import static ai.wood.onnx.export.GraphBuilder.setting;
import static ai.wood.onnx.export.GraphBuilder.settings;

import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.OperatorSetIdProto;
import ai.onnx.proto.OnnxMl.TensorProto.DataType;
import java.util.List;

/** A classifier that can be computed by hand: grey images of 2 x 2 in, three classes out. */
public final class Tiny {

    /** Classes x pixels. */
    private static final float[] WEIGHTS = {1, 0, 0, -1, 0, 2, 0, 0, 0.5f, 0.5f, 0.5f, 0.5f};

    private static final float[] BIAS = {0, -1, 0.25f};

    private Tiny() {}

    /** The logits of an image, in the shortest way. */
    public static double[] logits(double... pixels) {
        double[] logits = new double[BIAS.length];
        for (int k = 0; k < logits.length; k++) {
            logits[k] = BIAS[k];
            for (int p = 0; p < pixels.length; p++) {
                logits[k] += WEIGHTS[k * pixels.length + p] * pixels[p];
            }
        }
        return logits;
    }

    /** Flattened, one linear layer, softmax; the only output is the probabilities. */
    public static ModelProto model() {
        GraphBuilder graph = new GraphBuilder();
        String pixels = graph.add("Flatten", List.of(setting("axis", 1)), graph.input("pixels", 1, 2, 2));
        String logits = graph.add(
                "Gemm",
                List.of(setting("transB", 1)),
                pixels,
                graph.floats("weights", WEIGHTS, 3, 4),
                graph.floats("bias", BIAS, 3));
        graph.output("said", graph.add("Softmax", List.of(setting("axis", 1)), logits), DataType.FLOAT, 3);
        return model(graph);
    }

    /**
     * Channels last, as TensorFlow's exporters write it: turned, a convolution to two channels of twice and four times the
     * pixels, turned back and forth, averaged; three classes. Its values have names to ask for.
     */
    public static ModelProto channelsLast() {
        GraphBuilder graph = new GraphBuilder();
        String image = graph.input("image", 2, 2, 1);
        String pixels = graph.add("Identity", List.of(), image);
        String turned = graph.add("Transpose", List.of(settings("perm", 0, 3, 1, 2)), pixels);
        String first = graph.add("Conv", List.of(), turned, graph.floats("kernels", new float[] {2, 4}, 2, 1, 1, 1));
        String relu = graph.add("Relu", List.of(), first);
        String last = graph.add("Transpose", List.of(settings("perm", 0, 2, 3, 1)), relu);
        String sum = graph.add("Add", List.of(), graph.floats("nothing", new float[] {0, 0}, 2), last);
        String again = graph.add("Transpose", List.of(settings("perm", 0, 3, 1, 2)), sum);
        String means =
                graph.add("Flatten", List.of(setting("axis", 1)), graph.add("GlobalAveragePool", List.of(), again));
        String logits =
                graph.add("MatMul", List.of(), means, graph.floats("weights", new float[] {1, 0, 1, 0, 1, 1}, 2, 3));
        graph.output("said", logits, DataType.FLOAT, 3);
        graph.output("pixels", pixels, DataType.FLOAT, 2, 2, 1);
        graph.output("first", first, DataType.FLOAT, 2, 2, 2);
        graph.output("relu", relu, DataType.FLOAT, 2, 2, 2);
        graph.output("last", last, DataType.FLOAT, 2, 2, 2);
        graph.output("sum", sum, DataType.FLOAT, 2, 2, 2);
        graph.output("again", again, DataType.FLOAT, 2, 2, 2);
        return model(graph);
    }

    static ModelProto model(GraphBuilder graph) {
        return ModelProto.newBuilder()
                .setIrVersion(8)
                .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(17))
                .setGraph(graph.build())
                .build();
    }
}
