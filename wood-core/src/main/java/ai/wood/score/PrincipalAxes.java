package ai.wood.score;

import ai.wood.Matrix;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.ojalgo.matrix.decomposition.Eigenvalue;
import org.ojalgo.matrix.store.R064Store;

/** The directions in which features vary around given centres, the strongest first, and their variances. */
final class PrincipalAxes {

    /** Variances below this share of the largest are rounding. */
    private static final double NO_VARIANCE = 1e-10;

    /** Rows of the covariance that are summed in one pass over the samples. */
    private static final int STRIPE = 64;

    private final double[] variances;
    private final double[][] axes;

    private PrincipalAxes(double[] variances, double[][] axes) {
        this.variances = variances;
        this.axes = axes;
    }

    /**
     * Finds the axes of {@code (1 / n) sum (h - c)(h - c)^T}.
     *
     * @param centres the centre {@code c} to subtract from each row
     */
    static PrincipalAxes of(Matrix features, IntFunction<double[]> centres) {
        R064Store covariance = covariance(features, centres);
        Eigenvalue<Double> eigen = Eigenvalue.R064.make(covariance, true);
        if (!eigen.decompose(covariance)) {
            throw new IllegalArgumentException("the covariance of the features cannot be decomposed");
        }
        int width = features.columns();
        int[] order = IntStream.range(0, width)
                .boxed()
                .sorted((a, b) -> Double.compare(
                        eigen.getD().doubleValue(b, b), eigen.getD().doubleValue(a, a)))
                .mapToInt(i -> i)
                .toArray();
        double[] variances = Arrays.stream(order)
                .mapToDouble(i -> eigen.getD().doubleValue(i, i))
                .toArray();
        double[][] axes = Arrays.stream(order)
                .mapToObj(i -> eigen.getV().sliceColumn(i).toRawCopy1D())
                .toArray(double[][]::new);
        return new PrincipalAxes(variances, axes);
    }

    /** The axes from an index on, one a row. */
    Matrix from(int first) {
        return Matrix.of(Arrays.copyOfRange(axes, first, axes.length));
    }

    /**
     * The matrix {@code A} with {@code A^T A} the pseudo-inverse of the covariance: in {@code A h} all directions vary
     * alike, and those without variance are left out.
     */
    Matrix whitening() {
        int kept = (int) Arrays.stream(variances)
                .filter(variance -> variance > NO_VARIANCE * variances[0])
                .count();
        if (kept == 0 || !(variances[0] > 0)) {
            throw new IllegalArgumentException("the features must vary but are all equal within their classes");
        }
        double[][] rows = new double[kept][];
        for (int k = 0; k < kept; k++) {
            double deviation = Math.sqrt(variances[k]);
            rows[k] = Arrays.stream(axes[k]).map(x -> x / deviation).toArray();
        }
        return Matrix.of(rows);
    }

    /** Every element is summed by one thread in the order of the samples, so threads do not change the result. */
    private static R064Store covariance(Matrix features, IntFunction<double[]> centres) {
        int width = features.columns();
        R064Store covariance = R064Store.FACTORY.make(width, width);
        IntStream.range(0, (width + STRIPE - 1) / STRIPE).parallel().forEach(stripe -> {
            int from = stripe * STRIPE;
            int to = Math.min(width, from + STRIPE);
            double[][] sums = sums(features, centres, from, to);
            for (int i = from; i < to; i++) {
                for (int j = 0; j <= i; j++) {
                    covariance.set(i, j, sums[i - from][j] / features.rows());
                    covariance.set(j, i, sums[i - from][j] / features.rows());
                }
            }
        });
        return covariance;
    }

    private static double[][] sums(Matrix features, IntFunction<double[]> centres, int from, int to) {
        double[][] sums = new double[to - from][to];
        double[] row = new double[features.columns()];
        for (int r = 0; r < features.rows(); r++) {
            features.copyRow(r, row);
            double[] centre = centres.apply(r);
            for (int i = 0; i < row.length; i++) {
                row[i] -= centre[i];
            }
            for (int i = from; i < to; i++) {
                double value = row[i];
                double[] sum = sums[i - from];
                for (int j = 0; j < sum.length; j++) {
                    sum[j] += value * row[j];
                }
            }
        }
        return sums;
    }
}
