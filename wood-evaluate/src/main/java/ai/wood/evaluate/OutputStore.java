package ai.wood.evaluate;

import ai.wood.Outputs;
import ai.wood.data.Dataset;
import ai.wood.data.Subset;
import ai.wood.io.AtomicFile;
import ai.wood.io.LockFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Remembers in files what a network says, so that it says it once: any number of scorers then read the same rows.
 *
 * <p>A file is known by the data's hash and holds the network's; see {@link OutputFile}. Rows are appended as they come, and a
 * pass that was killed goes on at the first row that is not whole.
 *
 * @param folder where the files lie
 * @param network hash of the network
 * @param source the network
 * @param progress is told of every row
 * @param chunk rows between two writes
 */
public record OutputStore(Path folder, String network, NetworkOutputs.Source source, Progress progress, int chunk)
        implements NetworkOutputs.Source {

    private static final int CHUNK = 1000;

    /** Watches a pass over a dataset. */
    @FunctionalInterface
    public interface Progress {
        void update(String dataset, long done, long total);
    }

    public OutputStore(Path folder, String network, NetworkOutputs.Source source, Progress progress) {
        this(folder, network, source, progress, CHUNK);
    }

    /** The outputs of a dataset, from the file, as far as it has them. */
    @Override
    public Outputs forward(Dataset dataset) throws IOException {
        String data = dataset.hash();
        Path file = folder.resolve(data.substring(0, 32) + ".outputs");
        Optional<OutputFile> known = known(dataset, data, file);
        if (known.isEmpty() || known.get().rows() < dataset.size()) {
            complete(dataset, data, file);
            known = known(dataset, data, file);
        }
        return known.orElseThrow(() -> new IOException(file + ": was removed while it was written"))
                .outputs();
    }

    private Optional<OutputFile> known(Dataset dataset, String data, Path file) throws IOException {
        return Files.exists(file)
                ? Optional.of(OutputFile.open(file)).filter(there -> there.isOf(network, data, dataset.size()))
                : Optional.empty();
    }

    /** Whoever writes looks again at what is there, once nobody else writes. */
    private void complete(Dataset dataset, String data, Path file) throws IOException {
        Files.createDirectories(folder);
        Path lockFile = file.resolveSibling(file.getFileName() + ".lock");
        String refusal = file + ": is being written already. Maybe wait for the other evaluation.";
        LockFile lock = LockFile.lock(lockFile, refusal);
        try (lock) {
            Optional<OutputFile> known = known(dataset, data, file);
            append(dataset, known.isPresent() ? known.get() : begin(dataset, data, file));
        }
    }

    private OutputFile begin(Dataset dataset, String data, Path file) throws IOException {
        Outputs first = source.forward(Subset.of(dataset, 0));
        byte[] header = OutputFile.header(network, data, dataset, first);
        AtomicFile.replace(file, header);
        return OutputFile.open(file);
    }

    private void append(Dataset dataset, OutputFile file) throws IOException {
        try (FileChannel channel = FileChannel.open(file.path(), StandardOpenOption.WRITE)) {
            channel.truncate(file.end()).position(file.end());
            for (int from = file.rows(); from < dataset.size(); from += chunk) {
                int to = Math.min(dataset.size(), from + chunk);
                progress.update(dataset.name(), from, dataset.size());
                Dataset part = Subset.of(dataset, IntStream.range(from, to).toArray());
                ByteBuffer rows = file.encode(from, part, source.forward(part));
                AtomicFile.writeFully(channel, rows);
            }
            channel.force(true);
            progress.update(dataset.name(), dataset.size(), dataset.size());
        }
    }
}
