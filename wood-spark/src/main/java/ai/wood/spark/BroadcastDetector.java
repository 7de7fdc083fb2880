package ai.wood.spark;

import ai.wood.Detector;
import ai.wood.SampleDetector;
import ai.wood.data.Image;
import ai.wood.data.ImageDetector;
import ai.wood.io.Sha256;
import ai.wood.io.TemporaryFolder;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;

/**
 * A detector file that Spark carries to wherever rows are judged. It is known by its content: the file may change or vanish once
 * it is shipped. Broadcast in pieces, a large one needs little memory on its way; files that are added to a context do not reach
 * the isolated sessions of Spark 4.1.
 *
 * @param sha256 of the file
 * @param pieces its bytes
 */
record BroadcastDetector(String sha256, List<Broadcast<byte[]>> pieces) implements Serializable {

    private static final int PIECE = 1 << 24;

    /** One of each in a process, whatever the number of its tasks, and for as long as the process lives. */
    private static final Map<String, SampleDetector<Image>> IMAGES = new ConcurrentHashMap<>();

    private static final Map<String, Detector> OUTPUTS = new ConcurrentHashMap<>();

    static BroadcastDetector ship(JavaSparkContext context, Path file) throws IOException {
        ArrayList<Broadcast<byte[]>> pieces = new ArrayList<>();
        try (InputStream in = Files.newInputStream(file)) {
            for (byte[] piece = in.readNBytes(PIECE); piece.length > 0; piece = in.readNBytes(PIECE)) {
                pieces.add(context.broadcast(piece));
            }
        }
        return new BroadcastDetector(Sha256.of(file), pieces);
    }

    /** The detector with its image classifier: one in this process, opened on first use and never closed. */
    SampleDetector<Image> images() {
        return IMAGES.computeIfAbsent(sha256, key -> opened(ImageDetector::load));
    }

    /** The detector alone: one in this process, opened on first use. */
    Detector outputs() {
        return OUTPUTS.computeIfAbsent(sha256, key -> opened(Detector::load));
    }

    private interface Loader<T> {
        T load(Path file) throws IOException;
    }

    private <T> T opened(Loader<T> loader) {
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            Path file = folder.path().resolve("detector.wood");
            try (OutputStream out = Files.newOutputStream(file)) {
                for (Broadcast<byte[]> piece : pieces) {
                    out.write(piece.value());
                }
            }
            if (!Sha256.of(file).equals(sha256)) {
                throw new IOException("the detector was damaged on its way to this machine");
            }
            return loader.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
