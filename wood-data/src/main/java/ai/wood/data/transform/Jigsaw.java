package ai.wood.data.transform;

import ai.wood.Seed;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.random.RandomGenerator;

/**
 * Cuts the image into {@code grid x grid} patches and puts them together in a random order that is not the old one:
 * local texture stays, the object is gone. Pixels that the grid leaves over at the right and bottom stay in place.
 *
 * @param rotated whether each patch is also turned by a random multiple of 90 degrees; patches are then squares
 */
public record Jigsaw(int grid, boolean rotated) implements Transform {

    public Jigsaw {
        if (grid < 2) {
            throw new IllegalArgumentException("a jigsaw needs a grid of 2 or more but has " + grid);
        }
    }

    @Override
    public Shape shape(Shape input) {
        if (grid > Math.min(input.height(), input.width())) {
            throw new IllegalArgumentException("images of " + input + " cannot be cut into " + grid + " x " + grid);
        }
        return input;
    }

    @Override
    public Image apply(Image image, RandomGenerator random) {
        Shape shape = shape(image.shape());
        int height = rotated ? Math.min(shape.height(), shape.width()) / grid : shape.height() / grid;
        int width = rotated ? height : shape.width() / grid;
        int[] order = order(random);
        byte[] values = image.toArray();
        for (int to = 0; to < order.length; to++) {
            int turns = rotated ? random.nextInt(4) : 0;
            int fromY = order[to] / grid * height;
            int fromX = order[to] % grid * width;
            for (int y = 0; y < height; y++) {
                for (int x = 0; x < width; x++) {
                    int sy = turns == 0 ? y : turns == 1 ? x : turns == 2 ? height - 1 - y : height - 1 - x;
                    int sx = turns == 0 ? x : turns == 1 ? height - 1 - y : turns == 2 ? width - 1 - x : y;
                    int into = (to / grid * height + y) * shape.width() + to % grid * width + x;
                    for (int c = 0; c < shape.channels(); c++) {
                        values[c * shape.area() + into] = (byte) image.get(c, fromY + sy, fromX + sx);
                    }
                }
            }
        }
        return Image.wrap(shape, values);
    }

    private int[] order(RandomGenerator random) {
        while (true) {
            int[] order = new Seed(random.nextLong()).permutation(grid * grid);
            for (int i = 0; i < order.length; i++) {
                if (order[i] != i) {
                    return order;
                }
            }
        }
    }

    @Override
    public boolean varies() {
        return true;
    }
}
