package ai.wood.score;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Scorer;
import java.util.List;
import java.util.Map;

/**
 * The squared Mahalanobis distance from the nearest class mean under one covariance shared by all classes,
 * {@code min_k (h - m_k)^T S^-1 (h - m_k)}, in the features {@code h} of the last layer but one.
 *
 * <p>Directions in which the training features, each scaled to the variance 1, do not vary are left out: the unit of a
 * feature does not matter.
 *
 * @see <a href="https://arxiv.org/abs/1807.03888">Lee et al. 2018, A Simple Unified Framework for Detecting
 *     Out-of-Distribution Samples and Adversarial Attacks</a>
 */
public final class MahalanobisScorer implements Scorer {

    private final MahalanobisDistance distance;

    private MahalanobisScorer(MahalanobisDistance distance) {
        this.distance = distance;
    }

    /**
     * Estimates class means and the shared covariance.
     *
     * @param ind outputs with features, of samples the network was trained on
     * @param labels their true labels
     */
    public static MahalanobisScorer fit(Outputs ind, List<Integer> labels) {
        return fit(ind, labels, false);
    }

    /** Estimates class means and the shared covariance, of features divided by their lengths if asked to. */
    static MahalanobisScorer fit(Outputs ind, List<Integer> labels, boolean unit) {
        return new MahalanobisScorer(MahalanobisDistance.fit(Features.of(ind, labels), unit));
    }

    /** Restores a scorer from its parameters. */
    public static MahalanobisScorer of(Parameters parameters) {
        return of(parameters, false);
    }

    static MahalanobisScorer of(Parameters parameters, boolean unit) {
        return new MahalanobisScorer(MahalanobisDistance.of(parameters, unit));
    }

    /** The matrix {@code L} with {@code S^-1 = L^T L}, for those who derive the distance. */
    public Matrix whitening() {
        return distance.whitening();
    }

    /** {@code L m_k} for every class that has samples: the distance is {@code min_k |L h - L m_k|^2}. */
    public Matrix whitenedMeans() {
        return distance.whitenedMeans();
    }

    @Override
    public double[] score(Outputs outputs) {
        return distance.of(outputs.features());
    }

    @Override
    public Map<String, Matrix> parameters() {
        return distance.parameters();
    }
}
