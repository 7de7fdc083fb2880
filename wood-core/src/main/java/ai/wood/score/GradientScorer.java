package ai.wood.score;

import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.RowFunction;
import ai.wood.Scorer;

/**
 * How strongly the weights {@code W} of the last layer, {@code z = W h + b}, would change if the network were to learn
 * another prediction {@code q}: the norm of the derivative of {@code -sum q_k log f_k} by {@code W}.
 *
 * <p>That derivative is the outer product {@code (f - q) h^T}, so its norm is that of {@code f - q} times that of the
 * features {@code h}; no engine is needed.
 */
enum GradientScorer implements Scorer {
    /**
     * Towards the uniform distribution, in the sum norm: {@code -|h|_1 sum_k |f_k - 1/K|}. InD samples have the larger
     * gradient, hence the sign.
     *
     * @see <a href="https://arxiv.org/abs/2110.00218">Huang et al. 2021, On the Importance of Gradients for Detecting
     *     Distributional Shifts in the Wild</a>
     */
    UNIFORM {
        @Override
        public double[] score(Outputs outputs) {
            double[] scores = product(outputs, GradientScorer::sumNorm, f -> {
                for (int k = 0; k < f.length; k++) {
                    f[k] -= 1.0 / f.length;
                }
                return sumNorm(f);
            });
            for (int i = 0; i < scores.length; i++) {
                scores[i] = -scores[i];
            }
            return scores;
        }
    },
    /**
     * Towards the class the network predicts anyway, in the Euclidean norm: {@code |h|_2 |f - e_argmax|_2}. The more
     * certain the prediction, the less is left to learn. The original takes norms over all layers and lets a regression
     * weigh them; this is the last layer's.
     *
     * @see <a href="https://arxiv.org/abs/1805.08440">Oberdiek et al. 2018, Classification Uncertainty of Deep Neural
     *     Networks Based on Gradient Information</a>
     */
    PREDICTED {
        @Override
        public double[] score(Outputs outputs) {
            return product(outputs, GradientScorer::norm, f -> {
                int top = Probabilities.argmax(f);
                f[top] = Probabilities.others(f, top);
                return norm(f);
            });
        }
    };

    /** Neither function may keep its row, both may change it. */
    private static double[] product(Outputs outputs, RowFunction ofFeatures, RowFunction ofProbabilities) {
        double[] products = outputs.features().mapRows(ofFeatures);
        double[] factors = outputs.mapProbabilities(ofProbabilities);
        for (int i = 0; i < products.length; i++) {
            products[i] *= factors[i];
        }
        return products;
    }

    private static double sumNorm(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += Math.abs(value);
        }
        return sum;
    }

    private static double norm(double[] values) {
        double sum = 0;
        for (double value : values) {
            sum += value * value;
        }
        return Math.sqrt(sum);
    }
}
