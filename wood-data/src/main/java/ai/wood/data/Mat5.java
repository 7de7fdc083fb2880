package ai.wood.data;

import ai.wood.io.Input;
import ai.wood.io.InvalidFileException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Images in a MATLAB 5 file, as SVHN has them: {@code X}, unsigned bytes of height x width x channels x count in
 * column-major order, and {@code y}, a number per image. Elements may be packed or not, in either byte order.
 *
 * <p>Only numeric arrays are read, and no number of bytes is believed that the file cannot hold. A general MATLAB reader
 * sets aside what a tag claims before it looks, which a hostile file can turn against us.
 *
 * @see <a href="https://www.mathworks.com/help/pdf_doc/matlab/matfile_format.pdf">MAT-File Format</a>
 */
final class Mat5 {

    private static final int HEADER = 128;
    private static final int VERSION = 0x0100;
    private static final int MATRIX = 14;
    private static final int PACKED = 15;
    private static final int UNSIGNED_BYTE = 2;
    private static final int MAX_DIMENSIONS = 32;
    private static final int MAX_NAME = 63;

    private final ByteOrder order;
    private final Labels meaning;
    private @Nullable ArrayDataset images;
    private int @Nullable [] labels;

    private Mat5(ByteOrder order, Labels meaning) {
        this.order = order;
        this.meaning = meaning;
    }

    /** What stands before every piece of data. */
    private record Tag(int type, long bytes, int padding) {}

    static ArrayDataset read(Path file, Labels meaning) throws IOException {
        try (Input in = Input.open(file)) {
            return read(in, meaning);
        }
    }

    static ArrayDataset read(Input in, Labels meaning) throws IOException {
        Mat5 mat = new Mat5(order(in), meaning);
        while (in.left() > 0 && (mat.images == null || mat.labels == null)) {
            mat.readElement(in);
        }
        if (mat.images == null || mat.labels == null) {
            throw in.fail("the file must hold arrays X and y but " + (mat.images == null ? "X" : "y") + " is missing");
        }
        if (mat.images.size() != mat.labels.length) {
            throw in.fail("X and y must be of one length but hold " + mat.images.size() + " images and "
                    + mat.labels.length + " labels");
        }
        return mat.images.withLabels(mat.labels, meaning.classes());
    }

    private static ByteOrder order(Input in) throws IOException {
        byte[] header = in.read(HEADER, "the MATLAB header");
        String mark = new String(header, HEADER - 2, 2, StandardCharsets.US_ASCII);
        if (!mark.equals("IM") && !mark.equals("MI")) {
            throw new InvalidFileException(
                    in.name() + ": at byte 126: a MATLAB 5 file must have the mark IM or MI but this one"
                            + " has none. Maybe it was saved with -v7.3, which is HDF5; save it with -v7.");
        }
        ByteOrder order = mark.equals("IM") ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        int version = ByteBuffer.wrap(header).order(order).getShort(HEADER - 4);
        if (version != VERSION) {
            throw new InvalidFileException(in.name() + ": at byte 124: the MATLAB version must be 0x0100 but is 0x"
                    + Integer.toHexString(version & 0xffff));
        }
        return order;
    }

    private void readElement(Input in) throws IOException {
        Tag tag = tag(in);
        if (tag.type() == PACKED) {
            try (Input inside = in.inflate(tag.bytes(), "an element")) {
                readMatrix(inside, tag(inside));
            }
        } else {
            readMatrix(in, tag);
        }
    }

    private void readMatrix(Input in, Tag matrix) throws IOException {
        if (matrix.type() != MATRIX) {
            throw in.fail("an element must be an array (14) but is of type " + matrix.type());
        }
        long end = in.offset() + matrix.bytes();
        ByteBuffer flags = small(in, 8, "array flags");
        int[] extents = new int[MAX_DIMENSIONS];
        ByteBuffer dimensions = small(in, Integer.BYTES * MAX_DIMENSIONS, "dimensions");
        int rank = dimensions.remaining() / Integer.BYTES;
        for (int d = 0; d < rank; d++) {
            extents[d] = dimensions.getInt();
        }
        String name =
                StandardCharsets.US_ASCII.decode(small(in, MAX_NAME, "a name")).toString();
        boolean complex = flags.remaining() >= 4 && (flags.getInt() & 0x0800) != 0;
        if (!complex && name.equals("X")) {
            images = images(in, Arrays.copyOf(extents, rank));
        } else if (!complex && name.equals("y")) {
            labels = labels(in, Arrays.copyOf(extents, rank));
        }
        if (end < in.offset()) {
            throw in.fail("array " + name + " is longer than its tag says: it should have ended at byte " + end);
        }
        in.skip(end - in.offset(), "the rest of array " + name);
    }

    private ArrayDataset images(Input in, int[] extents) throws IOException {
        if ((extents.length != 4 && extents.length != 3)
                || Arrays.stream(extents).anyMatch(e -> e < 1)) {
            throw in.fail("X must be height x width x channels x count but is " + Arrays.toString(extents));
        }
        Shape shape;
        try {
            shape = new Shape(extents[2], extents[0], extents[1]);
        } catch (IllegalArgumentException e) {
            throw in.fail(String.valueOf(e.getMessage()), e);
        }
        int count = extents.length == 4 ? extents[3] : 1;
        Tag data = tag(in);
        if (data.type() != UNSIGNED_BYTE || data.bytes() != (long) count * shape.length()) {
            throw in.fail("X must be " + (long) count * shape.length() + " unsigned bytes (2) but is " + data.bytes()
                    + " bytes of type " + data.type());
        }
        byte[] values = in.read(data.bytes(), count + " images of " + shape);
        in.skip(data.padding(), "padding");
        for (int plane = 0; plane < count * shape.channels(); plane++) {
            transpose(values, plane * shape.area(), shape.height(), shape.width());
        }
        return ArrayDataset.wrap(shape, values, new int[count]);
    }

    /** From columns one after another to rows one after another. */
    private static void transpose(byte[] values, int start, int height, int width) {
        byte[] columns = Arrays.copyOfRange(values, start, start + height * width);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                values[start + y * width + x] = columns[x * height + y];
            }
        }
    }

    private int[] labels(Input in, int[] extents) throws IOException {
        Tag data = tag(in);
        int width = width(data.type());
        long count = 1;
        for (int extent : extents) {
            count = Math.max(0, extent) * Math.min(count, Integer.MAX_VALUE);
        }
        if (width == 0 || data.bytes() != count * width) {
            throw in.fail("y must be " + count + " numbers but is " + data.bytes() + " bytes of type " + data.type());
        }
        long start = in.offset();
        ByteBuffer bytes =
                ByteBuffer.wrap(in.read(data.bytes(), count + " labels")).order(order);
        in.skip(data.padding(), "padding");
        int[] result = new int[(int) count];
        for (int i = 0; i < result.length; i++) {
            double number = number(bytes, data.type());
            int whole = number == Math.rint(number) ? (int) number : -1;
            result[i] = meaning.parse(whole, in.name(), start + (long) i * width);
        }
        return result;
    }

    private static int width(int type) {
        return switch (type) {
            case 1, 2 -> 1;
            case 3, 4 -> 2;
            case 5, 6, 7 -> 4;
            case 9, 12, 13 -> 8;
            default -> 0;
        };
    }

    private static double number(ByteBuffer bytes, int type) {
        return switch (type) {
            case 1 -> bytes.get();
            case 2 -> bytes.get() & 0xff;
            case 3 -> bytes.getShort();
            case 4 -> bytes.getShort() & 0xffff;
            case 5 -> bytes.getInt();
            case 6 -> bytes.getInt() & 0xffffffffL;
            case 7 -> bytes.getFloat();
            case 9 -> bytes.getDouble();
            default -> bytes.getLong();
        };
    }

    /** A tag of eight bytes, or one of four where the upper half of the type holds the number of bytes. */
    private Tag tag(Input in) throws IOException {
        int type = readInt(in);
        if (type >>> 16 != 0) {
            int bytes = type >>> 16;
            if (bytes > 4) {
                throw in.fail("a short element must have at most 4 bytes but claims " + bytes);
            }
            return new Tag(type & 0xffff, bytes, 4 - bytes);
        }
        long bytes = readInt(in) & 0xffffffffL;
        return new Tag(type, bytes, type == PACKED ? 0 : (int) (-bytes & 7));
    }

    private int readInt(Input in) throws IOException {
        int value = in.readInt("a tag");
        return order == ByteOrder.BIG_ENDIAN ? value : Integer.reverseBytes(value);
    }

    private ByteBuffer small(Input in, int maxBytes, String what) throws IOException {
        Tag tag = tag(in);
        if (tag.bytes() > maxBytes) {
            throw in.fail(what + " must have at most " + maxBytes + " bytes but claim " + tag.bytes());
        }
        ByteBuffer bytes = ByteBuffer.wrap(in.read(tag.bytes(), what)).order(order);
        in.skip(tag.padding(), "padding");
        return bytes;
    }
}
