package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.random.RandomGenerator;

/** Swaps rows and columns, which sets EMNIST's letters upright. */
public record Transpose() implements Transform {

    @Override
    public Shape shape(Shape input) {
        return new Shape(input.channels(), input.width(), input.height());
    }

    @Override
    public Image apply(Image image, RandomGenerator random) {
        Shape in = image.shape();
        byte[] values = new byte[in.length()];
        int to = 0;
        for (int c = 0; c < in.channels(); c++) {
            for (int x = 0; x < in.width(); x++) {
                for (int y = 0; y < in.height(); y++) {
                    values[to++] = (byte) image.get(c, y, x);
                }
            }
        }
        return Image.wrap(shape(in), values);
    }
}
