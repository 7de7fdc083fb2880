/** Scorers that need a classifier's logits or probabilities only, and the catalogue of them. */
@NullMarked
package ai.wood.score;

import org.jspecify.annotations.NullMarked;
