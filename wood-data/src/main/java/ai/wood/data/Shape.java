package ai.wood.data;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The extents of an image: channels (1 = grey, 3 = red, green, blue), height and width in pixels.
 *
 * <p>No image may have more than {@value #MAX_LENGTH} values; a file that claims more is not believed.
 */
public record Shape(int channels, int height, int width) {

    static final Shape GREY_28 = new Shape(1, 28, 28);
    static final Shape COLOUR_32 = new Shape(3, 32, 32);

    /** 2^28, a colour photograph of 89 megapixels: beyond any camera, below a heap's end. */
    public static final int MAX_LENGTH = 1 << 28;

    private static final Pattern FORMAT = Pattern.compile("(\\d{1,9})x(\\d{1,9})x(\\d{1,9})");

    public Shape {
        if (channels < 1 || height < 1 || width < 1) {
            throw new IllegalArgumentException(
                    "an image needs positive extents but has " + channels + " x " + height + " x " + width);
        }
        if ((long) channels * height > MAX_LENGTH || (long) channels * height * width > MAX_LENGTH) {
            throw new IllegalArgumentException("an image may have at most " + MAX_LENGTH + " values but " + channels
                    + " x " + height + " x " + width + " are more");
        }
    }

    /** Reads what {@link #toString} writes: {@code 3x32x32}. */
    public static Shape parse(String text) {
        Matcher extents = FORMAT.matcher(text);
        if (!extents.matches()) {
            throw new IllegalArgumentException(
                    "a shape must be CHANNELSxHEIGHTxWIDTH such as 3x32x32 but is '" + text + "'");
        }
        return new Shape(
                Integer.parseInt(extents.group(1)),
                Integer.parseInt(extents.group(2)),
                Integer.parseInt(extents.group(3)));
    }

    /** The number of values: channels x height x width. */
    public int length() {
        return channels * height * width;
    }

    /** The number of pixels in a channel: height x width. */
    public int area() {
        return height * width;
    }

    @Override
    public String toString() {
        return channels + "x" + height + "x" + width;
    }
}
