package ai.wood.onnx.export;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.TensorShapeProto;
import ai.onnx.proto.OnnxMl.TensorShapeProto.Dimension;
import ai.onnx.proto.OnnxMl.TypeProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Builds a graph operation by operation (ONNX operator set 17). Values are referred to by name. Every method that adds an
 * operation returns the name of its result.
 */
final class GraphBuilder {

    private static final String BATCH = "batch";

    private final GraphProto.Builder graph = GraphProto.newBuilder().setName("wood");
    private final Map<String, Integer> names = new HashMap<>();

    /** Returns a name that no value has yet. */
    private String unused(String wish) {
        int before = names.merge(wish, 1, Integer::sum);
        return before == 1 ? wish : unused(wish + "_" + before);
    }

    /** Adds an input for any number of images. */
    String input(String name, long... extents) {
        graph.addInput(value(unused(name), TensorProto.DataType.FLOAT, extents));
        return name;
    }

    /** Makes a value an output, under a name of its own. */
    void output(String name, String value, TensorProto.DataType type, long... extents) {
        graph.addNode(NodeProto.newBuilder()
                .setOpType("Identity")
                .setName(unused(name))
                .addInput(value)
                .addOutput(name));
        graph.addOutput(value(name, type, extents));
    }

    /** Constant floats. */
    String floats(String name, float[] values, long... extents) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return constant(name, TensorProto.DataType.FLOAT, bytes, extents);
    }

    /** Constant whole numbers, such as axes. */
    String integers(long... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(values);
        return constant("integers", TensorProto.DataType.INT64, bytes, values.length);
    }

    private String constant(String name, TensorProto.DataType type, ByteBuffer bytes, long... extents) {
        String unused = unused(name);
        graph.addInitializer(TensorProto.newBuilder()
                .setName(unused)
                .setDataType(type.getNumber())
                .addAllDims(LongStream.of(extents).boxed().toList())
                .setRawData(ByteString.copyFrom(bytes)));
        return unused;
    }

    /** One operation with one result. */
    String add(String operation, String... inputs) {
        return add(operation, List.of(), inputs);
    }

    /** One operation with settings; returns the first of several results. */
    String add(String operation, List<AttributeProto> settings, String... inputs) {
        return add(operation, 1, settings, inputs).get(0);
    }

    /** One operation with several results. */
    List<String> add(String operation, int results, List<AttributeProto> settings, String... inputs) {
        List<String> outputs =
                Stream.generate(() -> unused(operation)).limit(results).toList();
        graph.addNode(NodeProto.newBuilder()
                .setOpType(operation)
                .setName(outputs.get(0))
                .addAllInput(Arrays.asList(inputs))
                .addAllOutput(outputs)
                .addAllAttribute(settings));
        return outputs;
    }

    static AttributeProto setting(String name, long value) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setType(AttributeProto.AttributeType.INT)
                .setI(value)
                .build();
    }

    static AttributeProto setting(String name, float value) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setType(AttributeProto.AttributeType.FLOAT)
                .setF(value)
                .build();
    }

    static AttributeProto settings(String name, long... values) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setType(AttributeProto.AttributeType.INTS)
                .addAllInts(LongStream.of(values).boxed().toList())
                .build();
    }

    /** The graph as it is now. */
    GraphProto build() {
        return graph.build();
    }

    private static ValueInfoProto value(String name, TensorProto.DataType type, long... extents) {
        TensorShapeProto.Builder shape =
                TensorShapeProto.newBuilder().addDim(Dimension.newBuilder().setDimParam(BATCH));
        LongStream.of(extents)
                .forEach(extent -> shape.addDim(Dimension.newBuilder().setDimValue(extent)));
        return ValueInfoProto.newBuilder()
                .setName(name)
                .setType(TypeProto.newBuilder()
                        .setTensorType(TypeProto.Tensor.newBuilder()
                                .setElemType(type.getNumber())
                                .setShape(shape)))
                .build();
    }
}
