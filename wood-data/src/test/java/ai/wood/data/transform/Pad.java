package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.random.RandomGenerator;

/** Adds a black border of so many pixels on every side: {@code Pad(2)} brings 28 x 28 to 32 x 32 unscaled. */
record Pad(int pixels) implements Transform {

    public Pad {
        if (pixels < 0) {
            throw new IllegalArgumentException("a border must not be negative but is " + pixels);
        }
    }

    @Override
    public Shape shape(Shape input) {
        return new Shape(input.channels(), input.height() + 2 * pixels, input.width() + 2 * pixels);
    }

    @Override
    public Image apply(Image image, RandomGenerator random) {
        Shape in = image.shape();
        Shape out = shape(in);
        byte[] values = new byte[out.length()];
        for (int c = 0; c < in.channels(); c++) {
            for (int y = 0; y < in.height(); y++) {
                int into = (c * out.height() + y + pixels) * out.width() + pixels;
                image.copy((c * in.height() + y) * in.width(), values, into, in.width());
            }
        }
        return Image.wrap(out, values);
    }
}
