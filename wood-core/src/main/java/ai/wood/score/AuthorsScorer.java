package ai.wood.score;

import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Scorer;

/**
 * The score that the paper's published code computes, for comparison with its figures: not the Wasserstein distance but
 * a debiased Sinkhorn divergence {@code S(f, y) = OT(f, y) - OT(f, f) / 2 - OT(y, y) / 2} with blur 1 and exponent 2.
 *
 * <p>Both have closed forms; the published loop stops early, so its values differ from these by up to 1e-4 (binary) and
 * 2.3e-3 (dynamic).
 */
public enum AuthorsScorer implements Scorer {
    /**
     * {@code 1 - max f - sum f_i ln w_i} with {@code w_i = 2 / (S/e + sqrt(S^2/e^2 + 4 (1 - 1/e) f_i))} and {@code S}
     * the root of {@code sum f_i w_i = S}; {@code ln w} is the potential of the self-transport {@code OT(f, f)}.
     */
    BINARY {
        @Override
        public double score(double[] f) {
            double s = scale(f);
            double top = 0;
            double selfTransport = 0;
            for (double mass : f) {
                top = Math.max(top, mass);
                selfTransport += mass * Math.log(weight(mass, s));
            }
            return 1 - top - selfTransport;
        }

        @Override
        public void gradient(double[] f, double[] into) {
            double s = scale(f);
            int top = Probabilities.argmax(f);
            for (int i = 0; i < f.length; i++) {
                into[i] = (i == top ? 0 : 1) - Math.log(weight(f[i], s));
            }
        }
    },
    /** {@code (1 - sum f^2)^2 / 2}. */
    DYNAMIC {
        @Override
        public double score(double[] f) {
            double impurity = impurity(f);
            return impurity * impurity / 2;
        }

        @Override
        public void gradient(double[] f, double[] into) {
            double impurity = impurity(f);
            for (int i = 0; i < f.length; i++) {
                into[i] = -2 * impurity * f[i];
            }
        }
    };

    /** What the blur makes of the unit cost between two classes. */
    public static final double INVERSE_E = Math.exp(-1);

    /** The score of one row of probabilities. */
    public abstract double score(double[] f);

    /** Derivative of the score by the probabilities, up to a constant added to all elements. */
    public abstract void gradient(double[] f, double[] into);

    @Override
    public double[] score(Outputs outputs) {
        return outputs.mapProbabilities(this::score);
    }

    private static double impurity(double[] f) {
        double squares = 0;
        for (double mass : f) {
            squares += mass * mass;
        }
        return 1 - squares;
    }

    private static double weight(double mass, double s) {
        double a = s * INVERSE_E;
        return 2 / (a + Math.sqrt(a * a + 4 * (1 - INVERSE_E) * mass));
    }

    /** {@code sum f_i w_i(S) - S} falls from positive at 0 to negative at e, so bisection finds the root. */
    private static double scale(double[] f) {
        double low = 0;
        double high = Math.E;
        for (int i = 0; i < 60; i++) {
            double s = (low + high) / 2;
            double sum = 0;
            for (double mass : f) {
                sum += mass == 0 ? 0 : mass * weight(mass, s);
            }
            if (sum > s) {
                low = s;
            } else {
                high = s;
            }
        }
        return (low + high) / 2;
    }
}
