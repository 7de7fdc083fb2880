package ai.wood.score;

import ai.wood.Outputs;
import ai.wood.transport.GroundCost;
import org.jspecify.annotations.Nullable;

/**
 * What scorers can be told; each uses what concerns it.
 *
 * @param cost ground cost of the WOOD score
 * @param lambda entropic weight of the WOOD score, positive infinity for the exact one
 * @param temperature logits are divided by it before everything else
 * @param ind held-out InD outputs for scorers that must see some first
 */
public record ScorerOptions(
        GroundCost cost,
        double lambda,
        double temperature,
        @Nullable Outputs ind) {

    /** Dynamic cost, exact, temperature 1, nothing to fit to. */
    public static final ScorerOptions DEFAULTS =
            new ScorerOptions(GroundCost.dynamic(), Double.POSITIVE_INFINITY, 1, null);

    public ScorerOptions {
        if (!(lambda > 0)) {
            throw new IllegalArgumentException("lambda must be positive but is " + lambda);
        }
        if (!(temperature > 0 && temperature < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("the temperature must be positive and finite but is " + temperature);
        }
    }

    public ScorerOptions withCost(GroundCost newCost) {
        return new ScorerOptions(newCost, lambda, temperature, ind);
    }

    public ScorerOptions withLambda(double newLambda) {
        return new ScorerOptions(cost, newLambda, temperature, ind);
    }

    public ScorerOptions withTemperature(double newTemperature) {
        return new ScorerOptions(cost, lambda, newTemperature, ind);
    }

    public ScorerOptions withInd(Outputs newInd) {
        return new ScorerOptions(cost, lambda, temperature, newInd);
    }
}
