package ai.wood.evaluate;

import ai.wood.FitData;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.score.ScorerKinds;

/**
 * What all scorers of a comparison are fitted to, and the settings of the WOOD score. Every other scorer has its default
 * settings.
 */
public record ScorerSetup(FitData data, Settings wood) {

    public ScorerSetup {
        wood = wood.over(ScorerKinds.wood().settings());
    }

    /** The settings of a kind of scorer. */
    public Settings settings(ScorerKind kind) {
        return kind.id().equals(ScorerKinds.wood().id()) ? wood : kind.settings();
    }

    /**
     * Fits a scorer.
     *
     * @throws ai.wood.CannotRunException if the data lack something it needs
     */
    Scorer fit(ScorerKind kind) {
        data.require(kind);
        return kind.fit(data, settings(kind));
    }
}
