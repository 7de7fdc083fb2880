package ai.wood.transport;

import ai.wood.Matrix;
import ai.wood.Probabilities;
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
        Scaling scaling = new Scaling(from, to, costs);
        int iterations = 0;
        double error = Double.POSITIVE_INFINITY;
        while (error > tolerance && iterations < maxIterations) {
            scaling.fitRows();
            error = scaling.fitColumns();
            iterations++;
        }
        return scaling.transport(iterations, error <= tolerance);
    }

    /** The state of the iteration, on the classes that hold mass: {@code P = exp(u + logKernel + v)}. */
    private final class Scaling {
        private final Matrix costs;
        private final int[] rows;
        private final int[] columns;
        private final double[] p;
        private final double[] q;
        private final double[][] logKernel;
        private final double[] u;
        private final double[] v;

        Scaling(double[] from, double[] to, Matrix costs) {
            this.costs = costs;
            rows = Transport.support(from);
            columns = Transport.support(to);
            p = Transport.normalised(from, rows);
            q = Transport.normalised(to, columns);
            u = new double[p.length];
            v = new double[q.length];
            logKernel = new double[p.length][q.length];
            for (int i = 0; i < p.length; i++) {
                for (int j = 0; j < q.length; j++) {
                    logKernel[i][j] = -lambda * costs.get(rows[i], columns[j]);
                }
            }
        }

        void fitRows() {
            double[] exponents = new double[q.length];
            for (int i = 0; i < p.length; i++) {
                for (int j = 0; j < q.length; j++) {
                    exponents[j] = logKernel[i][j] + v[j];
                }
                u[i] = Math.log(p[i]) - Probabilities.logSumExp(exponents);
            }
        }

        /** Fits the columns and returns how far they were off while the rows were exact. */
        double fitColumns() {
            double[] exponents = new double[p.length];
            double error = 0;
            for (int j = 0; j < q.length; j++) {
                for (int i = 0; i < p.length; i++) {
                    exponents[i] = u[i] + logKernel[i][j];
                }
                double logMass = Probabilities.logSumExp(exponents);
                error = Math.max(error, Math.abs(Math.exp(logMass + v[j]) - q[j]));
                v[j] = Math.log(q[j]) - logMass;
            }
            return error;
        }

        Transport transport(int iterations, boolean converged) {
            double[] plan = new double[costs.rows() * costs.columns()];
            double value = 0;
            for (int i = 0; i < p.length; i++) {
                for (int j = 0; j < q.length; j++) {
                    double logMass = u[i] + logKernel[i][j] + v[j];
                    double mass = Math.exp(logMass);
                    plan[rows[i] * costs.columns() + columns[j]] = mass;
                    value += mass * (costs.get(rows[i], columns[j]) + logMass / lambda);
                }
            }
            double[][] potentials = {potential(u, rows, costs.rows()), potential(v, columns, costs.columns())};
            return new Transport(
                    value, Matrix.wrap(plan, costs.columns()), Transport.pair(potentials), iterations, converged);
        }

        private double[] potential(double[] logScaling, int[] support, int classes) {
            double[] potential = new double[classes];
            Arrays.fill(potential, Double.NEGATIVE_INFINITY);
            for (int i = 0; i < support.length; i++) {
                potential[support[i]] = (logScaling[i] + 0.5) / lambda;
            }
            return potential;
        }
    }
}
