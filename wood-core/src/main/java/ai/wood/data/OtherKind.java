package ai.wood.data;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Files that are given for rows of numbers and hold none, told by their first bytes; a blank stands for any. */
enum OtherKind {
    PNG("\u0089PNG\r\n\u001a\n", Hint.PICTURE),
    JPEG("\u00ff\u00d8\u00ff", Hint.PICTURE),
    GIF("GIF8", Hint.PICTURE),
    WEBP("RIFF    WEBP", Hint.PICTURE),
    BMP("BM    \0\0\0\0", Hint.PICTURE),
    ZIP(
            "PK\u0003\u0004",
            "is a zip archive. Maybe it is an .npz: save with numpy.save, one array a file, instead of numpy.savez");

    /** So many bytes suffice to tell. */
    static final int BYTES = 12;

    private final byte[] start;
    private final String hint;

    OtherKind(String start, String hint) {
        this.start = start.getBytes(StandardCharsets.ISO_8859_1);
        this.hint = hint;
    }

    private static final class Hint {
        static final String PICTURE = "is a picture. Maybe a detector is to judge it: wood score RUN PICTURE";
    }

    /**
     * Refuses a file of such a kind.
     *
     * @param first the file's first bytes
     */
    static void refuse(byte[] first, String name) throws IOException {
        for (OtherKind kind : values()) {
            if (kind.begins(first)) {
                throw new IOException(name + ": must be text or a NumPy array but " + kind.hint + ".");
            }
        }
    }

    private boolean begins(byte[] first) {
        byte[] seen = Arrays.copyOf(first, start.length);
        for (int i = 0; i < start.length; i++) {
            if (start[i] == ' ') {
                seen[i] = ' ';
            }
        }
        return first.length >= start.length && Arrays.equals(seen, start);
    }
}
