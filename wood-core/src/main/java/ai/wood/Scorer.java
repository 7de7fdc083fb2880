package ai.wood;

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
}
