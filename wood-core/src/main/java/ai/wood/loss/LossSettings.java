package ai.wood.loss;

import ai.wood.transport.GroundCost;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link LossKind} may be given. Each kind reads some of these.
 *
 * @param beta weight of the OOD term; null for the usual weight of the loss
 * @param cost the ground cost
 * @param lambda weight of the entropic version; infinite for the exact one
 * @param total whether the derivative includes that of a dynamic cost
 * @param temperature divides the logits of OOD samples
 * @param rejects number of reject classes
 */
public record LossSettings(
        @Nullable Double beta, GroundCost cost, double lambda, boolean total, double temperature, int rejects) {

    /** The paper's settings, and five reject classes. */
    public static final LossSettings DEFAULTS =
            new LossSettings(null, GroundCost.dynamic(), Double.POSITIVE_INFINITY, false, 1, 5);

    /** Returns the weight of the OOD term, or another one if it is not set. */
    public double betaOr(double usual) {
        return beta == null ? usual : beta;
    }
}
