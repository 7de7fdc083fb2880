package ai.wood.score;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import java.util.Arrays;
import java.util.Map;

/**
 * Nearest-neighbour guidance: {@code -g E} with the confidence {@code E = log sum exp z} and the guidance {@code g}, the
 * mean of the k largest {@code E_i <h_i, h>} over training samples, features divided by their lengths. The network's
 * confidence counts only where confident training samples lie in the same direction.
 *
 * <p>The largest products are found as nearest neighbours: with one more coordinate, {@code sqrt(m^2 - E_i^2)}, all
 * {@code E_i h_i} have the length {@code m}, and the squared distance from {@code h} is {@code 1 + m^2 - 2 E_i <h_i, h>}.
 * Features that are all zero have no direction and no guidance; they score 0.
 *
 * @see <a href="https://arxiv.org/abs/2309.14888">Park et al. 2023, Nearest Neighbor Guidance for Out-of-Distribution
 *     Detection</a>
 */
public final class NnGuideScorer implements Scorer {

    /** The default of the authors' code. */
    public static final int DEFAULT_K = 10;

    private final Neighbours samples;
    private final double square; // m^2
    private final int k;

    private NnGuideScorer(Neighbours samples, double square, int k) {
        this.samples = samples;
        this.square = square;
        this.k = k;
    }

    /** Keeps the guided features, at 4 bytes each; k is 10, or all samples where there are fewer. */
    public static NnGuideScorer fit(Outputs ind) {
        return fit(ind, Math.min(DEFAULT_K, ind.size()));
    }

    /** Keeps the guided features. */
    public static NnGuideScorer fit(Outputs ind, int k) {
        Matrix features = Features.requireFinite(ind.features());
        double[] confidences = Features.requireFinite(ind.logits()).mapRows(Probabilities::logSumExp);
        double largest = Arrays.stream(confidences).map(Math::abs).max().orElseThrow();
        double square = largest * largest;
        Neighbours samples = Neighbours.of(features.rows(), r -> {
            double[] guided = unitAndZero(features.row(r));
            double left = square;
            for (int i = 0; i < guided.length; i++) {
                guided[i] *= confidences[r];
                left -= guided[i] * guided[i];
            }
            guided[guided.length - 1] = Math.sqrt(Math.max(0, left));
            return guided;
        });
        return new NnGuideScorer(samples, square, samples.requireCount(k));
    }

    static NnGuideScorer of(Statistics statistics) {
        Matrix rows = statistics.matrix("samples");
        Neighbours samples = Neighbours.of(rows.rows(), rows::row);
        return new NnGuideScorer(
                samples, statistics.number("square"), samples.requireCount((int) statistics.number("k")));
    }

    @Override
    public double[] score(Outputs outputs) {
        Matrix features = Features.requireWidth(outputs.features(), samples.width() - 1);
        double[] guidance = samples.mapNearest(
                features.rows(),
                r -> unitAndZero(features.row(r)),
                k,
                squares -> (1 + square - Arrays.stream(squares).average().orElseThrow()) / 2);
        double[] scores = outputs.logits().mapRows(Probabilities::logSumExp);
        for (int r = 0; r < scores.length; r++) {
            scores[r] *= Neighbours.length(features.row(r)) == 0 ? 0 : -guidance[r];
        }
        return scores;
    }

    @Override
    public Map<String, Matrix> statistics() {
        return Statistics.of(
                Map.entry("samples", samples.samples()),
                Map.entry("square", Matrix.of(new double[] {square})),
                Map.entry("k", Matrix.of(new double[] {k})));
    }

    private static double[] unitAndZero(double[] features) {
        return Arrays.copyOf(Neighbours.unit(features), features.length + 1);
    }
}
