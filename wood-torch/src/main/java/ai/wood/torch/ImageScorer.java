package ai.wood.torch;

import ai.wood.data.Dataset;

/**
 * Turns images into scores, one per sample, by more than one look of a network: what a {@link ai.wood.Scorer}, which
 * sees only outputs, cannot do.
 *
 * <p>A larger score always means more OOD. The known ones are listed in {@link ImageScorers}.
 */
@FunctionalInterface
public interface ImageScorer {

    /** The scores of all samples, in their order; images are read as they are needed. */
    double[] score(Dataset images);

    /** What was chosen for it, for a report: {@code T = 1000, epsilon = 0.0014}. */
    default String settings() {
        return "";
    }
}
