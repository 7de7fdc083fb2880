package ai.wood.loss;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import ai.wood.Settings;
import ai.wood.score.AuthorsScorer;
import ai.wood.score.WoodScorer;
import ai.wood.transport.GroundCost;
import java.util.Arrays;
import java.util.Optional;

/**
 * The loss as the paper's published code trains with it, to compare with its checkpoints. Its gradient is not the
 * derivative of its value: by the probabilities, an InD sample contributes {@code -onehot / B_ind}, without the factor
 * {@code 1 / f}, and an OOD sample {@code -beta ds/df}, without the factor {@code 1 / B_ood}, so that its beta acts as
 * {@code B_ood beta}.
 */
public record AuthorsLoss(AuthorsScorer score, double beta) implements Loss {

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
        return Optional.of(new WoodScorer(cost).settings());
    }

    @Override
    public double ind(double[] logits, int label, double[] gradient) {
        double value = CrossEntropy.of(logits, label, gradient);
        double[] f = logits.clone();
        Probabilities.softmax(f);
        Arrays.fill(gradient, 0);
        gradient[label] = -1;
        CrossEntropy.throughSoftmax(f, gradient);
        return value;
    }

    @Override
    public double ood(double[] logits, double[] gradient) {
        double[] f = logits.clone();
        Probabilities.softmax(f);
        score.gradient(f, gradient);
        CrossEntropy.throughSoftmax(f, gradient);
        for (int i = 0; i < gradient.length; i++) {
            gradient[i] *= -beta;
        }
        return -beta * score.score(f);
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
}
