package ai.wood.torch.train;

import ai.wood.data.LoadPlan;
import ai.wood.data.LoaderOptions;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;

/** Brings the images of each step to where the network runs, into tensors that stay where they are. */
interface Feed extends AutoCloseable {

    /**
     * A feed for a device: images live on a GPU where a plan says all there is to know about a batch, and come from the
     * loader otherwise. Both give the same images.
     */
    static Feed of(TrainData data, LoaderOptions options, Device device) {
        if (device.is_cpu()) {
            return new LoaderFeed(data, options, device);
        }
        return LoadPlan.of(data.ind(), data.ood(), options)
                .<Feed>map(plan -> new ResidentFeed(plan, options, device))
                .orElseGet(() -> new LoaderFeed(data, options, device));
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
