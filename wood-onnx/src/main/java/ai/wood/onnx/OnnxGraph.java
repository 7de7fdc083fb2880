package ai.wood.onnx;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.TensorShapeProto.Dimension;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Names;
import ai.wood.data.Shape;
import ai.wood.onnx.OnnxOptions.Layout;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the graph of an ONNX file tells about itself: its inputs and outputs, and how the last layer looks. */
final class OnnxGraph {

    private static final int RANK = 4;

    /** So many names of values are told where a wrong one was given. */
    private static final int LAST_NAMES = 10;

    private static final Set<String> SOFTMAXES = Set.of("Softmax", "LogSoftmax");

    /** Operations that ONNX has for channels first only. */
    private static final Set<String> CHANNELS_FIRST = Set.of(
            "Conv",
            "ConvTranspose",
            "BatchNormalization",
            "InstanceNormalization",
            "GroupNormalization",
            "LRN",
            "MaxPool",
            "AveragePool",
            "LpPool",
            "GlobalMaxPool",
            "GlobalAveragePool",
            "GlobalLpPool",
            "DepthToSpace",
            "SpaceToDepth");

    private final GraphProto graph;
    private final Map<String, NodeProto> makers = new HashMap<>();
    private final Map<String, TensorProto> weights = new HashMap<>();

    OnnxGraph(GraphProto graph) {
        this.graph = graph;
        graph.getInitializerList().forEach(tensor -> weights.put(tensor.getName(), tensor));
        graph.getNodeList().forEach(node -> node.getOutputList().forEach(output -> makers.put(output, node)));
    }

    /** A linear last layer and the name of the features that it reads. */
    record LastLayer(String features, Head head) {}

    /** The first output; for logits, what a softmax made it of, or the logarithm of one. */
    String output(boolean logits) {
        if (graph.getOutputCount() == 0) {
            throw new IllegalArgumentException("a classifier has an output, for the classes, but there is none");
        }
        String first = graph.getOutput(0).getName();
        return logits ? beforeSoftmax(first) : first;
    }

    private String beforeSoftmax(String value) {
        String origin = origin(value);
        NodeProto last = makers.get(origin);
        return last != null && SOFTMAXES.contains(last.getOpType()) && last.getInputCount() == 1
                ? last.getInput(0)
                : origin;
    }

    /** What the linear layer behind an output reads; empty where there is none. */
    String features(String output) {
        return lastLayer(beforeSoftmax(output)).map(LastLayer::features).orElse("");
    }

    /** The input of a name, or the only one for null. */
    ValueInfoProto input(@Nullable String name) {
        List<ValueInfoProto> inputs = graph.getInputList().stream()
                .filter(input -> !weights.containsKey(input.getName())) // old files list their weights too
                .toList();
        if (name == null && inputs.size() != 1) {
            throw new IllegalArgumentException("a classifier has one input, for images, but there are "
                    + inputs.stream().map(ValueInfoProto::getName).toList());
        }
        return name == null
                ? inputs.get(0)
                : Names.find("input", name, inputs.toArray(ValueInfoProto[]::new), ValueInfoProto::getName);
    }

    /** The extents of an input, 0 where they are open. */
    static long[] dimensions(ValueInfoProto input) {
        List<Dimension> dimensions = input.getType().getTensorType().getShape().getDimList();
        if (dimensions.size() != RANK) {
            throw new IllegalArgumentException("images go in as count x channels x height x width, or with the channels"
                    + " last, but the input '" + input.getName() + "' has " + dimensions.size() + " dimensions");
        }
        if (input.getType().getTensorType().getElemType() != TensorProto.DataType.FLOAT_VALUE) {
            throw new IllegalArgumentException("images go in as 32-bit floats but the input '" + input.getName()
                    + "' takes numbers of another type");
        }
        return dimensions.stream()
                .mapToLong(dimension -> Math.max(0, dimension.getDimValue()))
                .toArray();
    }

    /** The order of an image's values, by where the extent 1 or 3 stands. */
    static Layout layout(long[] dimensions) {
        boolean first = dimensions[1] == 1 || dimensions[1] == 3;
        boolean last = dimensions[3] == 1 || dimensions[3] == 3;
        return last && !first ? Layout.NHWC : Layout.NCHW;
    }

    /** The shape of the images, and what is left open as told. */
    static Shape shape(long[] dimensions, Layout layout, @Nullable Shape open) {
        boolean nchw = layout == Layout.NCHW;
        long channels = dimensions[nchw ? 1 : 3];
        long height = dimensions[nchw ? 2 : 1];
        long width = dimensions[nchw ? 3 : 2];
        if (open == null && (channels == 0 || height == 0 || width == 0)) {
            throw new IllegalArgumentException(
                    "the file leaves the shape of its images open. Maybe give it, as in 3x32x32.");
        }
        return new Shape(
                extent(channels, open == null ? 0 : open.channels()),
                extent(height, open == null ? 0 : open.height()),
                extent(width, open == null ? 0 : open.width()));
    }

    private static int extent(long fixed, int open) {
        return fixed == 0 ? open : (int) Math.min(fixed, Integer.MAX_VALUE);
    }

    /**
     * Refuses a name that no value of the graph has.
     *
     * @throws IllegalArgumentException with the nearest name, or the last ones, among which features are
     */
    void require(String value) {
        if (!makers.containsKey(value)) {
            List<String> known = graph.getNodeList().stream()
                    .flatMap(node -> node.getOutputList().stream())
                    .filter(name -> !name.isEmpty())
                    .toList();
            List<String> last = known.subList(Math.max(0, known.size() - LAST_NAMES), known.size());
            String hint = Names.nearest(value, known)
                    .map(name -> "Did you mean " + name + "?")
                    .orElse("The last ones are " + String.join(", ", last));
            throw new IllegalArgumentException(
                    "the graph has no value called '" + value + "' among its " + known.size() + ". " + hint);
        }
    }

    /** The linear layer that makes the named logits, where one does and its weights are in the file. */
    Optional<LastLayer> lastLayer(String logits) {
        NodeProto node = makers.get(origin(logits));
        if (node == null) {
            return Optional.empty();
        }
        return switch (node.getOpType()) {
            case "Gemm" -> gemm(node);
            case "Add" -> sum(node);
            default -> Optional.empty();
        };
    }

    /** The value of which this one is only another name. */
    String origin(String value) {
        String origin = value;
        for (int i = 0; i < makers.size(); i++) {
            NodeProto node = makers.get(origin);
            if (node == null || !node.getOpType().equals("Identity") || node.getInputCount() != 1) {
                break;
            }
            origin = node.getInput(0);
        }
        return origin;
    }

    /**
     * The order of a map's values: told by the operation that made it, or by those before it.
     *
     * @param input that of the images
     */
    Layout layout(String map, Layout input) {
        String value = map;
        for (int i = 0; i < makers.size(); i++) {
            NodeProto node = makers.get(value);
            if (node == null) {
                break;
            }
            if (CHANNELS_FIRST.contains(node.getOpType())) {
                return Layout.NCHW;
            }
            if (node.getOpType().equals("Transpose")) {
                List<Long> order =
                        attribute(node, "perm").map(AttributeProto::getIntsList).orElse(List.of());
                return order.equals(List.of(0L, 2L, 3L, 1L)) ? Layout.NHWC : Layout.NCHW;
            }
            value = node.getInputList().stream()
                    .filter(from -> !weights.containsKey(from))
                    .findFirst()
                    .orElse("");
        }
        return input;
    }

    private Optional<LastLayer> gemm(NodeProto node) {
        boolean plain = number(node, "alpha", 1) == 1 && number(node, "beta", 1) == 1 && integer(node, "transA") == 0;
        if (!plain || node.getInputCount() != 3) {
            return Optional.empty();
        }
        return layer(node.getInput(0), node.getInput(1), integer(node, "transB") == 1, node.getInput(2));
    }

    private Optional<LastLayer> sum(NodeProto node) {
        for (int i = 0; i < 2 && node.getInputCount() == 2; i++) {
            NodeProto product = makers.get(node.getInput(i));
            if (product != null && product.getOpType().equals("MatMul") && product.getInputCount() == 2) {
                return layer(product.getInput(0), product.getInput(1), false, node.getInput(1 - i));
            }
        }
        return Optional.empty();
    }

    private Optional<LastLayer> layer(String features, String matrix, boolean byClass, String bias) {
        TensorProto weight = weights.get(matrix);
        TensorProto offset = weights.get(bias);
        if (weight == null || offset == null || weight.getDimsCount() != 2 || !makers.containsKey(features)) {
            return Optional.empty();
        }
        int classes = (int) weight.getDims(byClass ? 0 : 1);
        int width = (int) weight.getDims(byClass ? 1 : 0);
        float[] values = floats(weight);
        float[] offsets = floats(offset);
        if (classes < 2 || width < 1 || values.length != (long) classes * width || offsets.length != classes) {
            return Optional.empty();
        }
        float[] rows = byClass ? values : transposed(values, classes);
        return Optional.of(new LastLayer(features, new Head(Matrix.wrap(rows, width), Matrix.wrap(offsets, classes))));
    }

    private static float[] transposed(float[] values, int columns) {
        int rows = values.length / columns;
        float[] turned = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            turned[(i % columns) * rows + i / columns] = values[i];
        }
        return turned;
    }

    /** The values of a tensor of floats; none for other types. */
    private static float[] floats(TensorProto tensor) {
        if (tensor.getDataType() != TensorProto.DataType.FLOAT_VALUE) {
            return new float[0];
        }
        float[] values =
                new float[tensor.getFloatDataCount() + tensor.getRawData().size() / Float.BYTES];
        for (int i = 0; i < tensor.getFloatDataCount(); i++) {
            values[i] = tensor.getFloatData(i);
        }
        tensor.getRawData()
                .asReadOnlyByteBuffer()
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer()
                .get(values, tensor.getFloatDataCount(), values.length - tensor.getFloatDataCount());
        return values;
    }

    private static float number(NodeProto node, String name, float otherwise) {
        return attribute(node, name).map(AttributeProto::getF).orElse(otherwise);
    }

    private static long integer(NodeProto node, String name) {
        return attribute(node, name).map(AttributeProto::getI).orElse(0L);
    }

    private static Optional<AttributeProto> attribute(NodeProto node, String name) {
        return node.getAttributeList().stream()
                .filter(attribute -> attribute.getName().equals(name))
                .findFirst();
    }
}
