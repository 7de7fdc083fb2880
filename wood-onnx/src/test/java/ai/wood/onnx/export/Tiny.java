package ai.wood.onnx.export;

import static ai.wood.onnx.export.GraphBuilder.setting;
import static ai.wood.onnx.export.GraphBuilder.settings;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.OperatorSetIdProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.TensorProto.DataType;
import ai.onnxruntime.platform.Fp16Conversions;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Stream;

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
        return softmaxAnd();
    }

    /** The same with more operations between the softmax and the output. */
    public static ModelProto softmaxAnd(String... operations) {
        GraphBuilder graph = new GraphBuilder();
        String value = graph.add("Softmax", List.of(setting("axis", 1)), logits(graph));
        for (String operation : operations) {
            value = switch (operation) {
                case "Cast" -> graph.add("Cast", List.of(setting("to", DataType.FLOAT.getNumber())), value);
                case "Reshape" -> graph.add("Reshape", value, graph.integers(-1, 3));
                case "Squeeze", "Unsqueeze" -> graph.add(operation, value, graph.integers(2));
                case "Clip" ->
                    graph.add(
                            "Clip",
                            value,
                            graph.floats("least", new float[] {1e-6f}),
                            graph.floats("most", new float[] {1}));
                default -> graph.add(operation, value);
            };
        }
        graph.output("said", value, DataType.FLOAT, 3);
        return model(graph);
    }

    /** The same with a softmax in three operations, which the graph does not name. */
    public static ModelProto hiddenSoftmax() {
        GraphBuilder graph = new GraphBuilder();
        String e = graph.add("Exp", logits(graph));
        graph.output("said", graph.add("Div", e, graph.add("ReduceSum", e, graph.integers(1))), DataType.FLOAT, 3);
        return model(graph);
    }

    private static String logits(GraphBuilder graph) {
        return graph.add(
                "Gemm",
                List.of(setting("transB", 1)),
                pixels(graph),
                graph.floats("weights", WEIGHTS, 3, 4),
                graph.floats("bias", BIAS, 3));
    }

    private static String pixels(GraphBuilder graph) {
        return graph.add("Flatten", List.of(setting("axis", 1)), graph.input("pixels", 1, 2, 2));
    }

    /** Logits without the bias, by a linear layer as exporters write it. */
    public static ModelProto withoutBias(String form) {
        GraphBuilder graph = new GraphBuilder();
        String pixels = pixels(graph);
        String weights = graph.floats("weights", WEIGHTS, 3, 4);
        List<AttributeProto> byClass = List.of(setting("transB", 1));
        String logits = switch (form) {
            case "Gemm" -> graph.add("Gemm", byClass, pixels, weights);
            case "Gemm with an empty name" -> graph.add("Gemm", byClass, pixels, weights, "");
            case "MatMul with a transposed matrix" -> graph.add("MatMul", pixels, graph.add("Transpose", weights));
            default -> graph.add("MatMul", pixels, graph.floats("columns", columns(), 4, 3));
        };
        graph.output("logits", logits, DataType.FLOAT, 3);
        return model(graph);
    }

    /** The weights, pixels x classes. */
    private static float[] columns() {
        float[] columns = new float[WEIGHTS.length];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = WEIGHTS[i % 3 * 4 + i / 3];
        }
        return columns;
    }

    /** The upper two pixels are the first token, the lower two the second. The last layer reads the first token. */
    public static ModelProto tokens() {
        GraphBuilder graph = new GraphBuilder();
        String tokens = graph.add("Reshape", graph.input("pixels", 1, 2, 2), graph.integers(0, 2, 2));
        String one = graph.add("Gather", List.of(setting("axis", 1)), tokens, graph.integers(0));
        String first = graph.add("Squeeze", one, graph.integers(1));
        String weights = graph.floats("weights", new float[] {1, 0, 1, 0, 1, 1}, 2, 3);
        graph.output("logits", graph.add("MatMul", first, weights), DataType.FLOAT, 3);
        graph.output("tokens", tokens, DataType.FLOAT, 2, 2);
        return model(graph);
    }

    /** A model whose input, output and weights are 16-bit floats. */
    public static ModelProto half(ModelProto model) {
        ModelProto.Builder half = model.toBuilder();
        GraphProto.Builder graph = half.getGraphBuilder();
        graph.getInitializerBuilderList().stream()
                .filter(tensor -> tensor.getDataType() == DataType.FLOAT_VALUE)
                .forEach(Tiny::half);
        Stream.concat(graph.getInputBuilderList().stream(), graph.getOutputBuilderList().stream())
                .forEach(value -> value.getTypeBuilder().getTensorTypeBuilder().setElemType(DataType.FLOAT16_VALUE));
        return half.build();
    }

    private static void half(TensorProto.Builder tensor) {
        ByteBuffer floats = tensor.getRawData().asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer halves = ByteBuffer.allocate(floats.remaining() / 2).order(ByteOrder.LITTLE_ENDIAN);
        while (floats.hasRemaining()) {
            halves.putShort(Fp16Conversions.floatToFp16(floats.getFloat()));
        }
        tensor.setDataType(DataType.FLOAT16_VALUE).setRawData(ByteString.copyFrom(halves.flip()));
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
