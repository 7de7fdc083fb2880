package ai.wood.score;

import ai.wood.Matrix;
import ai.wood.Parameters;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The squared Mahalanobis distance from the nearest class mean under one covariance {@code S} shared by all classes,
 * {@code min_k (h - m_k)^T S^-1 (h - m_k)}. Directions in which the features, each scaled to the variance 1, do not vary are
 * left out; classes without samples too.
 */
final class MahalanobisDistance {

    private final Matrix whitening; // S^-1 = whitening^T whitening
    private final double[][] means; // whitened

    private final boolean unit;

    private MahalanobisDistance(Matrix whitening, double[][] means, boolean unit) {
        this.whitening = whitening;
        this.means = means;
        this.unit = unit;
    }

    /**
     * Estimates class means and the shared covariance.
     *
     * @param unit divide features by their lengths first
     */
    static MahalanobisDistance fit(Features labelled, boolean unit) {
        Features features =
                unit ? new Features(Features.unit(labelled.rows()), labelled.labels(), labelled.classes()) : labelled;
        double[][] means = features.means(r -> true);
        Matrix whitening = PrincipalAxes.whitening(
                features.rows(), r -> means[features.labels().get(r)]);
        double[][] whitened = Arrays.stream(means)
                .filter(mean -> !Double.isNaN(mean[0]))
                .map(whitening::times)
                .toArray(double[][]::new);
        return new MahalanobisDistance(whitening, whitened, unit);
    }

    static MahalanobisDistance of(Parameters parameters, boolean unit) {
        Matrix whitening = parameters.matrix("whitening");
        Matrix means = parameters.matrix("means", whitening.rows());
        return new MahalanobisDistance(
                whitening, IntStream.range(0, means.rows()).mapToObj(means::row).toArray(double[][]::new), unit);
    }

    Map<String, Matrix> parameters() {
        return Parameters.of(Map.entry("whitening", whitening), Map.entry("means", whitenedMeans()));
    }

    /** The matrix {@code L} with {@code S^-1 = L^T L}. */
    Matrix whitening() {
        return whitening;
    }

    /** {@code L m_k} for every class that has samples. */
    Matrix whitenedMeans() {
        return Matrix.of(means);
    }

    /** The distance of every row. */
    double[] of(Matrix features) {
        return Features.requireWidth(features, whitening.columns()).mapRows(feature -> {
            double[] point = whitening.times(unit ? Neighbours.unit(feature) : feature);
            double least = Double.POSITIVE_INFINITY;
            for (double[] mean : means) {
                double square = 0;
                for (int i = 0; i < point.length; i++) {
                    square += (point[i] - mean[i]) * (point[i] - mean[i]);
                }
                least = Math.min(least, square);
            }
            return least;
        });
    }
}
