package ai.wood.torch;

import ai.wood.data.Dataset;
import org.jspecify.annotations.Nullable;

/**
 * What image scorers are fitted to and tuned on; each uses what concerns it.
 *
 * @param fit labelled InD samples the network was trained on; null for none
 * @param ind InD samples that training did not see; null for none
 * @param ood OOD samples to tune on, which are then no longer unseen; null for the sources' usual settings
 */
public record ImageScorerOptions(
        @Nullable Dataset fit,
        @Nullable Dataset ind,
        @Nullable Dataset ood) {

    /** Nothing to fit to: scorers that can do without take their usual settings. */
    public static final ImageScorerOptions DEFAULTS = new ImageScorerOptions(null, null, null);

    public ImageScorerOptions {
        for (Dataset dataset : new @Nullable Dataset[] {fit, ind, ood}) {
            if (dataset != null) {
                dataset.split().require("fitting and tuning scorers", false);
            }
        }
    }

    public ImageScorerOptions withFit(Dataset newFit) {
        return new ImageScorerOptions(newFit, ind, ood);
    }

    /** With InD and OOD samples to tune on. */
    public ImageScorerOptions withTuning(Dataset newInd, Dataset newOod) {
        return new ImageScorerOptions(fit, newInd, newOod);
    }
}
