package ai.wood.transport;

import ai.wood.Probabilities;

/** Sums over one row, with several accumulators side by side so that additions do not wait for each other. */
final class Rows {

    private Rows() {}

    static double sum(double[] x) {
        double s0 = 0;
        double s1 = 0;
        double s2 = 0;
        double s3 = 0;
        int i = 0;
        for (; i + 3 < x.length; i += 4) {
            s0 += x[i];
            s1 += x[i + 1];
            s2 += x[i + 2];
            s3 += x[i + 3];
        }
        for (; i < x.length; i++) {
            s0 += x[i];
        }
        return (s0 + s1) + (s2 + s3);
    }

    static double sumOfSquares(double[] x) {
        double s0 = 0;
        double s1 = 0;
        double s2 = 0;
        double s3 = 0;
        int i = 0;
        for (; i + 3 < x.length; i += 4) {
            s0 = Math.fma(x[i], x[i], s0);
            s1 = Math.fma(x[i + 1], x[i + 1], s1);
            s2 = Math.fma(x[i + 2], x[i + 2], s2);
            s3 = Math.fma(x[i + 3], x[i + 3], s3);
        }
        for (; i < x.length; i++) {
            s0 = Math.fma(x[i], x[i], s0);
        }
        return (s0 + s1) + (s2 + s3);
    }

    /**
     * The largest of non-negative elements. Their bit patterns are ordered as they are, and the maximum of integers,
     * unlike that of doubles, costs no mispredicted branch.
     */
    static double maxOfNonNegative(double[] x) {
        long m0 = 0;
        long m1 = 0;
        int i = 0;
        for (; i + 1 < x.length; i += 2) {
            m0 = Math.max(m0, Double.doubleToRawLongBits(x[i]));
            m1 = Math.max(m1, Double.doubleToRawLongBits(x[i + 1]));
        }
        if (i < x.length) {
            m0 = Math.max(m0, Double.doubleToRawLongBits(x[i]));
        }
        return Double.longBitsToDouble(Math.max(m0, m1));
    }

    static double dot(double[] x, double[] y, int offset) {
        double s0 = 0;
        double s1 = 0;
        int i = 0;
        for (; i + 1 < x.length; i += 2) {
            s0 = Math.fma(x[i], y[offset + i], s0);
            s1 = Math.fma(x[i + 1], y[offset + i + 1], s1);
        }
        if (i < x.length) {
            s0 = Math.fma(x[i], y[offset + i], s0);
        }
        return s0 + s1;
    }

    /** Replaces logits by {@code exp(z - max z)}, except for the largest one, which becomes zero instead of one. */
    static void exponentialsOfOthers(double[] logits) {
        int top = Probabilities.argmax(logits);
        double max = logits[top];
        logits[top] = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < logits.length; i++) {
            logits[i] -= max;
        }
        Probabilities.exp(logits);
    }
}
