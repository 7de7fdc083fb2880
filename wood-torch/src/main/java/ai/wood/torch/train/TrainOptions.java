package ai.wood.torch.train;

import ai.wood.torch.Precision;
import org.jspecify.annotations.Nullable;

/**
 * How a network is trained. Together with the data, the network and the loss it decides every bit of the result on one
 * machine, whatever the number of loader threads.
 *
 * @param epochs passes over the InD training set
 * @param indBatch InD samples in a step; the paper's {@code B_ind}
 * @param oodBatch OOD samples in a step; the paper's {@code B_ood}
 * @param update how a gradient changes the weights
 * @param device such as {@code cpu} or {@code cuda:1}
 * @param precision of the forward pass
 * @param threads native threads of an operation
 * @param seed of weights, order, transforms and dropout
 * @param checkpointEvery steps between checkpoints; there is always one after ten minutes and at the end of an epoch
 * @param mining how outliers are chosen for each epoch; null for all of them
 */
public record TrainOptions(
        int epochs,
        int indBatch,
        int oodBatch,
        UpdateOptions update,
        String device,
        Precision precision,
        int threads,
        long seed,
        int checkpointEvery,
        @Nullable Mining mining) {

    private static final int MAX_THREADS = 1024;

    /**
     * Informative outlier mining: before each epoch the network scores a random pool of the OOD training samples, and the
     * epoch draws its outliers from a quarter of the pool, beginning at a quantile of the scores from the lowest up. The
     * lowest are hardest to tell from InD, and some of them may be InD in truth, hence a quantile above 0.
     *
     * @param quantile where the chosen quarter begins, from 0 (the hardest) to 0.75 (the easiest); the original takes 0.125
     *     for CIFAR-10
     * @param pool how many samples are scored; 0 for all
     * @see <a href="https://arxiv.org/abs/2006.15207">Chen et al. 2021, ATOM: Robustifying Out-of-distribution Detection
     *     Using Outlier Mining</a>
     */
    public record Mining(double quantile, int pool) {

        /** The original chooses 100,000 of a pool of 400,000. */
        static final double SHARE = 0.25;

        public Mining {
            if (!(quantile >= 0 && quantile <= 1 - SHARE)) {
                throw new IllegalArgumentException(
                        "the quantile to mine from must lie in [0, 0.75] but is " + quantile);
            }
            if (pool < 0) {
                throw new IllegalArgumentException("the pool must not be negative but is " + pool);
            }
        }
    }

    public TrainOptions {
        if (threads > MAX_THREADS) {
            throw new IllegalArgumentException("threads must be at most " + MAX_THREADS + " but are " + threads);
        }
        if (epochs < 1 || threads < 1 || checkpointEvery < 1) {
            throw new IllegalArgumentException("epochs, threads and steps between checkpoints must be positive but are "
                    + epochs + ", " + threads + " and " + checkpointEvery);
        }
        if (indBatch < 2 || oodBatch < 0) {
            throw new IllegalArgumentException("a batch needs at least 2 InD samples and 0 OOD samples but is to have "
                    + indBatch + " and " + oodBatch);
        }
    }

    /** The paper's recipe: 60 epochs, 50 InD and 10 OOD samples a step. */
    public static TrainOptions paper() {
        return new TrainOptions(
                60,
                50,
                10,
                UpdateOptions.paper(),
                "cpu",
                Precision.FP32,
                Runtime.getRuntime().availableProcessors(),
                0,
                1000,
                null);
    }

    /** An accurate network in minutes on a GPU: 80 epochs, 250 InD and 50 OOD samples a step. */
    public static TrainOptions fast() {
        return paper().withEpochs(80).withBatch(250, 50).withUpdate(UpdateOptions.fast());
    }

    /** For a network that has learnt its classes already: 5 epochs, 250 InD and 125 OOD samples a step, at a low rate. */
    public static TrainOptions robust() {
        UpdateOptions gentle = UpdateOptions.fast().withRate(0.02).withSchedule(Schedule.COSINE);
        return paper().withEpochs(5).withBatch(250, 125).withUpdate(gentle);
    }

    public TrainOptions withEpochs(int epochs) {
        return new TrainOptions(
                epochs, indBatch, oodBatch, update, device, precision, threads, seed, checkpointEvery, mining);
    }

    public TrainOptions withBatch(int ind, int ood) {
        return new TrainOptions(epochs, ind, ood, update, device, precision, threads, seed, checkpointEvery, mining);
    }

    public TrainOptions withUpdate(UpdateOptions update) {
        return new TrainOptions(
                epochs, indBatch, oodBatch, update, device, precision, threads, seed, checkpointEvery, mining);
    }

    public TrainOptions withDevice(String device) {
        return new TrainOptions(
                epochs, indBatch, oodBatch, update, device, precision, threads, seed, checkpointEvery, mining);
    }

    public TrainOptions withPrecision(Precision precision) {
        return new TrainOptions(
                epochs, indBatch, oodBatch, update, device, precision, threads, seed, checkpointEvery, mining);
    }

    public TrainOptions withThreads(int threads) {
        return new TrainOptions(
                epochs, indBatch, oodBatch, update, device, precision, threads, seed, checkpointEvery, mining);
    }

    public TrainOptions withSeed(long seed) {
        return new TrainOptions(
                epochs, indBatch, oodBatch, update, device, precision, threads, seed, checkpointEvery, mining);
    }

    public TrainOptions withCheckpointEvery(int checkpointEvery) {
        return new TrainOptions(
                epochs, indBatch, oodBatch, update, device, precision, threads, seed, checkpointEvery, mining);
    }

    public TrainOptions withMining(@Nullable Mining mining) {
        return new TrainOptions(
                epochs, indBatch, oodBatch, update, device, precision, threads, seed, checkpointEvery, mining);
    }
}
