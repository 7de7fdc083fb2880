package ai.wood.loss;

import ai.wood.Probabilities;
import java.util.Arrays;

/** Plain classification, {@code -log f[label]}; OOD samples are ignored. */
public record CrossEntropy() implements Loss {

    @Override
    public double ind(double[] logits, int label, double[] gradient) {
        return of(logits, label, gradient);
    }

    @Override
    public double ood(double[] logits, double[] gradient) {
        Arrays.fill(gradient, 0);
        return 0;
    }

    /** The InD term all losses share: value, and gradient {@code f - onehot}. */
    static double of(double[] logits, int label, double[] gradient) {
        System.arraycopy(logits, 0, gradient, 0, logits.length);
        Probabilities.softmax(gradient);
        gradient[label] -= 1;
        return Probabilities.logSumExp(logits) - logits[label];
    }

    /** Carries a derivative by probabilities {@code f} over to logits: {@code f * (g - <f, g>)}. */
    static void throughSoftmax(double[] f, double[] gradient) {
        double mean = 0;
        for (int i = 0; i < f.length; i++) {
            mean += f[i] * gradient[i];
        }
        for (int i = 0; i < f.length; i++) {
            gradient[i] = f[i] * (gradient[i] - mean);
        }
    }

    @Override
    public boolean usesOod() {
        return false;
    }

    /** The entry in the catalogue of losses. */
    public static final class Kind implements LossKind {

        @Override
        public String id() {
            return "plain";
        }

        @Override
        public String description() {
            return "cross-entropy without OOD samples";
        }

        @Override
        public Loss create(LossSettings settings) {
            return new CrossEntropy();
        }
    }
}
