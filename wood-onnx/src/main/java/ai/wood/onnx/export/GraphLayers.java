package ai.wood.onnx.export;

import static ai.wood.onnx.export.GraphBuilder.setting;
import static ai.wood.onnx.export.GraphBuilder.settings;

import ai.onnx.proto.OnnxMl.AttributeProto;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The layers of a trained network, by their names, as operations of a graph. A normalisation after a convolution is folded into it. */
final class GraphLayers {

    /** Keeps the division by a deviation finite, as in PyTorch. */
    private static final float EPSILON = 1e-5f;

    private final GraphBuilder graph;
    private final Map<String, List<Long>> shapes;
    private final OnnxExport.Source weights;

    GraphLayers(GraphBuilder graph, Map<String, List<Long>> shapes, OnnxExport.Source weights) {
        this.graph = graph;
        this.shapes = shapes;
        this.weights = weights;
    }

    /** Whether the network has such a layer. */
    boolean has(String layer) {
        return shapes.containsKey(layer + ".weight");
    }

    /** Square convolution without bias. */
    String convolution(String name, String x, int stride, int padding) throws IOException {
        return graph.add("Conv", window(shape(name + ".weight")[2], stride, padding), x, constant(name + ".weight"));
    }

    /** Convolution and normalisation as one: with {@code a = weight / sqrt(var + eps)}, {@code a W x + (bias - a mean)}. */
    String convolutionNorm(String name, String norm, String x, int stride, int padding) throws IOException {
        long[] shape = shape(name + ".weight");
        double[] scale = scale(norm);
        float[] kernel = weights.floats(name + ".weight").clone();
        int perChannel = kernel.length / scale.length;
        for (int i = 0; i < kernel.length; i++) {
            kernel[i] = (float) (kernel[i] * scale[i / perChannel]);
        }
        return graph.add(
                "Conv",
                window(shape[2], stride, padding),
                x,
                graph.floats(name + ".weight", kernel, shape),
                graph.floats(name + ".bias", offset(norm, scale), scale.length));
    }

    private double[] scale(String norm) throws IOException {
        float[] weight = weights.floats(norm + ".weight");
        float[] variance = weights.floats(norm + ".running_var");
        double[] scale = new double[weight.length];
        Arrays.setAll(scale, i -> weight[i] / Math.sqrt(variance[i] + EPSILON));
        return scale;
    }

    private float[] offset(String norm, double[] scale) throws IOException {
        float[] bias = weights.floats(norm + ".bias");
        float[] mean = weights.floats(norm + ".running_mean");
        float[] offset = new float[scale.length];
        for (int i = 0; i < offset.length; i++) {
            offset[i] = (float) (bias[i] - scale[i] * mean[i]);
        }
        return offset;
    }

    /** Normalisation and ReLU. */
    String normRelu(String norm, String x) throws IOException {
        return relu(graph.add(
                "BatchNormalization",
                List.of(setting("epsilon", EPSILON)),
                x,
                constant(norm + ".weight"),
                constant(norm + ".bias"),
                constant(norm + ".running_mean"),
                constant(norm + ".running_var")));
    }

    String relu(String x) {
        return graph.add("Relu", x);
    }

    String sum(String x, String y) {
        return graph.add("Add", x, y);
    }

    /** Joins the channels of two maps. */
    String concatenation(String x, String y) {
        return graph.add("Concat", List.of(setting("axis", 1)), x, y);
    }

    String maxPool(String x, int size) {
        return graph.add("MaxPool", window(size, size, 0), x);
    }

    String averagePool(String x, int size) {
        return graph.add("AveragePool", window(size, size, 0), x);
    }

    /** The top left part of each map. */
    String corner(String x, int size) {
        return graph.add("Slice", x, graph.integers(0, 0), graph.integers(size, size), graph.integers(2, 3));
    }

    /** The mean of each map: count x channels. */
    String globalPool(String x) {
        return graph.add("Flatten", List.of(setting("axis", 1)), graph.add("GlobalAveragePool", x));
    }

    /** Fully connected layer. */
    String linear(String name, String x) throws IOException {
        return graph.add(
                "Gemm", List.of(setting("transB", 1)), x, constant(name + ".weight"), constant(name + ".bias"));
    }

    private String constant(String tensor) throws IOException {
        return graph.floats(tensor, weights.floats(tensor), shape(tensor));
    }

    private long[] shape(String tensor) {
        List<Long> shape = shapes.get(tensor);
        if (shape == null) {
            throw new IllegalArgumentException("the network has no tensor '" + tensor + "'");
        }
        return shape.stream().mapToLong(Long::longValue).toArray();
    }

    /** The number of inputs of a fully connected layer. */
    long width(String linear) {
        return shape(linear + ".weight")[1];
    }

    /** The number of outputs of a fully connected layer. */
    long outputs(String linear) {
        return shape(linear + ".weight")[0];
    }

    private static List<AttributeProto> window(long size, int stride, int padding) {
        return List.of(
                settings("kernel_shape", size, size),
                settings("strides", stride, stride),
                settings("pads", padding, padding, padding, padding));
    }
}
