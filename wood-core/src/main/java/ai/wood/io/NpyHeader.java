package ai.wood.io;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/**
 * The header of a NumPy array file (format versions 1 to 3): element type, byte order and shape of what follows.
 *
 * @param type kind and size of an element, such as {@code f4}, {@code f8}, {@code u1}, {@code i8}
 * @param order byte order of the elements
 * @param shape extents, slowest-varying first; empty for a single number
 * @param length bytes taken by the header, the offset of the first element
 */
public record NpyHeader(String type, ByteOrder order, List<Long> shape, int length) {

    /** Length of every header that {@link #bytes} makes. */
    static final int WRITTEN_LENGTH = 128;

    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final int MAX_TEXT = 64 * 1024;
    private static final Pattern DESCR = Pattern.compile("'descr'\\s*:\\s*'([<>|=]?)([a-zA-Z])(\\d{1,3})'");
    private static final Pattern FORTRAN = Pattern.compile("'fortran_order'\\s*:\\s*(True|False)");
    private static final Pattern SHAPE = Pattern.compile("'shape'\\s*:\\s*\\(([0-9,\\s]*)\\)");

    public NpyHeader {
        shape = List.copyOf(shape);
    }

    /** Whether these are the first bytes of a NumPy array file; six bytes suffice to tell. */
    public static boolean startsWithMagic(byte[] bytes) {
        return bytes.length >= MAGIC.length && Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
    }

    /**
     * Reads the header and leaves the stream at the first element.
     *
     * @param name of the file, for messages
     * @throws IOException where this is no array file, or one in Fortran order or of a compound or object type
     */
    public static NpyHeader read(InputStream in, String name) throws IOException {
        byte[] start = exactly(in, 8, name);
        if (!startsWithMagic(start)) {
            throw new InvalidFileException(
                    name + ": a NumPy array file must start with \\x93NUMPY but this one does not");
        }
        int version = start[6];
        if (version < 1 || version > 3) {
            throw new InvalidFileException(name + ": NumPy format version must be 1, 2 or 3 but is " + version);
        }
        byte[] size = exactly(in, version == 1 ? 2 : 4, name);
        long textLength = 0;
        for (int i = size.length - 1; i >= 0; i--) {
            textLength = textLength << 8 | (size[i] & 0xff);
        }
        if (textLength > MAX_TEXT) {
            throw new InvalidFileException(
                    name + ": the header claims " + textLength + " bytes but at most " + MAX_TEXT + " are believed");
        }
        String text = new String(exactly(in, (int) textLength, name), StandardCharsets.UTF_8);
        return parse(text, 8 + size.length + (int) textLength, name);
    }

    private static NpyHeader parse(String text, int length, String name) throws IOException {
        Matcher descr = find(DESCR, text, "an element type such as '<f4'", name);
        if (find(FORTRAN, text, "fortran_order", name).group(1).equals("True")) {
            throw new InvalidFileException(name + ": the array must be in C order but is in Fortran order."
                    + " Maybe save numpy.ascontiguousarray(a).");
        }
        long[] shape;
        try {
            shape = Arrays.stream(find(SHAPE, text, "a shape", name).group(1).split(","))
                    .map(String::strip)
                    .filter(s -> !s.isEmpty())
                    .mapToLong(Long::parseLong)
                    .toArray();
        } catch (NumberFormatException e) {
            throw new InvalidFileException(name + ": the shape in the header is absurd: " + text.strip(), e);
        }
        ByteOrder order = descr.group(1).equals(">") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        return new NpyHeader(
                descr.group(2) + descr.group(3),
                order,
                LongStream.of(shape).boxed().toList(),
                length);
    }

    private static Matcher find(Pattern pattern, String text, String what, String name) throws IOException {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new InvalidFileException(name + ": the header must tell " + what + " but reads " + text.strip());
        }
        return matcher;
    }

    private static byte[] exactly(InputStream in, int count, String name) throws IOException {
        byte[] bytes = in.readNBytes(count);
        if (bytes.length < count) {
            throw new InvalidFileException(name + ": the file ends within the NumPy header");
        }
        return bytes;
    }

    /** The header as bytes for a little-endian C-order array, padded to 128 bytes, so that it can be rewritten. */
    public static byte[] bytes(String type, long... shape) {
        StringBuilder text = new StringBuilder(
                "{'descr': '" + (type.endsWith("1") ? '|' : '<') + type + "', 'fortran_order': False, 'shape': (");
        for (long extent : shape) {
            text.append(extent).append(',');
        }
        text.append("), }");
        byte[] bytes = new byte[WRITTEN_LENGTH];
        Arrays.fill(bytes, (byte) ' ');
        System.arraycopy(MAGIC, 0, bytes, 0, MAGIC.length);
        bytes[6] = 1;
        bytes[7] = 0;
        bytes[8] = WRITTEN_LENGTH - 10;
        bytes[9] = 0;
        byte[] ascii = text.toString().getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(ascii, 0, bytes, 10, ascii.length);
        bytes[WRITTEN_LENGTH - 1] = '\n';
        return bytes;
    }
}
