package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.random.RandomGenerator;

/** Turns a square image by a quarter, to the left or to the right by chance. */
public record Turn() implements Transform {

    @Override
    public Shape shape(Shape input) {
        if (input.height() != input.width()) {
            throw new IllegalArgumentException(
                    "only square images keep their shape when they are turned by a quarter but these are " + input);
        }
        return input;
    }

    @Override
    public Image apply(Image image, RandomGenerator random) {
        Shape shape = shape(image.shape());
        int last = shape.width() - 1;
        boolean left = random.nextBoolean();
        byte[] values = new byte[shape.length()];
        int to = 0;
        for (int c = 0; c < shape.channels(); c++) {
            for (int y = 0; y <= last; y++) {
                for (int x = 0; x <= last; x++) {
                    values[to++] = (byte) (left ? image.get(c, x, last - y) : image.get(c, last - x, y));
                }
            }
        }
        return Image.wrap(shape, values);
    }

    @Override
    public boolean varies() {
        return true;
    }
}
