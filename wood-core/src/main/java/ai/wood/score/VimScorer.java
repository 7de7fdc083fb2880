package ai.wood.score;

import ai.wood.CannotRunException;
import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import java.util.Arrays;
import java.util.Map;
import org.ojalgo.matrix.decomposition.SingularValue;
import org.ojalgo.matrix.store.MatrixStore;
import org.ojalgo.matrix.store.R064Store;

/**
 * Virtual-logit matching: {@code a |R (h - u)| - log sum exp z}. The features' part outside the directions in which
 * training features vary most becomes the logit of a virtual class, OOD, scaled by {@code a} so that over training
 * samples it is as large as the largest logit on average. The origin {@code u = -W^+ b} is where the head's logits
 * vanish.
 *
 * <p>The principal directions number 1000 of 2048 features or more, 512 of 768 or more (the paper's choices), else half.
 *
 * @see <a href="https://arxiv.org/abs/2203.10807">Wang et al. 2022, ViM: Out-Of-Distribution with Virtual-logit
 *     Matching</a>
 */
final class VimScorer implements Scorer {

    /** A residual below this share of the features is rounding. */
    private static final double NO_RESIDUAL = 1e-9;

    private final Head head;
    private final double[] origin;
    private final Matrix residual;
    private final double scale;

    private VimScorer(Head head, double[] origin, Matrix residual, double scale) {
        this.head = head;
        this.origin = origin;
        this.residual = residual;
        this.scale = scale;
    }

    static int principal(int features) {
        return features >= 2048 ? 1000 : features >= 768 ? 512 : features / 2;
    }

    /**
     * Finds the principal directions.
     *
     * @param ind outputs with features, of samples the network was trained on
     * @param head the network's last layer
     * @param wanted how many directions the training features may vary in freely; 0 for the paper's number
     */
    static VimScorer fit(Outputs ind, Head head, int wanted) {
        int principal = wanted == 0 ? principal(head.features()) : wanted;
        Matrix features = Features.requireFinite(Features.requireWidth(ind.features(), head.features()));
        if (principal >= head.features()) {
            throw new CannotRunException("principal directions must be fewer than the " + head.features()
                    + " features but are " + principal);
        }
        double[] origin = origin(head);
        Matrix residual = PrincipalAxes.of(features, r -> origin).from(principal);
        VimScorer unscaled = new VimScorer(head, origin, residual, 1);
        double virtual = mean(features.mapRows(unscaled::residual));
        if (!(virtual > NO_RESIDUAL * mean(features.mapRows(Neighbours::length)))) {
            throw new CannotRunException(
                    "the features must vary outside their " + principal + " principal directions but do not");
        }
        double largest = mean(features.mapRows(h -> {
            double[] logits = head.logits(h);
            return logits[Probabilities.argmax(logits)];
        }));
        return new VimScorer(head, origin, residual, largest / virtual);
    }

    static VimScorer of(Parameters parameters) {
        Head head = parameters.head();
        return new VimScorer(
                head,
                parameters.vector("origin", head.features()),
                parameters.matrix("residual", head.features()),
                parameters.number("scale"));
    }

    @Override
    public double[] score(Outputs outputs) {
        return Features.requireWidth(outputs.features(), origin.length)
                .mapRows(h -> scale * residual(h) - Probabilities.logSumExp(head.logits(h)));
    }

    @Override
    public Map<String, Matrix> parameters() {
        return Parameters.of(
                head,
                Map.entry("origin", Matrix.of(origin)),
                Map.entry("residual", residual),
                Map.entry("scale", Matrix.of(new double[] {scale})));
    }

    private double residual(double[] features) {
        double[] shifted = new double[features.length];
        for (int i = 0; i < features.length; i++) {
            shifted[i] = features[i] - origin[i];
        }
        return Neighbours.length(residual.times(shifted));
    }

    private static double[] origin(Head head) {
        R064Store weights = R064Store.FACTORY.make(head.classes(), head.features());
        R064Store bias = R064Store.FACTORY.make(head.classes(), 1);
        for (int k = 0; k < head.classes(); k++) {
            bias.set(k, 0, -head.bias().get(0, k));
            for (int i = 0; i < head.features(); i++) {
                weights.set(k, i, head.weights().get(k, i));
            }
        }
        SingularValue<Double> decomposition = SingularValue.R064.make(weights);
        decomposition.decompose(weights);
        MatrixStore<Double> inverse = decomposition.getInverse();
        return inverse.multiply(bias).toRawCopy1D();
    }

    private static double mean(double[] values) {
        return Arrays.stream(values).average().orElseThrow();
    }
}
