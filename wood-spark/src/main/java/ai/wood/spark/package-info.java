/**
 * Detectors on Apache Spark: {@link ai.wood.spark.WoodScoring} judges a column of a dataset, in batches and in streams;
 * {@link ai.wood.spark.WoodScoringJob} does it from the command line.
 */
@NullMarked
package ai.wood.spark;

import org.jspecify.annotations.NullMarked;
