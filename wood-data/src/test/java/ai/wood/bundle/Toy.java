package ai.wood.bundle;

import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.bundle.DetectorDescription.Classifier;
import ai.wood.data.Shape;
import ai.wood.data.transform.Normalise;
import ai.wood.score.ScorerOptions;
import ai.wood.score.Scorers;
import ai.wood.score.Tuning;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** A small seeded classifier's outputs, and detectors of them. */
final class Toy {

    static final int CLASSES = 3;
    static final int WIDTH = 6;
    static final Shape SHAPE = new Shape(1, 2, 3);
    static final Choice CONFORMAL = new Choice(0.9, true, false);
    static final Classifier CLASSIFIER = Classifier.of(List.of("ant", "bee", "\"c\""), SHAPE, Normalise.UNIT);

    static final ScorerOptions OPTIONS = ScorerOptions.DEFAULTS
            .withInd(outputs(1, 90, 0))
            .withLabels(IntStream.range(0, 90).map(i -> i % CLASSES).boxed().toList())
            .withHead(new Head(matrix(new Random(2), CLASSES, WIDTH, 0), matrix(new Random(3), 1, CLASSES, 0)))
            .withTuning(new Tuning(outputs(4, 40, 0), outputs(5, 40, 3)));

    private Toy() {}

    static Matrix matrix(Random random, int rows, int columns, double mean) {
        double[] values = new double[rows * columns];
        for (int i = 0; i < values.length; i++) {
            values[i] = mean + i / columns % CLASSES + random.nextGaussian();
        }
        return Matrix.wrap(values, columns);
    }

    static Outputs outputs(long seed, int samples, double mean) {
        Random random = new Random(seed);
        return Outputs.ofLogits(matrix(random, samples, CLASSES, 0))
                .withFeatures(matrix(random, samples, WIDTH, mean))
                .withLayers(Map.of("early", matrix(random, samples, 5, mean)))
                .withBranches(
                        Map.of("confidence", matrix(random, samples, 1, 0), "reject", matrix(random, samples, 2, 0)));
    }

    static Bundle bundle(Scorers name, ScorerOptions options, Choice choice) {
        return Bundle.calibrate(CLASSIFIER, name, options, choice, outputs(6, 60, 0));
    }

    static Bundle bundle(Scorers name) {
        return bundle(name, OPTIONS, CONFORMAL);
    }
}
