/**
 * Training losses as value and gradient by logits: the readable reference that tensor versions are checked against, and
 * the learning bound of the WOOD loss.
 */
@NullMarked
package ai.wood.loss;

import org.jspecify.annotations.NullMarked;
