package ai.wood.transport;

import ai.wood.Matrix;

/**
 * The cost follows the prediction (paper, Eq. 3-9): {@code M[i][j] = |f_i - y_j|}; not a metric. The score
 * {@code sum_i f_i (1 - f_i)} is the same for every class (Proposition 1) and largest, {@code 1 - 1/K}, at the uniform
 * distribution (Proposition 2).
 */
public record DynamicCost() implements GroundCost {

    @Override
    public double score(double[] f) {
        double sum = Rows.sum(f);
        return Math.max(0, sum * sum - Rows.sumOfSquares(f));
    }

    @Override
    public double apply(float[] data, int start, double[] scratch) {
        return Math.max(0, Rows.sumOfCrossProducts(data, start, start + scratch.length));
    }

    /** With {@code r} the sum and {@code q} the sum of squares of the others: {@code (2r + r^2 - q) / (1 + r)^2}. */
    @Override
    public double scoreOfLogits(double[] logits) {
        Rows.exponentialsOfOthers(logits);
        double others = Rows.sum(logits);
        double squares = Rows.sumOfSquares(logits);
        return (2 * others + others * others - squares) / ((1 + others) * (1 + others));
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
