/**
 * Files that hold weights: {@link ai.wood.bundle.safetensors.Safetensors} reads them,
 * {@link ai.wood.bundle.safetensors.SafetensorsWriter} writes them. Nothing here knows the engine.
 */
@NullMarked
package ai.wood.bundle.safetensors;

import org.jspecify.annotations.NullMarked;
