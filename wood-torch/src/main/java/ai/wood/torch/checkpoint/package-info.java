/**
 * Files that hold weights: {@link ai.wood.torch.checkpoint.Safetensors} reads them,
 * {@link ai.wood.torch.checkpoint.SafetensorsWriter} writes them, and
 * {@link ai.wood.torch.checkpoint.AtomicFile} replaces a file so that a crash at any moment leaves the old or the new
 * one, never half of one. Nothing here knows the engine.
 */
@NullMarked
package ai.wood.torch.checkpoint;

import org.jspecify.annotations.NullMarked;
