package ai.wood.transport;

import ai.wood.Matrix;
import java.util.Arrays;
import java.util.Locale;

/** A given K x K matrix of non-negative costs; row: the class mass is moved from, column: the class it goes to. */
public final class CustomCost implements GroundCost {

    private final Matrix costs;
    private final double[] byTarget; // transposed: the costs of moving to class k lie side by side
    private final double largest;

    CustomCost(Matrix costs) {
        int classes = costs.rows();
        if (classes != costs.columns() || classes < 2) {
            throw new IllegalArgumentException(
                    "a cost matrix must be square, at least 2 x 2, but is " + classes + " x " + costs.columns());
        }
        this.costs = costs;
        this.byTarget = new double[Math.multiplyExact(classes, classes)];
        double max = 0;
        for (int i = 0; i < classes; i++) {
            for (int j = 0; j < classes; j++) {
                double cost = costs.get(i, j);
                if (!(cost >= 0 && cost < Double.POSITIVE_INFINITY)) {
                    throw new IllegalArgumentException("a cost must be finite and not negative but row " + (i + 1)
                            + ", column " + (j + 1) + " holds " + cost);
                }
                byTarget[j * classes + i] = cost;
                max = Math.max(max, cost);
            }
        }
        this.largest = max;
    }

    public int classes() {
        return costs.rows();
    }

    @Override
    public double score(double[] f) {
        return costTo(nearest(f), f);
    }

    @Override
    public Matrix matrix(double[] f, int k) {
        return costs;
    }

    @Override
    public void requireClasses(int classes) {
        if (classes != classes()) {
            throw new IllegalArgumentException(
                    "the cost matrix is for " + classes() + " classes but the classifier has " + classes);
        }
    }

    @Override
    public int nearest(double[] f) {
        requireClasses(f.length);
        int best = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int k = 0; k < f.length; k++) {
            double cost = costTo(k, f);
            if (cost < least) {
                least = cost;
                best = k;
            }
        }
        return best;
    }

    private double costTo(int k, double[] f) {
        return Rows.dot(f, byTarget, k * f.length);
    }

    @Override
    public void gradient(double[] f, double[] into) {
        System.arraycopy(byTarget, nearest(f) * f.length, into, 0, f.length);
    }

    @Override
    public double largest() {
        return largest;
    }

    /** The costs, row: from, column: to. */
    public Matrix matrix() {
        return costs;
    }

    /** Which of a metric's axioms the matrix satisfies, up to rounding; takes K^3 steps. */
    public MetricAxioms axioms() {
        return MetricAxioms.of(costs);
    }

    /** Size and a checksum of the costs, so that descriptions of two runs differ where their matrices do. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "custom %d x %d, checksum %08x", classes(), classes(), Arrays.hashCode(byTarget));
    }
}
