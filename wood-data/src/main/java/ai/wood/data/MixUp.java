package ai.wood.data;

import ai.wood.Seed;
import java.util.random.RandomGenerator;

/**
 * Images of two classes laid over one another in nearly equal parts (40% to 60%), which belong to neither.
 *
 * <p>The first image is the one at the index, the second a random one of another class. Samples are unlabelled.
 */
record MixUp(Dataset original, Seed seed) implements Derived {

    /** After so many failures to find another class we take any other sample: there may be only one class, or none. */
    private static final int ATTEMPTS = 64;

    @Override
    public Sample get(int index) {
        return mix(original.get(index), index, seed.at(index).random());
    }

    @Override
    public Sample draw(int index, RandomGenerator random) {
        return mix(original.draw(index, random), index, random);
    }

    private Sample mix(Sample first, int index, RandomGenerator random) {
        int other = random.nextInt(size());
        for (int i = 0; i < ATTEMPTS && original.label(other) == original.label(index); i++) {
            other = random.nextInt(size());
        }
        Image second =
                original.get(other == index ? (index + 1) % size() : other).image();
        int weight = random.nextInt(102, 154);
        byte[] values = new byte[shape().length()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) ((first.image().get(i) * weight + second.get(i) * (256 - weight) + 128) >> 8);
        }
        return new Sample(Image.wrap(shape(), values), Sample.UNLABELLED);
    }

    @Override
    public boolean varies() {
        return true;
    }
}
