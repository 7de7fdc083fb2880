package ai.wood.lab;

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
enum AuthorsScorer implements Scorer {
    /**
     * {@code 1 - max f - sum f_i ln w_i} with {@code w_i = 2 / (S/e + sqrt(S^2/e^2 + 4 (1 - 1/e) f_i))} and {@code S}
     * the root of {@code sum f_i w_i = S}; {@code ln w} is the potential of the self-transport {@code OT(f, f)}.
     *
     * <p>Where one class holds all but {@code r}, this is of the order of {@code r^2}: its terms cancel. With {@code S = 1 +
     * (e - 1) r - d}, {@code w_i = (1 - v_i) e / S} for the others and {@code w = 1 + c} for the class itself it is {@code r
     * ln S - sum f_i ln(1 - v_i) - (1 - r) ln(1 + c)}, where each term is of that order.
     */
    BINARY {
        @Override
        public double score(double[] f) {
            SelfTransport transport = SelfTransport.of(f);
            double others = transport.others();
            double score = others * Math.log1p(transport.excess()) - (1 - others) * Math.log1p(transport.excessOfTop());
            for (int i = 0; i < f.length; i++) {
                score -= i == transport.top() ? 0 : f[i] * Math.log1p(-transport.shortfall(f[i]));
            }
            return score;
        }

        @Override
        public void gradient(double[] f, double[] into) {
            SelfTransport transport = SelfTransport.of(f);
            for (int i = 0; i < f.length; i++) {
                into[i] = (i == transport.top() ? 0 : 1) - Math.log(transport.weight(f[i]));
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

    /** {@code 1 - sum f^2}, exact however sure the classifier is. */
    private static double impurity(double[] f) {
        int top = Probabilities.argmax(f);
        double others = Probabilities.others(f, top);
        double impurity = others * (2 - others);
        for (int i = 0; i < f.length; i++) {
            impurity -= i == top ? 0 : f[i] * f[i];
        }
        return impurity;
    }

    /**
     * The self-transport {@code OT(f, f)} under the binary cost.
     *
     * @param top the most probable class
     * @param others {@code r}, what the others hold
     * @param lag {@code d}
     */
    private record SelfTransport(int top, double others, double lag) {

        /** The root is where {@code d = (e / S) (r (S - 1) + sum f_i v_i) - (1 - r) c}; below it the right side is larger. */
        static SelfTransport of(double[] f) {
            int top = Probabilities.argmax(f);
            double others = Probabilities.others(f, top);
            double low = 0;
            double high = Math.min(Math.E - 1, Math.E * (Math.E * Math.E - 1) * others) * others;
            for (int i = 0; i < 60; i++) {
                double lag = (low + high) / 2;
                if (new SelfTransport(top, others, lag).lag(f) > lag) {
                    low = lag;
                } else {
                    high = lag;
                }
            }
            return new SelfTransport(top, others, (low + high) / 2);
        }

        private double lag(double[] f) {
            double sum = others * excess();
            for (int i = 0; i < f.length; i++) {
                sum += i == top ? 0 : f[i] * shortfall(f[i]);
            }
            return Math.E / (1 + excess()) * sum - (1 - others) * excessOfTop();
        }

        /** {@code S - 1}. */
        double excess() {
            return (Math.E - 1) * others - lag;
        }

        /** {@code c}, the positive root of {@code (1 - 1/e) (1 - r) c^2 + b c = d / e}. */
        double excessOfTop() {
            double square = (1 - INVERSE_E) * (1 - others);
            double b = 2 * square + INVERSE_E * (1 + excess());
            return 2 * INVERSE_E * lag / (b + Math.sqrt(b * b + 4 * square * INVERSE_E * lag));
        }

        /** {@code v} of a class that holds so much. */
        double shortfall(double mass) {
            double t = Math.E * (Math.E - 1) * mass / ((1 + excess()) * (1 + excess()));
            double u = 2 / (1 + Math.sqrt(1 + 4 * t));
            return t * u * u;
        }

        /** {@code w} of a class that holds so much. */
        double weight(double mass) {
            double a = (1 + excess()) * INVERSE_E;
            return 2 / (a + Math.sqrt(a * a + 4 * (1 - INVERSE_E) * mass));
        }
    }
}
