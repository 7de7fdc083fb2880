package ai.wood.io;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The JSON header of a safetensors file, checked: every tensor's bytes are where its type and shape say, and together
 * they cover the data exactly once, so that nothing overlaps and nothing hides between tensors.
 */
record SafetensorsHeader(Map<String, Safetensors.Entry> entries, Map<String, String> metadata) {

    private static final int MAX_RANK = 64;

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(8).build())
            .build();

    /**
     * Parses and checks a header.
     *
     * @param dataLength bytes of the file behind the header
     * @throws IOException saying which rule the header breaks
     */
    static SafetensorsHeader parse(byte[] json, long dataLength) throws IOException {
        Map<String, Safetensors.Entry> entries = new LinkedHashMap<>();
        Map<String, String> metadata = Map.of();
        try (JsonParser parser = JSON.createParser(json)) {
            expect(parser, parser.nextToken(), JsonToken.START_OBJECT);
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                expect(parser, parser.nextToken(), JsonToken.START_OBJECT);
                if (name.equals("__metadata__")) {
                    metadata = metadata(parser);
                } else {
                    entries.put(name, entry(parser, name));
                }
            }
            expect(parser, parser.currentToken(), JsonToken.END_OBJECT);
            if (parser.nextToken() != null) {
                throw new IOException("the header must be one JSON object but goes on" + at(parser));
            }
        } catch (JsonProcessingException e) {
            throw new IOException("the header is no JSON a safetensors file may have: " + e.getOriginalMessage(), e);
        }
        checkCoverage(entries, dataLength);
        return new SafetensorsHeader(entries, metadata);
    }

    private static Map<String, String> metadata(JsonParser parser) throws IOException {
        Map<String, String> metadata = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            expect(parser, parser.nextToken(), JsonToken.VALUE_STRING);
            metadata.put(key, parser.getText());
        }
        return metadata;
    }

    private static Safetensors.Entry entry(JsonParser parser, String name) throws IOException {
        @Nullable DType dtype = null;
        long @Nullable [] shape = null;
        long @Nullable [] offsets = null;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String key = parser.currentName();
            parser.nextToken();
            switch (key) {
                case "dtype" -> dtype = dtype(parser, name);
                case "shape" -> shape = longs(parser);
                case "data_offsets" -> offsets = longs(parser);
                default -> parser.skipChildren();
            }
        }
        if (dtype == null || shape == null || offsets == null || offsets.length != 2) {
            throw new IOException("tensor '" + name + "' needs dtype, shape and two data_offsets" + at(parser));
        }
        return checkedEntry(name, dtype, shape, offsets);
    }

    private static Safetensors.Entry checkedEntry(String name, DType dtype, long[] shape, long[] offsets)
            throws IOException {
        long length = offsets[1] - offsets[0];
        try {
            long bits = dtype.bits();
            for (long size : shape) {
                bits = Math.multiplyExact(bits, size);
            }
            if (bits % 8 != 0 || bits / 8 != length) {
                throw new IOException("tensor '" + name + "' is " + dtype + Arrays.toString(shape) + " = " + bits
                        + " bits but its data_offsets " + Arrays.toString(offsets) + " hold " + length + " bytes");
            }
        } catch (ArithmeticException e) {
            throw new IOException("tensor '" + name + "' has a shape that overflows: " + Arrays.toString(shape), e);
        }
        return new Safetensors.Entry(dtype, Arrays.stream(shape).boxed().toList(), offsets[0], length);
    }

    private static DType dtype(JsonParser parser, String name) throws IOException {
        expect(parser, parser.currentToken(), JsonToken.VALUE_STRING);
        String text = parser.getText();
        for (DType dtype : DType.values()) {
            if (dtype.name().equals(text)) {
                return dtype;
            }
        }
        throw new IOException("tensor '" + name + "' has the unknown dtype '" + text + "'; known are "
                + Arrays.toString(DType.values()));
    }

    private static long[] longs(JsonParser parser) throws IOException {
        expect(parser, parser.currentToken(), JsonToken.START_ARRAY);
        List<Long> values = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            expect(parser, parser.currentToken(), JsonToken.VALUE_NUMBER_INT);
            long value = parser.getLongValue();
            if (value < 0 || values.size() == MAX_RANK) {
                throw new IOException("shapes and offsets are at most " + MAX_RANK
                        + " non-negative numbers but one reads " + value + at(parser));
            }
            values.add(value);
        }
        return values.stream().mapToLong(Long::longValue).toArray();
    }

    private static void checkCoverage(Map<String, Safetensors.Entry> entries, long dataLength) throws IOException {
        long end = 0;
        List<Map.Entry<String, Safetensors.Entry>> inOrder = new ArrayList<>(entries.entrySet());
        inOrder.sort(Comparator.comparingLong(
                        (Map.Entry<String, Safetensors.Entry> e) -> e.getValue().offset())
                .thenComparingLong(e -> e.getValue().length()));
        for (Map.Entry<String, Safetensors.Entry> named : inOrder) {
            if (named.getValue().offset() != end) {
                throw new IOException("tensor '" + named.getKey() + "' must start at data offset " + end
                        + ", where its predecessor ends, but starts at "
                        + named.getValue().offset());
            }
            end += named.getValue().length();
        }
        if (end != dataLength) {
            throw new IOException("the tensors need " + end + " bytes of data but the file holds " + dataLength
                    + (end > dataLength ? ". Maybe it was cut short." : ""));
        }
    }

    private static void expect(JsonParser parser, @Nullable JsonToken found, JsonToken wanted) throws IOException {
        if (found != wanted) {
            throw new IOException("the header needs a " + wanted + " but has " + found + at(parser));
        }
    }

    private static String at(JsonParser parser) {
        return " at byte " + (Safetensors.PREFIX + parser.currentLocation().getByteOffset());
    }
}
