package ai.wood;

import java.util.Random;
import java.util.stream.IntStream;

/** Random but repeatable material for tests of laws. */
public final class Seeded {

    private final Random random;

    public Seeded(long seed) {
        random = new Random(seed);
    }

    public int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    public double uniform() {
        return random.nextDouble();
    }

    public double[] normals(int count, double mean, double deviation) {
        return IntStream.range(0, count)
                .mapToDouble(i -> mean + deviation * random.nextGaussian())
                .toArray();
    }

    public double[] logits(int classes) {
        return normals(classes, 0, 3);
    }

    /** Probabilities, some of them exactly zero. */
    public double[] distribution(int classes) {
        double[] f = new double[classes];
        double sum = 0;
        for (int i = 0; i < classes; i++) {
            f[i] = random.nextInt(5) == 0 ? 0 : -Math.log(1 - random.nextDouble());
            sum += f[i];
        }
        if (sum == 0) {
            f[0] = sum = 1;
        }
        for (int i = 0; i < classes; i++) {
            f[i] /= sum;
        }
        return f;
    }

    /** Any non-negative costs: no symmetry, no zero diagonal. */
    public Matrix costs(int classes) {
        return Matrix.wrap(random.doubles((long) classes * classes, 0, 2).toArray(), classes);
    }

    /** Distances between random points: a metric. */
    public Matrix metricCosts(int classes) {
        double[] x = normals(classes, 0, 1);
        double[] y = normals(classes, 0, 1);
        double[] costs = new double[classes * classes];
        for (int i = 0; i < classes; i++) {
            for (int j = 0; j < classes; j++) {
                costs[i * classes + j] = Math.hypot(x[i] - x[j], y[i] - y[j]);
            }
        }
        return Matrix.wrap(costs, classes);
    }

    /** Scores on a coarse grid, so that many are tied. */
    public double[] tiedScores(int count, int levels) {
        return IntStream.range(0, count)
                .mapToDouble(i -> random.nextInt(levels) / (double) levels)
                .toArray();
    }

    public int[] permutation(int count) {
        int[] order = IntStream.range(0, count).toArray();
        for (int i = count - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            int other = order[j];
            order[j] = order[i];
            order[i] = other;
        }
        return order;
    }

    public static double[] oneHot(int classes, int k) {
        double[] y = new double[classes];
        y[k] = 1;
        return y;
    }
}
