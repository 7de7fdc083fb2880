package ai.wood.io;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, by which files are known. */
public final class Sha256 {

    private Sha256() {}

    /** The hash of files one after another, in hexadecimal. */
    public static String of(Path... files) throws IOException {
        MessageDigest digest = digest();
        try (OutputStream to = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
            for (Path file : files) {
                Files.copy(file, to);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The hash of a text, in hexadecimal. */
    public static String of(String text) {
        return HexFormat.of().formatHex(digest().digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** A digest to feed. */
    public static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
