package ai.wood;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Rows of 32-bit floats in a file, little-endian, mapped into memory: the operating system reads what is looked at and
 * forgets it when memory is short. They may exceed 2 GiB.
 *
 * <p>The file must not be cut while it is mapped. Safe to share between threads.
 */
public final class FloatRows {

    /** A mapping may have 2 GiB at most; rows are not torn between two. */
    private static final int SEGMENT_BYTES = 1 << 30;

    private final List<FloatBuffer> segments;
    private final int rows;
    private final int columns;
    private final int rowsPerSegment;

    private FloatRows(List<FloatBuffer> segments, int rows, int columns, int rowsPerSegment) {
        this.segments = segments;
        this.rows = rows;
        this.columns = columns;
        this.rowsPerSegment = rowsPerSegment;
    }

    /** Maps rows that lie one after another from a position in a file on; the channel may be closed afterwards. */
    public static FloatRows map(FileChannel channel, long position, int rows, int columns) throws IOException {
        return map(channel, position, rows, columns, SEGMENT_BYTES);
    }

    static FloatRows map(FileChannel channel, long position, int rows, int columns, int segmentBytes)
            throws IOException {
        long rowBytes = (long) columns * Float.BYTES;
        if (rows < 0 || columns < 1 || rowBytes > segmentBytes || position + rows * rowBytes > channel.size()) {
            throw new IllegalArgumentException(rows + " rows of " + columns + " floats from byte " + position
                    + " on do not lie in a file of " + channel.size() + " bytes");
        }
        int rowsPerSegment = (int) (segmentBytes / rowBytes);
        List<FloatBuffer> segments = new ArrayList<>();
        for (int first = 0; first < rows; first += rowsPerSegment) {
            long bytes = Math.min(rowsPerSegment, rows - first) * rowBytes;
            segments.add(channel.map(FileChannel.MapMode.READ_ONLY, position + first * rowBytes, bytes)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .asFloatBuffer());
        }
        return new FloatRows(List.copyOf(segments), rows, columns, rowsPerSegment);
    }

    public int rows() {
        return rows;
    }

    public int columns() {
        return columns;
    }

    float get(int row, int column) {
        return segment(row).get(start(row) + column);
    }

    void copy(int row, int from, double[] into, int count) {
        FloatBuffer segment = segment(row);
        int start = start(row) + from;
        for (int i = 0; i < count; i++) {
            into[i] = segment.get(start + i);
        }
    }

    private FloatBuffer segment(int row) {
        return segments.get(Objects.checkIndex(row, rows) / rowsPerSegment);
    }

    private int start(int row) {
        return row % rowsPerSegment * columns;
    }
}
