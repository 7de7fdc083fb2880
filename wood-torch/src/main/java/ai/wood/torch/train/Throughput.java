package ai.wood.torch.train;

import ai.wood.Classifier;
import ai.wood.Seed;
import ai.wood.data.ArrayDataset;
import ai.wood.data.Dataset;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import ai.wood.data.transform.Flip;
import ai.wood.data.transform.Normalise;
import ai.wood.data.transform.PadCrop;
import ai.wood.data.transform.Transform;
import ai.wood.io.TemporaryFolder;
import ai.wood.loss.Loss;
import ai.wood.score.WoodScorer;
import ai.wood.torch.Architecture;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Measures how many images a second a network trains on or judges, on random images: the median over rounds, after a
 * round to warm up.
 */
public final class Throughput {

    private static final int CLASSES = 10;
    private static final int ROUNDS = 5;

    private Throughput() {}

    /**
     * Images a second through the real trainer, with images shifted and mirrored; checkpoints and validation do not
     * count.
     *
     * @param stepsPerRound steps in each of the rounds; on a GPU best a multiple of {@link Trainer#GPU_STEPS}
     */
    public static double train(
            Architecture architecture, Shape shape, Loss loss, TrainOptions options, int stepsPerRound)
            throws IOException {
        int batch = options.indBatch() + options.oodBatch();
        TrainOptions oneEpoch = options.withEpochs(1).withCheckpointEvery(Integer.MAX_VALUE);
        TrainData data = new TrainData(
                noise((long) options.indBatch() * stepsPerRound * (ROUNDS + 1), shape),
                options.oodBatch() == 0 ? null : noise(options.oodBatch(), shape),
                noise(CLASSES, shape),
                null,
                Transform.of(new PadCrop(4), new Flip()),
                Normalise.HALF);
        long[] ends = new long[ROUNDS + 1];
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            new Trainer(architecture, loss, new WoodScorer(GroundCost.binary()), data, oneEpoch)
                    .train(new RunFolder(folder.path()), RunFolder.Existing.REFUSE, new TrainListener() {
                        @Override
                        public void step(long done, long total, double value) {
                            if (done % stepsPerRound == 0) {
                                ends[(int) (done / stepsPerRound) - 1] = System.nanoTime();
                            }
                        }
                    });
        }
        return median((long) batch * stepsPerRound, ends);
    }

    /**
     * Images a second through networks, from 8-bit images to logits, in their order. They take turns, so that whatever else
     * the machine does slows all of them alike.
     *
     * @param batch images in a call
     * @param callsPerRound calls in each of the rounds
     */
    public static List<Double> infer(
            List<? extends Classifier<Image>> networks, Shape shape, int batch, int callsPerRound) {
        Dataset dataset = noise(batch, shape);
        List<Image> images =
                IntStream.range(0, batch).mapToObj(i -> dataset.get(i).image()).toList();
        double[][] rates = new double[networks.size()][ROUNDS + 1];
        for (int round = 0; round <= ROUNDS; round++) {
            for (int n = 0; n < rates.length; n++) {
                long start = System.nanoTime();
                for (int call = 0; call < callsPerRound; call++) {
                    networks.get(n).classify(images);
                }
                rates[n][round] = (double) batch * callsPerRound * 1e9 / (System.nanoTime() - start);
            }
        }
        return Arrays.stream(rates)
                .map(all -> median(Arrays.copyOfRange(all, 1, all.length)))
                .toList();
    }

    private static double median(long images, long[] ends) {
        double[] rates = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            rates[round] = images * 1e9 / (ends[round + 1] - ends[round]);
        }
        return median(rates);
    }

    private static double median(double[] rates) {
        double[] sorted = rates.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static Dataset noise(long images, Shape shape) {
        SplittableRandom random = new Seed(0).random();
        long most = Integer.MAX_VALUE / shape.length();
        if (images > most) {
            throw new IllegalArgumentException("a measurement takes " + most + " images of " + shape
                    + " at most but would take " + images + ". Maybe a smaller batch, or fewer steps.");
        }
        int size = (int) images;
        byte[] values = new byte[size * shape.length()];
        random.nextBytes(values);
        int[] labels = IntStream.range(0, size).map(i -> i % CLASSES).toArray();
        return ArrayDataset.wrap(shape, values, labels)
                .withName("noise")
                .withSplit(Split.TRAIN)
                .withClasses(
                        IntStream.range(0, CLASSES).mapToObj(String::valueOf).toList());
    }
}
