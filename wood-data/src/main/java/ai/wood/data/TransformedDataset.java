package ai.wood.data;

import ai.wood.Seed;
import ai.wood.data.transform.Transform;
import java.util.random.RandomGenerator;

/**
 * A dataset whose images are transformed as they are read.
 *
 * <p>Where the transform draws by chance, {@link #get} draws once and for all by the seed and the index, so evaluation
 * always sees the same image, and {@link #draw} anew each time, so training does not.
 */
record TransformedDataset(String name, Dataset original, Transform transform, Seed seed) implements Derived {

    public TransformedDataset {
        transform.shape(original.shape());
    }

    /** With a transform in which chance plays no part. */
    public static Dataset of(Dataset original, Transform transform) {
        return new TransformedDataset(original.name(), original, transform, new Seed(0));
    }

    @Override
    public Sample get(int index) {
        return apply(original.get(index), seed.at(index).random());
    }

    @Override
    public Sample draw(int index, RandomGenerator random) {
        return apply(original.draw(index, random), random);
    }

    private Sample apply(Sample sample, RandomGenerator random) {
        return new Sample(transform.apply(sample.image(), random), sample.label());
    }

    @Override
    public Shape shape() {
        return transform.shape(original.shape());
    }

    @Override
    public boolean varies() {
        return original.varies() || transform.varies();
    }
}
