package ai.wood.torch.train;

import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * A rule that changes all weights of a network by their gradient: a handful of operations on flat tensors.
 *
 * <p>Implementations hold no numbers of their own; what they remember between steps lies in named slots as long as the
 * weights, which start at zero and are part of a checkpoint.
 */
public interface Optimiser {

    /** The names of the slots. */
    List<String> slots();

    /**
     * Changes the parameters.
     *
     * @param parameters all trained values; changed in place
     * @param gradient theirs; may be changed
     * @param slots by name; changed in place
     * @param moment what else the step needs to know
     */
    void update(Tensor parameters, Tensor gradient, Map<String, Tensor> slots, Moment moment);

    /**
     * One step of training.
     *
     * @param step counted from 1 over the whole run
     * @param rate the learning rate now
     * @param decay weight decay by parameter: the coefficient where it applies and zero where not
     */
    record Moment(long step, double rate, Tensor decay) {}
}
