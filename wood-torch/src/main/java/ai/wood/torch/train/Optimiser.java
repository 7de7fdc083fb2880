package ai.wood.torch.train;

import java.util.List;
import java.util.Map;
import org.bytedeco.pytorch.Tensor;

/**
 * A rule that changes all weights of a network by their gradient: a handful of operations on flat tensors.
 *
 * <p>Implementations hold no numbers of their own; what they remember between steps lies in named slots as long as the
 * weights, which start at zero and are part of a checkpoint. What changes from step to step comes in a tensor, so that a
 * step can be recorded once and played back.
 */
interface Optimiser {

    /** The names of the slots. */
    List<String> slots();

    /**
     * The numbers that change from step to step.
     *
     * @param step counted from 1 over the whole run
     * @param rate the learning rate of the step
     */
    double[] dials(long step, double rate);

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
     * @param dials what {@link #dials} gave for it
     * @param decay weight decay by parameter: the coefficient where it applies and zero where not
     */
    record Moment(Tensor dials, Tensor decay) {

        Tensor dial(int index) {
            return dials.select(0, index);
        }
    }
}
