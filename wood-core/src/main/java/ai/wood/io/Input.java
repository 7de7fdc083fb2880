package ai.wood.io;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * An untrusted file, read from front to back, plain or gzipped.
 *
 * <p>It knows how many bytes can possibly follow, so a header that claims more is refused before memory is set aside for
 * it. Every complaint names the file and the offset, counted in the unpacked contents.
 */
public final class Input implements Closeable {

    /** Deflate cannot shrink anything further than 1032 to 1. */
    public static final long MAX_DEFLATE_RATIO = 1032;

    private final InputStream in;
    private final String name;
    private final long limit;
    private final boolean exact;
    private long offset;

    /** Where {@code exact}, the limit is the very number of bytes that there are. */
    private Input(InputStream in, String name, long limit, boolean exact) {
        this.in = in;
        this.name = name;
        this.limit = limit;
        this.exact = exact;
    }

    /** Opens a file and unpacks it where it starts like a gzip file, whatever its name. */
    public static Input open(Path path) throws IOException {
        long size = size(path);
        return of(Files.newInputStream(path), path.toString(), size);
    }

    /** The size of a file, which must be there. */
    public static long size(Path path) throws IOException {
        if (!Files.isRegularFile(path)) {
            throw new IOException(path + ": must be a file but " + (Files.exists(path) ? "is none" : "does not exist"));
        }
        return Files.size(path);
    }

    /** How many bytes there are to read, of a packed file once it is unpacked; beyond 2 GiB it is not counted to the end. */
    public static long unpackedSize(Path path) throws IOException {
        try (Input packed = open(path)) {
            byte[] buffer = new byte[1 << 16];
            long size = packed.exact ? packed.limit : 0;
            for (int count = 0; !packed.exact && count >= 0 && size <= Integer.MAX_VALUE; size += Math.max(0, count)) {
                count = packed.in.read(buffer);
            }
            return size;
        } catch (IOException e) {
            throw named(path.toString(), e);
        }
    }

    /** Takes over a stream that delivers at most {@code size} bytes. */
    public static Input of(InputStream stream, String name, long size) throws IOException {
        PushbackInputStream in = new PushbackInputStream(new BufferedInputStream(stream, 1 << 16), 2);
        try {
            byte[] start = in.readNBytes(2);
            in.unread(start);
            if (start.length == 2 && start[0] == 0x1f && (start[1] & 0xff) == 0x8b) {
                return new Input(
                        new BufferedInputStream(new GZIPInputStream(in, 1 << 16)),
                        name,
                        size * MAX_DEFLATE_RATIO,
                        false);
            }
            return new Input(in, name, size, true);
        } catch (IOException e) {
            stream.close();
            String reason = e.getMessage() == null ? "it is cut short" : e.getMessage();
            throw isContent(e)
                    ? new InvalidFileException(name + ": cannot be unpacked: " + reason, e)
                    : new IOException(name + ": cannot be read: " + reason, e);
        }
    }

    /** The rest of a stream whose first bytes were read elsewhere. */
    public static Input rest(InputStream in, String name, long offset, long limit) {
        Input input = new Input(in, name, limit, false);
        input.offset = offset;
        return input;
    }

    /** Unpacks a zlib stream that lies in this file; offsets are then counted in its unpacked contents. */
    public Input inflate(long packedBytes, String what) throws IOException {
        String place = name + ": in " + what + " packed at byte " + offset;
        byte[] packed = read(packedBytes, what);
        return new Input(
                new InflaterInputStream(new ByteArrayInputStream(packed)),
                place,
                packedBytes * MAX_DEFLATE_RATIO,
                false);
    }

    /** The error with the file's name in front, if it lacks it. */
    public static IOException named(String name, Exception error) {
        String message = String.valueOf(error.getMessage());
        if (error instanceof IOException e && message.startsWith(name)) {
            return e;
        }
        return isContent(error)
                ? new InvalidFileException(name + ": is damaged: " + message, error)
                : new IOException(name + ": cannot be read: " + message, error);
    }

    /** Whether an error comes from the content of a file, not from the disk or from missing permissions. */
    static boolean isContent(Exception error) {
        return error instanceof InvalidFileException
                || error instanceof ZipException
                || error instanceof EOFException
                || error instanceof RuntimeException;
    }

    /** The bytes that follow, for a reader of its own; what it reads is not counted here. */
    public InputStream stream() {
        return in;
    }

    public String name() {
        return name;
    }

    public long offset() {
        return offset;
    }

    /** How many bytes can follow at most. */
    public long left() {
        return limit - offset;
    }

    /** A complaint about the bytes at the current offset. */
    public IOException fail(String message) {
        return fail(message, null);
    }

    public IOException fail(String message, @Nullable Exception cause) {
        return new InvalidFileException(name + ": at byte " + offset + ": " + message, cause);
    }

    public int readByte(String what) throws IOException {
        int value;
        try {
            value = in.read();
        } catch (IOException e) {
            throw damaged(what, e);
        }
        if (value < 0) {
            throw new InvalidFileException(name + ": the file ends at byte " + offset + " within " + what);
        }
        offset++;
        return value;
    }

    /** A big-endian number of four bytes. */
    public int readInt(String what) throws IOException {
        int value = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            value = value << 8 | readByte(what);
        }
        return value;
    }

    /** Exactly so many bytes; memory is taken only as they arrive, unless they are known to be there. */
    public byte[] read(long count, String what) throws IOException {
        if (count > left()) {
            throw fail(what + " must have " + count + " bytes but at most " + left() + " can follow");
        }
        if (count > Integer.MAX_VALUE - 8) {
            throw fail(what + " has " + count + " bytes but at most 2 GiB fit in memory");
        }
        if (exact) {
            byte[] bytes = new byte[(int) count];
            read(bytes, 0, bytes.length, what);
            return bytes;
        }
        byte[] bytes;
        try {
            bytes = in.readNBytes((int) count);
        } catch (IOException e) {
            throw damaged(what, e);
        }
        offset += bytes.length;
        if (bytes.length < count) {
            throw new InvalidFileException(name + ": the file ends at byte " + offset + " within " + what + ", "
                    + (count - bytes.length) + " bytes early");
        }
        return bytes;
    }

    /** Exactly so many bytes into an array that is there already. */
    public void read(byte[] into, int at, int count, String what) throws IOException {
        int got;
        try {
            got = in.readNBytes(into, at, count);
        } catch (IOException e) {
            throw damaged(what, e);
        }
        offset += got;
        if (got < count) {
            throw new InvalidFileException(name + ": the file ends at byte " + offset + " within " + what);
        }
    }

    /** Passes over so many bytes. */
    public void skip(long count, String what) throws IOException {
        if (count > left()) {
            throw fail(what + " must have " + count + " bytes but at most " + left() + " can follow");
        }
        try {
            in.skipNBytes(count);
        } catch (IOException e) {
            throw damaged(what, e);
        }
        offset += count;
    }

    /** The next line without its end, or null at the end of the file. */
    @Nullable
    public String readLine(int maxLength) throws IOException {
        StringBuilder line = new StringBuilder();
        try {
            int value = in.read();
            if (value < 0) {
                return null;
            }
            for (; value >= 0 && value != '\n'; value = in.read()) {
                if (line.length() == maxLength) {
                    throw fail("a line must have at most " + maxLength + " characters but the one here is longer");
                }
                line.append((char) value);
                offset++;
            }
            offset++;
        } catch (ZipException | EOFException e) {
            throw damaged("a line", e);
        }
        return line.toString();
    }

    /** Complains unless the file ends here. */
    public void requireEnd() throws IOException {
        try {
            if (in.read() >= 0) {
                throw fail("the file must end here but goes on");
            }
        } catch (ZipException | EOFException e) {
            throw damaged("the end of the packed data", e);
        }
    }

    private IOException damaged(String what, IOException cause) {
        String message = name + ": at byte " + offset + ": " + what + " cannot be read: " + cause.getMessage();
        return isContent(cause) ? new InvalidFileException(message, cause) : new IOException(message, cause);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
