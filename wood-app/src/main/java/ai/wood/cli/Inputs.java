package ai.wood.cli;

import ai.wood.Matrix;
import ai.wood.io.RowReader;
import java.io.IOException;
import java.nio.file.Path;

/** The files of numbers that one call of a command reads; {@code -} is standard input, which can be read once. */
final class Inputs {

    private static final String STANDARD_INPUT = "-";

    private boolean standardInputRead;

    RowReader open(Path file) throws IOException {
        if (!file.toString().equals(STANDARD_INPUT)) {
            return RowReader.open(file);
        }
        if (standardInputRead) {
            throw new IOException("standard input can be read once but - is given twice. Maybe save it to a file.");
        }
        standardInputRead = true;
        return RowReader.of(System.in, name(file));
    }

    /** All rows. */
    Matrix all(Path file) throws IOException {
        try (RowReader reader = open(file)) {
            return reader.readAll();
        }
    }

    /** All scores, one a row. */
    double[] scores(Path file) throws IOException {
        Matrix all = all(file);
        if (all.columns() != 1) {
            throw new IOException(name(file) + ": there must be one number a row but there are " + all.columns()
                    + ". Maybe these are logits, which `wood score` turns into scores, or decimal commas, which must be"
                    + " points.");
        }
        return all.mapRows(row -> row[0]);
    }

    /** What messages call it. */
    static String name(Path file) {
        return file.toString().equals(STANDARD_INPUT) ? "standard input" : file.toString();
    }
}
