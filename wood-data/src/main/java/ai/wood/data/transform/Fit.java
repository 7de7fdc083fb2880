package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.random.RandomGenerator;

/**
 * Brings images of any size and colour to one shape, so that any InD and OOD set fit one network: the largest centred
 * part with the right proportions, resized ({@link Resize}), in grey or colour ({@link Channels}).
 */
public record Fit(Shape target) implements Transform {

    public Fit {
        if (target.channels() != 1 && target.channels() != 3) {
            throw new IllegalArgumentException("images have 1 or 3 channels but " + target + " was asked for");
        }
    }

    @Override
    public Shape shape(Shape input) {
        return target;
    }

    @Override
    public Image apply(Image image, RandomGenerator random) {
        Shape in = image.shape();
        if (in.equals(target)) {
            return image;
        }
        int height = (int) Math.min(in.height(), Math.max(1, (long) in.width() * target.height() / target.width()));
        int width = (int) Math.min(in.width(), Math.max(1, (long) in.height() * target.width() / target.height()));
        Image result = new Channels(target.channels()).apply(image, random);
        if (height < in.height() || width < in.width()) {
            result = Crop.centre(height, width).apply(result, random);
        }
        return new Resize(target.height(), target.width()).apply(result);
    }
}
