package ai.wood.cli;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.io.RowReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads outputs from files in step, in batches of bounded memory or all at once. */
final class OutputReader implements Closeable {

    private static final int BATCH_ELEMENTS = 1 << 18;

    private final OutputFiles files;
    private final @Nullable RowReader predictions;
    private final @Nullable RowReader features;
    private final int rows;
    private long read;

    private OutputReader(OutputFiles files, @Nullable RowReader predictions, @Nullable RowReader features) {
        this.files = files;
        this.predictions = predictions;
        this.features = features;
        int columns = Math.max(columns(predictions), columns(features));
        this.rows = Math.max(1, BATCH_ELEMENTS / columns);
    }

    private static int columns(@Nullable RowReader reader) {
        return reader == null ? 1 : reader.columns();
    }

    static OutputReader open(OutputFiles files, Inputs inputs) throws IOException {
        RowReader predictions = null;
        try {
            predictions = open(files.predictions(), inputs);
            if (predictions != null && predictions.columns() < 2) {
                throw new IOException(predictions.place().replaceFirst(",.*", "")
                        + ": a classifier has at least 2 classes, a column each, but there is 1");
            }
            return new OutputReader(files, predictions, open(files.features(), inputs));
        } catch (IOException | RuntimeException e) {
            if (predictions != null) {
                predictions.close();
            }
            throw e;
        }
    }

    private static @Nullable RowReader open(@Nullable Path file, Inputs inputs) throws IOException {
        return file == null ? null : inputs.open(file);
    }

    /** Accepts NaN and infinite logits from now on. */
    OutputReader acceptNonFiniteLogits() {
        if (predictions != null && files.logits() != null) {
            predictions.acceptNonFinite();
        }
        return this;
    }

    /** Whether all files contain 32-bit numbers. */
    boolean hasFloats() {
        return (predictions == null || predictions.hasFloats()) && (features == null || features.hasFloats());
    }

    /** The next samples; none at the end. */
    Outputs next() throws IOException {
        Matrix predicted = predictions == null
                ? null
                : files.logits() != null ? predictions.nextBatch(rows) : predictions.nextBatch(rows, check());
        Matrix featured = features == null ? null : features.nextBatch(rows);
        if (predicted != null && featured != null && predicted.rows() != featured.rows()) {
            throw OutputFiles.differs(
                    path(files.predictions()),
                    read + predicted.rows() + rest(predictions),
                    path(files.features()),
                    read + featured.rows() + rest(features));
        }
        Outputs batch = outputs(predicted, featured);
        read += batch.size();
        return batch;
    }

    /** All samples. */
    Outputs readAll() throws IOException {
        Matrix predicted = predictions == null
                ? null
                : files.logits() != null ? predictions.readAll() : predictions.readAll(check());
        Matrix featured = features == null ? null : features.readAll();
        if (predicted != null && featured != null && predicted.rows() != featured.rows()) {
            throw OutputFiles.differs(
                    path(files.predictions()), predicted.rows(), path(files.features()), featured.rows());
        }
        return outputs(predicted, featured);
    }

    private static Consumer<double[]> check() {
        return Probabilities::check;
    }

    private Outputs outputs(@Nullable Matrix predicted, @Nullable Matrix featured) throws IOException {
        if (predicted != null && files.logits() != null && Probabilities.looksLikeProbabilities(predicted)) {
            throw new IOException(
                    Inputs.name(files.logits()) + ": These rows are probabilities, not logits: no value is"
                            + " negative and every row sums to 1. Use --probabilities instead of --logits.");
        }
        boolean logits = files.logits() != null;
        return Outputs.of(logits ? predicted : null, logits ? null : predicted, featured);
    }

    private static Path path(@Nullable Path path) {
        return path == null ? Path.of("") : path;
    }

    private static long rest(@Nullable RowReader reader) throws IOException {
        long count = 0;
        for (double[] row = new double[columns(reader)]; reader != null && reader.next(row); ) {
            count++;
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        try {
            if (predictions != null) {
                predictions.close();
            }
        } finally {
            if (features != null) {
                features.close();
            }
        }
    }
}
