package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.random.RandomGenerator;

/**
 * Cuts out a rectangle: at a random place, all equally likely, or from the centre.
 *
 * @param random whether the place is random
 */
public record Crop(int height, int width, boolean random) implements Transform {

    public Crop {
        if (height < 1 || width < 1) {
            throw new IllegalArgumentException("a size must be positive but is " + height + " x " + width);
        }
    }

    public static Crop random(int height, int width) {
        return new Crop(height, width, true);
    }

    public static Crop centre(int height, int width) {
        return new Crop(height, width, false);
    }

    @Override
    public Shape shape(Shape input) {
        if (height > input.height() || width > input.width()) {
            throw new IllegalArgumentException(
                    "a crop of " + height + " x " + width + " does not fit in images of " + input);
        }
        return new Shape(input.channels(), height, width);
    }

    @Override
    public Image apply(Image image, RandomGenerator generator) {
        Shape in = image.shape();
        Shape out = shape(in);
        int top = place(in.height() - height, generator);
        int left = place(in.width() - width, generator);
        byte[] values = new byte[out.length()];
        for (int c = 0; c < in.channels(); c++) {
            for (int y = 0; y < height; y++) {
                int from = (c * in.height() + top + y) * in.width() + left;
                image.copy(from, values, (c * height + y) * width, width);
            }
        }
        return Image.wrap(out, values);
    }

    private int place(int room, RandomGenerator generator) {
        return random ? generator.nextInt(room + 1) : room / 2;
    }

    @Override
    public boolean varies() {
        return random;
    }
}
