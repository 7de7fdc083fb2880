package ai.wood.data.transform;

import ai.wood.data.Image;
import java.util.random.RandomGenerator;

/** Swaps black and white, such as ink on paper for chalk on a board. */
public record Invert() implements Transform {

    @Override
    public Image apply(Image image, RandomGenerator random) {
        byte[] values = image.toArray();
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) ~values[i];
        }
        return Image.wrap(image.shape(), values);
    }
}
