package ai.wood.score;

import ai.wood.CannotRunException;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * KL-matching: the least divergence {@code min_k KL(f || d_k)} from the typical predictions {@code d_k}, the mean
 * probabilities of the InD samples fitted to that were predicted as class {@code k}. The paper fits it to held-out samples,
 * the commands to training samples, as all that are fitted.
 *
 * @see <a href="https://arxiv.org/abs/1911.11132">Hendrycks et al., Scaling Out-of-Distribution Detection for
 *     Real-World Settings</a>
 */
final class KlMatchingScorer implements Scorer {

    private final double[][] logTypical;

    private KlMatchingScorer(double[][] logTypical) {
        this.logTypical = logTypical;
    }

    /** Needs no labels: samples are grouped by the predicted one. Classes that are never predicted have no template. */
    static KlMatchingScorer fit(Outputs ind) {
        int classes = ind.classes();
        double[][] sums = new double[classes][classes];
        int[] counts = new int[classes];
        for (int r = 0; r < ind.size(); r++) {
            double[] f = ind.probabilities(r);
            int label = Probabilities.argmax(f);
            counts[label]++;
            for (int i = 0; i < classes; i++) {
                sums[label][i] += f[i];
            }
        }
        double[][] logs = IntStream.range(0, classes)
                .filter(k -> counts[k] > 0)
                .mapToObj(k -> Arrays.stream(sums[k])
                        .map(sum -> Math.log(Math.max(sum / counts[k], Double.MIN_NORMAL)))
                        .toArray())
                .toArray(double[][]::new);
        if (logs.length == 0) {
            throw new CannotRunException("needs at least one training sample but has none");
        }
        if (Arrays.stream(logs).flatMapToDouble(Arrays::stream).anyMatch(Double::isNaN)) {
            throw new CannotRunException("needs training predictions that are not NaN. Maybe the network diverged.");
        }
        return new KlMatchingScorer(logs);
    }

    static KlMatchingScorer of(Parameters parameters) {
        Matrix logs = parameters.matrix("logTypical");
        return new KlMatchingScorer(
                IntStream.range(0, logs.rows()).mapToObj(logs::row).toArray(double[][]::new));
    }

    @Override
    public double[] score(Outputs outputs) {
        if (outputs.classes() != logTypical[0].length) {
            throw new IllegalArgumentException("KL-matching was fitted to " + logTypical[0].length
                    + " classes but the classifier has " + outputs.classes());
        }
        return outputs.mapProbabilities(this::divergence);
    }

    @Override
    public Map<String, Matrix> parameters() {
        return Map.of("logTypical", Matrix.of(logTypical));
    }

    private double divergence(double[] f) {
        double least = Double.POSITIVE_INFINITY;
        double negativeEntropy = -Probabilities.entropy(f);
        for (double[] logs : logTypical) {
            double cross = 0;
            for (int i = 0; i < f.length; i++) {
                cross += f[i] * logs[i];
            }
            least = Math.min(least, negativeEntropy - cross);
        }
        return least;
    }
}
