package ai.wood.loss;

import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import ai.wood.score.ScorerKinds;
import java.util.Map;
import java.util.Set;

/**
 * A network with further classes for what it is to reject: InD samples are classified among all, and an unlabelled OOD
 * sample belongs to the reject class {@code r} that the network itself finds likeliest, {@code -weight log f[r]}.
 *
 * <p>A row of logits ends in those of the reject classes. With one of them this is the classifier of K + 1 classes that
 * ATOM trains on mined outliers.
 *
 * @param rejects number of reject classes
 * @param weight of the OOD term
 * @see <a href="https://doi.org/10.1609/aaai.v34i04.5966">Mohseni et al. 2020, Self-Supervised Learning for
 *     Generalizable Out-of-Distribution Detection</a>
 * @see <a href="https://arxiv.org/abs/2006.15207">Chen et al. 2021, ATOM: Robustifying Out-of-distribution Detection
 *     Using Outlier Mining</a>
 */
public record RejectionLoss(int rejects, double weight) implements Loss {

    /** Five reject classes; InD and OOD terms count alike. */
    public static final RejectionLoss DEFAULTS = new RejectionLoss(5, 1);

    public RejectionLoss {
        if (rejects < 1 || !(weight >= 0 && weight < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("there must be a reject class and a weight that is not negative but got "
                    + rejects + " and " + weight);
        }
    }

    @Override
    public Map<String, Integer> branches() {
        return Map.of(Outputs.REJECT, rejects);
    }

    @Override
    public double ind(double[] logits, int label, double[] gradient) {
        return CrossEntropy.of(logits, label, gradient);
    }

    @Override
    public double ood(double[] logits, double[] gradient) {
        int likeliest = logits.length - rejects;
        for (int r = likeliest + 1; r < logits.length; r++) {
            likeliest = logits[r] > logits[likeliest] ? r : likeliest;
        }
        System.arraycopy(logits, 0, gradient, 0, logits.length);
        Probabilities.softmax(gradient);
        gradient[likeliest] -= 1;
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] *= weight;
        }
        return weight * (Probabilities.logSumExp(logits) - logits[likeliest]);
    }

    @Override
    public Scorer scorer() {
        return ScorerKinds.formula("reject");
    }

    /** The entry in the catalogue of losses. */
    public static final class Kind implements LossKind {

        @Override
        public String id() {
            return "reject";
        }

        @Override
        public String description() {
            return "additional classes for OOD samples";
        }

        @Override
        public Set<String> settings() {
            return Set.of("beta", "rejects");
        }

        @Override
        public Loss create(LossSettings settings) {
            return new RejectionLoss(settings.rejects(), settings.betaOr(DEFAULTS.weight()));
        }
    }
}
