package ai.wood.evaluate;

import ai.wood.bundle.DetectorDescription.ScorerDescription;
import ai.wood.score.ScorerOptions;
import ai.wood.score.Scorers;

/**
 * What scorers are told: all the same, but for the temperature, which is the WOOD score's own.
 *
 * @param options for all, at temperature 1
 * @param temperature that logits are divided by for the WOOD score
 */
public record Told(ScorerOptions options, double temperature) {

    /** The same for all. */
    public static Told all(ScorerOptions options) {
        return new Told(options, options.temperature());
    }

    /** What one scorer is told. */
    ScorerOptions to(Scorers name) {
        return name == Scorers.WOOD ? options.withTemperature(temperature) : options;
    }

    /** The WOOD score. */
    public ScorerDescription wood() {
        return ScorerDescription.of(Scorers.WOOD, to(Scorers.WOOD));
    }
}
