package ai.wood.server;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import java.io.IOException;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/** Reads and writes JSON. Requests are read as a stream with limits, not as a tree. */
final class HttpJson {

    static final String CONTENT_TYPE = "application/json";

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(16)
                    .maxNumberLength(64)
                    .maxStringLength(Integer.MAX_VALUE) // a body has a bound of its own
                    .build())
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS) // NaN, Infinity
            .build();

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private HttpJson() {}

    static JsonParser parser(byte[] body) throws IOException {
        return FACTORY.createParser(body);
    }

    /** Reads the value of a member. The parser is at its first token. */
    interface Member {
        void read(JsonParser parser, String name) throws IOException;
    }

    /** Reads a document that consists of one object, in the first bytes of a body. */
    static void read(byte[] body, int length, Member member) {
        try (JsonParser parser = FACTORY.createParser(body, 0, length)) {
            parser.nextToken();
            members(parser, member);
            if (parser.nextToken() != null) {
                throw Problem.badRequest("the JSON must be one object");
            }
        } catch (IOException e) {
            throw Problem.badRequest("the JSON is damaged");
        }
    }

    /** Reads the members of an object. A member that is null counts as missing. */
    static void members(JsonParser parser, Member member) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw Problem.badRequest("the JSON must have an object here");
        }
        for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
            if (parser.nextToken() != JsonToken.VALUE_NULL) {
                member.read(parser, name);
            }
        }
        if (parser.currentToken() != JsonToken.END_OBJECT) {
            throw Problem.badRequest("the JSON ends within an object");
        }
    }

    /** Reads an element of a list. The parser is at its first token. */
    interface Element {
        void read() throws IOException;
    }

    static void elements(JsonParser parser, Element element) throws IOException {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            throw Problem.badRequest("the JSON must have a list here");
        }
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            element.read();
        }
    }

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static ArrayNode array() {
        return MAPPER.createArrayNode();
    }

    static byte[] bytes(Object json) {
        try {
            return MAPPER.writeValueAsBytes(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    static void send(Context ctx, Object json) {
        ctx.contentType(CONTENT_TYPE).result(bytes(json));
    }

    /** Null for NaN and infinities, which JSON does not have. */
    static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    /** Reads a number. Null and the texts NaN, Infinity and -Infinity stand for values that JSON cannot write. */
    static double number(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_NULL -> Double.NaN;
            case VALUE_STRING ->
                switch (parser.getText()) {
                    case "NaN" -> Double.NaN;
                    case "Infinity" -> Double.POSITIVE_INFINITY;
                    case "-Infinity" -> Double.NEGATIVE_INFINITY;
                    default -> throw Problem.badRequest("a list of numbers is needed");
                };
            default -> throw Problem.badRequest("a list of numbers is needed");
        };
    }

    /** Hands over every number of a list, however deep it is nested; the parser stands at its start. */
    static void numbers(JsonParser parser, DoubleConsumer take) throws IOException {
        int depth = 0;
        do {
            switch (parser.currentToken()) {
                case START_ARRAY -> depth++;
                case END_ARRAY -> depth--;
                default -> take.accept(number(parser));
            }
        } while (depth > 0 && parser.nextToken() != null);
        if (depth > 0) {
            throw Problem.badRequest("the JSON ends within a list");
        }
    }
}
