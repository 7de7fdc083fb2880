package ai.wood.report;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Scalars over steps, in the format TensorBoard reads: TFRecords, each a length, a masked CRC-32C of the length, an
 * {@code Event} message and its masked CRC-32C.
 *
 * <p>Only the fields needed are written: wall time (1), step (2), file version (3) and summary (5) of tag (1) and value
 * (2).
 */
public final class EventFile implements Closeable {

    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED32 = 5;

    private final Path folder;
    private @Nullable OutputStream out;

    /** A new file in a folder, made with its first values; TensorBoard joins all files of a folder. */
    public EventFile(Path folder) {
        this.folder = folder;
    }

    private OutputStream begin() throws IOException {
        Files.createDirectories(folder);
        String name = "events.out.tfevents." + System.currentTimeMillis() / 1000 + "." + System.nanoTime() + ".wood";
        OutputStream begun = Files.newOutputStream(folder.resolve(name), StandardOpenOption.CREATE_NEW);
        ByteArrayOutputStream event = event(0);
        bytes(event, 3, "brain.Event:2".getBytes(StandardCharsets.UTF_8));
        write(event.toByteArray(), begun);
        return begun;
    }

    /** Adds a value to the curve of each tag; values that are not finite are left out. */
    public void add(long step, Map<String, Double> values) throws IOException {
        ByteArrayOutputStream summary = new ByteArrayOutputStream();
        values.forEach((tag, value) -> {
            if (Double.isFinite(value)) {
                ByteArrayOutputStream one = new ByteArrayOutputStream();
                bytes(one, 1, tag.getBytes(StandardCharsets.UTF_8));
                key(one, 2, FIXED32);
                one.writeBytes(little(4).putFloat(0, value.floatValue()).array());
                bytes(summary, 1, one.toByteArray());
            }
        });
        ByteArrayOutputStream event = event(step);
        bytes(event, 5, summary.toByteArray());
        if (out == null) {
            out = begin();
        }
        write(event.toByteArray(), out);
    }

    private static ByteArrayOutputStream event(long step) {
        ByteArrayOutputStream event = new ByteArrayOutputStream();
        key(event, 1, FIXED64);
        event.writeBytes(
                little(8).putDouble(0, System.currentTimeMillis() / 1000.0).array());
        key(event, 2, VARINT);
        varint(event, step);
        return event;
    }

    private static void write(byte[] event, OutputStream out) throws IOException {
        byte[] length = little(8).putLong(0, event.length).array();
        out.write(length);
        out.write(little(4).putInt(0, maskedCrc(length)).array());
        out.write(event);
        out.write(little(4).putInt(0, maskedCrc(event)).array());
        out.flush();
    }

    /** CRC-32C, turned and shifted as TFRecord asks so that a checksum of checksums is no weaker. */
    static int maskedCrc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return Integer.rotateRight((int) crc.getValue(), 15) + 0xa282ead8;
    }

    private static void bytes(ByteArrayOutputStream out, int field, byte[] value) {
        key(out, field, BYTES);
        varint(out, value.length);
        out.writeBytes(value);
    }

    private static void key(ByteArrayOutputStream out, int field, int type) {
        varint(out, (field << 3) | type);
    }

    private static void varint(ByteArrayOutputStream out, long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            out.write((int) (rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
    }

    private static ByteBuffer little(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void close() throws IOException {
        if (out != null) {
            out.close();
        }
    }
}
