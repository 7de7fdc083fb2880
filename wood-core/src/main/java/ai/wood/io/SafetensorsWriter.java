package ai.wood.io;

import ai.wood.Matrix;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Collects tensors of floats or doubles and writes them as one safetensors file, which Python's {@code safetensors} opens.
 *
 * <p>The tensors' memory is not copied: it must stay as it is until {@link #write} returns.
 */
public final class SafetensorsWriter {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** What a buffer holds. */
    private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

    private final ObjectNode header = JSON.createObjectNode();
    private final List<ByteBuffer> tensors = new ArrayList<>();
    private long end;

    /** Adds free text, to be found under {@link Safetensors#metadata()}. */
    public SafetensorsWriter metadata(String key, String value) {
        header.withObject("/__metadata__").put(key, value);
        return this;
    }

    /** Adds a matrix: as floats where they hold all its elements exactly, as doubles otherwise. */
    public SafetensorsWriter add(String name, Matrix matrix) {
        DType dtype = fitsFloats(matrix) ? DType.F32 : DType.F64;
        long bytes = (long) matrix.rows() * matrix.columns() * (dtype.bits() / 8);
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("a tensor of at most " + MAX_BYTES + " bytes can be written but " + name
                    + " takes " + bytes + ". Fit the scorer to fewer samples.");
        }
        ByteBuffer buffer = ByteBuffer.allocate((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int r = 0; r < matrix.rows(); r++) {
            for (double value : matrix.row(r)) {
                if (dtype == DType.F32) {
                    buffer.putFloat((float) value);
                } else {
                    buffer.putDouble(value);
                }
            }
        }
        return add(name, dtype, new long[] {matrix.rows(), matrix.columns()}, buffer.flip());
    }

    private static boolean fitsFloats(Matrix matrix) {
        return IntStream.range(0, matrix.rows())
                .allMatch(r ->
                        Arrays.stream(matrix.row(r)).allMatch(value -> Double.compare((float) value, value) == 0));
    }

    /** Adds a tensor given in row-major order. */
    public SafetensorsWriter add(String name, long[] shape, float[] values) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(values.length, Float.BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return add(name, shape, bytes);
    }

    /**
     * Adds a tensor given as the little-endian bytes of its floats in row-major order.
     *
     * @throws IllegalArgumentException where the name is taken or the bytes do not fit the shape
     */
    public SafetensorsWriter add(String name, long[] shape, ByteBuffer bytes) {
        return add(name, DType.F32, shape, bytes);
    }

    private SafetensorsWriter add(String name, DType dtype, long[] shape, ByteBuffer bytes) {
        long size = Arrays.stream(shape).reduce(dtype.bits() / 8, Math::multiplyExact);
        if (header.has(name) || bytes.remaining() != size) {
            throw new IllegalArgumentException("tensor '" + name + "' of shape " + Arrays.toString(shape)
                    + " must be new and have " + size + " bytes but has " + bytes.remaining());
        }
        ObjectNode entry = header.putObject(name).put("dtype", dtype.name());
        entry.set("shape", JSON.valueToTree(shape));
        entry.set("data_offsets", JSON.valueToTree(new long[] {end, end + size}));
        tensors.add(bytes.duplicate());
        end += size;
        return this;
    }

    /**
     * Replaces the file at once: whoever opens it finds the old content or the new one.
     *
     * @throws IOException naming the file; its old content is then untouched
     */
    public void write(Path file) throws IOException {
        AtomicFile.replace(file, this::writeTo);
    }

    /** Writes the content of the file to a channel. It is the same every time. */
    void writeTo(WritableByteChannel channel) throws IOException {
        byte[] json = JSON.writeValueAsBytes(header);
        int padded = (json.length + 7) / 8 * 8;
        ByteBuffer head = ByteBuffer.allocate(Safetensors.PREFIX + padded).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.fill(head.array(), (byte) ' ');
        head.putLong(0, padded).position(Safetensors.PREFIX).put(json).rewind();
        AtomicFile.writeFully(channel, head);
        for (ByteBuffer tensor : tensors) {
            AtomicFile.writeFully(channel, tensor.duplicate());
        }
    }
}
