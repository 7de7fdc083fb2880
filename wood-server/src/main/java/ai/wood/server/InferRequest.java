package ai.wood.server;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request of the Open Inference Protocol: one input, {@code image}, and the names of the outputs it asks for. */
final class InferRequest {

    private static final int MAX_TEXT = 256;

    private final ImageTensor tensor;
    private final Set<String> outputs = new LinkedHashSet<>();
    private @Nullable String id;
    private String input = "";
    private List<Image> images = List.of();

    private InferRequest(ImageTensor tensor) {
        this.tensor = tensor;
    }

    /**
     * Reads a request.
     *
     * @param jsonLength where the JSON ends and raw bytes begin; the length of the body if there are none
     */
    static InferRequest read(byte[] body, int jsonLength, Shape shape, int maxImages) {
        if (jsonLength < 0 || jsonLength > body.length) {
            throw Problem.badRequest("the length of the JSON header must lie within the body");
        }
        InferRequest request = new InferRequest(new ImageTensor(shape, maxImages));
        HttpJson.read(body, jsonLength, request::member);
        if (!request.input.equals("image")) {
            throw oneInput();
        }
        ByteBuffer raw = ByteBuffer.wrap(body, jsonLength, body.length - jsonLength);
        request.images = request.tensor.images(raw.order(ByteOrder.LITTLE_ENDIAN));
        return request;
    }

    /** The client's name for the request; null for none. */
    @Nullable
    String id() {
        return id;
    }

    List<Image> images() {
        return images;
    }

    /** The names of the outputs that the client asks for; empty for all. */
    Set<String> outputs() {
        return outputs;
    }

    private static Problem oneInput() {
        return Problem.badRequest("a request must have one input, image");
    }

    private void member(JsonParser parser, String name) throws IOException {
        switch (name) {
            case "id" -> id = text(parser);
            case "inputs" ->
                HttpJson.elements(parser, () -> {
                    if (!input.isEmpty()) {
                        throw oneInput();
                    }
                    HttpJson.members(parser, this::inputMember);
                });
            case "outputs" -> HttpJson.elements(parser, () -> HttpJson.members(parser, this::outputMember));
            default -> parser.skipChildren();
        }
    }

    private void inputMember(JsonParser parser, String name) throws IOException {
        switch (name) {
            case "name" -> input = text(parser);
            case "datatype" -> tensor.type(text(parser));
            case "shape" -> HttpJson.numbers(parser, tensor::extent);
            case "data" -> HttpJson.numbers(parser, tensor::value);
            case "parameters" -> HttpJson.members(parser, this::parameter);
            default -> parser.skipChildren();
        }
    }

    private void parameter(JsonParser parser, String name) throws IOException {
        if (name.equals("binary_data_size") && parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
            tensor.raw(parser.getIntValue());
        } else {
            parser.skipChildren();
        }
    }

    private void outputMember(JsonParser parser, String name) throws IOException {
        if (name.equals("name")) {
            outputs.add(text(parser));
        } else {
            parser.skipChildren();
        }
    }

    private static String text(JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_STRING || parser.getTextLength() > MAX_TEXT) {
            throw Problem.badRequest("names must be texts of at most " + MAX_TEXT + " characters");
        }
        return parser.getText();
    }
}
