/** Choosing the threshold on held-out InD scores, with a guarantee, and p-values for single samples and batches. */
@NullMarked
package ai.wood.calibrate;

import org.jspecify.annotations.NullMarked;
