/**
 * What is run: trainings by a recipe, the folders of trained networks and what these say about data, scorers compared on
 * equal terms, the paper's results made again.
 */
@NullMarked
package ai.wood.evaluate;

import org.jspecify.annotations.NullMarked;
