package ai.wood.score;

import ai.wood.Outputs;
import ai.wood.transport.GroundCost;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What scorers can be told; each uses what concerns it.
 *
 * @param cost ground cost of the WOOD score
 * @param lambda entropic weight of the WOOD score, positive infinity for the exact one
 * @param temperature logits are divided by it before everything else
 * @param ind InD outputs for scorers that must see some first
 * @param labels their true labels; empty where unknown
 */
public record ScorerOptions(
        GroundCost cost,
        double lambda,
        double temperature,
        @Nullable Outputs ind,
        List<Integer> labels) {

    /** Dynamic cost, exact, temperature 1, nothing to fit to. */
    public static final ScorerOptions DEFAULTS =
            new ScorerOptions(GroundCost.dynamic(), Double.POSITIVE_INFINITY, 1, null, List.of());

    public ScorerOptions {
        labels = List.copyOf(labels);
        if (!(lambda > 0)) {
            throw new IllegalArgumentException("lambda must be positive but is " + lambda);
        }
        if (!(temperature > 0 && temperature < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("the temperature must be positive and finite but is " + temperature);
        }
    }

    public ScorerOptions withCost(GroundCost newCost) {
        return new ScorerOptions(newCost, lambda, temperature, ind, labels);
    }

    public ScorerOptions withLambda(double newLambda) {
        return new ScorerOptions(cost, newLambda, temperature, ind, labels);
    }

    public ScorerOptions withTemperature(double newTemperature) {
        return new ScorerOptions(cost, lambda, newTemperature, ind, labels);
    }

    public ScorerOptions withInd(Outputs newInd) {
        return new ScorerOptions(cost, lambda, temperature, newInd, labels);
    }

    public ScorerOptions withLabels(List<Integer> newLabels) {
        return new ScorerOptions(cost, lambda, temperature, ind, newLabels);
    }

    /**
     * The InD outputs to fit a scorer to.
     *
     * @throws IllegalArgumentException where there are none
     */
    Outputs requireInd(String scorer) {
        if (ind == null) {
            throw new IllegalArgumentException(
                    scorer + " needs InD outputs to fit to but got none. Maybe add --fit FILE.");
        }
        return ind;
    }
}
