package ai.wood;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** Outputs of a small seeded classifier that has everything a scorer may require, and detectors for them. */
public final class Toy {

    public static final int CLASSES = 3;
    public static final int WIDTH = 6;
    public static final List<String> NAMES = List.of("ant", "bee", "\"c\"");
    public static final Outputs TRAINING = outputs(1, 90, 0);
    public static final Outputs HELD_OUT = outputs(6, 60, 0);
    public static final Outputs QUERIES = outputs(7, 50, 1);

    public static final FitData DATA = FitData.of(TRAINING)
            .withLabels(IntStream.range(0, 90).map(i -> i % CLASSES).boxed().toList())
            .withHead(new Head(matrix(2, CLASSES, WIDTH, 0), matrix(3, 1, CLASSES, 0)))
            .withTuning(outputs(4, 40, 0), outputs(5, 40, 3));

    /** A value other than the default for every setting of the built-in kinds. */
    private static final Settings UNUSUAL = Settings.NONE
            .with("temperature", 2.5)
            .with("cost", matrix(10, CLASSES, CLASSES, 10))
            .with("lambda", 4)
            .with("gamma", 0.3)
            .with("largest", 2)
            .with("k", 7)
            .with("principal", 2)
            .with("percentile", 70)
            .with("neighbours", 3)
            .with("alpha", 0.1);

    private Toy() {}

    public static Matrix matrix(long seed, int rows, int columns, double mean) {
        return matrix(new Random(seed), rows, columns, mean);
    }

    private static Matrix matrix(Random random, int rows, int columns, double mean) {
        double[] values = new double[rows * columns];
        for (int i = 0; i < values.length; i++) {
            values[i] = mean + i / columns % CLASSES + random.nextGaussian();
        }
        return Matrix.wrap(values, columns);
    }

    public static Outputs outputs(long seed, int samples, double mean) {
        Random random = new Random(seed);
        Matrix logits = matrix(random, samples, CLASSES, 0);
        Matrix features = matrix(random, samples, WIDTH, mean);
        Map<String, Matrix> layers = new LinkedHashMap<>();
        layers.put("late", matrix(random, samples, 4, mean));
        layers.put("early", matrix(random, samples, 5, mean));
        return Outputs.ofLogits(logits)
                .withFeatures(features)
                .withLayers(layers)
                .withBranches(Map.of(
                        Outputs.CONFIDENCE, matrix(random, samples, 1, 0),
                        Outputs.REJECT, matrix(random, samples, 2, 0)));
    }

    /** All settings of a kind, none at its default. */
    public static Settings unusual(ScorerKind kind) {
        Settings settings = Settings.NONE;
        for (Map.Entry<String, Object> usual : kind.settings().values().entrySet()) {
            Object value = UNUSUAL.values().get(usual.getKey());
            if (value == null || value.equals(usual.getValue())) {
                throw new AssertionError("give the setting '" + usual.getKey() + "' of " + kind.id()
                        + " a value other than its default here");
            }
            settings = value instanceof Matrix matrix
                    ? settings.with(usual.getKey(), matrix)
                    : settings.with(usual.getKey(), (double) value);
        }
        return settings;
    }

    /** Fitted to everything, calibrated to keep 90%. */
    public static Detector detector(ScorerKind kind) {
        return detector(kind, Settings.NONE, ThresholdPolicy.conformal(0.9));
    }

    public static Detector detector(ScorerKind kind, Settings settings, ThresholdPolicy policy) {
        return Detector.of(kind)
                .settings(settings)
                .fit(DATA)
                .classes(NAMES)
                .policy(policy)
                .calibrate(HELD_OUT);
    }
}
