package ai.wood.transport;

import ai.wood.Matrix;
import java.util.Arrays;

/**
 * Entropic transport by Sinkhorn and Knopp's algorithm (the paper's Algorithm 2) in the log domain, so that nothing
 * underflows however large {@code lambda} is.
 *
 * <p>It minimises {@code <P, M> - h(P) / lambda} with {@code h(P) = -sum P log P}. The optimal plan is
 * {@code P[i][j] = exp(lambda (a_i + b_j - M[i][j]) - 1)}; the two potentials are fitted to the two marginals in turn.
 * (The paper prints the potentials with reversed sign; here {@code a} is the derivative by the first distribution.)
 *
 * @param lambda weight of the cost against the entropy; the exact transport is its limit at infinity
 * @param tolerance largest error of any marginal at which the iteration ends
 * @param maxIterations rounds after which it gives up and says so
 */
public record Sinkhorn(double lambda, double tolerance, int maxIterations) {

    public Sinkhorn {
        if (!(lambda > 0 && lambda < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("lambda must be positive and finite but is " + lambda);
        }
        if (!(tolerance > 0)) {
            throw new IllegalArgumentException("the tolerance must be positive but is " + tolerance);
        }
        if (maxIterations < 1) {
            throw new IllegalArgumentException("there must be at least one iteration but are " + maxIterations);
        }
    }

    /** Marginals to 1e-10, at most 100,000 iterations. */
    public static Sinkhorn of(double lambda) {
        return new Sinkhorn(lambda, 1e-10, 100_000);
    }

    public Sinkhorn withMaxIterations(int count) {
        return new Sinkhorn(lambda, tolerance, count);
    }

    public Transport solve(double[] from, double[] to, Matrix costs) {
        Transport.check(from, to, costs);
        int[] rows = Transport.support(from);
        int[] columns = Transport.support(to);
        double[] p = Transport.normalised(from, rows);
        double[] q = Transport.normalised(to, columns);
        double[][] logKernel = new double[rows.length][columns.length];
        for (int i = 0; i < rows.length; i++) {
            for (int j = 0; j < columns.length; j++) {
                logKernel[i][j] = -lambda * costs.get(rows[i], columns[j]);
            }
        }
        double[] u = new double[rows.length]; // log of the scalings: P = exp(u + logKernel + v)
        double[] v = new double[columns.length];
        int iterations = 0;
        double error = Double.POSITIVE_INFINITY;
        while (error > tolerance && iterations < maxIterations) {
            fitRows(p, logKernel, u, v);
            error = fitColumns(q, logKernel, u, v);
            iterations++;
        }
        return result(new Problem(rows, columns, logKernel, u, v), costs, iterations, error <= tolerance);
    }

    private static void fitRows(double[] p, double[][] logKernel, double[] u, double[] v) {
        for (int i = 0; i < p.length; i++) {
            double[] row = logKernel[i];
            double max = Double.NEGATIVE_INFINITY;
            for (int j = 0; j < v.length; j++) {
                max = Math.max(max, row[j] + v[j]);
            }
            double sum = 0;
            for (int j = 0; j < v.length; j++) {
                sum += Math.exp(row[j] + v[j] - max);
            }
            u[i] = Math.log(p[i]) - max - Math.log(sum);
        }
    }

    /** Fits the columns and returns how far they were off while the rows were exact. */
    private static double fitColumns(double[] q, double[][] logKernel, double[] u, double[] v) {
        double[] max = new double[q.length];
        Arrays.fill(max, Double.NEGATIVE_INFINITY);
        for (int i = 0; i < u.length; i++) {
            for (int j = 0; j < q.length; j++) {
                max[j] = Math.max(max[j], u[i] + logKernel[i][j]);
            }
        }
        double[] sum = new double[q.length];
        for (int i = 0; i < u.length; i++) {
            for (int j = 0; j < q.length; j++) {
                sum[j] += Math.exp(u[i] + logKernel[i][j] - max[j]);
            }
        }
        double error = 0;
        for (int j = 0; j < q.length; j++) {
            double logMass = max[j] + Math.log(sum[j]);
            error = Math.max(error, Math.abs(Math.exp(logMass + v[j]) - q[j]));
            v[j] = Math.log(q[j]) - logMass;
        }
        return error;
    }

    private record Problem(int[] rows, int[] columns, double[][] logKernel, double[] u, double[] v) {}

    private Transport result(Problem problem, Matrix costs, int iterations, boolean converged) {
        double[] plan = new double[costs.rows() * costs.columns()];
        double[][] potentials = {new double[costs.rows()], new double[costs.columns()]};
        Arrays.fill(potentials[0], Double.NEGATIVE_INFINITY);
        Arrays.fill(potentials[1], Double.NEGATIVE_INFINITY);
        double value = 0;
        for (int i = 0; i < problem.rows.length; i++) {
            potentials[0][problem.rows[i]] = (problem.u[i] + 0.5) / lambda;
            for (int j = 0; j < problem.columns.length; j++) {
                double logP = problem.u[i] + problem.logKernel[i][j] + problem.v[j];
                double mass = Math.exp(logP);
                plan[problem.rows[i] * costs.columns() + problem.columns[j]] = mass;
                value += mass * (costs.get(problem.rows[i], problem.columns[j]) + logP / lambda);
            }
        }
        for (int j = 0; j < problem.columns.length; j++) {
            potentials[1][problem.columns[j]] = (problem.v[j] + 0.5) / lambda;
        }
        return new Transport(value, Matrix.wrap(plan, costs.columns()), pad(potentials), iterations, converged);
    }

    /** Two rows of equal length; a rectangular problem fills up with NaN. */
    static Matrix pad(double[][] potentials) {
        int columns = Math.max(potentials[0].length, potentials[1].length);
        double[][] rows = new double[2][];
        for (int r = 0; r < 2; r++) {
            rows[r] = Arrays.copyOf(potentials[r], columns);
            Arrays.fill(rows[r], potentials[r].length, columns, Double.NaN);
        }
        return Matrix.of(rows);
    }
}
