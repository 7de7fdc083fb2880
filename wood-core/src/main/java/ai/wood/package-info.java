/**
 * The story in a dozen types: a classifier turns samples into {@link ai.wood.Outputs}, a {@link ai.wood.Scorer} turns
 * outputs into scores, a {@link ai.wood.Threshold} turns scores into verdicts.
 *
 * <p>Conventions that hold everywhere: a larger score means more OOD, for every method; OOD is the positive class; a
 * score equal to the threshold counts as InD.
 */
@NullMarked
package ai.wood;

import org.jspecify.annotations.NullMarked;
