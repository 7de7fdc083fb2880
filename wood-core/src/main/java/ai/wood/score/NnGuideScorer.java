package ai.wood.score;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import java.util.Arrays;
import java.util.Map;

/**
 * Nearest-neighbour guidance: {@code -g E} with the confidence {@code E = log sum exp z} and the guidance {@code g}, the
 * mean of the k largest {@code E_i <h_i, h>} over training samples, features divided by their lengths. The network's
 * confidence counts only where confident training samples lie in the same direction.
 *
 * <p>Features that are all zero have no direction and no guidance; they score 0.
 *
 * @see <a href="https://arxiv.org/abs/2309.14888">Park et al. 2023, Nearest Neighbor Guidance for Out-of-Distribution
 *     Detection</a>
 */
final class NnGuideScorer implements Scorer {

    /** The default of the authors' code. */
    static final int DEFAULT_K = 10;

    private final Neighbours samples; // E_i h_i
    private final int k;

    private NnGuideScorer(Neighbours samples, int k) {
        this.samples = samples;
        this.k = k;
    }

    /** Keeps the guided features, at 4 bytes per element. */
    static NnGuideScorer fit(Outputs ind, int k) {
        Matrix features = Features.requireFinite(ind.features());
        double[] confidences = Features.requireFinite(ind.logits()).mapRows(Probabilities::logSumExp);
        Neighbours samples = Neighbours.of(features.rows(), r -> {
            double[] guided = Neighbours.unit(features.row(r));
            for (int i = 0; i < guided.length; i++) {
                guided[i] *= confidences[r];
            }
            return guided;
        });
        return new NnGuideScorer(samples, samples.atMost(k));
    }

    /** Files of format 1 may have one more column, and the largest square in a matrix. Neither is needed. */
    static NnGuideScorer of(Parameters parameters) {
        Matrix rows = parameters.matrix("samples");
        int width = rows.columns() - (parameters.names().contains("square") ? 1 : 0);
        Neighbours samples = Neighbours.of(rows.rows(), r -> Arrays.copyOf(rows.row(r), width));
        return new NnGuideScorer(samples, samples.atMost(parameters.settings().count("k")));
    }

    @Override
    public double[] score(Outputs outputs) {
        Matrix features = Features.requireWidth(outputs.features(), samples.width());
        double[] guidance = samples.mapMostAlike(
                features.rows(),
                r -> Neighbours.unit(features.row(r)),
                k,
                negatives -> -Arrays.stream(negatives).average().orElseThrow());
        double[] scores = outputs.logits().mapRows(Probabilities::logSumExp);
        for (int r = 0; r < scores.length; r++) {
            scores[r] *= Neighbours.length(features.row(r)) == 0 ? 0 : -guidance[r];
        }
        return scores;
    }

    @Override
    public Map<String, Matrix> parameters() {
        return Map.of("samples", samples.samples());
    }
}
