package ai.wood.loss;

import ai.wood.Probabilities;
import ai.wood.Scorer;
import ai.wood.score.ScorerKinds;
import java.util.Set;

/**
 * Energy-bounded learning: with the energy {@code E = -log sum exp z}, InD samples pay {@code weight * max(0, E -
 * indMargin)^2} and OOD samples {@code weight * max(0, oodMargin - E)^2}.
 *
 * @param indMargin energy that InD samples should stay below; -23 in the original for CIFAR-10
 * @param oodMargin energy that OOD samples should stay above; -5 in the original for CIFAR-10
 * @param weight of both margin terms; 0.1 in the original
 * @see <a href="https://arxiv.org/abs/2010.03759">Liu et al., Energy-based Out-of-distribution Detection</a>
 */
public record EnergyMargin(double indMargin, double oodMargin, double weight) implements Loss {

    /** The original's margins and weight for CIFAR-10. */
    public static final EnergyMargin DEFAULTS = new EnergyMargin(-23, -5, 0.1);

    public EnergyMargin {
        if (!(indMargin < oodMargin)) {
            throw new IllegalArgumentException(
                    "the InD margin must lie below the OOD margin but they are " + indMargin + " and " + oodMargin);
        }
        if (!(weight >= 0 && weight < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("the weight must be finite and not negative but is " + weight);
        }
    }

    @Override
    public double ind(double[] logits, int label, double[] gradient) {
        double[] f = logits.clone();
        Probabilities.softmax(f);
        double value = CrossEntropy.of(logits, label, gradient);
        double excess = Math.max(0, -Probabilities.logSumExp(logits) - indMargin);
        for (int i = 0; i < f.length; i++) {
            gradient[i] -= 2 * weight * excess * f[i];
        }
        return value + weight * excess * excess;
    }

    @Override
    public double ood(double[] logits, double[] gradient) {
        System.arraycopy(logits, 0, gradient, 0, logits.length);
        Probabilities.softmax(gradient);
        double lack = Math.max(0, oodMargin + Probabilities.logSumExp(logits));
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] *= 2 * weight * lack;
        }
        return weight * lack * lack;
    }

    @Override
    public Scorer scorer() {
        return ScorerKinds.formula("energy");
    }

    /** The entry in the catalogue of losses. */
    public static final class Kind implements LossKind {

        @Override
        public String id() {
            return "energy";
        }

        @Override
        public String description() {
            return "energy margins between InD and OOD samples";
        }

        @Override
        public Set<String> settings() {
            return Set.of("beta");
        }

        @Override
        public Loss create(LossSettings settings) {
            return new EnergyMargin(DEFAULTS.indMargin(), DEFAULTS.oodMargin(), settings.betaOr(DEFAULTS.weight()));
        }
    }
}
