package ai.wood.loss;

import ai.wood.Probabilities;
import java.util.Set;

/**
 * Outlier Exposure: OOD predictions are pulled towards the uniform distribution by their cross-entropy to it,
 * {@code weight * (log sum exp z - mean z)}.
 *
 * @param weight of the OOD term; 0.5 in the original
 * @see <a href="https://arxiv.org/abs/1812.04606">Hendrycks et al., Deep Anomaly Detection with Outlier Exposure</a>
 */
public record OutlierExposure(double weight) implements Loss {

    /** The original's weight. */
    public static final OutlierExposure DEFAULTS = new OutlierExposure(0.5);

    public OutlierExposure {
        if (!(weight >= 0 && weight < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("the weight must be finite and not negative but is " + weight);
        }
    }

    @Override
    public double ind(double[] logits, int label, double[] gradient) {
        return CrossEntropy.of(logits, label, gradient);
    }

    @Override
    public double ood(double[] logits, double[] gradient) {
        System.arraycopy(logits, 0, gradient, 0, logits.length);
        Probabilities.softmax(gradient);
        double mean = 0;
        for (int i = 0; i < logits.length; i++) {
            mean += logits[i] / logits.length;
            gradient[i] = weight * (gradient[i] - 1.0 / logits.length);
        }
        return weight * (Probabilities.logSumExp(logits) - mean);
    }

    /** The entry in the catalogue of losses. */
    public static final class Kind implements LossKind {

        @Override
        public String id() {
            return "oe";
        }

        @Override
        public String description() {
            return "Outlier Exposure: uniform predictions on OOD samples";
        }

        @Override
        public Set<String> settings() {
            return Set.of("beta");
        }

        @Override
        public Loss create(LossSettings settings) {
            return new OutlierExposure(settings.betaOr(DEFAULTS.weight()));
        }
    }
}
