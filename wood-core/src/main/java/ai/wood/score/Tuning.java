package ai.wood.score;

import ai.wood.Outputs;

/**
 * Validation outputs of both kinds, for scorers that learn to tell them apart. A scorer tuned on one kind of OOD has seen
 * it: what it does on that kind says little about others.
 *
 * @param ind InD samples that training did not see
 * @param ood OOD samples, from a validation split too
 */
public record Tuning(Outputs ind, Outputs ood) {

    public Tuning {
        if (ind.size() == 0 || ood.size() == 0) {
            throw new IllegalArgumentException(
                    "tuning needs InD and OOD samples but has " + ind.size() + " and " + ood.size());
        }
    }

    Tuning withTemperature(double temperature) {
        return new Tuning(ind.withTemperature(temperature), ood.withTemperature(temperature));
    }
}
