package ai.wood.data;

import ai.wood.Names;
import ai.wood.Seed;
import ai.wood.data.transform.Blur;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;

/** Images that show nothing: OOD for every network, at no cost. */
public enum Noise {
    /** Every value from a normal distribution around medium grey with deviation 64, cut off at black and full. */
    GAUSSIAN_NOISE {
        @Override
        double value(RandomGenerator random) {
            return 127.5 + 64 * random.nextGaussian();
        }
    },
    /** Every value equally likely. */
    UNIFORM_NOISE {
        @Override
        double value(RandomGenerator random) {
            return random.nextInt(256);
        }
    },
    /**
     * Shapes without meaning but with edges: values are 1 with probability 0.7, else 0; blurred by 1.5 pixels; what is
     * below 0.75 becomes black (after <a href="https://arxiv.org/abs/1812.04606">Hendrycks and others, 2019</a>).
     */
    BLOBS {
        @Override
        double value(RandomGenerator random) {
            return random.nextFloat() < 0.7f ? 255 : 0;
        }

        @Override
        void finish(float[] values, Shape shape) {
            new Blur(1.5).blur(values, shape);
            for (int i = 0; i < values.length; i++) {
                values[i] = values[i] < 0.75f * 255 ? 0 : values[i];
            }
        }
    };

    /** One value before {@link #finish}. */
    abstract double value(RandomGenerator random);

    void finish(float[] values, Shape shape) {}

    /** An image of it. */
    public Image image(Shape shape, RandomGenerator random) {
        float[] values = new float[shape.length()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) value(random);
        }
        finish(values, shape);
        byte[] rounded = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            rounded[i] = (byte) Math.max(0, Math.min(255, Math.round(values[i])));
        }
        return Image.wrap(shape, rounded);
    }

    /** A dataset of it; different seeds and different splits have no image in common. */
    public Dataset dataset(Shape shape, int size, Split split, Seed seed) {
        return new NoiseDataset(this, shape, size, split, seed.at(split.name().hashCode()));
    }

    /** The name used on the command line and in files: {@code gaussian-noise}. */
    public String id() {
        return Names.of(this);
    }

    private record NoiseDataset(Noise noise, Shape shape, int size, Split split, Seed seed) implements Dataset {
        @Override
        public String name() {
            return noise.id();
        }

        @Override
        public List<String> classes() {
            return List.of();
        }

        @Override
        public Sample get(int index) {
            return draw(index, seed.at(Objects.checkIndex(index, size)).random());
        }

        @Override
        public Sample draw(int index, RandomGenerator random) {
            return new Sample(noise.image(shape, random), Sample.UNLABELLED);
        }

        @Override
        public boolean varies() {
            return true;
        }

        @Override
        public int label(int index) {
            return Sample.UNLABELLED;
        }
    }
}
