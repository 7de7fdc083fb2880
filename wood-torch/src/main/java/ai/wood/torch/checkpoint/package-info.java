/**
 * Files that hold weights: {@link ai.wood.torch.checkpoint.Safetensors} reads them,
 * {@link ai.wood.torch.checkpoint.SafetensorsWriter} writes them. Nothing here knows the engine.
 */
@NullMarked
package ai.wood.torch.checkpoint;

import org.jspecify.annotations.NullMarked;
