/**
 * Images and datasets: reading what others wrote, with distrust. A {@link ai.wood.data.Network} turns images into outputs.
 *
 * <p>The way of an image: {@link ai.wood.data.Catalogue} opens a {@link ai.wood.data.Dataset} by name, {@link
 * ai.wood.data.Subset} parts it, {@link ai.wood.data.Loader} transforms and batches it for a network. Where there is no
 * OOD data, {@link ai.wood.data.Outliers} and {@link ai.wood.data.Noise} make some, and {@link ai.wood.data.Mixture}
 * mixes sources.
 */
@NullMarked
package ai.wood.data;

import org.jspecify.annotations.NullMarked;
