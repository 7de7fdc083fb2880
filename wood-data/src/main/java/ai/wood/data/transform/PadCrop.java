package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.random.RandomGenerator;

/**
 * Shifts the image by up to so many pixels in each direction, filling in black: what padding and a random
 * {@link Crop} back to the old size do one after the other, in one pass. With 4 pixels, the customary CIFAR training.
 */
public record PadCrop(int pixels) implements Transform {

    public PadCrop {
        if (pixels < 0) {
            throw new IllegalArgumentException("a border must not be negative but is " + pixels);
        }
    }

    @Override
    public Image apply(Image image, RandomGenerator random) {
        Shape shape = image.shape();
        int down = shift(random);
        int right = shift(random);
        int height = shape.height();
        int width = shape.width();
        int left = Math.max(0, right);
        int length = width - Math.abs(right);
        byte[] values = new byte[shape.length()];
        for (int c = 0; c < shape.channels() && length > 0; c++) {
            for (int y = Math.max(0, down); y < Math.min(height, height + down); y++) {
                int from = (c * height + y - down) * width + left - right;
                image.copy(from, values, (c * height + y) * width + left, length);
            }
        }
        return Image.wrap(shape, values);
    }

    /** Draws a number of pixels: first down, then right. */
    int shift(RandomGenerator random) {
        return random.nextInt(2 * pixels + 1) - pixels;
    }

    @Override
    public boolean varies() {
        return pixels > 0;
    }
}
