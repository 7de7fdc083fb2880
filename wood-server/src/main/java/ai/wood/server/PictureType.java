package ai.wood.server;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The formats of pictures that are accepted, told by their first bytes. */
enum PictureType {
    PNG("\u0089PNG\r\n\u001a\n"),
    JPEG("\u00ff\u00d8\u00ff"),
    GIF("GIF8"),
    WEBP("RIFF....WEBP"),
    BMP("BM");

    static final String NAMES =
            Arrays.stream(values()).map(PictureType::contentType).collect(Collectors.joining(", "));

    private final byte[] start;

    PictureType(String start) {
        this.start = start.getBytes(StandardCharsets.ISO_8859_1);
    }

    String contentType() {
        return "image/" + name().toLowerCase(Locale.ROOT);
    }

    static boolean isOne(String contentType) {
        return Arrays.stream(values()).anyMatch(type -> type.contentType().equals(contentType));
    }

    /** What the bytes look like. */
    static Optional<PictureType> of(byte[] bytes) {
        return Arrays.stream(values()).filter(type -> type.begins(bytes)).findFirst();
    }

    private boolean begins(byte[] bytes) {
        for (int i = 0; i < start.length; i++) {
            if (i >= bytes.length || (start[i] != '.' && start[i] != bytes[i])) {
                return false;
            }
        }
        return true;
    }
}
