/** Scorers that look at a classifier's outputs once: logits or probabilities, features, layers; and the catalogue of them. */
@NullMarked
package ai.wood.score;

import org.jspecify.annotations.NullMarked;
