package ai.wood.loss;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import ai.wood.score.ScorerKinds;
import java.util.Arrays;
import java.util.Map;

/**
 * A network that learns to say how sure it is: beside the logits it gives one more number {@code a}, its confidence is
 * {@code c = sigmoid(a)}, and on half of each batch it may ask for a hint, {@code p' = c p + (1 - c) y}, at a price:
 * {@code -log p'[label] - lambda log c}. OOD samples are not used.
 *
 * <p>A row of logits ends in {@code a}. Samples at even places of a batch are given hints: batches are shuffled, so this
 * is a random half. While the mean of {@code -log c} over a batch is below the budget, training lowers the price by 1%
 * a step, and raises it otherwise; value and gradient here are those at the starting price.
 *
 * @param lambda price of doubt at the start
 * @param budget how much doubt, as a mean of {@code -log c}, the network is to spend
 * @see <a href="https://arxiv.org/abs/1802.04865">DeVries and Taylor 2018, Learning Confidence for Out-of-Distribution
 *     Detection in Neural Networks</a>
 */
public record ConfidenceLoss(double lambda, double budget) implements Loss {

    /** The original's price and budget. */
    public static final ConfidenceLoss DEFAULTS = new ConfidenceLoss(0.1, 0.3);

    public ConfidenceLoss {
        if (!(lambda > 0 && lambda < Double.POSITIVE_INFINITY) || !(budget > 0 && budget < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException(
                    "lambda and the budget must be positive and finite but are " + lambda + " and " + budget);
        }
    }

    @Override
    public Map<String, Integer> branches() {
        return Map.of(Outputs.CONFIDENCE, 1);
    }

    /** The term of a sample without a hint. */
    @Override
    public double ind(double[] logits, int label, double[] gradient) {
        return term(logits, label, false, gradient);
    }

    @Override
    public double ood(double[] logits, double[] gradient) {
        Arrays.fill(gradient, 0);
        return 0;
    }

    @Override
    public LossValue on(Matrix ind, int[] labels, Matrix ood) {
        requireBatch(ind, labels, ood);
        int width = ind.columns();
        double[] gradients = new double[ind.rows() * width];
        double[] gradient = new double[width];
        double value = 0;
        for (int r = 0; r < ind.rows(); r++) {
            value += term(ind.row(r), labels[r], r % 2 == 0, gradient) / ind.rows();
            for (int i = 0; i < width; i++) {
                gradients[r * width + i] = gradient[i] / ind.rows();
            }
        }
        return new LossValue(value, Matrix.wrap(gradients, width), Matrix.wrap(new double[ood.rows() * width], width));
    }

    /**
     * With {@code w = c p / p'} (1 without a hint) the derivative is {@code w (f - y)} by the logits and
     * {@code c - w - lambda (1 - c)} by the confidence's (the first two terms only with a hint).
     */
    private double term(double[] row, int label, boolean hint, double[] gradient) {
        double[] logits = Arrays.copyOf(row, row.length - 1);
        double[] slope = new double[logits.length];
        double logP = -CrossEntropy.of(logits, label, slope);
        double a = row[row.length - 1];
        double logC = -Probabilities.logSumExp(new double[] {0, -a});
        double logDoubt = -Probabilities.logSumExp(new double[] {0, a});
        double logHinted = hint ? Probabilities.logSumExp(new double[] {logC + logP, logDoubt}) : logP;
        double w = hint ? Math.exp(logC + logP - logHinted) : 1;
        for (int i = 0; i < slope.length; i++) {
            gradient[i] = w * slope[i];
        }
        gradient[slope.length] = (hint ? Math.exp(logC) - w : 0) - lambda * Math.exp(logDoubt);
        return -logHinted - lambda * logC;
    }

    @Override
    public Scorer scorer() {
        return ScorerKinds.formula("confidence");
    }

    @Override
    public boolean usesOod() {
        return false;
    }

    @Override
    public boolean needsWholeBatch() {
        return true;
    }

    /** The entry in the catalogue of losses. */
    public static final class Kind implements LossKind {

        @Override
        public String id() {
            return "confidence";
        }

        @Override
        public String description() {
            return "a learned confidence, without OOD samples";
        }

        @Override
        public Loss create(LossSettings settings) {
            return DEFAULTS;
        }
    }
}
