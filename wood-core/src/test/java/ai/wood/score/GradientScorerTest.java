package ai.wood.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Seeded;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GradientScorerTest {

    private static final int CLASSES = 4;
    private static final int WIDTH = 6;
    private static final double STEP = 1e-6;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void normsAreThoseOfFiniteDifferencesByTheLastLayer(long seed) {
        Seeded seeded = new Seeded(seed);
        double[] h = seeded.normals(WIDTH, 0.5, 1);
        double[] w = seeded.normals(CLASSES * WIDTH, 0, 1);
        int top = Probabilities.argmax(logits(w, h));
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < w.length; i++) {
            double[] up = w.clone();
            double[] down = w.clone();
            up[i] += STEP;
            down[i] -= STEP;
            sum += Math.abs(uniformLoss(logits(up, h)) - uniformLoss(logits(down, h))) / (2 * STEP);
            double slope = (loss(logits(up, h), top) - loss(logits(down, h), top)) / (2 * STEP);
            squares += slope * slope;
        }
        Outputs outputs = Outputs.ofLogits(Matrix.of(logits(w, h))).withFeatures(Matrix.of(h));
        assertThat(GradientScorer.UNIFORM.score(outputs)[0]).isCloseTo(-sum, within(1e-7));
        assertThat(GradientScorer.PREDICTED.score(outputs)[0]).isCloseTo(Math.sqrt(squares), within(1e-7));
    }

    private static double[] logits(double[] w, double[] h) {
        double[] z = new double[CLASSES];
        for (int i = 0; i < w.length; i++) {
            z[i / WIDTH] += w[i] * h[i % WIDTH];
        }
        return z;
    }

    /** The divergence of the prediction from uniform, up to a constant. */
    private static double uniformLoss(double[] z) {
        double sum = 0;
        for (int k = 0; k < CLASSES; k++) {
            sum += loss(z, k) / CLASSES;
        }
        return sum;
    }

    private static double loss(double[] z, int label) {
        return Probabilities.logSumExp(z) - z[label];
    }
}
