package ai.wood.score;

import ai.wood.CannotRunException;
import ai.wood.Matrix;
import ai.wood.Parameters;
import java.util.Arrays;
import java.util.Map;
import org.ojalgo.matrix.decomposition.Cholesky;
import org.ojalgo.matrix.store.R064Store;

/**
 * Logistic regression with a ridge: the weights {@code w} and intercept {@code c} that minimise
 * {@code sum log(1 + exp(-s (w x + c))) + ridge / 2 |w|^2} over inputs {@code x} scaled to mean 0 and variance 1, with
 * {@code s = 1} for positive samples and {@code -1} for negative ones.
 *
 * <p>Newton's method; a step that does not lower this convex sum is halved until it does, so that it converges from
 * anywhere. The ridge keeps weights finite where the two kinds can be told apart without error.
 */
final class LogisticRegression {

    private static final int MOST_STEPS = 200;
    private static final double DONE = 1e-12;

    private final double[] weights; // the last one is the intercept
    private final double[] means;
    private final double[] deviations;

    private LogisticRegression(double[] weights, double[] means, double[] deviations) {
        this.weights = weights;
        this.means = means;
        this.deviations = deviations;
    }

    /** Learns to tell positive samples from negative ones, one sample a row. */
    static LogisticRegression fit(double[][] negative, double[][] positive, double ridge) {
        if (negative.length == 0 || positive.length == 0 || !(ridge > 0)) {
            throw new IllegalArgumentException("a regression needs samples of both kinds and a positive ridge but has "
                    + negative.length + " and " + positive.length + " samples and a ridge of " + ridge);
        }
        double[][] all = new double[negative.length + positive.length][];
        System.arraycopy(negative, 0, all, 0, negative.length);
        System.arraycopy(positive, 0, all, negative.length, positive.length);
        int inputs = all[0].length;
        double[] means = new double[inputs];
        double[] deviations = new double[inputs];
        for (int i = 0; i < inputs; i++) {
            int column = i;
            double mean =
                    Arrays.stream(all).mapToDouble(x -> x[column]).average().orElseThrow();
            double variance = Arrays.stream(all)
                    .mapToDouble(x -> (x[column] - mean) * (x[column] - mean))
                    .average()
                    .orElseThrow();
            if (!Double.isFinite(variance)) {
                throw new CannotRunException("the inputs of a regression must be finite but input " + i
                        + " has the mean " + mean + " and the variance " + variance);
            }
            means[i] = mean;
            deviations[i] = variance > 0 ? Math.sqrt(variance) : 1;
        }
        LogisticRegression start = new LogisticRegression(new double[inputs + 1], means, deviations);
        double[][] scaled = Arrays.stream(all).map(start::scaled).toArray(double[][]::new);
        return new LogisticRegression(minimise(scaled, negative.length, ridge), means, deviations);
    }

    /** A regression on so many inputs. */
    static LogisticRegression of(Parameters parameters, int inputs) {
        return new LogisticRegression(
                parameters.vector("weights", inputs + 1),
                parameters.vector("means", inputs),
                parameters.vector("deviations", inputs));
    }

    Map<String, Matrix> parameters() {
        return Parameters.of(
                Map.entry("weights", Matrix.of(weights)),
                Map.entry("means", Matrix.of(means)),
                Map.entry("deviations", Matrix.of(deviations)));
    }

    /** The log-odds of a sample being positive. */
    double logOdds(double[] x) {
        return dot(weights, scaled(x));
    }

    /** Inputs of mean 0 and variance 1, and a 1 for the intercept. */
    private double[] scaled(double[] x) {
        double[] scaled = new double[x.length + 1];
        for (int i = 0; i < x.length; i++) {
            scaled[i] = (x[i] - means[i]) / deviations[i];
        }
        scaled[x.length] = 1;
        return scaled;
    }

    private static double[] minimise(double[][] x, int negatives, double ridge) {
        double[] weights = new double[x[0].length];
        double loss = loss(x, negatives, ridge, weights);
        for (int step = 0; step < MOST_STEPS; step++) {
            double[] direction = newton(x, negatives, ridge, weights);
            double[] next = plus(weights, direction, 1);
            double lower = loss(x, negatives, ridge, next);
            for (double share = 0.5; !(lower <= loss) && share > DONE; share /= 2) {
                next = plus(weights, direction, share);
                lower = loss(x, negatives, ridge, next);
            }
            if (!(lower < loss - DONE * loss)) {
                return lower <= loss ? next : weights;
            }
            weights = next;
            loss = lower;
        }
        return weights;
    }

    private static double loss(double[][] x, int negatives, double ridge, double[] weights) {
        double loss = 0;
        for (int n = 0; n < x.length; n++) {
            double z = n < negatives ? dot(weights, x[n]) : -dot(weights, x[n]);
            loss += Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z)));
        }
        for (int i = 0; i < weights.length - 1; i++) {
            loss += ridge / 2 * weights[i] * weights[i];
        }
        return loss;
    }

    /** The step to the minimum of the parabola that fits the loss here. */
    private static double[] newton(double[][] x, int negatives, double ridge, double[] weights) {
        int size = weights.length;
        R064Store hessian = R064Store.FACTORY.make(size, size);
        R064Store descent = R064Store.FACTORY.make(size, 1);
        for (int n = 0; n < x.length; n++) {
            double p = 1 / (1 + Math.exp(-dot(weights, x[n])));
            for (int i = 0; i < size; i++) {
                descent.add(i, 0, ((n < negatives ? 0 : 1) - p) * x[n][i]);
                for (int j = 0; j < size; j++) {
                    hessian.add(i, j, p * (1 - p) * x[n][i] * x[n][j]);
                }
            }
        }
        for (int i = 0; i < size - 1; i++) {
            hessian.add(i, i, ridge);
            descent.add(i, 0, -ridge * weights[i]);
        }
        hessian.add(size - 1, size - 1, DONE);
        Cholesky<Double> cholesky = Cholesky.R064.make(hessian);
        cholesky.decompose(hessian);
        return cholesky.getSolution(descent).toRawCopy1D();
    }

    private static double[] plus(double[] a, double[] b, double share) {
        double[] sum = a.clone();
        for (int i = 0; i < a.length; i++) {
            sum[i] += share * b[i];
        }
        return sum;
    }

    private static double dot(double[] a, double[] b) {
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }
}
