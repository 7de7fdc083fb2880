package ai.wood.score;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Scorer;
import java.util.Arrays;
import java.util.List;
import org.ojalgo.matrix.decomposition.Eigenvalue;
import org.ojalgo.matrix.store.R064Store;

/**
 * The squared Mahalanobis distance from the nearest class mean under one covariance shared by all classes,
 * {@code min_k (h - m_k)^T S^-1 (h - m_k)}, in the features {@code h} of the last layer but one.
 *
 * <p>Directions in which the training features do not vary are left out, as a pseudo-inverse of {@code S} does.
 *
 * @see <a href="https://arxiv.org/abs/1807.03888">Lee et al. 2018, A Simple Unified Framework for Detecting
 *     Out-of-Distribution Samples and Adversarial Attacks</a>
 */
public final class MahalanobisScorer implements Scorer {

    /** Variances below this share of the largest are rounding. */
    private static final double NO_VARIANCE = 1e-10;

    private final double[][] whitening; // S^-1 = whitening^T whitening
    private final double[][] means; // whitened, one for each class that has samples

    private MahalanobisScorer(double[][] whitening, double[][] means) {
        this.whitening = whitening;
        this.means = means;
    }

    /**
     * Estimates class means and the shared covariance.
     *
     * @param ind outputs with features, of samples the network was trained on
     * @param labels their true labels
     */
    public static MahalanobisScorer fit(Outputs ind, List<Integer> labels) {
        Matrix features = ind.features();
        if (labels.size() != features.rows() || labels.isEmpty()) {
            throw new IllegalArgumentException("the fit needs samples, each with a label, but has " + features.rows()
                    + " samples and " + labels.size() + " labels");
        }
        double[][] means = classMeans(features, labels, ind.classes());
        double[][] whitening = whitening(covariance(features, labels, means));
        double[][] whitened = Arrays.stream(means)
                .filter(mean -> !Double.isNaN(mean[0]))
                .map(mean -> times(whitening, mean))
                .toArray(double[][]::new);
        return new MahalanobisScorer(whitening, whitened);
    }

    /** The matrix {@code L} with {@code S^-1 = L^T L}, for those who derive the distance. */
    public Matrix whitening() {
        return Matrix.of(whitening);
    }

    /** {@code L m_k} for every class that has samples: the distance is {@code min_k |L h - L m_k|^2}. */
    public Matrix whitenedMeans() {
        return Matrix.of(means);
    }

    @Override
    public double[] score(Outputs outputs) {
        Matrix features = outputs.features();
        if (features.columns() != whitening[0].length) {
            throw new IllegalArgumentException("the scorer was fitted to " + whitening[0].length
                    + " features but the network gives " + features.columns());
        }
        return features.mapRows(feature -> {
            double[] point = times(whitening, feature);
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

    /** One row per class; NaN for a class without samples. */
    private static double[][] classMeans(Matrix features, List<Integer> labels, int classes) {
        double[][] means = new double[classes][features.columns()];
        int[] counts = new int[classes];
        double[] row = new double[features.columns()];
        for (int r = 0; r < features.rows(); r++) {
            features.copyRow(r, row);
            double[] mean = means[labels.get(r)];
            counts[labels.get(r)]++;
            for (int i = 0; i < row.length; i++) {
                mean[i] += row[i];
            }
        }
        for (int k = 0; k < classes; k++) {
            for (int i = 0; i < row.length; i++) {
                means[k][i] /= counts[k];
            }
        }
        return means;
    }

    private static R064Store covariance(Matrix features, List<Integer> labels, double[][] means) {
        int width = features.columns();
        double[][] sums = new double[width][width];
        double[] row = new double[width];
        for (int r = 0; r < features.rows(); r++) {
            features.copyRow(r, row);
            double[] mean = means[labels.get(r)];
            for (int i = 0; i < width; i++) {
                row[i] -= mean[i];
            }
            for (int i = 0; i < width; i++) {
                double value = row[i] / features.rows();
                double[] sum = sums[i];
                for (int j = 0; j <= i; j++) {
                    sum[j] += value * row[j];
                }
            }
        }
        R064Store covariance = R064Store.FACTORY.make(width, width);
        for (int i = 0; i < width; i++) {
            for (int j = 0; j <= i; j++) {
                covariance.set(i, j, sums[i][j]);
                covariance.set(j, i, sums[i][j]);
            }
        }
        return covariance;
    }

    /** Rows {@code u / sqrt(v)} over the eigenvectors {@code u} whose variance {@code v} is more than rounding. */
    private static double[][] whitening(R064Store covariance) {
        Eigenvalue<Double> eigen = Eigenvalue.R064.make(covariance, true);
        if (!eigen.decompose(covariance)) {
            throw new IllegalArgumentException("the covariance of the features cannot be decomposed");
        }
        double largest = eigen.getD().doubleValue(0, 0);
        int width = covariance.getRowDim();
        double[][] rows = new double[width][width];
        int kept = 0;
        for (int k = 0; k < width; k++) {
            double variance = eigen.getD().doubleValue(k, k);
            if (variance > NO_VARIANCE * largest) {
                for (int i = 0; i < width; i++) {
                    rows[kept][i] = eigen.getV().doubleValue(i, k) / Math.sqrt(variance);
                }
                kept++;
            }
        }
        if (kept == 0) {
            throw new IllegalArgumentException("the features must vary but are all equal within their classes");
        }
        return Arrays.copyOf(rows, kept);
    }

    private static double[] times(double[][] matrix, double[] vector) {
        double[] product = new double[matrix.length];
        for (int r = 0; r < product.length; r++) {
            double sum = 0;
            double[] row = matrix[r];
            for (int i = 0; i < vector.length; i++) {
                sum += row[i] * vector[i];
            }
            product[r] = sum;
        }
        return product;
    }
}
