package ai.wood.server;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Images as one tensor of shape [N, channels, height, width], read value by value. UINT8 values are pixels from 0 to 255,
 * which the network's own normalisation follows. FP32 values are normalised already and reach the network unchanged. Memory
 * grows with the values that have arrived, not with the shape.
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

    /** The values follow the JSON as raw bytes. */
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
        return switch (type) {
            case "UINT8" -> pixels(raw);
            case "FP32" -> normalised(raw);
            default -> throw Problem.badRequest("the datatype must be UINT8 or FP32");
        };
    }

    private List<Image> pixels(ByteBuffer raw) {
        byte[] pixels = new byte[length(raw, 1)];
        for (int i = 0; i < pixels.length; i++) {
            double value = rawBytes >= 0 ? raw.get() & 0xff : values[i];
            if (!(value >= 0 && value <= 255 && value == Math.rint(value))) {
                throw Problem.badRequest("values of type UINT8 must be whole and lie in 0 to 255");
            }
            pixels[i] = (byte) value;
        }
        return images(start -> Image.wrap(shape, pixels, start));
    }

    private List<Image> normalised(ByteBuffer raw) {
        float[] floats = new float[length(raw, Float.BYTES)];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = rawBytes >= 0 ? raw.getFloat() : (float) values[i];
            if (!Float.isFinite(floats[i])) {
                throw Problem.badRequest("values of type FP32 must be finite numbers of 32 bits");
            }
        }
        return images(start -> Image.normalised(shape, floats, start));
    }

    private List<Image> images(IntFunction<Image> from) {
        return IntStream.range(0, extents.get(0))
                .mapToObj(i -> from.apply(i * shape.length()))
                .toList();
    }

    /** The number of values, which must be what the shape says. */
    private int length(ByteBuffer raw, int bytes) {
        long wanted = (long) extents.get(0) * shape.length();
        boolean complete = rawBytes >= 0
                ? count == 0 && rawBytes == wanted * bytes && raw.remaining() == rawBytes
                : count == wanted && !raw.hasRemaining();
        if (!complete) {
            throw Problem.badRequest("the data must have as many values as the shape says, " + wanted);
        }
        return (int) wanted;
    }
}
