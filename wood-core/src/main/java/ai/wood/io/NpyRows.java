package ai.wood.io;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** A one- or two-dimensional NumPy array of numbers; a one-dimensional one has one number a row. */
final class NpyRows implements RowReader {

    private static final int MAX_COLUMNS = 1 << 24;

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
    public String place() {
        return name + ", row " + row;
    }

    @Override
    public boolean next(double[] into) throws IOException {
        if (row == rows) {
            if (in.read() >= 0) {
                throw new IOException(name + ": the array has " + rows + " rows but the file goes on behind them");
            }
            return false;
        }
        row++;
        if (in.readNBytes(bytes.array(), 0, bytes.capacity()) < bytes.capacity()) {
            throw new EOFException(place() + ": the array has " + rows + " rows but the file ends within this one");
        }
        bytes.clear();
        for (int i = 0; i < columns; i++) {
            into[i] = element.read(bytes);
            if (!Double.isFinite(into[i])) {
                throw new IOException(
                        place() + ", column " + (i + 1) + ": the number must be finite but is " + into[i]);
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
