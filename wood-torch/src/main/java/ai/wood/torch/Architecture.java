package ai.wood.torch;

import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * A classifier as a function of its weights: what a user implements to bring a network of their own.
 *
 * <p>Implementations hold no numbers, only the recipe, and are safe to share between threads. The known ones are listed
 * in {@code ai.wood.torch.net.Networks}.
 */
public interface Architecture {

    /** The tensors the network needs. */
    Layout layout();

    /**
     * Runs the network.
     *
     * @param pass gives the layers, by the names of the layout
     * @param images count x channels x height x width
     */
    Activations forward(Pass pass, Tensor images);

    /**
     * What a network says about a batch.
     *
     * @param logits count x classes
     * @param features count x width: the input of the last layer
     * @param branches what else it says, count x outputs each, by name
     */
    record Activations(Tensor logits, Tensor features, Map<String, Tensor> branches) {

        /** Logits and features alone. */
        public Activations(Tensor logits, Tensor features) {
            this(logits, features, Map.of());
        }
    }
}
