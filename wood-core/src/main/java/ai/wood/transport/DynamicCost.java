package ai.wood.transport;

import ai.wood.Matrix;
import ai.wood.Probabilities;

/**
 * The cost follows the prediction (paper, Eq. 3-9): {@code M[i][j] = |f_i - y_j|}; not a metric. The score
 * {@code sum_i f_i (1 - f_i)} is the same for every class (Proposition 1) and largest, {@code 1 - 1/K}, at the uniform
 * distribution (Proposition 2).
 */
public record DynamicCost() implements GroundCost {

    /** With {@code t} the largest, {@code r} the sum and {@code q} the sum of squares of the others: {@code 2tr + r^2 - q}. */
    @Override
    public double score(double[] f) {
        int top = Probabilities.argmax(f);
        double others = 0;
        double squares = 0;
        for (int i = 0; i < f.length; i++) {
            double mass = i == top ? 0 : f[i];
            others += mass;
            squares += mass * mass;
        }
        return 2 * f[top] * others + (others * others - squares);
    }

    @Override
    public double apply(float[] data, int start, double[] scratch) {
        double fast = Rows.sumOfCrossProducts(data, start, start + scratch.length);
        return fast > Rows.PRECISE ? fast : GroundCost.super.apply(data, start, scratch);
    }

    @Override
    public Matrix matrix(double[] f, int k) {
        return CostMatrices.fill(f.length, (i, j) -> j == k ? 1 - f[i] : f[i]);
    }

    /** All classes are equally near. */
    @Override
    public int nearest(double[] f) {
        return 0;
    }

    @Override
    public void gradient(double[] f, double[] into) {
        for (int i = 0; i < f.length; i++) {
            into[i] = 1 - f[i];
        }
    }

    @Override
    public void totalGradient(double[] f, double[] into) {
        for (int i = 0; i < f.length; i++) {
            into[i] = 1 - 2 * f[i];
        }
    }

    @Override
    public double largest() {
        return 1;
    }

    @Override
    public String toString() {
        return "dynamic";
    }
}
