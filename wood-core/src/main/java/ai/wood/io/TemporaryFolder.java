package ai.wood.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder that is gone, with all it holds, when it is closed. */
public record TemporaryFolder(Path path) implements Closeable {

    /** A new one, empty. */
    public static TemporaryFolder create() throws IOException {
        return new TemporaryFolder(Files.createTempDirectory("wood-"));
    }

    /** Takes it away, first from those who may still write into it: where it was there is nothing to write into. */
    @Override
    public void close() throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        Path apart = Files.move(path, path.resolveSibling(path.getFileName() + "-gone"));
        try (Stream<Path> all = Files.walk(apart)) {
            for (Path one : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(one);
            }
        }
    }
}
