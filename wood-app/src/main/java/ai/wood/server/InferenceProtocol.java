package ai.wood.server;

import ai.wood.Image;
import ai.wood.Shape;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The Open Inference Protocol, version 2, which KServe, Triton and others speak: tensors in, tensors out.
 *
 * <p>One input, {@code image}, of shape [N, channels, height, width]: UINT8, 0 to 255, or FP32, 0 to 1, as JSON numbers or as
 * raw little-endian bytes behind the JSON (the binary tensor extension).
 */
final class InferenceProtocol {

    private static final String BINARY_LENGTH = "binary_data_size";
    private static final int MAX_TEXT = 256;

    private final Judge judge;
    private final int maxImages;

    InferenceProtocol(Judge judge, int maxImages) {
        this.judge = judge;
        this.maxImages = maxImages;
    }

    /** What the protocol's clients ask for first. */
    ObjectNode metadata() {
        ObjectNode json = Json.object().put("name", judge.served().name()).put("platform", "wood");
        json.putArray("versions");
        ArrayNode inputs = json.putArray("inputs");
        judge.served().shape().ifPresent(shape -> {
            ObjectNode input = inputs.addObject().put("name", "image").put("datatype", "UINT8");
            input.putArray("shape")
                    .add(-1)
                    .add(shape.channels())
                    .add(shape.height())
                    .add(shape.width());
        });
        ArrayNode outputs = json.putArray("outputs");
        for (Output output : Output.values()) {
            ArrayNode shape = outputs.addObject()
                    .put("name", output.id)
                    .put("datatype", output.type)
                    .putArray("shape")
                    .add(-1);
            if (output == Output.PROBABILITIES) {
                shape.add(judge.served().classes().size());
            }
        }
        return json;
    }

    /** What a verdict consists of here. */
    private enum Output {
        PROBABILITIES("probabilities", "FP64"),
        LABEL("label", "BYTES"),
        SCORE("score", "FP64"),
        P_VALUE("p_value", "FP64"),
        OOD("ood", "BOOL");

        private final String id;
        private final String type;

        Output(String id, String type) {
            this.id = id;
            this.type = type;
        }

        static Output byId(String id) {
            return Arrays.stream(values())
                    .filter(output -> output.id.equals(id))
                    .findFirst()
                    .orElseThrow(() -> Problem.badRequest("there is no such output; there are "
                            + Arrays.stream(values()).map(output -> output.id).toList()));
        }
    }

    /** A request, read and checked. */
    record Request(@Nullable String id, List<Image> images, Set<String> outputs) {}

    /** One input as it stands in the request. */
    private static final class Tensor {
        private String name = "";
        private String type = "";
        private final List<Integer> shape = new ArrayList<>();
        private double[] data = new double[0];
        private int count;
        private int bytes = -1;
    }

    /**
     * Reads a request.
     *
     * @param jsonLength where the JSON ends and raw bytes begin; all of the body where there are none
     */
    Request read(byte[] body, int jsonLength) {
        if (jsonLength < 0 || jsonLength > body.length) {
            throw Problem.badRequest("the length of the JSON header must lie within the body");
        }
        Tensor tensor = new Tensor();
        Map<String, String> texts = new LinkedHashMap<>();
        Set<String> outputs = new LinkedHashSet<>();
        try (JsonParser parser = Json.parser(Arrays.copyOf(body, jsonLength))) {
            begin(parser, JsonToken.START_OBJECT, "a request");
            for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
                parser.nextToken();
                switch (field) {
                    case "id" -> texts.put(field, text(parser));
                    case "inputs" -> inputs(parser, tensor);
                    case "outputs" -> outputs(parser, outputs);
                    default -> parser.skipChildren();
                }
            }
            if (parser.currentToken() != JsonToken.END_OBJECT || parser.nextToken() != null) {
                throw Problem.badRequest("the JSON must be one object");
            }
        } catch (IOException e) {
            throw Problem.badRequest("the JSON is damaged");
        }
        ByteBuffer raw =
                ByteBuffer.wrap(body, jsonLength, body.length - jsonLength).order(ByteOrder.LITTLE_ENDIAN);
        return new Request(texts.get("id"), images(tensor, raw), outputs);
    }

    private static void begin(JsonParser parser, JsonToken token, String what) throws IOException {
        if (parser.currentToken() == null) {
            parser.nextToken();
        }
        if (parser.currentToken() != token) {
            throw Problem.badRequest(what + " must be " + (token == JsonToken.START_OBJECT ? "an object" : "a list"));
        }
    }

    private static String text(JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_STRING || parser.getTextLength() > MAX_TEXT) {
            throw Problem.badRequest("names must be texts of at most " + MAX_TEXT + " characters");
        }
        return parser.getText();
    }

    private void inputs(JsonParser parser, Tensor tensor) throws IOException {
        begin(parser, JsonToken.START_ARRAY, "inputs");
        parser.nextToken();
        begin(parser, JsonToken.START_OBJECT, "an input");
        for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
            parser.nextToken();
            switch (field) {
                case "name" -> tensor.name = text(parser);
                case "datatype" -> tensor.type = text(parser);
                case "shape" -> Json.numbers(parser, value -> extent(tensor, value));
                case "data" -> Json.numbers(parser, value -> take(tensor, value));
                case "parameters" -> parameters(parser, tensor);
                default -> parser.skipChildren();
            }
        }
        if (parser.nextToken() != JsonToken.END_ARRAY) {
            throw Problem.badRequest("a request must have one input, image");
        }
    }

    private void extent(Tensor tensor, double value) {
        if (tensor.shape.size() == 4 || !(value >= 0 && value <= Shape.MAX_LENGTH)) {
            throw wrongShape();
        }
        tensor.shape.add((int) value);
    }

    private Problem wrongShape() {
        Shape shape = judge.shape();
        return Problem.badRequest("the shape must be [N, " + shape.channels() + ", " + shape.height() + ", "
                + shape.width() + "] with N from 1 to " + maxImages);
    }

    private void take(Tensor tensor, double value) {
        if (tensor.count == tensor.data.length) {
            int most = Math.multiplyExact(maxImages, judge.shape().length());
            if (tensor.count == most) {
                throw wrongShape();
            }
            tensor.data = Arrays.copyOf(
                    tensor.data, Math.min(most, Math.max(judge.shape().length(), 2 * tensor.count)));
        }
        tensor.data[tensor.count++] = value;
    }

    private static void parameters(JsonParser parser, Tensor tensor) throws IOException {
        begin(parser, JsonToken.START_OBJECT, "parameters");
        for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            if (field.equals(BINARY_LENGTH) && value == JsonToken.VALUE_NUMBER_INT) {
                tensor.bytes = parser.getIntValue();
            } else {
                parser.skipChildren();
            }
        }
    }

    private static void outputs(JsonParser parser, Set<String> outputs) throws IOException {
        begin(parser, JsonToken.START_ARRAY, "outputs");
        while (parser.nextToken() == JsonToken.START_OBJECT) {
            for (String field = parser.nextFieldName(); field != null; field = parser.nextFieldName()) {
                parser.nextToken();
                if (field.equals("name")) {
                    outputs.add(Output.byId(text(parser)).id);
                } else {
                    parser.skipChildren();
                }
            }
        }
    }

    private List<Image> images(Tensor tensor, ByteBuffer raw) {
        Shape shape = judge.shape();
        if (!tensor.name.equals("image")) {
            throw Problem.badRequest("a request must have one input, image");
        }
        List<Integer> extents = List.of(shape.channels(), shape.height(), shape.width());
        if (tensor.shape.size() != 4
                || !tensor.shape.subList(1, 4).equals(extents)
                || tensor.shape.get(0) < 1
                || tensor.shape.get(0) > maxImages) {
            throw wrongShape();
        }
        int count = tensor.shape.get(0) * shape.length();
        byte[] values = switch (tensor.type) {
            case "UINT8" -> bytes(tensor, raw, count, 1, buffer -> buffer.get() & 0xff, 1);
            case "FP32" -> bytes(tensor, raw, count, Float.BYTES, ByteBuffer::getFloat, 255);
            default -> throw Problem.badRequest("the datatype must be UINT8 or FP32");
        };
        List<Image> images = new ArrayList<>();
        for (int from = 0; from < count; from += shape.length()) {
            images.add(Image.wrap(shape, values, from));
        }
        return images;
    }

    private static byte[] bytes(
            Tensor tensor, ByteBuffer raw, int count, int size, ToDoubleFunction<ByteBuffer> number, int scale) {
        boolean binary = tensor.bytes >= 0;
        boolean whole = binary
                ? tensor.count == 0 && tensor.bytes == (long) count * size && raw.remaining() == tensor.bytes
                : tensor.count == count && !raw.hasRemaining();
        if (!whole) {
            throw Problem.badRequest("the data must be as many as the shape says, " + count);
        }
        byte[] values = new byte[count];
        for (int i = 0; i < count; i++) {
            values[i] = pixel(binary ? number.applyAsDouble(raw) : tensor.data[i], scale);
        }
        return values;
    }

    private static byte pixel(double value, int scale) {
        double scaled = value * scale;
        if (!(scaled >= 0 && scaled <= 255) || (scale == 1 && scaled != Math.rint(scaled))) {
            throw Problem.badRequest(
                    scale == 1
                            ? "values of type UINT8 must be whole and lie in 0 to 255"
                            : "values of type FP32 must lie in 0 (black) to 1. Maybe send UINT8");
        }
        return (byte) Math.round(scaled);
    }

    /** The answer to a request. */
    ObjectNode answer(Request request, List<Judgement> judgements) {
        ObjectNode json = Json.object().put("model_name", judge.served().name());
        if (request.id() != null) {
            json.put("id", request.id());
        }
        ArrayNode outputs = json.putArray("outputs");
        for (Output output : Output.values()) {
            if (request.outputs().isEmpty() || request.outputs().contains(output.id)) {
                tensor(outputs.addObject(), output, judgements);
            }
        }
        return json;
    }

    private void tensor(ObjectNode json, Output output, List<Judgement> judgements) {
        json.put("name", output.id).put("datatype", output.type);
        ArrayNode shape = json.putArray("shape").add(judgements.size());
        ArrayNode data = json.putArray("data");
        if (output == Output.PROBABILITIES) {
            shape.add(judge.served().classes().size());
        }
        for (Judgement judgement : judgements) {
            var verdict = judgement.verdict();
            switch (output) {
                case PROBABILITIES -> judgement.probabilities().forEach(value -> data.add(Json.finite(value)));
                case LABEL -> data.add(judge.served().classes().get(verdict.label()));
                case SCORE -> data.add(Json.finite(verdict.score()));
                case P_VALUE -> data.add(verdict.pValue());
                case OOD -> data.add(verdict.ood());
            }
        }
    }
}
