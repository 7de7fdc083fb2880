package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Turns an image into another one.
 *
 * <p>All chance comes from the given generator, so the same generator state gives the same image on every machine and
 * thread. Implementations are immutable records; {@code toString} tells all their settings.
 */
public interface Transform {

    /** The changed image, of shape {@code shape(image.shape())}. */
    Image apply(Image image, RandomGenerator random);

    /**
     * The shape of the result, known beforehand so that buffers can be made.
     *
     * @throws IllegalArgumentException where images of this shape cannot be changed so
     */
    default Shape shape(Shape input) {
        return input;
    }

    /** Whether chance plays a part, so that the same image can come out in several ways. */
    default boolean varies() {
        return false;
    }

    /** One transform after another; none at all leaves images as they are. */
    static Transform of(Transform... steps) {
        return steps.length == 1 ? steps[0] : new Chain(List.of(steps));
    }
}
