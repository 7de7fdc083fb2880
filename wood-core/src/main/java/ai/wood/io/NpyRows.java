package ai.wood.io;

import ai.wood.Matrix;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/** A one- or two-dimensional NumPy array of numbers; a one-dimensional one has one number a row. */
final class NpyRows implements RowReader {

    private static final int MAX_COLUMNS = 1 << 24;

    /** Elements that are read at once. */
    private static final int BLOCK = 1 << 18;

    /** How an element is read from bytes, by type. */
    private enum Element {
        F4(4, ByteBuffer::getFloat),
        F8(8, ByteBuffer::getDouble),
        U1(1, bytes -> Byte.toUnsignedInt(bytes.get())),
        I1(1, ByteBuffer::get),
        I2(2, ByteBuffer::getShort),
        I4(4, ByteBuffer::getInt),
        I8(8, ByteBuffer::getLong);

        private final int size;
        private final ToDoubleFunction<ByteBuffer> reader;

        Element(int size, ToDoubleFunction<ByteBuffer> reader) {
            this.size = size;
            this.reader = reader;
        }

        double read(ByteBuffer bytes) {
            return reader.applyAsDouble(bytes);
        }

        static Element of(String type, String name) throws IOException {
            for (Element element : values()) {
                if (element.name().toLowerCase(Locale.ROOT).equals(type)) { // U1 is text
                    return element;
                }
            }
            throw new IOException(name + ": elements must be f4, f8, u1, i1, i2, i4 or i8 but are " + type
                    + ". Maybe save array.astype('float32').");
        }
    }

    private final InputStream in;
    private final String name;
    private final Element element;
    private final long rows;
    private final int columns;
    private final ByteBuffer bytes;
    private long row;
    private boolean finite = true;

    NpyRows(InputStream in, String name) throws IOException {
        this.in = in;
        this.name = name;
        NpyHeader header = NpyHeader.read(in, name);
        int dimensions = header.shape().size();
        if (dimensions != 1 && dimensions != 2) {
            throw new IOException(name + ": the array must have one or two dimensions but has shape " + header.shape());
        }
        rows = header.shape().get(0);
        long width = dimensions == 1 ? 1 : header.shape().get(1);
        if (rows < 1 || width < 1 || width > MAX_COLUMNS) {
            throw new IOException(name + ": the array must have at least one row and 1 to " + MAX_COLUMNS
                    + " columns but has shape " + header.shape());
        }
        element = Element.of(header.type(), name);
        columns = (int) width;
        bytes = ByteBuffer.allocate(columns * element.size).order(header.order());
    }

    @Override
    public int columns() {
        return columns;
    }

    @Override
    public void acceptNonFinite() {
        finite = false;
    }

    @Override
    public boolean hasFloats() {
        return element == Element.F4;
    }

    @Override
    public String place() {
        return name + ", row " + row;
    }

    @Override
    public boolean next(double[] into) throws IOException {
        if (row == rows) {
            requireEnd();
            return false;
        }
        row++;
        if (in.readNBytes(bytes.array(), 0, bytes.capacity()) < bytes.capacity()) {
            throw tooShort();
        }
        bytes.clear();
        for (int i = 0; i < columns; i++) {
            into[i] = element.read(bytes);
            if (finite && !Double.isFinite(into[i])) {
                throw notFinite(i, into[i]);
            }
        }
        return true;
    }

    @Override
    public Matrix nextBatch(int maxRows) throws IOException {
        return hasFloats() ? Matrix.wrap(floats(maxRows), columns) : RowReader.super.nextBatch(maxRows);
    }

    @Override
    public Matrix nextBatch(int maxRows, Consumer<double[]> check) throws IOException {
        if (!hasFloats()) {
            return RowReader.super.nextBatch(maxRows, check);
        }
        long start = row;
        Matrix batch = nextBatch(maxRows);
        double[] numbers = new double[columns];
        for (int i = 0; i < batch.rows(); i++) {
            batch.copyRow(i, numbers);
            try {
                check.accept(numbers);
            } catch (IllegalArgumentException e) {
                row = start + i + 1;
                throw new IOException(place() + ": " + e.getMessage(), e);
            }
        }
        return batch;
    }

    @Override
    public Matrix readAll() throws IOException {
        if (!hasFloats()) {
            return RowReader.super.readAll();
        }
        float[] all = new float[0]; // the header may claim more than the file contains
        int length = 0;
        for (float[] block = nextBlock(); block.length > 0; block = nextBlock()) {
            long needed = (long) length + block.length;
            if (needed > Integer.MAX_VALUE - 8) {
                throw new IOException(place() + ": the file holds more numbers than fit in memory at once");
            }
            if (needed > all.length) {
                long doubled = Math.min(2 * needed, Integer.MAX_VALUE - 8);
                boolean last = row == rows;
                all = Arrays.copyOf(all, (int) (last ? needed : doubled));
            }
            System.arraycopy(block, 0, all, length, block.length);
            length += block.length;
        }
        return Matrix.wrap(length == all.length ? all : Arrays.copyOf(all, length), columns);
    }

    private float[] nextBlock() throws IOException {
        return floats(Math.max(1, BLOCK / columns));
    }

    /** Up to so many rows as floats. */
    private float[] floats(int maxRows) throws IOException {
        int count = (int) Math.min(maxRows, rows - row);
        if (count == 0) {
            requireEnd();
        }
        int rowBytes = bytes.capacity();
        byte[] block = new byte[Math.multiplyExact(count, rowBytes)];
        int read = in.readNBytes(block, 0, block.length);
        if (read < block.length) {
            row += read / rowBytes + 1;
            throw tooShort();
        }
        float[] floats = new float[count * columns];
        ByteBuffer.wrap(block).order(bytes.order()).asFloatBuffer().get(floats);
        for (int i = 0; finite && i < floats.length; i++) {
            if (!Float.isFinite(floats[i])) {
                row += i / columns + 1;
                throw notFinite(i % columns, floats[i]);
            }
        }
        row += count;
        return floats;
    }

    private void requireEnd() throws IOException {
        if (in.read() >= 0) {
            throw new IOException(name + ": the array has " + rows + " rows but the file goes on behind them");
        }
    }

    private IOException tooShort() {
        return new EOFException(place() + ": the array has " + rows + " rows but the file ends within this one");
    }

    private IOException notFinite(int column, double number) {
        return new IOException(place() + ", column " + (column + 1) + ": the number must be finite but is " + number);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
