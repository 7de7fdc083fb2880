package ai.wood.data;

import ai.wood.Seed;
import ai.wood.data.transform.Normalise;
import ai.wood.data.transform.Transform;

/**
 * How a {@link Loader} makes batches.
 *
 * @param ind InD samples in a batch
 * @param ood OOD samples in a batch; 0 for none
 * @param shuffled whether InD samples come in a new random order every epoch, with the incomplete last batch left out;
 *     otherwise they come in the dataset's order, all of them, and the last batch may be smaller
 * @param indTransform applied to InD images
 * @param oodTransform applied to OOD images
 * @param normalise turns 8-bit values into floats
 * @param seed decides order, choice of OOD samples and all transforms
 * @param threads fill batches in the background; their number changes nothing but speed
 * @param shard the part of each batch to make; {@code ind} and {@code ood} count the whole batch
 */
public record LoaderOptions(
        int ind,
        int ood,
        boolean shuffled,
        Transform indTransform,
        Transform oodTransform,
        Normalise normalise,
        Seed seed,
        int threads,
        BatchShard shard) {

    public LoaderOptions {
        if (ind < 1 || ood < 0) {
            throw new IllegalArgumentException(
                    "a batch needs at least 1 InD and 0 OOD samples but is to have " + ind + " and " + ood);
        }
        if (threads < 1) {
            throw new IllegalArgumentException("at least 1 thread is needed but " + threads + " were asked for");
        }
        shard.check(ind, ood);
        if (!shuffled && shard.parts() > 1) {
            throw new IllegalArgumentException("only shuffled batches, which are all complete, can be made in parts");
        }
    }

    /** Batches for training, shuffled, as the paper's Algorithm 1 asks: B_ind InD and B_ood OOD samples. */
    public static LoaderOptions training(int ind, int ood) {
        Transform none = Transform.of();
        return new LoaderOptions(ind, ood, true, none, none, Normalise.UNIT, new Seed(0), processors(), BatchShard.ALL);
    }

    /** Batches for evaluation: every sample once, in the dataset's order. */
    public static LoaderOptions evaluation(int size) {
        Transform none = Transform.of();
        return new LoaderOptions(size, 0, false, none, none, Normalise.UNIT, new Seed(0), processors(), BatchShard.ALL);
    }

    private static int processors() {
        return Math.min(16, Runtime.getRuntime().availableProcessors());
    }

    /** The same transform for InD and OOD images. */
    public LoaderOptions withTransform(Transform transform) {
        return new LoaderOptions(ind, ood, shuffled, transform, transform, normalise, seed, threads, shard);
    }

    public LoaderOptions withNormalise(Normalise normalise) {
        return new LoaderOptions(ind, ood, shuffled, indTransform, oodTransform, normalise, seed, threads, shard);
    }

    public LoaderOptions withSeed(Seed seed) {
        return new LoaderOptions(ind, ood, shuffled, indTransform, oodTransform, normalise, seed, threads, shard);
    }

    public LoaderOptions withThreads(int threads) {
        return new LoaderOptions(ind, ood, shuffled, indTransform, oodTransform, normalise, seed, threads, shard);
    }

    public LoaderOptions withShard(BatchShard shard) {
        return new LoaderOptions(ind, ood, shuffled, indTransform, oodTransform, normalise, seed, threads, shard);
    }
}
