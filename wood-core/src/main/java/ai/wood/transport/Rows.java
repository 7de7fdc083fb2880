package ai.wood.transport;

/** Sums over one row. */
final class Rows {

    /** Above this, the fast sums over floats keep nine digits of 10,000 classes. Below, differences from 1 cancel. */
    static final double PRECISE = 1e-3;

    private Rows() {}

    static double sum(double[] x) {
        return sumOfOthers(x, -1);
    }

    /** The sum of all elements except one. */
    static double sumOfOthers(double[] x, int except) {
        double sum = 0;
        for (int i = 0; i < x.length; i++) {
            sum += i == except ? 0 : x[i];
        }
        return sum;
    }

    /**
     * {@code sum - max} of non-negative floats, the fast path of the binary score.
     *
     * <p>Several accumulators stand side by side so that additions do not wait for each other. Bit patterns of
     * non-negative floats are ordered as they are, and the maximum of integers, unlike that of floats, costs no
     * mispredicted branch.
     */
    static double sumOfOthers(float[] x, int start, int end) {
        double s0 = 0;
        double s1 = 0;
        double s2 = 0;
        double s3 = 0;
        int m0 = 0;
        int m1 = 0;
        int i = start;
        for (; i + 3 < end; i += 4) {
            float a = x[i];
            float b = x[i + 1];
            float c = x[i + 2];
            float d = x[i + 3];
            s0 += a;
            s1 += b;
            s2 += c;
            s3 += d;
            m0 = Math.max(m0, Math.max(Float.floatToRawIntBits(a), Float.floatToRawIntBits(b)));
            m1 = Math.max(m1, Math.max(Float.floatToRawIntBits(c), Float.floatToRawIntBits(d)));
        }
        for (; i < end; i++) {
            s0 += x[i];
            m0 = Math.max(m0, Float.floatToRawIntBits(x[i]));
        }
        return (s0 + s1) + (s2 + s3) - Float.intBitsToFloat(Math.max(m0, m1));
    }

    /** {@code (sum x)^2 - sum x^2} of floats, the fast path of the dynamic score. */
    static double sumOfCrossProducts(float[] x, int start, int end) {
        double s0 = 0;
        double s1 = 0;
        double s2 = 0;
        double s3 = 0;
        double q0 = 0;
        double q1 = 0;
        double q2 = 0;
        double q3 = 0;
        int i = start;
        for (; i + 3 < end; i += 4) {
            double a = x[i];
            double b = x[i + 1];
            double c = x[i + 2];
            double d = x[i + 3];
            s0 += a;
            s1 += b;
            s2 += c;
            s3 += d;
            q0 += a * a;
            q1 += b * b;
            q2 += c * c;
            q3 += d * d;
        }
        for (; i < end; i++) {
            double a = x[i];
            s0 += a;
            q0 += a * a;
        }
        double sum = (s0 + s1) + (s2 + s3);
        return sum * sum - ((q0 + q1) + (q2 + q3));
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
}
