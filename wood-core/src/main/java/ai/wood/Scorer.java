package ai.wood;

import java.util.Map;

/**
 * Turns a classifier's outputs into scores, one per sample.
 *
 * <p>A larger score always means more OOD. Implementations are immutable and safe to share between threads. {@code
 * ai.wood.score.ScorerKinds} lists the known kinds. A scorer without fitted parameters can be a lambda.
 */
@FunctionalInterface
public interface Scorer {

    /** The scores of all samples, in their order. */
    double[] score(Outputs outputs);

    /**
     * The fitted parameters by name, sufficient to restore this scorer without the data it was fitted to. Empty for a
     * scorer that is only a formula.
     */
    default Map<String, Matrix> parameters() {
        return Map.of();
    }
}
