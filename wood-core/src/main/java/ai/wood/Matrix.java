package ai.wood;

import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Rows of numbers, one row per sample: logits, probabilities, features, a cost matrix.
 *
 * <p>Elements are stored as {@code float} where they came from a network and as {@code double} otherwise; all
 * arithmetic sees doubles. A matrix is immutable and safe to share between threads.
 */
public abstract sealed class Matrix {

    /** Rows are handed to threads in chunks of about this many elements: long enough to amortise the hand-over. */
    private static final int CHUNK_ELEMENTS = 1 << 16;

    private final int rows;
    private final int columns;

    private Matrix(int rows, int columns, long length) {
        if (columns < 1 || rows < 0 || (long) rows * columns != length) {
            throw new IllegalArgumentException(
                    "a matrix of " + rows + " x " + columns + " cannot have " + length + " elements");
        }
        this.rows = rows;
        this.columns = columns;
    }

    /** Copies the given rows, which must be of equal length. */
    public static Matrix of(double[]... rows) {
        if (rows.length == 0) {
            throw new IllegalArgumentException("a matrix needs at least one row to know its number of columns");
        }
        int columns = rows[0].length;
        double[] data = new double[Math.multiplyExact(rows.length, columns)];
        for (int r = 0; r < rows.length; r++) {
            if (rows[r].length != columns) {
                throw new IllegalArgumentException(
                        "row " + r + " has " + rows[r].length + " columns but row 0 has " + columns);
            }
            System.arraycopy(rows[r], 0, data, r * columns, columns);
        }
        return wrap(data, columns);
    }

    /** Takes over a row-major array without copying it; the caller must not change it afterwards. */
    public static Matrix wrap(double[] data, int columns) {
        return new Doubles(data, columns);
    }

    /** Takes over a row-major array without copying it; the caller must not change it afterwards. */
    public static Matrix wrap(float[] data, int columns) {
        return new Floats(data, columns);
    }

    /** Looks at some columns of rows in a file, without reading them into the heap. */
    public static Matrix view(FloatRows rows, int from, int columns) {
        return new Mapped(rows, from, columns);
    }

    public final int rows() {
        return rows;
    }

    public final int columns() {
        return columns;
    }

    public final double get(int row, int column) {
        Objects.checkIndex(column, columns);
        return element(Objects.checkIndex(row, rows), column);
    }

    /** Copies one row into the first {@link #columns()} places of the given array. */
    public abstract void copyRow(int row, double[] into);

    /** A copy of one row. */
    public final double[] row(int row) {
        double[] copy = new double[columns];
        copyRow(row, copy);
        return copy;
    }

    /** A copy of some rows, in the given order. */
    public final Matrix select(int... selected) {
        int length = Math.multiplyExact(selected.length, columns);
        if (this instanceof Doubles) {
            double[] data = new double[length];
            for (int i = 0; i < length; i++) {
                data[i] = element(selected[i / columns], i % columns);
            }
            return wrap(data, columns);
        }
        float[] data = new float[length];
        for (int i = 0; i < length; i++) {
            data[i] = (float) element(selected[i / columns], i % columns);
        }
        return wrap(data, columns);
    }

    /**
     * Applies a function to every row, on all processors of the current fork-join pool.
     *
     * <p>The function receives a scratch copy of the row, which it may overwrite and must not keep; nothing is
     * allocated per row. The result does not depend on the number of threads. Throws what the function throws: a parallel
     * stream would replace it by a copy with the class name in the message.
     */
    public final double[] mapRows(RowFunction function) {
        double[] result = new double[rows];
        int rowsPerChunk = Math.max(1, CHUNK_ELEMENTS / columns);
        int chunks = (rows + rowsPerChunk - 1) / rowsPerChunk;
        AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
        IntStream.range(0, chunks).parallel().forEach(chunk -> {
            if (failure.get() != null) {
                return;
            }
            double[] row = new double[columns];
            int end = (int) Math.min(rows, (chunk + 1L) * rowsPerChunk);
            try {
                for (int r = chunk * rowsPerChunk; r < end; r++) {
                    result[r] = apply(function, r, row);
                }
            } catch (RuntimeException e) {
                failure.compareAndSet(null, e);
            }
        });
        RuntimeException thrown = failure.get();
        if (thrown != null) {
            throw thrown;
        }
        return result;
    }

    /**
     * The first row that a test accepts, or -1.
     *
     * @param test must neither change the row nor keep it
     */
    public final int firstRow(Predicate<double[]> test) {
        double[] accepted = mapRows(row -> test.test(row) ? 1 : 0);
        return IntStream.range(0, rows)
                .filter(r -> accepted[r] == 1)
                .findFirst()
                .orElse(-1);
    }

    /**
     * Refuses NaN and infinite elements.
     *
     * @param what these numbers are, in the plural
     * @throws IllegalArgumentException naming the first such row, counted from 1
     */
    public final Matrix requireFinite(String what) {
        int row = firstRow(values -> Arrays.stream(values).anyMatch(value -> !Double.isFinite(value)));
        if (row >= 0) {
            throw new IllegalArgumentException(
                    "row " + (row + 1) + ": " + what + " must be finite but one is NaN or infinite");
        }
        return this;
    }

    /** The product with a column vector, one element per row. */
    public final double[] times(double[] vector) {
        double[] product = new double[rows];
        for (int r = 0; r < rows; r++) {
            product[r] = dot(r, vector);
        }
        return product;
    }

    /** The inner product of a row with a vector of as many elements. */
    public final double dot(int row, double[] vector) {
        if (vector.length != columns) {
            throw new IllegalArgumentException(
                    "a row of " + columns + " elements cannot be multiplied by a vector of " + vector.length);
        }
        return product(Objects.checkIndex(row, rows), vector);
    }

    abstract double product(int row, double[] vector);

    /** A copy of all elements, row by row, as a network takes them. */
    public final float[] toFloats() {
        float[] floats = new float[Math.multiplyExact(rows, columns)];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) element(i / columns, i % columns);
        }
        return floats;
    }

    /** A copy with every element divided by a number. */
    public final Matrix dividedBy(double divisor) {
        double[] quotients = new double[Math.multiplyExact(rows, columns)];
        for (int i = 0; i < quotients.length; i++) {
            quotients[i] = element(i / columns, i % columns) / divisor;
        }
        return wrap(quotients, columns);
    }

    double apply(RowFunction function, int row, double[] scratch) {
        copyRow(row, scratch);
        return function.apply(scratch);
    }

    abstract double element(int row, int column);

    @Override
    public final boolean equals(Object other) {
        return other instanceof Matrix that
                && rows == that.rows
                && columns == that.columns
                && IntStream.range(0, rows).allMatch(r -> Arrays.equals(row(r), that.row(r)));
    }

    @Override
    public final int hashCode() {
        return Objects.hash(rows, columns, rows == 0 ? 0 : Arrays.hashCode(row(0)));
    }

    @Override
    public final String toString() {
        return "Matrix[" + rows + " x " + columns + "]";
    }

    private static final class Floats extends Matrix {
        private final float[] data;

        Floats(float[] data, int columns) {
            super(columns < 1 ? -1 : data.length / columns, columns, data.length);
            this.data = data;
        }

        @Override
        public void copyRow(int row, double[] into) {
            int columns = columns();
            int start = Objects.checkIndex(row, rows()) * columns;
            for (int i = 0; i < columns; i++) {
                into[i] = data[start + i];
            }
        }

        @Override
        double apply(RowFunction function, int row, double[] scratch) {
            return function.apply(data, row * scratch.length, scratch);
        }

        @Override
        double product(int row, double[] vector) {
            int start = row * columns();
            double even = 0; // two sums: each addition waits for the one before
            double odd = 0;
            for (int i = 0; i + 1 < vector.length; i += 2) {
                even += data[start + i] * vector[i];
                odd += data[start + i + 1] * vector[i + 1];
            }
            int last = vector.length - 1;
            return even + odd + (last % 2 == 0 ? data[start + last] * vector[last] : 0);
        }

        @Override
        double element(int row, int column) {
            return data[row * columns() + column];
        }
    }

    private static final class Doubles extends Matrix {
        private final double[] data;

        Doubles(double[] data, int columns) {
            super(columns < 1 ? -1 : data.length / columns, columns, data.length);
            this.data = data;
        }

        @Override
        public void copyRow(int row, double[] into) {
            System.arraycopy(data, Objects.checkIndex(row, rows()) * columns(), into, 0, columns());
        }

        @Override
        double product(int row, double[] vector) {
            int start = row * columns();
            double even = 0; // two sums: each addition waits for the one before
            double odd = 0;
            for (int i = 0; i + 1 < vector.length; i += 2) {
                even += data[start + i] * vector[i];
                odd += data[start + i + 1] * vector[i + 1];
            }
            int last = vector.length - 1;
            return even + odd + (last % 2 == 0 ? data[start + last] * vector[last] : 0);
        }

        @Override
        double element(int row, int column) {
            return data[row * columns() + column];
        }
    }

    private static final class Mapped extends Matrix {
        private final FloatRows data;
        private final int from;

        Mapped(FloatRows data, int from, int columns) {
            super(data.rows(), columns, (long) data.rows() * columns);
            Objects.checkFromIndexSize(from, columns, data.columns());
            this.data = data;
            this.from = from;
        }

        @Override
        public void copyRow(int row, double[] into) {
            data.copy(row, from, into, columns());
        }

        @Override
        double product(int row, double[] vector) {
            double sum = 0;
            for (int i = 0; i < vector.length; i++) {
                sum += data.get(row, from + i) * vector[i];
            }
            return sum;
        }

        @Override
        double element(int row, int column) {
            return data.get(row, from + column);
        }
    }
}
