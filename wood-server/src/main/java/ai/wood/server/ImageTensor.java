package ai.wood.server;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Images as one tensor of shape [N, channels, height, width], read value by value: UINT8, 0 to 255, or FP32, 0 to 1. It
 * holds room for some more values than have come, never for more than may be asked for.
 */
final class ImageTensor {

    private static final int FIRST_VALUES = 1024;
    private static final int MAX_VALUES = Integer.MAX_VALUE - 8; // of an array

    private final Shape shape;
    private final int maxImages;
    private final List<Integer> extents = new ArrayList<>();
    private double[] values = new double[0];
    private int count;
    private int rawBytes = -1;
    private String type = "";

    ImageTensor(Shape shape, int maxImages) {
        this.shape = shape;
        this.maxImages = maxImages;
    }

    void type(String datatype) {
        type = datatype;
    }

    /** Adds a number of the shape. */
    void extent(double extent) {
        boolean isCount = extent >= 0 && extent <= Shape.MAX_LENGTH && extent == Math.rint(extent);
        if (extents.size() == 4 || !isCount) {
            throw wrongShape();
        }
        extents.add((int) extent);
    }

    void value(double value) {
        if (count == values.length) {
            long most = Math.min(MAX_VALUES, (long) maxImages * shape.length());
            if (count == most) {
                throw wrongShape();
            }
            values = Arrays.copyOf(values, (int) Math.min(most, Math.max(FIRST_VALUES, 2L * count)));
        }
        values[count++] = value;
    }

    /** Says that the values follow as raw bytes. */
    void raw(int bytes) {
        rawBytes = bytes;
    }

    private Problem wrongShape() {
        return Problem.badRequest("the shape must be [N, " + shape.channels() + ", " + shape.height() + ", "
                + shape.width() + "] with N from 1 to " + maxImages);
    }

    /** The images, from the values or from raw bytes, little-endian. */
    List<Image> images(ByteBuffer raw) {
        boolean fits = extents.size() == 4
                && extents.subList(1, 4).equals(List.of(shape.channels(), shape.height(), shape.width()))
                && extents.get(0) >= 1
                && extents.get(0) <= maxImages;
        if (!fits) {
            throw wrongShape();
        }
        byte[] pixels = pixels(raw);
        return IntStream.range(0, extents.get(0))
                .mapToObj(i -> Image.wrap(shape, pixels, i * shape.length()))
                .toList();
    }

    private byte[] pixels(ByteBuffer raw) {
        return switch (type) {
            case "UINT8" -> pixels(raw, 1, buffer -> buffer.get() & 0xff, 1);
            case "FP32" -> pixels(raw, Float.BYTES, ByteBuffer::getFloat, 255);
            default -> throw Problem.badRequest("the datatype must be UINT8 or FP32");
        };
    }

    private byte[] pixels(ByteBuffer raw, int bytes, ToDoubleFunction<ByteBuffer> number, int scale) {
        long wanted = (long) extents.get(0) * shape.length();
        boolean binary = rawBytes >= 0;
        boolean whole = binary
                ? count == 0 && rawBytes == wanted * bytes && raw.remaining() == rawBytes
                : count == wanted && !raw.hasRemaining();
        if (!whole) {
            throw Problem.badRequest("the data must be as many as the shape says, " + wanted);
        }
        byte[] pixels = new byte[(int) wanted];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = pixel(binary ? number.applyAsDouble(raw) : values[i], scale);
        }
        return pixels;
    }

    private static byte pixel(double value, int scale) {
        double scaled = value * scale;
        if (!(scaled >= 0 && scaled <= 255) || (scale == 1 && scaled != Math.rint(scaled))) {
            throw Problem.badRequest(
                    scale == 1
                            ? "values of type UINT8 must be whole and lie in 0 to 255"
                            : "values of type FP32 must lie in 0 (black) to 1. Maybe send UINT8");
        }
        return (byte) Math.round(scaled);
    }
}
