package ai.wood.torch.train;

import ai.wood.data.LoadPlan;
import ai.wood.data.LoaderOptions;
import java.util.Optional;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;

/** Brings the images of each step to where the network runs, into tensors that stay where they are. */
interface Feed extends AutoCloseable {

    /**
     * A feed for a device: images live on a GPU where they fit and a plan says all there is to know about a batch, and
     * come from the loader otherwise. Both give the same images.
     */
    static Feed of(TrainData data, LoaderOptions options, Device device, TrainListener listener) {
        Optional<LoadPlan> plan = device.is_cpu() ? Optional.empty() : LoadPlan.of(data.ind(), data.ood(), options);
        return plan.flatMap(known -> resident(known, options, device, listener))
                .orElseGet(() -> new LoaderFeed(data, options, device));
    }

    /** A feed of images that live on the device, or none where they do not fit. */
    static Optional<Feed> resident(LoadPlan plan, LoaderOptions options, Device device, TrainListener listener) {
        try {
            return Optional.of(new ResidentFeed(plan, options, device));
        } catch (RuntimeException e) {
            if (!Step.isOutOfMemory(e)) {
                throw e;
            }
            listener.notice(
                    "The training images do not fit into the memory of the GPU, so each step loads its own, which is slower.");
            return Optional.empty();
        }
    }

    /** The number of steps in an epoch. */
    int steps();

    /** From the next batch on, OOD images are drawn from those at the given indices only. */
    void drawOodFrom(int[] indices);

    /** Makes the batch of a step ready. */
    void load(int epoch, int step);

    /** The images of the step, as the network takes them: InD first, count x channels x height x width. */
    Tensor images();

    /** The labels of its InD images, 64-bit integers. */
    Tensor labels();

    @Override
    void close();
}
