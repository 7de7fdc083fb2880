package ai.wood;

import java.util.Optional;

/**
 * Arithmetic on one row of logits or probabilities, sound for logits of any finite size.
 *
 * <p>Everything is computed relative to the largest logit, so nothing overflows; what underflows is smaller than the
 * smallest number a double can tell from zero.
 */
public final class Probabilities {

    /** How far a sum of probabilities may be from 1: generous for float rounding over 10,000 classes. */
    public static final double SUM_TOLERANCE = 1e-3;

    /** Shorter rows never reach the compiled loop that takes eight elements at once. */
    private static final int VECTORISED_FROM = 24;

    private Probabilities() {}

    /** Refuses what logits cannot be divided by. */
    public static void requireTemperature(double temperature) {
        if (!(temperature > 0 && temperature < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("the temperature must be positive and finite but is " + temperature);
        }
    }

    /** The index of the largest element, the first one on ties. */
    public static int argmax(double[] row) {
        int best = 0;
        for (int i = 1; i < row.length; i++) {
            if (row[i] > row[best]) {
                best = i;
            }
        }
        return best;
    }

    /** The largest element; NaN if one is NaN. */
    public static double max(double[] row) {
        double max = row[0];
        for (double element : row) {
            max = Math.max(max, element);
        }
        return max;
    }

    /** Replaces logits by probabilities. */
    public static void softmax(double[] row) {
        double max = row[argmax(row)];
        for (int i = 0; i < row.length; i++) {
            row[i] -= max;
        }
        exp(row);
        double sum = 0;
        for (double e : row) {
            sum += e;
        }
        for (int i = 0; i < row.length; i++) {
            row[i] /= sum;
        }
    }

    /** {@code log sum exp(row)}, without overflow; NaN if an element is +Infinity or all are -Infinity. */
    public static double logSumExp(double[] row) {
        double max = row[argmax(row)];
        if (Double.isInfinite(max)) {
            return Double.NaN;
        }
        double sum = 0;
        for (double z : row) {
            sum += Math.exp(z - max);
        }
        return max + Math.log(sum);
    }

    /**
     * Shannon's entropy in nats, {@code -sum f log f}; a class without mass adds nothing. One that has nearly all adds {@code
     * -f log(1 - others)}, which is exact however sure the classifier is.
     */
    public static double entropy(double[] f) {
        double sum = 0;
        for (int i = 0; i < f.length; i++) {
            if (f[i] != 0) {
                sum -= f[i] * (f[i] > 0.5 ? Math.log1p(-others(f, i)) : Math.log(f[i]));
            }
        }
        return sum;
    }

    /**
     * {@code 1 - f[k]}, which the other classes hold: their sum, which rounding leaves exact where {@code f[k]} is nearly 1, as
     * long as all add up to 1.
     */
    public static double others(double[] f, int k) {
        double others = 0;
        for (int i = 0; i < f.length; i++) {
            others += i == k ? 0 : f[i];
        }
        double left = 1 - f[k];
        return Math.abs(left - others) < 1e-12 ? others : left;
    }

    /**
     * Replaces every element, which must not be positive, by its exponential.
     *
     * <p>{@code exp(x) = exp(x / 1024)^1024}: a short Taylor polynomial and ten squarings, only multiplications and
     * additions, so that the JIT compiler runs eight elements at once. The relative error is below 1e-12 down to
     * x = -80 and grows to 1e-3 at -709, where it stays: results below 1e-34 are only good to their magnitude.
     */
    public static void exp(double[] row) {
        if (row.length < VECTORISED_FROM) {
            for (int i = 0; i < row.length; i++) {
                row[i] = Math.exp(row[i]);
            }
            return;
        }
        for (int i = 0; i < row.length; i++) {
            double x = Math.max(row[i], -709) * 0x1p-10;
            double p = Math.fma(x, 1.0 / 40320, 1.0 / 5040);
            p = Math.fma(p, x, 1.0 / 720);
            p = Math.fma(p, x, 1.0 / 120);
            p = Math.fma(p, x, 1.0 / 24);
            p = Math.fma(p, x, 1.0 / 6);
            p = Math.fma(p, x, 0.5);
            p = Math.fma(p, x, 1);
            p = Math.fma(p, x, 1);
            p *= p;
            p *= p;
            p *= p;
            p *= p;
            p *= p;
            p *= p;
            p *= p;
            p *= p;
            p *= p;
            p *= p;
            row[i] = p;
        }
    }

    /**
     * Refuses a row that is not a probability distribution.
     *
     * @throws IllegalArgumentException with the {@link #problem}
     */
    public static void check(double[] row) {
        problem(row).ifPresent(problem -> {
            throw new IllegalArgumentException(problem);
        });
    }

    /** Why a row is not a probability distribution, with the column counted from 1; empty if it is one. */
    public static Optional<String> problem(double[] row) {
        double sum = 0;
        for (int i = 0; i < row.length; i++) {
            if (!(row[i] >= 0)) {
                return Optional.of("column " + (i + 1) + ": a probability must not be negative but is " + row[i]
                        + (row[i] < 0 ? ". Maybe these are logits." : ""));
            }
            sum += row[i];
        }
        return Math.abs(sum - 1) <= SUM_TOLERANCE
                ? Optional.empty()
                : Optional.of("probabilities must sum to 1 but sum to " + sum + ". Maybe these are logits.");
    }

    /**
     * Whether rows that should be logits are probabilities: there are at least two, no element is negative, and every row sums
     * to 1 within {@link #SUM_TOLERANCE}.
     */
    public static boolean looksLikeProbabilities(Matrix rows) {
        for (int i = 0; i < rows.rows(); i++) {
            double sum = 0;
            for (double value : rows.row(i)) {
                sum += value >= 0 ? value : Double.NaN;
            }
            if (!(Math.abs(sum - 1) <= SUM_TOLERANCE)) {
                return false;
            }
        }
        return rows.rows() >= 2;
    }
}
