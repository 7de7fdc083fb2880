package ai.wood.server;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/** JSON in and out. What comes in is read as a stream with bounds, not as a tree. */
final class Json {

    static final String CONTENT_TYPE = "application/json";

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(16)
                    .maxNumberLength(64)
                    .maxStringLength(Integer.MAX_VALUE) // a body has a bound of its own
                    .build())
            .build();

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    static JsonParser parser(byte[] body) throws IOException {
        return FACTORY.createParser(body);
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

    /** JSON knows neither NaN nor infinity. */
    static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    /** Hands over every number of a list, however deep it is nested; the parser stands at its start. */
    static void numbers(JsonParser parser, DoubleConsumer take) throws IOException {
        int depth = 0;
        do {
            switch (parser.currentToken()) {
                case START_ARRAY -> depth++;
                case END_ARRAY -> depth--;
                case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> take.accept(parser.getDoubleValue());
                default -> throw Problem.badRequest("a list of numbers is needed");
            }
        } while (depth > 0 && parser.nextToken() != null);
        if (depth > 0) {
            throw Problem.badRequest("the JSON ends within a list");
        }
    }
}
