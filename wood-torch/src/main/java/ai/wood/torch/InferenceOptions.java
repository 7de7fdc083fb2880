package ai.wood.torch;

import ai.wood.data.transform.Normalise;
import org.bytedeco.pytorch.Device;

/**
 * How a {@link TorchNetwork} runs. Only speed depends on it, and the last bits of the results.
 *
 * @param normalise turns images into the floats the network was trained on
 * @param device where it runs
 * @param precision of its arithmetic
 * @param threads how many micro-batches run at once on a processor, each on one native thread: faster than many threads on
 *     one batch; a GPU takes one after another
 * @param microBatch images in a micro-batch; small ones stay in the processor's caches
 */
public record InferenceOptions(Normalise normalise, Device device, Precision precision, int threads, int microBatch) {

    private static final int CPU_MICRO_BATCH = 20;
    private static final int GPU_MICRO_BATCH = 500;

    public InferenceOptions {
        if (threads < 1 || microBatch < 1) {
            throw new IllegalArgumentException(
                    "threads and images in a micro-batch must be positive but are " + threads + " and " + microBatch);
        }
    }

    /** 32-bit floats on a device, on all processors. */
    public static InferenceOptions of(Normalise normalise, Device device) {
        boolean cpu = device.is_cpu();
        return new InferenceOptions(
                normalise,
                device,
                Precision.FP32,
                cpu ? Runtime.getRuntime().availableProcessors() : 1,
                cpu ? CPU_MICRO_BATCH : GPU_MICRO_BATCH);
    }

    public InferenceOptions withPrecision(Precision precision) {
        return new InferenceOptions(normalise, device, precision, threads, microBatch);
    }

    public InferenceOptions withThreads(int threads) {
        return new InferenceOptions(normalise, device, precision, threads, microBatch);
    }

    public InferenceOptions withMicroBatch(int microBatch) {
        return new InferenceOptions(normalise, device, precision, threads, microBatch);
    }
}
