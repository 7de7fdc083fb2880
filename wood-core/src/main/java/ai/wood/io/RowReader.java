package ai.wood.io;

import ai.wood.Matrix;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Rows of numbers, which must be finite unless {@link #acceptNonFinite()} is called, read one at a time, so that a file of any size needs the memory of one row. CSV text and NumPy
 * arrays are told apart by their first bytes.
 */
public interface RowReader extends Closeable {

    /** Numbers in each row. */
    int columns();

    /**
     * Reads the next row into the first {@link #columns()} places, or returns false at the end.
     *
     * @throws IOException naming the place of a cell that is no finite number, or a row of another length
     */
    boolean next(double[] row) throws IOException;

    /** Accepts NaN and infinite numbers from now on. */
    void acceptNonFinite();

    /** Whether the numbers are stored as floats, which batches keep. */
    default boolean hasFloats() {
        return false;
    }

    /** Where the row read last stands, for messages: {@code logits.csv, line 17}. */
    String place();

    /** Opens a file of samples, one per row. */
    static RowReader open(Path file) throws IOException {
        return open(file, true);
    }

    private static RowReader open(Path file, boolean samples) throws IOException {
        if (Files.isDirectory(file)) {
            throw new IOException(file + ": must be a file of numbers but is a folder");
        }
        try {
            InputStream in = Files.isRegularFile(file)
                    ? Files.newInputStream(file)
                    : new FileInputStream(file.toFile()); // a pipe, in which the other would seek
            return of(in, file.toString(), samples);
        } catch (NoSuchFileException | FileNotFoundException e) {
            throw new IOException(file + ": there is no such file", e);
        }
    }

    /**
     * Reads samples from a stream, which is closed with the reader.
     *
     * @param name of the stream, for messages
     */
    static RowReader of(InputStream stream, String name) throws IOException {
        return of(stream, name, true);
    }

    private static RowReader of(InputStream stream, String name, boolean samples) throws IOException {
        InputStream in = new BufferedInputStream(stream, 1 << 16);
        try {
            in.mark(Signature.BYTES);
            byte[] start = in.readNBytes(Signature.BYTES);
            in.reset();
            requireNoOtherKind(start, name);
            return NpyHeader.startsWithMagic(start) ? new NpyRows(in, name) : new CsvRows(in, name, samples);
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    /** Up to so many of the following rows; none at the end. */
    default Matrix nextBatch(int maxRows) throws IOException {
        return nextBatch(maxRows, row -> {});
    }

    /**
     * Up to so many of the following rows; none where the end is reached.
     *
     * @param check says by an {@link IllegalArgumentException} what is wrong with a row; the place is added to it
     */
    default Matrix nextBatch(int maxRows, Consumer<double[]> check) throws IOException {
        double[] rows = new double[Math.multiplyExact(maxRows, columns())];
        double[] row = new double[columns()];
        int count = 0;
        while (count < maxRows && next(row)) {
            check(row, check);
            System.arraycopy(row, 0, rows, count++ * row.length, row.length);
        }
        return Matrix.wrap(count == maxRows ? rows : Arrays.copyOf(rows, count * row.length), columns());
    }

    private void check(double[] row, Consumer<double[]> check) throws IOException {
        try {
            check.accept(row);
        } catch (IllegalArgumentException e) {
            throw new IOException(place() + ": " + e.getMessage(), e);
        }
    }

    /** All samples; for files that fit in memory. */
    static Matrix readAll(Path file) throws IOException {
        try (RowReader reader = open(file)) {
            return reader.readAll();
        }
    }

    /** A matrix whose rows are not samples, such as costs; its first row may be 0, 1, 2 and so on. */
    static Matrix readMatrix(Path file) throws IOException {
        try (RowReader reader = open(file, false)) {
            return reader.readAll();
        }
    }

    /** Reads such a matrix from a stream, which is closed then. */
    static Matrix readMatrix(InputStream stream, String name) throws IOException {
        try (RowReader reader = of(stream, name, false)) {
            return reader.readAll();
        }
    }

    private static void requireNoOtherKind(byte[] start, String name) throws IOException {
        Optional<Signature> kind = Signature.of(start);
        if (kind.isPresent()) {
            throw new IOException(name + ": must be text or a NumPy array but "
                    + (kind.get() == Signature.ZIP
                            ? "is a zip archive. Maybe it is an .npz: save with numpy.save, one array a file, instead of"
                                    + " numpy.savez."
                            : "is an image. Use a detector with a network for images."));
        }
    }

    /** All remaining rows. */
    default Matrix readAll() throws IOException {
        return readAll(row -> {});
    }

    /** All remaining rows, each checked as {@link #nextBatch(int, Consumer)} does. */
    default Matrix readAll(Consumer<double[]> check) throws IOException {
        double[] all = new double[Math.max(1024, columns())];
        double[] row = new double[columns()];
        int length = 0;
        while (next(row)) {
            check(row, check);
            if ((long) length + row.length > all.length) {
                long larger = Math.max((long) length + row.length, Math.min(2L * all.length, Integer.MAX_VALUE - 8));
                if (larger > Integer.MAX_VALUE - 8) {
                    throw new IOException(place() + ": the file holds more numbers than fit in memory at once");
                }
                all = Arrays.copyOf(all, (int) larger);
            }
            System.arraycopy(row, 0, all, length, row.length);
            length += row.length;
        }
        return Matrix.wrap(Arrays.copyOf(all, length), columns());
    }
}
