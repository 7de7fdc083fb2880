/**
 * How good a detector is: curves, the usual figures with declared conventions, intervals, and a test for the difference
 * of two scorers. OOD is the positive class.
 */
@NullMarked
package ai.wood.metric;

import org.jspecify.annotations.NullMarked;
