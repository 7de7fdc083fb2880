package ai.wood.data;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * An image: channels x height x width values of 8 bits, 0 = black, 255 = full.
 *
 * <p>Values lie channel by channel, each row by row from the top left, as networks want them. They become floats only at
 * a network's edge, through {@code ai.wood.data.transform.Normalise}. An image that comes from another program may be
 * normalised already. It has floats for a network and no values of 8 bits. An image is immutable and safe to share.
 */
public final class Image {

    private static final byte[] NO_VALUES = new byte[0];
    private static final float[] NO_FLOATS = new float[0];

    private final Shape shape;
    private final byte[] values;
    private final float[] normalised; // empty where there are values of 8 bits
    private final int offset;

    private Image(Shape shape, byte[] values, float[] normalised, int offset) {
        int length = values.length + normalised.length;
        if (offset < 0 || offset > length - shape.length()) {
            throw new IllegalArgumentException("an image of " + shape + " needs " + shape.length() + " values but from "
                    + offset + " on there are " + (length - offset));
        }
        this.shape = shape;
        this.values = values;
        this.normalised = normalised;
        this.offset = offset;
    }

    /** Copies the values, of which there must be exactly {@code shape.length()}. */
    public static Image of(Shape shape, byte[] values) {
        if (values.length != shape.length()) {
            throw new IllegalArgumentException(
                    "an image of " + shape + " needs " + shape.length() + " values but got " + values.length);
        }
        return new Image(shape, values.clone(), NO_FLOATS, 0);
    }

    /** Looks at a part of an array without copying it; the caller must not change it afterwards. */
    public static Image wrap(Shape shape, byte[] values, int offset) {
        return new Image(shape, values, NO_FLOATS, offset);
    }

    /** Takes over an array without copying it; the caller must not change it afterwards. */
    public static Image wrap(Shape shape, byte[] values) {
        return new Image(shape, values, NO_FLOATS, 0);
    }

    /**
     * Looks at a part of an array that holds an image as a network reads it. The floats reach the network unchanged. The
     * caller must not change them afterwards.
     */
    public static Image normalised(Shape shape, float[] values, int offset) {
        return new Image(shape, NO_VALUES, values, offset);
    }

    public Shape shape() {
        return shape;
    }

    /** Whether this image has floats for a network, and no values of 8 bits. */
    public boolean isNormalised() {
        return normalised.length > 0;
    }

    /** Copies the floats of a normalised image, in channel-row-column order. */
    public void copyNormalised(float[] into, int at) {
        System.arraycopy(normalised, offset, into, at, shape.length());
    }

    private byte[] values() {
        if (isNormalised()) {
            throw new IllegalArgumentException(
                    "this needs an image of 8-bit values but the image is normalised already");
        }
        return values;
    }

    /** One value, 0 to 255. */
    public int get(int channel, int y, int x) {
        Objects.checkIndex(channel, shape.channels());
        Objects.checkIndex(y, shape.height());
        Objects.checkIndex(x, shape.width());
        return get((channel * shape.height() + y) * shape.width() + x);
    }

    /** One value by its place in channel-row-column order, 0 to 255. */
    public int get(int index) {
        return values()[offset + Objects.checkIndex(index, shape.length())] & 0xff;
    }

    /** Copies {@code length} values, from place {@code index} on, in channel-row-column order. */
    public void copy(int index, byte[] into, int at, int length) {
        Objects.checkFromIndexSize(index, length, shape.length());
        System.arraycopy(values(), offset + index, into, at, length);
    }

    /** A copy of all values in channel-row-column order. */
    public byte[] toArray() {
        return Arrays.copyOfRange(values(), offset, offset + shape.length());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Image that
                && shape.equals(that.shape)
                && isNormalised() == that.isNormalised()
                && content().equals(that.content());
    }

    /** The part of the array that belongs to this image. */
    private Buffer content() {
        return isNormalised()
                ? FloatBuffer.wrap(normalised, offset, shape.length())
                : ByteBuffer.wrap(values, offset, shape.length());
    }

    @Override
    public int hashCode() {
        return 31 * shape.hashCode() + content().hashCode();
    }

    @Override
    public String toString() {
        return "Image[" + shape + "]";
    }
}
