package ai.wood.score;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Scorer;
import java.util.Map;

/**
 * The distance from the k-th nearest training sample, between features divided by their lengths. Search is exact, over
 * all samples fitted to; features that are all zero have no direction and are at distance 1 from every one that has.
 *
 * @see <a href="https://arxiv.org/abs/2204.06507">Sun et al. 2022, Out-of-Distribution Detection with Deep Nearest
 *     Neighbors</a>
 */
public final class KnnScorer implements Scorer {

    /** The number of neighbours that the paper uses for CIFAR-10. */
    public static final int DEFAULT_K = 50;

    private final Neighbours samples;
    private final int k;

    private KnnScorer(Neighbours samples, int k) {
        this.samples = samples;
        this.k = k;
    }

    /** Keeps the directions of features, at 4 bytes each; k is 50, or all samples where there are fewer. */
    public static KnnScorer fit(Outputs ind) {
        return fit(ind, Math.min(DEFAULT_K, ind.size()));
    }

    /** Keeps the directions of features. */
    public static KnnScorer fit(Outputs ind, int k) {
        Matrix features = Features.requireFinite(ind.features());
        Neighbours samples = Neighbours.of(features.rows(), r -> Neighbours.unit(features.row(r)));
        return new KnnScorer(samples, samples.requireCount(k));
    }

    static KnnScorer of(Statistics statistics) {
        Matrix rows = statistics.matrix("samples");
        Neighbours samples = Neighbours.of(rows.rows(), rows::row);
        return new KnnScorer(samples, samples.requireCount((int) statistics.number("k")));
    }

    @Override
    public double[] score(Outputs outputs) {
        Matrix features = Features.requireWidth(outputs.features(), samples.width());
        return samples.mapNearest(
                features.rows(), r -> Neighbours.unit(features.row(r)), k, squares -> Math.sqrt(squares[0]));
    }

    @Override
    public Map<String, Matrix> statistics() {
        return Statistics.of(Map.entry("samples", samples.samples()), Map.entry("k", Matrix.of(new double[] {k})));
    }
}
