package ai.wood.server;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request of the Open Inference Protocol.
 *
 * @param id the client's name for it; null for none
 * @param images to be judged
 * @param outputs the names asked for; empty for all
 */
record InferRequest(@Nullable String id, List<Image> images, Set<String> outputs) {

    private static final int MAX_TEXT = 256;

    InferRequest {
        images = List.copyOf(images);
    }

    /** What the JSON is read into. */
    private static final class Draft {
        private final ImageTensor tensor;
        private final Set<String> outputs = new LinkedHashSet<>();
        private @Nullable String id;
        private String input = "";

        Draft(ImageTensor tensor) {
            this.tensor = tensor;
        }
    }

    /**
     * Reads a request.
     *
     * @param jsonLength where the JSON ends and raw bytes begin; the length of the body where there are none
     */
    static InferRequest read(byte[] body, int jsonLength, Shape shape, int maxImages) {
        if (jsonLength < 0 || jsonLength > body.length) {
            throw Problem.badRequest("the length of the JSON header must lie within the body");
        }
        Draft draft = new Draft(new ImageTensor(shape, maxImages));
        try (JsonParser parser = Json.parser(Arrays.copyOf(body, jsonLength))) {
            parser.nextToken();
            members(parser, field -> {
                switch (field) {
                    case "id" -> draft.id = text(parser);
                    case "inputs" -> inputs(parser, draft);
                    case "outputs" -> elements(parser, () -> output(parser, draft));
                    default -> parser.skipChildren();
                }
            });
            if (parser.nextToken() != null) {
                throw Problem.badRequest("the JSON must be one object");
            }
        } catch (IOException e) {
            throw Problem.badRequest("the JSON is damaged");
        }
        if (!draft.input.equals("image")) {
            throw Problem.badRequest("a request must have one input, image");
        }
        ByteBuffer raw =
                ByteBuffer.wrap(body, jsonLength, body.length - jsonLength).order(ByteOrder.LITTLE_ENDIAN);
        return new InferRequest(draft.id, draft.tensor.images(raw), draft.outputs);
    }

    private static void inputs(JsonParser parser, Draft draft) throws IOException {
        elements(parser, () -> {
            if (!draft.input.isEmpty()) {
                throw Problem.badRequest("a request must have one input, image");
            }
            members(parser, field -> {
                switch (field) {
                    case "name" -> draft.input = text(parser);
                    case "datatype" -> draft.tensor.type(text(parser));
                    case "shape" -> Json.numbers(parser, draft.tensor::extent);
                    case "data" -> Json.numbers(parser, draft.tensor::value);
                    case "parameters" -> members(parser, name -> parameter(parser, name, draft.tensor));
                    default -> parser.skipChildren();
                }
            });
        });
    }

    private static void parameter(JsonParser parser, String name, ImageTensor tensor) throws IOException {
        if (name.equals("binary_data_size") && parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
            tensor.raw(parser.getIntValue());
        } else {
            parser.skipChildren();
        }
    }

    private static void output(JsonParser parser, Draft draft) throws IOException {
        members(parser, field -> {
            if (field.equals("name")) {
                draft.outputs.add(text(parser));
            } else {
                parser.skipChildren();
            }
        });
    }

    /** Reads the value of a member; the parser stands at its start. A member that is null is as good as none. */
    private interface Member {
        void read(String name) throws IOException;
    }

    private static void members(JsonParser parser, Member member) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw Problem.badRequest("an object is needed where the protocol has one");
        }
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            if (parser.nextToken() != JsonToken.VALUE_NULL) {
                member.read(name);
            }
        }
        if (parser.currentToken() != JsonToken.END_OBJECT) {
            throw Problem.badRequest("the JSON ends within an object");
        }
    }

    /** Reads an element of a list; the parser stands at its start. */
    private interface Element {
        void read() throws IOException;
    }

    private static void elements(JsonParser parser, Element element) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            throw Problem.badRequest("a list is needed where the protocol has one");
        }
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            element.read();
        }
    }

    private static String text(JsonParser parser) throws IOException {
        if (parser.currentToken() != JsonToken.VALUE_STRING || parser.getTextLength() > MAX_TEXT) {
            throw Problem.badRequest("names must be texts of at most " + MAX_TEXT + " characters");
        }
        return parser.getText();
    }
}
