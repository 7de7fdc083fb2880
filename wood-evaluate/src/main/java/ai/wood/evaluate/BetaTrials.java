package ai.wood.evaluate;

import ai.wood.torch.train.EpochMetrics;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;

/** Trainings that differ in the weight of the OOD term alone, compared on validation data. */
public record BetaTrials(List<Trial> trials) {

    /**
     * One training.
     *
     * @param beta its weight, as it was written
     * @param best its best epoch
     */
    public record Trial(BigDecimal beta, EpochMetrics best) {}

    public BetaTrials {
        trials = List.copyOf(trials);
    }

    /** The one with the largest mean of accuracy and AUROC; the first of equals. */
    public Trial best() {
        return trials.stream()
                .max(Comparator.comparingDouble(
                                (Trial trial) -> trial.best().validation().quality())
                        .thenComparing(Comparator.comparingInt(trials::indexOf).reversed()))
                .orElseThrow();
    }
}
