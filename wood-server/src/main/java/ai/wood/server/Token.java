package ai.wood.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** The secret that requests must carry as {@code Authorization: Bearer ...}. It is compared in constant time and never printed. */
final class Token {

    private static final int MIN_LENGTH = 16;
    private static final int MAX_LENGTH = 4096;

    private static final String SCHEME = "Bearer ";

    private final byte[] secret;

    private Token(String secret) {
        this.secret = secret.getBytes(StandardCharsets.UTF_8);
    }

    /**
     * A token of printable ASCII characters.
     *
     * @throws IllegalArgumentException where it is too short to be a secret, or could not be sent in a header
     */
    static Token of(String secret) {
        if (secret.length() < MIN_LENGTH || secret.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("a token must have " + MIN_LENGTH + " to " + MAX_LENGTH
                    + " characters but has " + secret.length() + ". Maybe make one: openssl rand -hex 32");
        }
        if (!secret.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException(
                    "a token must be printable ASCII without spaces but has another character."
                            + " Maybe the file holds more than the token.");
        }
        return new Token(secret);
    }

    /** The only line of a file. */
    static Token read(Path file) throws IOException {
        if (!Files.exists(file)) {
            throw new IOException(file + ": a file with a token is needed but there is no such file."
                    + " Maybe make one: openssl rand -hex 32 >" + file);
        }
        if (!Files.isRegularFile(file)) {
            throw new IOException(file + ": a token must lie in a regular file but this is "
                    + (Files.isDirectory(file) ? "a folder. Maybe name a file in it." : "none. Maybe save it in one."));
        }
        if (Files.size(file) > MAX_LENGTH + 2) {
            throw new IOException(file + ": a token has at most " + MAX_LENGTH + " characters but the file has "
                    + Files.size(file) + " bytes. Maybe this is another file.");
        }
        try {
            return of(Files.readString(file, StandardCharsets.ISO_8859_1).strip());
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Whether an {@code Authorization} header carries this token, after the name of the scheme in upper or lower case (RFC
     * 9110). Takes as long for a wrong one as for the right one.
     */
    boolean opens(@Nullable String authorization) {
        if (authorization == null || !authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return false;
        }
        String given = authorization.substring(SCHEME.length()).strip();
        return MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), secret);
    }

    @Override
    public String toString() {
        return "Token[secret]";
    }
}
