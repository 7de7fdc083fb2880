package ai.wood;

import java.util.Set;

/**
 * A method that can be fitted to data, saved and restored.
 *
 * <p>{@code ai.wood.score.ScorerKinds} lists the built-in ones and those that {@link java.util.ServiceLoader} finds: name
 * your own in {@code META-INF/services/ai.wood.ScorerKind}.
 */
public interface ScorerKind {

    /** The name on the command line and in files, such as {@code max-logit}. */
    String id();

    /** Formula and source in one line. */
    default String description() {
        return "";
    }

    /** Everything it cannot work without. */
    Set<Requirement> requires();

    /** Names and default values of its settings. */
    default Settings settings() {
        return Settings.NONE;
    }

    /**
     * Fits a scorer.
     *
     * @param settings all settings of {@link #settings()}, each with a value
     * @throws CannotRunException if the data do not suffice
     */
    Scorer fit(FitData data, Settings settings);

    /**
     * Restores a scorer: the inverse of {@link Scorer#parameters()}. Its scores are the same to the last bit.
     *
     * @throws IllegalArgumentException if the parameters do not fit together
     */
    Scorer restore(Parameters saved);
}
