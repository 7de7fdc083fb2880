package ai.wood.io;

import ai.wood.Matrix;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An open safetensors file: named tensors, read one at a time.
 *
 * <p>The file is a little-endian 64-bit header length, a JSON header, and the tensors' bytes. A header that is too
 * long, not JSON, names a tensor twice, or whose tensors overlap, leave gaps or exceed the file is refused; no more
 * memory is used than the header and one tensor need.
 *
 * @see <a href="https://huggingface.co/docs/safetensors">the format</a>
 */
public final class Safetensors implements Closeable {

    /** The longest header of a network or a training state, in bytes: thousands of tensors, about 100 bytes each. */
    public static final int NETWORK_HEADER = 8 << 20;

    /** The longest header of a detector or a cost matrix, in bytes: a handful of tensors and a short text. */
    public static final int DETECTOR_HEADER = 1 << 20;

    /** Bytes before the header. */
    static final int PREFIX = 8;

    private static final int CHUNK = 1 << 16;

    private final String file;
    private final Source source;
    private final SafetensorsHeader header;
    private final long dataStart;

    /**
     * Where a tensor lies.
     *
     * @param offset its first byte, counted from the end of the header
     * @param length its bytes
     */
    public record Entry(DType dtype, List<Long> shape, long offset, long length) {

        /** Number of elements. */
        public long size() {
            return shape.stream().reduce(1L, Math::multiplyExact);
        }
    }

    /** Bytes at a position: of a file, or in memory. */
    private interface Source extends Closeable {

        long size() throws IOException;

        /** Reads some bytes, or returns -1 at the end. */
        int read(ByteBuffer into, long position) throws IOException;
    }

    private record FileSource(FileChannel channel) implements Source {

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            return channel.read(into, position);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /** The bytes of a stream in pieces of one size, so that they may exceed an array. */
    private record MemorySource(List<byte[]> pieces, long size) implements Source {

        private static final int PIECE = 1 << 20;

        static MemorySource of(InputStream in) throws IOException {
            List<byte[]> pieces = new ArrayList<>();
            long size = 0;
            byte[] piece;
            do {
                piece = in.readNBytes(PIECE);
                pieces.add(piece);
                size += piece.length;
            } while (piece.length == PIECE);
            return new MemorySource(pieces, size);
        }

        @Override
        public int read(ByteBuffer into, long position) {
            if (position >= size) {
                return -1;
            }
            byte[] piece = pieces.get((int) (position / PIECE));
            int start = (int) (position % PIECE);
            int count = Math.min(into.remaining(), piece.length - start);
            into.put(piece, start, count);
            return count;
        }

        @Override
        public void close() {}
    }

    private Safetensors(String file, Source source, int maxHeader) throws IOException {
        this.file = file;
        this.source = source;
        long size = source.size();
        if (size < PREFIX + 2) {
            throw new IOException("byte 0: a safetensors file has at least 10 bytes but this one has " + size);
        }
        long length = read(0, PREFIX).getLong(0);
        long longest = Math.min(maxHeader, size - PREFIX);
        if (length < 2 || length > longest) {
            throw new IOException("byte 0: the header must be 2 to " + longest + " bytes long but its length is "
                    + Long.toUnsignedString(length) + ". Maybe this is not a safetensors file.");
        }
        dataStart = PREFIX + length;
        header = SafetensorsHeader.parse(read(PREFIX, (int) length).array(), size - dataStart);
    }

    /**
     * Opens a network or a training state, with a header of at most {@value #NETWORK_HEADER} bytes.
     *
     * @throws IOException naming the file and the broken rule
     */
    public static Safetensors open(Path file) throws IOException {
        return open(file, NETWORK_HEADER);
    }

    /**
     * Opens a file and checks its header, which takes about six times its length in memory.
     *
     * @param maxHeader bytes of the longest header to accept
     * @throws IOException naming the file and the broken rule
     */
    public static Safetensors open(Path file, int maxHeader) throws IOException {
        FileChannel channel = FileChannel.open(file);
        try {
            return new Safetensors(file.toString(), new FileSource(channel), maxHeader);
        } catch (IOException e) {
            channel.close();
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads a stream to its end and checks the header.
     *
     * @param name of the file, for messages
     * @param maxHeader bytes of the longest header to accept
     * @throws IOException naming the file and the broken rule
     */
    public static Safetensors read(InputStream in, String name, int maxHeader) throws IOException {
        MemorySource source = MemorySource.of(in);
        try {
            return new Safetensors(name, source, maxHeader);
        } catch (IOException e) {
            throw new IOException(name + ": " + e.getMessage(), e);
        }
    }

    /** The tensors' names, in the order of the header. */
    public Set<String> names() {
        return Collections.unmodifiableSet(header.entries().keySet());
    }

    /** Free text the writer left, by key. */
    public Map<String, String> metadata() {
        return Collections.unmodifiableMap(header.metadata());
    }

    /**
     * Type, shape and place of a tensor.
     *
     * @throws IOException where there is none of this name
     */
    public Entry entry(String name) throws IOException {
        Entry entry = header.entries().get(name);
        if (entry == null) {
            throw new IOException(file + ": no tensor is called '" + name + "'. Maybe the file is of another network.");
        }
        return entry;
    }

    /**
     * The elements of a tensor as floats, in row-major order.
     *
     * @throws IOException where the tensor is missing, complex, packed below a byte, or longer than an array
     */
    public float[] floats(String name) throws IOException {
        float[] values = new float[length(name)];
        DType dtype = entry(name).dtype();
        read(name, (chunk, at, element) -> values[element] = dtype.toFloat(chunk, at));
        return values;
    }

    /**
     * A tensor of two dimensions; of doubles where it has doubles, of floats otherwise.
     *
     * @throws IOException where it is missing, or no matrix
     */
    public Matrix matrix(String name) throws IOException {
        Entry entry = entry(name);
        List<Long> shape = entry.shape();
        if (shape.size() != 2 || shape.get(1) < 1 || shape.get(1) > Integer.MAX_VALUE) {
            throw new IOException(file + ": tensor '" + name + "' must be a matrix but its shape is " + shape);
        }
        int columns = shape.get(1).intValue();
        if (entry.dtype() != DType.F64) {
            return Matrix.wrap(floats(name), columns);
        }
        double[] values = new double[length(name)];
        read(name, (chunk, at, element) -> values[element] = chunk.getDouble(at));
        return Matrix.wrap(values, columns);
    }

    private int length(String name) throws IOException {
        Entry entry = entry(name);
        if (!entry.dtype().isReal() || entry.size() > Integer.MAX_VALUE - 8) {
            throw new IOException(file + ": tensor '" + name + "' of " + entry.size() + " " + entry.dtype()
                    + " elements cannot be read as an array of numbers");
        }
        return (int) entry.size();
    }

    /** Takes an element at a byte of a chunk. */
    private interface Element {
        void take(ByteBuffer chunk, int at, int element);
    }

    private void read(String name, Element target) throws IOException {
        Entry entry = entry(name);
        int bytes = entry.dtype().bits() / 8;
        int length = length(name);
        int perChunk = CHUNK / bytes;
        for (int start = 0; start < length; start += perChunk) {
            int count = Math.min(perChunk, length - start);
            ByteBuffer chunk = read(dataStart + entry.offset() + (long) start * bytes, count * bytes);
            for (int i = 0; i < count; i++) {
                target.take(chunk, i * bytes, start + i);
            }
        }
    }

    private ByteBuffer read(long position, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (source.read(buffer, position + buffer.position()) < 0) {
                throw new EOFException(file + ": ends at byte " + source.size() + " but " + (position + length)
                        + " bytes are needed. Maybe it was cut short while being read.");
            }
        }
        return buffer;
    }

    /** The path. */
    @Override
    public String toString() {
        return file;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
