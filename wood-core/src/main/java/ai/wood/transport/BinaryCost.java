package ai.wood.transport;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import java.util.Arrays;

/** Every move costs 1, staying is free (paper, Eq. 3-8); a metric. Score: the sum of all but the largest, at most 1 - 1/K. */
public record BinaryCost() implements GroundCost {

    @Override
    public double score(double[] f) {
        return Rows.sumOfOthers(f, nearest(f));
    }

    @Override
    public double apply(float[] data, int start, double[] scratch) {
        double fast = Rows.sumOfOthers(data, start, start + scratch.length);
        return fast > Rows.PRECISE ? fast : GroundCost.super.apply(data, start, scratch);
    }

    @Override
    public Matrix matrix(double[] f, int k) {
        return CostMatrices.fill(f.length, (i, j) -> i == j ? 0 : 1);
    }

    @Override
    public int nearest(double[] f) {
        return Probabilities.argmax(f);
    }

    @Override
    public void gradient(double[] f, double[] into) {
        Arrays.fill(into, 1);
        into[nearest(f)] = 0;
    }

    @Override
    public double largest() {
        return 1;
    }

    @Override
    public String toString() {
        return "binary";
    }
}
