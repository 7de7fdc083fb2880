package ai.wood.loss;

import ai.wood.FitData;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import ai.wood.Settings;
import ai.wood.score.ScorerKinds;
import ai.wood.score.WoodScorer;
import ai.wood.transport.GroundCost;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/**
 * The WOOD loss {@code mean_ind(-log f[label]) - beta mean_ood(s)}: learn the classes, and be uncertain about OOD.
 *
 * <p>The paper's Eq. 4-7, 4-9 and Algorithm 1 print the transport gradient with reversed sign, which would pull OOD
 * samples towards the classes; here finite differences decide.
 *
 * @param score the score {@code s}, exact or entropic
 * @param beta weight of the OOD term; the paper uses 0.1
 * @param total whether the derivative includes the dependence of a dynamic cost matrix on the prediction. The paper
 *     holds the matrix fixed, which halves the gradient.
 * @param temperature divides the logits of OOD samples before they are scored; the paper's is 1. The gradient of the
 *     score vanishes where a prediction is certain, and hardly moves improbable classes. Above 1 predictions are softer:
 *     the gradient reaches both, but is smaller altogether, so that {@code beta} should be larger. The best prediction
 *     stays the uniform one.
 */
public record WoodLoss(WoodScorer score, double beta, boolean total, double temperature) implements Loss {

    public WoodLoss {
        Probabilities.requireTemperature(temperature);
        if (!(beta >= 0 && beta < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("beta must be finite and not negative but is " + beta);
        }
    }

    /** The paper's loss: exact score, the cost matrix held fixed. */
    public static WoodLoss of(GroundCost cost, double beta) {
        return new WoodLoss(new WoodScorer(cost), beta, false, 1);
    }

    public WoodLoss withTotalDerivative() {
        return new WoodLoss(score, beta, true, temperature);
    }

    public WoodLoss withTemperature(double newTemperature) {
        return new WoodLoss(score, beta, total, newTemperature);
    }

    @Override
    public Optional<Settings> wood() {
        return Optional.of(score.settings().with("temperature", temperature));
    }

    @Override
    public double ind(double[] logits, int label, double[] gradient) {
        return CrossEntropy.of(logits, label, gradient);
    }

    @Override
    public double ood(double[] logits, double[] gradient) {
        double[] f = new double[logits.length];
        Arrays.setAll(f, i -> logits[i] / temperature);
        Probabilities.softmax(f);
        score.gradient(f, total, gradient);
        CrossEntropy.throughSoftmax(f, gradient);
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] *= -beta / temperature;
        }
        return -beta * score.score(f);
    }

    @Override
    public Scorer scorer() {
        return ScorerKinds.wood()
                .fit(FitData.NONE, wood().orElseThrow().over(ScorerKinds.wood().settings()));
    }

    /** The entry in the catalogue of losses. */
    public static final class Kind implements LossKind {

        @Override
        public String id() {
            return "wood";
        }

        @Override
        public String description() {
            return "cross-entropy minus the WOOD score of OOD samples";
        }

        @Override
        public Set<String> settings() {
            return Set.of("beta", "cost", "lambda", "total", "temperature");
        }

        @Override
        public Loss create(LossSettings settings) {
            return new WoodLoss(
                    new WoodScorer(settings.cost(), settings.lambda()),
                    settings.betaOr(0.1),
                    settings.total(),
                    settings.temperature());
        }
    }
}
