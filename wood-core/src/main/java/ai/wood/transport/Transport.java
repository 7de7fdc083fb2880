package ai.wood.transport;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A solved transport problem.
 *
 * @param value what was minimised: {@code <P, M>}, for Sinkhorn less {@code h(P) / lambda}
 * @param plan the coupling {@code P}; row: from, column: to
 * @param potentials two rows, the dual variables of the two marginals; the first row is the derivative of the value by
 *     the first distribution, up to a constant. Of Sinkhorn's algorithm negative infinity where a class holds no mass.
 * @param iterations rounds of Sinkhorn's algorithm; 0 for the exact solution
 * @param converged whether the plan's marginals reached the tolerance
 */
public record Transport(double value, Matrix plan, Matrix potentials, int iterations, boolean converged) {

    /** The transport cost {@code <P, M>} of the plan. */
    public double cost(Matrix costs) {
        double sum = 0;
        for (int i = 0; i < plan.rows(); i++) {
            for (int j = 0; j < plan.columns(); j++) {
                sum += plan.get(i, j) * costs.get(i, j);
            }
        }
        return sum;
    }

    /** Refuses a problem whose parts do not fit each other, whose distributions are none, or whose costs are negative or not finite. */
    static void check(double[] from, double[] to, Matrix costs) {
        if (costs.rows() != from.length || costs.columns() != to.length) {
            throw new IllegalArgumentException("distributions of " + from.length + " and " + to.length
                    + " classes need a cost matrix of that size but it is " + costs.rows() + " x " + costs.columns());
        }
        Probabilities.check(from);
        Probabilities.check(to);
        for (int i = 0; i < costs.rows(); i++) {
            for (double cost : costs.row(i)) {
                if (!(cost >= 0 && cost < Double.POSITIVE_INFINITY)) {
                    throw new IllegalArgumentException(
                            "costs must be finite and not negative but row " + (i + 1) + " holds " + cost);
                }
            }
        }
    }

    /** Scales to the sum 1 and leaves out what has no mass, so that solvers meet no zeros. */
    static double[] normalised(double[] distribution, int[] support) {
        double sum = Rows.sum(distribution);
        double[] masses = new double[support.length];
        for (int i = 0; i < masses.length; i++) {
            masses[i] = distribution[support[i]] / sum;
        }
        return masses;
    }

    static int[] support(double[] distribution) {
        return IntStream.range(0, distribution.length)
                .filter(i -> distribution[i] > 0)
                .toArray();
    }

    /** Two rows of equal length; where one distribution has more classes the shorter row is filled up with NaN. */
    static Matrix pair(double[][] potentials) {
        int columns = Math.max(potentials[0].length, potentials[1].length);
        double[][] rows = new double[2][];
        for (int r = 0; r < 2; r++) {
            rows[r] = Arrays.copyOf(potentials[r], columns);
            Arrays.fill(rows[r], potentials[r].length, columns, Double.NaN);
        }
        return Matrix.of(rows);
    }
}
