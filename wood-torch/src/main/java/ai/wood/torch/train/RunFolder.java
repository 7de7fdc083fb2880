package ai.wood.torch.train;

import ai.wood.data.ClassifierFormat;
import ai.wood.io.AtomicFile;
import ai.wood.io.DetectorFile;
import ai.wood.io.LockFile;
import ai.wood.torch.net.NetworkDescription;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The folder of one training: its files, each replaced or appended so that a kill at any moment does no harm.
 *
 * @param description what is to lie beside them from the beginning, so that an interrupted run can be used too
 */
public record RunFolder(Path path, Description description) {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A folder in which training leaves its own files only. */
    public RunFolder(Path path) {
        this(path, run -> {});
    }

    /** Writes what is known of a run besides. */
    @FunctionalInterface
    public interface Description {
        void write(Path run) throws IOException;
    }

    /** What to do with a run that is already in the folder. */
    public enum Existing {
        REFUSE,
        RESUME,
        OVERWRITE
    }

    /** The options of the command line that started the training. */
    public Path options() {
        return path.resolve("options.json");
    }

    /** What decides the result: network, loss, options, data hashes and versions. */
    public Path training() {
        return path.resolve("training.json");
    }

    /** The file that contains what decides the result. Version 0.1 named it {@code options.json}. */
    public Path manifest() {
        return Files.exists(training()) ? training() : options();
    }

    /** The cost matrix of the WOOD score that was taught, where it is one of its own. */
    public Path cost() {
        return path.resolve("cost.safetensors");
    }

    /** A line an epoch. */
    public Path metrics() {
        return path.resolve("metrics.jsonl");
    }

    /** The weights of the best epoch. */
    public Path network() {
        return path.resolve(NetworkDescription.WEIGHTS);
    }

    /** Which samples it learnt, noted by whoever chose them. */
    public Path data() {
        return path.resolve("data.json");
    }

    /** The folder of the curves for TensorBoard. */
    public Path tensorboard() {
        return path.resolve("tensorboard");
    }

    /** The folder of what the network said about data, kept by whoever asked it. */
    public Path outputs() {
        return path.resolve("outputs");
    }

    /** All that is needed to go on from the last checkpoint. */
    public Path state() {
        return checkpoint().resolve("state.safetensors");
    }

    private Path checkpoint() {
        return path.resolve("checkpoint");
    }

    /** An empty file that whoever writes to the folder has locked. */
    Path lock() {
        return checkpoint().resolve("lock");
    }

    /**
     * The sole right to write to a folder, until it is closed or the process ends, however it ends.
     *
     * @param resumes whether there is a checkpoint to resume from
     */
    public record Claim(LockFile lock, boolean resumes) implements Closeable {
        @Override
        public void close() throws IOException {
            lock.close();
        }
    }

    /**
     * Claims the folder. What is in it stays until {@link #clear}.
     *
     * @throws IOException where another training writes to it, where there is a run and it is not to be touched, or where
     *     the folder cannot be written
     */
    public Claim open(Existing existing) throws IOException {
        make();
        LockFile lock = LockFile.lock(
                lock(),
                path + ": another training is writing to this folder. Maybe wait until it has ended, or choose another"
                        + " folder.");
        try {
            return new Claim(lock, prepare(existing));
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private void make() throws IOException {
        try {
            Files.createDirectories(checkpoint());
        } catch (IOException e) {
            throw new IOException(
                    path + ": the folder of a run could not be made (" + AtomicFile.reason(e)
                            + "). Maybe choose another.",
                    e);
        }
    }

    private boolean hasNetwork() {
        return Files.exists(network()) || ClassifierFormat.in(path).isPresent();
    }

    /** Whether there is a run in the folder, a network or a training that has not left one yet. */
    public boolean exists() {
        return hasNetwork() || Files.exists(state()) || Files.exists(manifest());
    }

    /** Refuses a run that is not to be touched, and a network that no training here has left; makes nothing. */
    public void check(Existing existing) throws IOException {
        boolean trained = Files.exists(state());
        if (existing == Existing.REFUSE && exists()) {
            throw new IOException(path + ": there is a run already. Maybe "
                    + (trained ? "go on with --resume" : "choose another folder") + ", or --overwrite it.");
        }
        if (existing == Existing.RESUME && hasNetwork() && !trained) {
            throw new IOException(
                    path + ": a training is resumed from its checkpoint but there is only a network. Maybe"
                            + " choose another folder and go on from its weights with --from, or --overwrite it.");
        }
    }

    private boolean prepare(Existing existing) throws IOException {
        check(existing);
        AtomicFile.deleteLeftovers(state());
        AtomicFile.deleteLeftovers(network());
        return existing != Existing.OVERWRITE && Files.exists(state());
    }

    /** Takes away what the run that is to be overwritten has left. */
    public void clear() throws IOException {
        for (Path file : files()) {
            Files.deleteIfExists(file);
        }
        if (Files.isDirectory(tensorboard())) {
            try (DirectoryStream<Path> curves = Files.newDirectoryStream(tensorboard(), "events.out.tfevents.*")) {
                for (Path curve : curves) {
                    Files.delete(curve);
                }
            }
        }
    }

    /**
     * Refuses to have a file written that is a part of the run, or the bundle that stands in its place, or that would lie in
     * a folder that the run keeps for itself.
     *
     * @throws IOException naming the file
     */
    public void refuse(Path file) throws IOException {
        List<Path> parts = files();
        if (Files.isRegularFile(path)) {
            parts.add(path);
        }
        Path real = AtomicFile.real(file);
        for (Path own : List.of(outputs(), checkpoint())) {
            if (real.startsWith(AtomicFile.real(own))) {
                throw new IOException(file + ": must not be written into " + own
                        + ", which the run keeps for itself. Maybe name another folder.");
            }
        }
        for (Path part : parts) {
            AtomicFile.refuse(file, part, part.equals(path) ? "the one that is read" : "a part of the run " + path);
        }
    }

    /** What a training writes, and what others have put beside it: networks of any format, detectors. */
    private List<Path> files() {
        List<Path> files = new ArrayList<>(List.of(state(), metrics(), options(), training(), cost(), data()));
        ClassifierFormat.all().forEach(format -> format.parts().forEach(part -> files.add(path.resolve(part))));
        DetectorFile.FILES.forEach(name -> files.add(path.resolve(name)));
        return files;
    }

    /**
     * The metrics of the best epoch so far.
     *
     * @throws IOException where no epoch was finished, or the file is damaged
     */
    public EpochMetrics best() throws IOException {
        EpochMetrics best = null;
        int number = 0;
        for (String line : Files.readAllLines(metrics())) {
            number++;
            try {
                EpochMetrics metrics = JSON.readValue(line, EpochMetrics.class);
                best = metrics.best() ? metrics : best;
            } catch (JsonProcessingException e) {
                throw new IOException(metrics() + ", line " + number + ": " + e.getOriginalMessage(), e);
            }
        }
        if (best == null) {
            throw new IOException(metrics() + ": no epoch was finished yet");
        }
        return best;
    }

    /** Cuts {@code metrics.jsonl} to a length, unless it is shorter, adds a line, and tells the new length. */
    long appendMetrics(long length, EpochMetrics metrics) throws IOException {
        byte[] line = (json(metrics) + "\n").getBytes(StandardCharsets.UTF_8);
        try (FileChannel channel = FileChannel.open(metrics(), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            long kept = Math.min(length, channel.size()); // somebody may have removed it
            channel.truncate(kept).position(kept);
            AtomicFile.writeFully(channel, ByteBuffer.wrap(line));
            channel.force(true); // the checkpoint that counts on this length is forced too
            return kept + line.length;
        }
    }

    private static String json(EpochMetrics metrics) {
        try {
            return JSON.writeValueAsString(metrics);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("metrics are numbers and always make JSON", e);
        }
    }
}
