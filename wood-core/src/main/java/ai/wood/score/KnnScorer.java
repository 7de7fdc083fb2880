package ai.wood.score;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Scorer;
import java.util.Map;

/**
 * The distance from the k-th nearest training sample, between features divided by their lengths. Search is exact, over
 * all samples fitted to; features that are all zero have no direction and are at distance 1 from every one that has.
 *
 * @see <a href="https://arxiv.org/abs/2204.06507">Sun et al. 2022, Out-of-Distribution Detection with Deep Nearest
 *     Neighbors</a>
 */
final class KnnScorer implements Scorer {

    /** The number of neighbours that the paper uses for CIFAR-10. */
    static final int DEFAULT_K = 50;

    private final Neighbours samples;
    private final int k;

    private KnnScorer(Neighbours samples, int k) {
        this.samples = samples;
        this.k = k;
    }

    /** Keeps the directions of the features, at 4 bytes per element. */
    static KnnScorer fit(Outputs training, int k) {
        Matrix features = Features.requireFinite(training.features());
        Neighbours samples = Neighbours.of(features.rows(), r -> Neighbours.unit(features.row(r)));
        return new KnnScorer(samples, samples.atMost(k));
    }

    static KnnScorer of(Parameters parameters) {
        Matrix rows = parameters.matrix("samples");
        Neighbours samples = Neighbours.of(rows.rows(), rows::row);
        return new KnnScorer(samples, samples.atMost(parameters.settings().count("k")));
    }

    @Override
    public double[] score(Outputs outputs) {
        Matrix features = Features.requireWidth(outputs.features(), samples.width());
        return samples.mapNearest(
                features.rows(), r -> Neighbours.unit(features.row(r)), k, squares -> Math.sqrt(squares[0]));
    }

    @Override
    public Map<String, Matrix> parameters() {
        return Map.of("samples", samples.samples());
    }
}
