package ai.wood.cli;

import ai.wood.Matrix;
import ai.wood.io.RowReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** The files of numbers that one call of a command reads; {@code -} is standard input, which can be read once. */
public final class Inputs {

    private static final String STANDARD_INPUT = "-";

    private boolean standardInputRead;

    RowReader open(Path file) throws IOException {
        return isStandardInput(file) ? RowReader.of(standardInput(), name(file)) : RowReader.open(file);
    }

    /** All rows of scores, costs or masses. */
    public Matrix all(Path file) throws IOException {
        return isStandardInput(file) ? RowReader.readMatrix(standardInput(), name(file)) : RowReader.readMatrix(file);
    }

    private static boolean isStandardInput(Path file) {
        return file.toString().equals(STANDARD_INPUT);
    }

    private InputStream standardInput() throws IOException {
        if (standardInputRead) {
            throw new IOException("standard input can be read once but - is given twice. Maybe save it to a file.");
        }
        standardInputRead = true;
        return System.in;
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
    public static String name(Path file) {
        return isStandardInput(file) ? "standard input" : file.toString();
    }
}
