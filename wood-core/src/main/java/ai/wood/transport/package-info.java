/**
 * Optimal transport between discrete distributions: the ground costs with their exact closed forms, the linear program
 * that checks them, and Sinkhorn's algorithm.
 */
@NullMarked
package ai.wood.transport;

import org.jspecify.annotations.NullMarked;
