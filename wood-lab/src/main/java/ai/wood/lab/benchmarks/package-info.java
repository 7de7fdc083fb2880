/** How fast it is: JMH benchmarks whose tables give ratios against a baseline of the same run. */
@NullMarked
package ai.wood.lab.benchmarks;

import org.jspecify.annotations.NullMarked;
