package ai.wood.torch.train;

import ai.wood.Seed;
import ai.wood.data.ArrayDataset;
import ai.wood.data.Dataset;
import ai.wood.data.Sample;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import ai.wood.data.transform.Normalise;
import ai.wood.data.transform.Transform;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Images that a small network learns in seconds: InD shows a bright quarter among noise, OOD a bright diagonal. */
final class ToyData {

    static final Shape SHAPE = new Shape(1, 12, 12);
    static final int CLASSES = 3;

    private ToyData() {}

    static TrainData data() {
        return new TrainData(
                ind(120, 1, Split.TRAIN),
                ood(60, 2, Split.TRAIN),
                ind(60, 3, Split.VALIDATION),
                ood(60, 4, Split.VALIDATION),
                Transform.of(),
                Normalise.UNIT);
    }

    static Dataset ind(int size, long seed, Split split) {
        int[] labels = new int[size];
        byte[] values = noise(size, seed);
        for (int i = 0; i < size; i++) {
            labels[i] = i % CLASSES;
            for (int p = 0; p < SHAPE.area(); p++) {
                boolean left = p % 12 < 6;
                boolean top = p / 12 < 6;
                int quarter = left ? (top ? 0 : 1) : (top ? 2 : 3);
                if (quarter == labels[i]) {
                    values[i * SHAPE.length() + p] = (byte) 220;
                }
            }
        }
        return ArrayDataset.wrap(SHAPE, values, labels).withName("quarters").withSplit(split);
    }

    static Dataset ood(int size, long seed, Split split) {
        int[] labels = new int[size];
        Arrays.fill(labels, Sample.UNLABELLED);
        byte[] values = noise(size, seed);
        for (int i = 0; i < size; i++) {
            for (int d = 0; d < 12; d++) {
                values[i * SHAPE.length() + d * 13] = (byte) 255;
            }
        }
        return ArrayDataset.wrap(SHAPE, values, labels).withName("diagonals").withSplit(split);
    }

    private static byte[] noise(int size, long seed) {
        SplittableRandom random = new Seed(seed).random();
        byte[] values = new byte[size * SHAPE.length()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) random.nextInt(120);
        }
        return values;
    }
}
