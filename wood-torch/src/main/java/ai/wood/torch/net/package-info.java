/**
 * The network architectures: recipes that read like their papers, listed in {@link ai.wood.torch.net.Networks}.
 *
 * <p>Tensor names follow the PyTorch implementations they are usually trained with. All pool globally at the end, so
 * that images of any size with enough pixels fit.
 */
@NullMarked
package ai.wood.torch.net;

import org.jspecify.annotations.NullMarked;
