/**
 * Training: the {@link ai.wood.torch.train.Trainer} runs the paper's Algorithm 1 over losses written as tensor
 * expressions, and leaves a run folder that survives being killed at any moment.
 */
@NullMarked
package ai.wood.torch.train;

import org.jspecify.annotations.NullMarked;
