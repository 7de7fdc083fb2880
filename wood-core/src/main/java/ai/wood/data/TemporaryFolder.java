package ai.wood.data;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder that is gone, with all it holds, when it is closed. */
public record TemporaryFolder(Path path) implements Closeable {

    private static final int ATTEMPTS = 100;

    /** A new one, empty. */
    public static TemporaryFolder create() throws IOException {
        return new TemporaryFolder(Files.createTempDirectory("wood-"));
    }

    /** Takes it away; again where somebody else still writes into it. */
    @Override
    public void close() throws IOException {
        for (int left = ATTEMPTS; Files.exists(path); left--) {
            try {
                clear();
            } catch (FileSystemException | UncheckedIOException e) {
                if (left == 0) {
                    throw e;
                }
            }
        }
    }

    private void clear() throws IOException {
        try (Stream<Path> all = Files.walk(path)) {
            for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(one);
            }
        }
    }
}
