package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.random.RandomGenerator;

/**
 * Paints a square of medium grey (128) around a random pixel, cut off at the image's edges.
 *
 * @param size the square's side in pixels
 * @see <a href="https://arxiv.org/abs/1708.04552">DeVries and Taylor, 2017</a>
 */
public record Cutout(int size) implements Transform {

    /** The value of the square's pixels. */
    public static final byte GREY = (byte) 128;

    public Cutout {
        if (size < 1) {
            throw new IllegalArgumentException("a square needs a positive side but has " + size);
        }
    }

    @Override
    public Image apply(Image image, RandomGenerator random) {
        Shape shape = image.shape();
        int top = start(shape.height(), random);
        int left = start(shape.width(), random);
        byte[] values = image.toArray();
        for (int c = 0; c < shape.channels(); c++) {
            for (int y = Math.max(0, top); y < Math.min(shape.height(), top + size); y++) {
                for (int x = Math.max(0, left); x < Math.min(shape.width(), left + size); x++) {
                    values[(c * shape.height() + y) * shape.width() + x] = GREY;
                }
            }
        }
        return Image.wrap(shape, values);
    }

    /** Draws where the square begins: first its row, then its column. */
    int start(int length, RandomGenerator random) {
        return random.nextInt(length) - size / 2;
    }

    @Override
    public boolean varies() {
        return true;
    }
}
