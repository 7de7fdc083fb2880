package ai.wood.torch.train;

import ai.wood.loss.Loss;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;

/**
 * A loss as an expression of tensors, which the engine differentiates. Value and gradient equal those of the {@link Loss}.
 */
@FunctionalInterface
public interface TensorLoss extends AutoCloseable {

    /**
     * Returns the loss of a batch.
     *
     * @param ind logits of the InD samples, followed by the outputs of the network's branches if the loss has any
     * @param labels their labels, 64-bit integers
     * @param ood logits of the OOD samples; may have no rows
     */
    Parts on(Tensor ind, Tensor labels, Tensor ood);

    /** Returns the tensors that change from step to step, by name. They are part of a checkpoint. */
    default Map<String, Tensor> memory() {
        return Map.of();
    }

    /** Frees these tensors. */
    @Override
    default void close() {}

    /** The two terms of a loss, weights included: that of the InD samples and that of the OOD samples. */
    record Parts(Tensor ind, Tensor ood) {

        public Tensor total() {
            return ind.add(ood);
        }
    }

    /**
     * Has tensor versions of losses, which train faster than their plain versions. Found by {@link ServiceLoader}, so that
     * other jars can add theirs.
     */
    @FunctionalInterface
    interface Kind {
        Optional<TensorLoss> of(Loss loss, Device device);
    }

    /** Returns the tensor version of a loss. A loss without one is computed in plain Java, which gives the same result. */
    static TensorLoss of(Loss loss, Device device) {
        return TensorLosses.of(loss, device)
                .or(() -> ServiceLoader.load(Kind.class).stream()
                        .flatMap(kind -> kind.get().of(loss, device).stream())
                        .findFirst())
                .orElseGet(() -> new PlainLoss(loss));
    }
}
