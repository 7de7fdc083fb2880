package ai.wood.io;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** Kinds of files, told by their first bytes; a blank stands for any. */
public enum Signature {
    PNG("\u0089PNG\r\n\u001a\n"),
    JPEG("\u00ff\u00d8\u00ff"),
    GIF("GIF8"),
    WEBP("RIFF    WEBP"),
    BMP("BM    \0\0\0\0"),
    ZIP("PK\u0003\u0004");

    /** So many bytes suffice to tell. */
    static final int BYTES = 12;

    private final byte[] start;

    Signature(String start) {
        this.start = start.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The kind of a file that begins so, where it is one of these. */
    public static Optional<Signature> of(byte[] first) {
        return Arrays.stream(values()).filter(kind -> kind.begins(first)).findFirst();
    }

    /** Whether a file of this kind begins so. */
    public boolean begins(byte[] first) {
        if (first.length < start.length) {
            return false;
        }
        for (int i = 0; i < start.length; i++) {
            if (start[i] != ' ' && start[i] != first[i]) {
                return false;
            }
        }
        return true;
    }
}
