package ai.wood.spark;

import ai.wood.bundle.Bundle;
import ai.wood.data.Sha256;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkFiles;
import org.apache.spark.sql.SparkSession;

/**
 * A bundle that Spark carries to wherever rows are judged. It is known by its content: the file may change or vanish once
 * the job has begun.
 *
 * @param sha256 of the bundle
 */
record ShippedDetector(String sha256) implements Serializable {

    /** One of each in a process, whatever the number of its tasks, and for as long as the process lives. */
    private static final Map<String, Bundle> OPEN = new ConcurrentHashMap<>();

    /** Hands a copy of the detector to Spark. */
    static ShippedDetector ship(SparkSession spark, String detector) throws IOException {
        Path folder = Files.createTempDirectory("wood-spark-");
        folder.toFile().deleteOnExit();
        Path copy = copy(spark, detector, folder.resolve("detector.wood"));
        ShippedDetector shipped = new ShippedDetector(Sha256.of(copy));
        Path named = Files.move(copy, folder.resolve(shipped.name()));
        named.toFile().deleteOnExit();
        spark.sparkContext().addFile(named.toUri().toString());
        return shipped;
    }

    private static Path copy(SparkSession spark, String detector, Path to) throws IOException {
        if (detector.matches("[a-zA-Z][a-zA-Z0-9+.-]+:.*")) {
            org.apache.hadoop.fs.Path address = new org.apache.hadoop.fs.Path(detector);
            address.getFileSystem(spark.sparkContext().hadoopConfiguration())
                    .copyToLocalFile(false, address, new org.apache.hadoop.fs.Path(to.toUri()), true);
        } else if (Files.isDirectory(Path.of(detector))) {
            Bundle.pack(Path.of(detector), to);
        } else if (Files.isRegularFile(Path.of(detector))) {
            Files.copy(Path.of(detector), to);
        } else {
            throw new IOException(detector + ": there is no such file or folder");
        }
        return to;
    }

    private String name() {
        return "wood-" + sha256 + ".wood";
    }

    private Path file() {
        return Path.of(SparkFiles.get(name()));
    }

    /** Opens it without its network; the caller closes it. */
    Bundle openForOutputs() throws IOException {
        return Bundle.openForOutputs(file());
    }

    /**
     * The one of this process, opened on first use. Nobody closes it.
     *
     * @param network whether pictures are to be judged
     */
    Bundle shared(boolean network) {
        return OPEN.computeIfAbsent(sha256 + (network ? "" : " without network"), key -> {
            try {
                return open(network);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private Bundle open(boolean network) throws IOException {
        Path file = file();
        if (!Sha256.of(file).equals(sha256)) {
            throw new IOException(file + ": the detector was damaged on its way to this machine");
        }
        return network ? Bundle.open(file) : Bundle.openForOutputs(file);
    }
}
