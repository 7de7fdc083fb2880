package ai.wood.onnx;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.TensorShapeProto.Dimension;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import ai.onnxruntime.platform.Fp16Conversions;
import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Names;
import ai.wood.data.Shape;
import ai.wood.onnx.OnnxOptions.Layout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The graph of an ONNX file: its input and output, its last layer, and the order of its feature maps. */
final class OnnxGraph {

    private static final int RANK = 4;

    /** An error about an unknown name lists this many values of the graph. */
    private static final int LAST_NAMES = 10;

    private static final Set<String> SOFTMAXES = Set.of("Softmax", "LogSoftmax");

    /** Operations whose output contains the numbers of their first input, in the same shape. */
    private static final Set<String> COPIES = Set.of("Identity", "Cast");

    /** Operations after a softmax that keep its numbers, apart from tiny ones. */
    private static final Set<String> RESHAPES =
            Set.of("Identity", "Cast", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Clip");

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

    /** A linear last layer and the name of its input, the features. */
    record LastLayer(String features, Head head) {}

    /** Returns the first output, or for logits the value before its softmax if there is one. */
    String output(boolean logits) {
        if (graph.getOutputCount() == 0) {
            throw new IllegalArgumentException("a classifier needs an output for the classes but the graph has none");
        }
        String first = graph.getOutput(0).getName();
        return logits ? softmaxInput(first, SOFTMAXES).orElse(first) : first;
    }

    /** The input of the softmax that computes a value, also if the result is cast, reshaped or clipped afterwards. */
    private Optional<String> softmaxInput(String value, Set<String> softmaxes) {
        NodeProto node = makers.get(before(value, RESHAPES));
        return node != null && softmaxes.contains(node.getOpType()) && node.getInputCount() == 1
                ? Optional.of(node.getInput(0))
                : Optional.empty();
    }

    /**
     * Refuses the result of a softmax as logits.
     *
     * @throws IllegalArgumentException with the name of the logits
     */
    void requireLogits(String output) {
        softmaxInput(output, Set.of("Softmax")).ifPresent(logits -> {
            throw new IllegalArgumentException("the value '" + output + "' is computed by a Softmax, so it contains"
                    + " probabilities, not logits. Use '" + logits + "' as logits, or '" + output
                    + "' as probabilities.");
        });
    }

    /** Returns the input of the linear layer that computes an output; empty if there is none. */
    String features(String output) {
        return lastLayer(softmaxInput(output, SOFTMAXES).orElse(output))
                .map(LastLayer::features)
                .orElse("");
    }

    /** Finds an input by name; null for the only one. */
    ValueInfoProto input(@Nullable String name) {
        List<ValueInfoProto> inputs = graph.getInputList().stream()
                .filter(input -> !weights.containsKey(input.getName())) // old files list their weights too
                .toList();
        if (name == null && inputs.size() != 1) {
            throw new IllegalArgumentException("a classifier has one input, for images, but the inputs are "
                    + inputs.stream().map(ValueInfoProto::getName).toList());
        }
        return name == null
                ? inputs.get(0)
                : Names.find("input", name, inputs.toArray(ValueInfoProto[]::new), ValueInfoProto::getName);
    }

    /** Returns the dimensions of an input, 0 for those that are open. */
    static long[] dimensions(ValueInfoProto input) {
        List<Dimension> dimensions = input.getType().getTensorType().getShape().getDimList();
        if (dimensions.size() != RANK) {
            throw new IllegalArgumentException("an input for images has 4 dimensions, count x channels x height x width"
                    + " or with the channels last, but the input '" + input.getName() + "' has " + dimensions.size()
                    + " dimensions");
        }
        int type = input.getType().getTensorType().getElemType();
        if (type != TensorProto.DataType.FLOAT_VALUE && type != TensorProto.DataType.FLOAT16_VALUE) {
            throw new IllegalArgumentException("an input for images must take 32-bit or 16-bit floats but the input '"
                    + input.getName() + "' takes " + TensorProto.DataType.forNumber(type));
        }
        return dimensions.stream()
                .mapToLong(dimension -> Math.max(0, dimension.getDimValue()))
                .toArray();
    }

    /** Whether an input takes 16-bit floats. */
    static boolean isHalf(ValueInfoProto input) {
        return input.getType().getTensorType().getElemType() == TensorProto.DataType.FLOAT16_VALUE;
    }

    /** Infers the order of an image's values from the dimension that is 1 or 3. */
    static Layout layout(long[] dimensions) {
        boolean first = dimensions[1] == 1 || dimensions[1] == 3;
        boolean last = dimensions[3] == 1 || dimensions[3] == 3;
        return last && !first ? Layout.NHWC : Layout.NCHW;
    }

    /** Returns the shape of the images; {@code open} fills dimensions that the file leaves open. */
    static Shape shape(long[] dimensions, Layout layout, @Nullable Shape open) {
        boolean nchw = layout == Layout.NCHW;
        long channels = dimensions[nchw ? 1 : 3];
        long height = dimensions[nchw ? 2 : 1];
        long width = dimensions[nchw ? 3 : 2];
        if (open == null && (channels == 0 || height == 0 || width == 0)) {
            throw new IllegalArgumentException(
                    "the file leaves the shape of its images open. State the shape, for example 3x32x32.");
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
     * @throws IllegalArgumentException with the nearest name, or the last names, because features are near the end
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
                    .orElse("The last values are " + String.join(", ", last));
            throw new IllegalArgumentException(
                    "the graph has no value called '" + value + "' among its " + known.size() + ". " + hint);
        }
    }

    /** Finds the linear layer that computes the named logits, with or without a bias. Its weights must be constants. */
    Optional<LastLayer> lastLayer(String logits) {
        NodeProto node = makers.get(origin(logits));
        if (node == null) {
            return Optional.empty();
        }
        return switch (node.getOpType()) {
            case "Gemm" -> gemm(node);
            case "MatMul" -> product(node, null);
            case "Add" -> sum(node);
            default -> Optional.empty();
        };
    }

    /** Returns the value that this one copies. */
    String origin(String value) {
        return before(value, COPIES);
    }

    /** Walks back from a value through some operations, by their first inputs. */
    private String before(String value, Set<String> operations) {
        String origin = value;
        for (int i = 0; i < makers.size(); i++) {
            NodeProto node = makers.get(origin);
            if (node == null || !operations.contains(node.getOpType()) || node.getInputCount() == 0) {
                break;
            }
            origin = node.getInput(0);
        }
        return origin;
    }

    /**
     * Infers the order of a feature map's values from the operation that computes it, or from those before it.
     *
     * @param input the order of the images, if no operation decides
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
        String bias = node.getInputCount() > 2 && !node.getInput(2).isEmpty() ? node.getInput(2) : null;
        boolean plain = node.getInputCount() > 1
                && number(node, "alpha", 1) == 1
                && (bias == null || number(node, "beta", 1) == 1)
                && integer(node, "transA") == 0;
        return plain ? layer(node.getInput(0), node.getInput(1), integer(node, "transB") == 1, bias) : Optional.empty();
    }

    private Optional<LastLayer> sum(NodeProto node) {
        for (int i = 0; i < 2 && node.getInputCount() == 2; i++) {
            NodeProto product = makers.get(origin(node.getInput(i)));
            if (product != null && product.getOpType().equals("MatMul")) {
                return product(product, node.getInput(1 - i));
            }
        }
        return Optional.empty();
    }

    private Optional<LastLayer> product(NodeProto node, @Nullable String bias) {
        if (node.getInputCount() != 2) {
            return Optional.empty();
        }
        NodeProto matrix = makers.get(node.getInput(1));
        if (matrix != null && matrix.getOpType().equals("Transpose") && matrix.getInputCount() == 1) {
            return layer(node.getInput(0), matrix.getInput(0), true, bias); // as exporters write it without folding
        }
        return layer(node.getInput(0), node.getInput(1), false, bias);
    }

    /** A layer with these weights, if they are constants of the right sizes; no bias is a bias of zeros. */
    private Optional<LastLayer> layer(String features, String matrix, boolean byClass, @Nullable String bias) {
        TensorProto weight = weights.get(origin(matrix));
        TensorProto offset = bias == null ? null : weights.get(origin(bias));
        if (weight == null || weight.getDimsCount() != 2 || (bias != null && offset == null)) {
            return Optional.empty();
        }
        int classes = (int) weight.getDims(byClass ? 0 : 1);
        int width = (int) weight.getDims(byClass ? 1 : 0);
        float[] values = floats(weight);
        if (classes < 2 || width < 1 || values.length != (long) classes * width || !makers.containsKey(features)) {
            return Optional.empty();
        }
        float[] offsets = offset == null ? new float[classes] : floats(offset);
        if (offsets.length != classes) {
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

    /** The values of a tensor of 32-bit or 16-bit floats; none for other types. */
    private static float[] floats(TensorProto tensor) {
        boolean half = tensor.getDataType() == TensorProto.DataType.FLOAT16_VALUE;
        if (!half && tensor.getDataType() != TensorProto.DataType.FLOAT_VALUE) {
            return new float[0];
        }
        ByteBuffer raw = tensor.getRawData().asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        int listed = half ? tensor.getInt32DataCount() : tensor.getFloatDataCount();
        float[] values = new float[listed > 0 ? listed : raw.remaining() / (half ? Short.BYTES : Float.BYTES)];
        for (int i = 0; i < values.length; i++) {
            if (half) {
                values[i] = Fp16Conversions.fp16ToFloat(listed > 0 ? (short) tensor.getInt32Data(i) : raw.getShort());
            } else {
                values[i] = listed > 0 ? tensor.getFloatData(i) : raw.getFloat();
            }
        }
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
