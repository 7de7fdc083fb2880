package ai.wood.transport;

import ai.wood.Matrix;
import org.ojalgo.optimisation.Expression;
import org.ojalgo.optimisation.ExpressionsBasedModel;
import org.ojalgo.optimisation.Optimisation;
import org.ojalgo.optimisation.Variable;

/**
 * The Wasserstein distance between two discrete distributions as the linear program that defines it (paper, Eq. 2-4):
 * the oracle every closed form is checked against. For a handful to about a hundred classes.
 */
public final class ExactTransport {

    private static final double ROUNDING = 1e-12;

    private ExactTransport() {}

    /**
     * Minimises {@code <P, M>} over all plans with the given marginals.
     *
     * @throws IllegalStateException where the solver does not reach the optimum, which no valid problem should cause
     */
    public static Transport solve(double[] from, double[] to, Matrix costs) {
        Transport.check(from, to, costs);
        int[] rows = Transport.support(from);
        int[] columns = Transport.support(to);
        double[] p = Transport.normalised(from, rows);
        double[] q = Transport.normalised(to, columns);
        ExpressionsBasedModel model = new ExpressionsBasedModel();
        Expression[] rowSums = new Expression[rows.length];
        for (int i = 0; i < rows.length; i++) {
            rowSums[i] = model.newExpression("row" + i).level(p[i]);
        }
        // The last column follows from the others; leaving it out keeps rounding from making the program infeasible.
        Expression[] columnSums = new Expression[columns.length - 1];
        for (int j = 0; j < columnSums.length; j++) {
            columnSums[j] = model.newExpression("column" + j).level(q[j]);
        }
        for (int i = 0; i < rows.length; i++) {
            for (int j = 0; j < columns.length; j++) {
                Variable mass = model.newVariable("p" + i + "_" + j).lower(0).weight(costs.get(rows[i], columns[j]));
                rowSums[i].set(mass, 1);
                if (j < columnSums.length) {
                    columnSums[j].set(mass, 1);
                }
            }
        }
        Optimisation.Result result = model.minimise();
        if (!result.getState().isOptimal()) {
            throw new IllegalStateException("the transport program ended " + result.getState());
        }
        double[] plan = new double[costs.rows() * costs.columns()];
        double value = 0;
        for (int i = 0; i < rows.length; i++) {
            for (int j = 0; j < columns.length; j++) {
                double mass = Math.max(0, result.doubleValue(i * columns.length + j));
                plan[rows[i] * costs.columns() + columns[j]] = mass;
                value += mass * costs.get(rows[i], columns[j]);
            }
        }
        Matrix planned = Matrix.wrap(plan, costs.columns());
        return new Transport(value, planned, potentials(planned, costs), 0, true);
    }

    /**
     * Dual variables of an optimal plan: {@code a_i + b_j <= M[i][j]} everywhere, with equality where mass moves. They
     * are shortest ways in the residual graph (Bellman-Ford), where mass may be sent on or taken back.
     */
    private static Matrix potentials(Matrix plan, Matrix costs) {
        double[] a = new double[plan.rows()];
        double[] b = new double[plan.columns()];
        boolean changed = true;
        for (int round = 0; changed && round < a.length + b.length; round++) {
            changed = false;
            for (int i = 0; i < a.length; i++) {
                for (int j = 0; j < b.length; j++) {
                    double slack = costs.get(i, j) - a[i] - b[j];
                    if (slack < -ROUNDING) {
                        b[j] += slack;
                        changed = true;
                    } else if (slack > ROUNDING && plan.get(i, j) > ROUNDING) {
                        a[i] += slack;
                        changed = true;
                    }
                }
            }
        }
        return Transport.pair(new double[][] {a, b});
    }
}
