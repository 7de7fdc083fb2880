package ai.wood.score;

import ai.wood.Head;
import ai.wood.Outputs;
import ai.wood.Probabilities;
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
 * @param head the network's last layer, for scorers that change its input
 * @param tuning validation outputs for scorers that are tuned
 */
public record ScorerOptions(
        GroundCost cost,
        double lambda,
        double temperature,
        @Nullable Outputs ind,
        List<Integer> labels,
        @Nullable Head head,
        @Nullable Tuning tuning) {

    /** Dynamic cost, exact, temperature 1, nothing to fit to. */
    public static final ScorerOptions DEFAULTS =
            new ScorerOptions(GroundCost.dynamic(), Double.POSITIVE_INFINITY, 1, null, List.of(), null, null);

    public ScorerOptions {
        labels = List.copyOf(labels);
        if (!(lambda > 0)) {
            throw new IllegalArgumentException("lambda must be positive but is " + lambda);
        }
        Probabilities.requireTemperature(temperature);
    }

    public ScorerOptions withCost(GroundCost newCost) {
        return new ScorerOptions(newCost, lambda, temperature, ind, labels, head, tuning);
    }

    public ScorerOptions withLambda(double newLambda) {
        return new ScorerOptions(cost, newLambda, temperature, ind, labels, head, tuning);
    }

    public ScorerOptions withTemperature(double newTemperature) {
        return new ScorerOptions(cost, lambda, newTemperature, ind, labels, head, tuning);
    }

    public ScorerOptions withInd(Outputs newInd) {
        return new ScorerOptions(cost, lambda, temperature, newInd, labels, head, tuning);
    }

    public ScorerOptions withLabels(List<Integer> newLabels) {
        return new ScorerOptions(cost, lambda, temperature, ind, newLabels, head, tuning);
    }

    public ScorerOptions withHead(Head newHead) {
        return new ScorerOptions(cost, lambda, temperature, ind, labels, newHead, tuning);
    }

    public ScorerOptions withTuning(Tuning newTuning) {
        return new ScorerOptions(cost, lambda, temperature, ind, labels, head, newTuning);
    }

    /** Everything that has logits with them divided by the temperature, which is then 1. */
    ScorerOptions tempered() {
        if (temperature == 1) {
            return this;
        }
        return new ScorerOptions(
                cost,
                lambda,
                1,
                ind == null ? null : ind.withTemperature(temperature),
                labels,
                head == null ? null : head.withTemperature(temperature),
                tuning == null ? null : tuning.withTemperature(temperature));
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

    /**
     * The network's last layer.
     *
     * @throws IllegalArgumentException where it is unknown
     */
    Head requireHead(String scorer) {
        if (head == null) {
            throw new IllegalArgumentException(
                    scorer + " needs the network's last layer but got none. Maybe the network has no linear one.");
        }
        return head;
    }

    /**
     * The validation outputs to tune a scorer on.
     *
     * @throws IllegalArgumentException where there are none
     */
    Tuning requireTuning(String scorer) {
        if (tuning == null) {
            throw new IllegalArgumentException(scorer + " needs InD and OOD validation outputs but got none");
        }
        return tuning;
    }
}
