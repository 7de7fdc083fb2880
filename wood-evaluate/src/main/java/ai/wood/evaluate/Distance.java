package ai.wood.evaluate;

import ai.wood.Names;
import ai.wood.data.KnownDataset;
import ai.wood.data.Noise;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * How much an OOD set looks like the InD set: near ones are harder to tell apart, and averages are told apart by it.
 *
 * <p>Pairs of known sets are those of OpenOOD 1.5 where it has them: grey glyphs and things on an empty ground are near one
 * another, and so are pictures of objects; whatever is made from InD images is near; noise is far.
 *
 * @see <a href="https://arxiv.org/abs/2306.09301">Zhang and others, 2023</a>
 */
public enum Distance {
    NEAR,
    FAR,
    /** A user's own set. It counts in no average but that of all sets. */
    UNKNOWN;

    private static final List<Set<KnownDataset>> FAMILIES = List.of(
            EnumSet.of(
                    KnownDataset.MNIST,
                    KnownDataset.FASHION_MNIST,
                    KnownDataset.EMNIST_LETTERS,
                    KnownDataset.NOTMNIST,
                    KnownDataset.OMNIGLOT,
                    KnownDataset.USPS,
                    KnownDataset.MNIST_SMALL,
                    KnownDataset.FASHION_MNIST_SMALL),
            EnumSet.of(
                    KnownDataset.CIFAR10,
                    KnownDataset.CIFAR100,
                    KnownDataset.TINY_IMAGENET_R,
                    KnownDataset.TINY_IMAGENET_C));

    /** The distance of two sets by their names in the catalogue. */
    public static Distance of(String ind, String ood) {
        if (Arrays.stream(Noise.values()).anyMatch(noise -> noise.id().equals(ood))) {
            return FAR;
        }
        if (ood.endsWith(":" + ind)) {
            return NEAR;
        }
        if (!isKnown(ind) || !isKnown(ood)) {
            return UNKNOWN;
        }
        return FAMILIES.stream().anyMatch(family -> has(family, ind) && has(family, ood)) ? NEAR : FAR;
    }

    private static boolean isKnown(String name) {
        return has(EnumSet.allOf(KnownDataset.class), name);
    }

    private static boolean has(Set<KnownDataset> family, String name) {
        return family.stream().anyMatch(known -> known.id().equals(name));
    }

    /** The word for people and files: {@code near}. */
    public String id() {
        return Names.of(this);
    }
}
