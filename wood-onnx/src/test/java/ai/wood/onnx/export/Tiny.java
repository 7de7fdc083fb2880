package ai.wood.onnx.export;

import static ai.wood.onnx.export.GraphBuilder.setting;

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

    static ModelProto model(GraphBuilder graph) {
        return ModelProto.newBuilder()
                .setIrVersion(8)
                .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(17))
                .setGraph(graph.build())
                .build();
    }
}
