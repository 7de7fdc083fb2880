package ai.wood.cli;

import ai.wood.Outputs;
import ai.wood.data.DatasetList;
import ai.wood.data.DatasetList.ArrayKind;
import ai.wood.io.AtomicFile;
import ai.wood.io.RowReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of one set of outputs: logits or probabilities, features, or both. Every file has one row per sample, as CSV
 * text or as a NumPy array.
 */
record OutputFiles(
        @Nullable Path logits,
        @Nullable Path probabilities,
        @Nullable Path features) {

    OutputFiles {
        if (logits != null && probabilities != null) {
            throw new IllegalArgumentException("There are logits (" + logits + ") and probabilities (" + probabilities
                    + "). Give one of the two.");
        }
    }

    /** The files of a set of arrays such as {@code NAME=logits:F,features:G}. */
    static OutputFiles of(DatasetList.Item item) {
        return new OutputFiles(
                item.arrays().get(ArrayKind.LOGITS),
                item.arrays().get(ArrayKind.PROBABILITIES),
                item.arrays().get(ArrayKind.FEATURES));
    }

    boolean isEmpty() {
        return paths().isEmpty();
    }

    /** Logits or probabilities. */
    @Nullable
    Path predictions() {
        return logits != null ? logits : probabilities;
    }

    List<Path> paths() {
        List<Path> paths = new ArrayList<>();
        for (Path path : new @Nullable Path[] {logits, probabilities, features}) {
            if (path != null) {
                paths.add(path);
            }
        }
        return paths;
    }

    /** What messages call them. */
    String name() {
        return String.join(" and ", paths().stream().map(Inputs::name).toList());
    }

    /** Refuses to have a file written in place of one of these. */
    void refuseAsTarget(@Nullable Path target) throws IOException {
        if (target != null) {
            for (Path path : paths()) {
                AtomicFile.refuse(target, path, "one that is read");
            }
        }
    }

    /** All samples, which must be finite. */
    Outputs read(Inputs inputs) throws IOException {
        try (OutputReader reader = OutputReader.open(this, inputs)) {
            return reader.readAll();
        }
    }

    /**
     * Labels, one whole number of at least 0 per row.
     *
     * @param samples the outputs that they belong to
     */
    List<Integer> labels(Path file, Outputs samples, Inputs inputs) throws IOException {
        List<Integer> labels = new ArrayList<>();
        try (RowReader reader = inputs.open(file)) {
            if (reader.columns() != 1) {
                throw new IOException(Inputs.name(file) + ": labels must be a single column but there are "
                        + reader.columns() + " columns.");
            }
            int classes = samples.hasPredictions() ? samples.classes() : Integer.MAX_VALUE;
            double[] row = new double[1];
            while (reader.next(row)) {
                if (!(row[0] >= 0 && row[0] < classes) || row[0] != Math.rint(row[0])) {
                    throw new IOException(reader.place() + ": a label must be a whole number of at least 0"
                            + (samples.hasPredictions() ? " and below the number of classes, " + classes : "")
                            + ", but is " + row[0] + ".");
                }
                labels.add((int) row[0]);
            }
        }
        if (labels.size() != samples.size()) {
            throw differs(paths().get(0), samples.size(), file, labels.size());
        }
        return labels;
    }

    static IOException differs(Path file, long rows, Path other, long otherRows) {
        return new IOException(Inputs.name(file) + " has " + rows + " rows but " + Inputs.name(other) + " has "
                + otherRows + ". Every sample needs one row in each file.");
    }
}
