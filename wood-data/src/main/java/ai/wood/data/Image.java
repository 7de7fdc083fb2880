package ai.wood.data;

import java.util.Arrays;
import java.util.Objects;

/**
 * An image: channels x height x width values of 8 bits, 0 = black, 255 = full.
 *
 * <p>Values lie channel by channel, each row by row from the top left, as networks want them. They become floats only at
 * a network's edge, through {@code ai.wood.data.transform.Normalise}. An image is immutable and safe to share.
 */
public final class Image {

    private final Shape shape;
    private final byte[] values;
    private final int offset;

    private Image(Shape shape, byte[] values, int offset) {
        if (offset < 0 || offset > values.length - shape.length()) {
            throw new IllegalArgumentException("an image of " + shape + " needs " + shape.length() + " values but from "
                    + offset + " on there are " + (values.length - offset));
        }
        this.shape = shape;
        this.values = values;
        this.offset = offset;
    }

    /** Copies the values, of which there must be exactly {@code shape.length()}. */
    public static Image of(Shape shape, byte[] values) {
        if (values.length != shape.length()) {
            throw new IllegalArgumentException(
                    "an image of " + shape + " needs " + shape.length() + " values but got " + values.length);
        }
        return new Image(shape, values.clone(), 0);
    }

    /** Looks at a part of an array without copying it; the caller must not change it afterwards. */
    public static Image wrap(Shape shape, byte[] values, int offset) {
        return new Image(shape, values, offset);
    }

    /** Takes over an array without copying it; the caller must not change it afterwards. */
    public static Image wrap(Shape shape, byte[] values) {
        return new Image(shape, values, 0);
    }

    public Shape shape() {
        return shape;
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
        return values[offset + Objects.checkIndex(index, shape.length())] & 0xff;
    }

    /** Copies {@code length} values, from place {@code index} on, in channel-row-column order. */
    public void copy(int index, byte[] into, int at, int length) {
        Objects.checkFromIndexSize(index, length, shape.length());
        System.arraycopy(values, offset + index, into, at, length);
    }

    /** A copy of all values in channel-row-column order. */
    public byte[] toArray() {
        return Arrays.copyOfRange(values, offset, offset + shape.length());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Image that
                && shape.equals(that.shape)
                && Arrays.equals(
                        values,
                        offset,
                        offset + shape.length(),
                        that.values,
                        that.offset,
                        that.offset + shape.length());
    }

    @Override
    public int hashCode() {
        return 31 * shape.hashCode() + Arrays.hashCode(toArray());
    }

    @Override
    public String toString() {
        return "Image[" + shape + "]";
    }
}
