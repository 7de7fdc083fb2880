package ai.wood.score;

import ai.wood.CannotRunException;
import ai.wood.Matrix;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.ojalgo.matrix.decomposition.Eigenvalue;
import org.ojalgo.matrix.store.R064Store;

/** The directions in which features vary around given centres, the strongest first, and their variances. */
final class PrincipalAxes {

    /** Variances below this share of the largest, between features scaled to the variance 1, are rounding. */
    private static final double NO_VARIANCE = 1e-10;

    /** Variances of a feature below this share of its mean square are rounding: a millionth of its size, in floats. */
    private static final double CONSTANT = 1e-12;

    /** Variances of features below this share of the largest are those of units that a smooth activation has silenced. */
    private static final double NOTHING = 1e-16;

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
        return of(covariance(features, centres));
    }

    private static PrincipalAxes of(R064Store covariance) {
        Eigenvalue<Double> eigen = Eigenvalue.R064.make(covariance, true);
        if (!eigen.decompose(covariance)) {
            throw new CannotRunException("the covariance of the features cannot be decomposed");
        }
        int[] order = IntStream.range(0, covariance.getRowDim())
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
     * The matrix {@code A} with {@code A^T A} an inverse of the covariance: in {@code A h} all directions vary alike, and
     * those without variance are left out. Which ones are is told after each feature is scaled to the variance 1, so that
     * its unit does not matter.
     */
    static Matrix whitening(Matrix features, IntFunction<double[]> centres) {
        R064Store covariance = covariance(features, centres);
        double[] deviations = deviations(features, covariance);
        if (Arrays.stream(deviations).noneMatch(deviation -> deviation > 0)) {
            throw new CannotRunException("the features must vary but are all equal within their classes");
        }
        for (int i = 0; i < deviations.length; i++) {
            for (int j = 0; j < deviations.length; j++) {
                boolean vary = deviations[i] > 0 && deviations[j] > 0;
                covariance.set(i, j, vary ? covariance.doubleValue(i, j) / deviations[i] / deviations[j] : 0);
            }
        }
        PrincipalAxes scaled = of(covariance);
        return Matrix.of(IntStream.range(0, deviations.length)
                .filter(k -> scaled.variances[k] > NO_VARIANCE * scaled.variances[0])
                .mapToObj(k -> whitened(scaled.axes[k], scaled.variances[k], deviations))
                .toArray(double[][]::new));
    }

    private static double[] whitened(double[] axis, double variance, double[] deviations) {
        double[] row = new double[axis.length];
        for (int i = 0; i < row.length; i++) {
            row[i] = deviations[i] > 0 ? axis[i] / Math.sqrt(variance) / deviations[i] : 0;
        }
        return row;
    }

    /** Of each feature around its centres; 0 where it varies by rounding alone, or is nothing beside the others. */
    private static double[] deviations(Matrix features, R064Store covariance) {
        double[] squares = new double[features.columns()];
        double[] row = new double[features.columns()];
        for (int r = 0; r < features.rows(); r++) {
            features.copyRow(r, row);
            for (int i = 0; i < row.length; i++) {
                squares[i] += row[i] * row[i] / features.rows();
            }
        }
        double[] variances = IntStream.range(0, row.length)
                .mapToDouble(i -> covariance.doubleValue(i, i))
                .toArray();
        double largest = Arrays.stream(variances).max().orElse(0);
        return IntStream.range(0, row.length)
                .mapToDouble(i -> variances[i] > CONSTANT * squares[i] && variances[i] > NOTHING * largest
                        ? Math.sqrt(variances[i])
                        : 0)
                .toArray();
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
