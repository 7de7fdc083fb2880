package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.random.RandomGenerator;

/** Mirrors left and right in half of all cases. */
public record Flip() implements Transform {

    @Override
    public Image apply(Image image, RandomGenerator random) {
        if (!mirrors(random)) {
            return image;
        }
        Shape shape = image.shape();
        byte[] values = image.toArray();
        for (int row = 0; row < values.length; row += shape.width()) {
            for (int i = row, j = row + shape.width() - 1; i < j; i++, j--) {
                byte swap = values[i];
                values[i] = values[j];
                values[j] = swap;
            }
        }
        return Image.wrap(shape, values);
    }

    boolean mirrors(RandomGenerator random) {
        return !random.nextBoolean();
    }

    @Override
    public boolean varies() {
        return true;
    }
}
