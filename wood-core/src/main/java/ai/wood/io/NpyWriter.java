package ai.wood.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;

/**
 * Writes rows of numbers as a NumPy array, batch by batch. The header contains the number of rows, so it is written again at
 * the end. An array of one column has one dimension.
 */
public final class NpyWriter {

    private final FileChannel channel;
    private final int bytes;
    private final int columns;
    private final long start;
    private long count;

    private NpyWriter(FileChannel channel, int bytes, int columns) throws IOException {
        if (columns < 1) {
            throw new IllegalArgumentException("an array needs at least one column but has " + columns);
        }
        this.channel = channel;
        this.bytes = bytes;
        this.columns = columns;
        this.start = channel.position();
        writeHeader();
    }

    /** Starts an array of 32-bit numbers at the position of the channel. */
    public static NpyWriter floats(FileChannel channel, int columns) throws IOException {
        return new NpyWriter(channel, Float.BYTES, columns);
    }

    /** Starts an array of 64-bit numbers at the position of the channel. */
    public static NpyWriter doubles(FileChannel channel, int columns) throws IOException {
        return new NpyWriter(channel, Double.BYTES, columns);
    }

    /** Appends whole rows, one after another. */
    public void write(double[] values) throws IOException {
        if (values.length % columns != 0) {
            throw new IllegalArgumentException(values.length + " values are no whole rows of " + columns);
        }
        ByteBuffer buffer =
                ByteBuffer.allocate(Math.multiplyExact(values.length, bytes)).order(ByteOrder.LITTLE_ENDIAN);
        for (double value : values) {
            if (bytes == Float.BYTES) {
                buffer.putFloat((float) value);
            } else {
                buffer.putDouble(value);
            }
        }
        AtomicFile.writeFully(channel, buffer.flip());
        count += values.length;
    }

    /** Completes the header; the file is no array before. */
    public void finish() throws IOException {
        long end = channel.position();
        channel.position(start);
        writeHeader();
        channel.position(end);
    }

    private void writeHeader() throws IOException {
        long rows = count / columns;
        long[] shape = columns == 1 ? new long[] {rows} : new long[] {rows, columns};
        AtomicFile.writeFully(channel, ByteBuffer.wrap(NpyHeader.bytes("f" + bytes, shape)));
    }
}
