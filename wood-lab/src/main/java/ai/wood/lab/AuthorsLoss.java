package ai.wood.lab;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import ai.wood.Settings;
import ai.wood.loss.CrossEntropy;
import ai.wood.loss.Loss;
import ai.wood.loss.LossKind;
import ai.wood.loss.LossSettings;
import ai.wood.loss.LossValue;
import ai.wood.score.WoodScorer;
import ai.wood.transport.BinaryCost;
import ai.wood.transport.DynamicCost;
import ai.wood.transport.GroundCost;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The loss as the paper's published code trains with it, to compare with its checkpoints. Its gradient is not the
 * derivative of its value: by the probabilities, an InD sample contributes {@code -onehot / B_ind}, without the factor
 * {@code 1 / f}, and an OOD sample {@code -beta ds/df}, without the factor {@code 1 / B_ood}, so that its beta acts as
 * {@code B_ood beta}.
 */
record AuthorsLoss(AuthorsScorer score, double beta) implements Loss {

    public AuthorsLoss {
        if (!(beta >= 0 && beta < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("beta must be finite and not negative but is " + beta);
        }
    }

    /** The score that the paper's text defines, by the same cost. */
    @Override
    public Optional<Settings> wood() {
        GroundCost cost = switch (score) {
            case BINARY -> GroundCost.binary();
            case DYNAMIC -> GroundCost.dynamic();
        };
        return Optional.of(new WoodScorer(cost).settings().with("temperature", 1.0));
    }

    @Override
    public double ind(double[] logits, int label, double[] gradient) {
        double value = new CrossEntropy().ind(logits, label, gradient);
        double[] f = logits.clone();
        Probabilities.softmax(f);
        Arrays.fill(gradient, 0);
        gradient[label] = -1;
        throughSoftmax(f, gradient);
        return value;
    }

    @Override
    public double ood(double[] logits, double[] gradient) {
        double[] f = logits.clone();
        Probabilities.softmax(f);
        score.gradient(f, gradient);
        throughSoftmax(f, gradient);
        Arrays.setAll(gradient, i -> -beta * gradient[i]);
        return -beta * score.score(f);
    }

    /** Turns a derivative by the probabilities f into one by the logits: {@code f * (g - <f, g>)}. */
    private static void throughSoftmax(double[] f, double[] gradient) {
        double mean = IntStream.range(0, f.length)
                .mapToDouble(i -> f[i] * gradient[i])
                .sum();
        Arrays.setAll(gradient, i -> f[i] * (gradient[i] - mean));
    }

    @Override
    public LossValue on(Matrix ind, int[] labels, Matrix ood) {
        LossValue mean = Loss.super.on(ind, labels, ood);
        double[] summed = new double[ood.rows() * ood.columns()];
        for (int i = 0; i < summed.length; i++) {
            summed[i] = mean.ood().get(i / ood.columns(), i % ood.columns()) * ood.rows();
        }
        return new LossValue(mean.value(), mean.ind(), Matrix.wrap(summed, ood.columns()));
    }

    @Override
    public Scorer scorer() {
        return score;
    }

    @Override
    public boolean needsWholeBatch() {
        return true;
    }

    private static AuthorsScorer scorer(GroundCost cost) {
        if (cost instanceof BinaryCost) {
            return AuthorsScorer.BINARY;
        }
        if (cost instanceof DynamicCost) {
            return AuthorsScorer.DYNAMIC;
        }
        throw new IllegalArgumentException("the loss 'authors' has the costs binary and dynamic but the cost is " + cost
                + ". Use the loss 'wood'.");
    }

    /** The entry in the catalogue of losses. */
    public static final class Kind implements LossKind {

        @Override
        public String id() {
            return "authors";
        }

        @Override
        public String description() {
            return "the loss of the published code, which differs from the text of the paper";
        }

        @Override
        public Set<String> settings() {
            return Set.of("beta", "cost");
        }

        @Override
        public Loss create(LossSettings settings) {
            return new AuthorsLoss(scorer(settings.cost()), settings.betaOr(0.1));
        }
    }
}
