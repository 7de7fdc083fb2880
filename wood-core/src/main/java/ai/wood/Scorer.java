package ai.wood;

import java.util.Map;

/**
 * Turns a classifier's outputs into scores, one per sample.
 *
 * <p>A larger score always means more OOD. Implementations are immutable and safe to share between threads. The
 * well-known ones are listed in {@code ai.wood.score.Scorers}; a new one is one lambda.
 */
@FunctionalInterface
public interface Scorer {

    /** The scores of all samples, in their order. */
    double[] score(Outputs outputs);

    /**
     * What the scorer has learnt from samples or was told of the network, by name: enough to make it again without them.
     * Empty for one that knows its formula only.
     */
    default Map<String, Matrix> statistics() {
        return Map.of();
    }
}
