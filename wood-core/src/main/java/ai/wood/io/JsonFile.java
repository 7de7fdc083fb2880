package ai.wood.io;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Small JSON files of a run folder or a bundle, read with distrust: every field must be there, and nothing else. */
public final class JsonFile {

    private static final long MAX_BYTES = 1 << 24;

    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private JsonFile() {}

    /**
     * Reads a file.
     *
     * @param what it should be, for messages, such as "a description of data"
     * @throws IOException where it is missing or something else
     */
    public static <T> T read(Path file, Class<T> type, String what) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException(file + ": " + what + " is needed but there is no such file");
        }
        if (Files.size(file) > MAX_BYTES) {
            throw new IOException(
                    file + ": " + what + " has at most " + MAX_BYTES + " bytes but this has " + Files.size(file));
        }
        return parse(Files.readAllBytes(file), type, file + ": is not " + what);
    }

    /** Reads a stream of limited size to its end; a complaint begins with the given words. */
    public static <T> T read(InputStream in, Class<T> type, String complaint) throws IOException {
        return parse(tree(in, complaint), type, complaint);
    }

    /** Reads bytes; a complaint begins with the given words. */
    public static <T> T parse(byte[] bytes, Class<T> type, String complaint) throws IOException {
        ObjectReader reader = JSON.readerFor(type);
        try {
            return Optional.<T>ofNullable(reader.readValue(bytes)).orElseThrow(() -> new IOException(complaint));
        } catch (JsonProcessingException e) {
            throw new IOException(complaint + ": " + reason(e), e);
        }
    }

    /** Reads a tree; a complaint begins with the given words. */
    public static <T> T parse(JsonNode tree, Class<T> type, String complaint) throws IOException {
        try {
            return Optional.<T>ofNullable(JSON.treeToValue(tree, type)).orElseThrow(() -> new IOException(complaint));
        } catch (JsonProcessingException e) {
            throw new IOException(complaint + ": " + reason(e), e);
        }
    }

    /** What a record's own check says, or the parser, without its internals. */
    private static String reason(JsonProcessingException e) {
        return e.getCause() instanceof IllegalArgumentException refused
                ? String.valueOf(refused.getMessage())
                : e.getOriginalMessage().replaceFirst(" \\(start marker at .*", "");
    }

    /** Reads a tree of limited size from a stream, to its end; a complaint begins with the given words. */
    static JsonNode tree(InputStream in, String complaint) throws IOException {
        byte[] bytes = in.readNBytes((int) MAX_BYTES + 1);
        if (bytes.length > MAX_BYTES) {
            throw new IOException(complaint + ": it has more than " + MAX_BYTES + " bytes");
        }
        try {
            return Optional.ofNullable(JSON.readTree(bytes)).orElseThrow(() -> new IOException(complaint));
        } catch (JsonProcessingException e) {
            throw new IOException(complaint + ": " + reason(e), e);
        }
    }

    /** A number or a word as a tree. */
    static JsonNode node(Object value) {
        return JSON.valueToTree(value);
    }

    /** The members of a record. */
    public static ObjectNode tree(Record value) {
        return JSON.valueToTree(value);
    }

    public static byte[] bytes(Object value) {
        try {
            return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("records of numbers and texts always make JSON", e);
        }
    }

    /** Replaces a file at once. */
    public static void write(Path file, Object value) throws IOException {
        AtomicFile.replace(file, bytes(value));
    }
}
