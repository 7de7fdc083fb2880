/**
 * Classifiers on libtorch: an {@link ai.wood.torch.Architecture} says what is computed, its
 * {@link ai.wood.torch.Weights} hold the numbers, a {@link ai.wood.torch.Pass} runs one forward pass, and a
 * {@link ai.wood.torch.TorchNetwork} gives a trained one to the rest of the toolkit.
 *
 * <p>Native memory has one owner and one scope: what a step or a batch allocates is freed when its
 * {@code PointerScope} closes, and only {@link ai.wood.torch.Weights} outlive it. No tensor leaves this module.
 */
@NullMarked
package ai.wood.torch;

import org.jspecify.annotations.NullMarked;
