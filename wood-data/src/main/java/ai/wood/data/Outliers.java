package ai.wood.data;

import ai.wood.Names;
import ai.wood.Seed;
import ai.wood.data.transform.Blur;
import ai.wood.data.transform.Jigsaw;
import ai.wood.data.transform.Transform;
import ai.wood.data.transform.Turn;
import java.util.List;
import java.util.function.BiFunction;
import java.util.random.RandomGenerator;

/** OOD samples made from InD samples, for when there are no others. Their names go before that of the InD set. */
public enum Outliers {
    /** The image's 4 x 4 patches in another order. */
    PATCH_SHUFFLED(transform(new Jigsaw(4, false))),
    /** The image's 4 x 4 patches in another order, each turned by a random quarter. */
    JIGSAW(transform(new Jigsaw(4, true))),
    /** The image turned by a quarter, left or right. */
    ROTATED(transform(new Turn())),
    /** Blurred so strongly that no object is left to see. */
    BLURRED(transform(new Blur(4))),
    /** Two images of different classes laid over one another. */
    MIXED_UP(MixUp::new);

    private final BiFunction<Dataset, Seed, Dataset> maker;

    Outliers(BiFunction<Dataset, Seed, Dataset> maker) {
        this.maker = maker;
    }

    private static BiFunction<Dataset, Seed, Dataset> transform(Transform transform) {
        return (ind, seed) -> new TransformedDataset(ind.name(), ind, transform, seed);
    }

    /** As many outliers as there are InD samples, of their shape and split, unlabelled. */
    public Dataset of(Dataset ind, Seed seed) {
        return new Unlabelled(id() + ":" + ind.name(), maker.apply(ind, seed));
    }

    /** The name used on the command line and in files: {@code patch-shuffled}. */
    public String id() {
        return Names.of(this);
    }

    /** A dataset under another name and without its labels. */
    private record Unlabelled(String name, Dataset original) implements Derived {

        @Override
        public Sample get(int index) {
            return new Sample(original.get(index).image(), Sample.UNLABELLED);
        }

        @Override
        public Sample draw(int index, RandomGenerator random) {
            return new Sample(original.draw(index, random).image(), Sample.UNLABELLED);
        }

        @Override
        public List<String> classes() {
            return List.of();
        }

        @Override
        public int label(int index) {
            return Sample.UNLABELLED;
        }
    }
}
