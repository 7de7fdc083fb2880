package ai.wood.torch.train;

import ai.wood.io.Safetensors;
import ai.wood.io.SafetensorsWriter;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Tensors;
import ai.wood.torch.Weights;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * Everything a training remembers from one step to the next: weights, the optimiser's slots, the average of the
 * weights, and where it stands. One file holds all of it, so a checkpoint is never half of one.
 *
 * <p>No random generator is part of it: every random choice is a function of seed, epoch and step.
 */
final class TrainState implements AutoCloseable {

    private static final String FORMAT = "wood training state 1";
    private static final String MINED = "mined";
    private static final String MEAN = "mean/parameters";

    private final Weights weights;
    private final Map<String, Tensor> slots = new LinkedHashMap<>();
    private final Tensor decay;
    private final @Nullable Weights mean;
    private final Map<String, Tensor> memory;
    private int[] mined = {};
    private Place progress = Place.START;

    /**
     * Where a training stands: {@code step} steps of {@code epoch} are done.
     *
     * @param indLoss sum of the InD terms of these steps
     * @param oodLoss sum of their OOD terms
     * @param best largest quality of the epochs before
     * @param metricsLength bytes of {@code metrics.jsonl} that belong to the epochs before
     */
    record Place(int epoch, int step, double indLoss, double oodLoss, double best, long metricsLength) {

        static final Place START = new Place(0, 0, 0, 0, Double.NEGATIVE_INFINITY, 0);

        Place plus(double indTerm, double oodTerm) {
            return new Place(epoch, step + 1, indLoss + indTerm, oodLoss + oodTerm, best, metricsLength);
        }

        Place at(int epoch, int step) {
            return new Place(epoch, step, indLoss, oodLoss, best, metricsLength);
        }

        Place nextEpoch(double quality, long metricsLength) {
            return new Place(epoch + 1, 0, 0, 0, Math.max(best, quality), metricsLength);
        }
    }

    /** Takes over fresh weights; {@code memory} is the loss's, who frees it. */
    TrainState(Weights weights, UpdateOptions update, Map<String, Tensor> memory) {
        this.weights = weights;
        this.memory = Map.copyOf(memory);
        this.decay = NativeScope.kept(() -> weights.decayMask().mul(new Scalar(update.weightDecay())));
        for (String slot : update.optimiser().optimiser().slots()) {
            slots.put(slot, zerosLike(weights.parameters()));
        }
        this.mean = update.averaging() > 0 ? weights.copy() : null;
    }

    private static Tensor zerosLike(Tensor tensor) {
        return NativeScope.kept(() -> torch.zeros_like(tensor));
    }

    Weights weights() {
        return weights;
    }

    /** The optimiser's slots, by name. */
    Map<String, Tensor> slots() {
        return slots;
    }

    /** The weight decay of every parameter. */
    Tensor decay() {
        return decay;
    }

    /** Indices of the outliers that the epoch draws from; empty for all. */
    int[] mined() {
        return mined.clone();
    }

    void mined(int[] indices) {
        mined = indices.clone();
    }

    Place progress() {
        return progress;
    }

    void progress(Place progress) {
        this.progress = progress;
    }

    /**
     * Takes the weights after a step into their average, where there is one.
     *
     * @param share how much they count, a tensor of one number: the first step's is 1
     */
    void average(Tensor share) {
        if (mean != null) {
            mean.parameters().lerp_(weights.parameters(), share);
            mean.statistics().lerp_(weights.statistics(), share);
        }
    }

    /** A copy of the weights to validate and keep: the averaged ones where there are any. */
    Weights result() {
        return (mean == null ? weights : mean).copy();
    }

    /** Whether all weights are finite. */
    boolean isFinite() {
        return NativeScope.callWithoutGradients(
                () -> Double.isFinite(weights.parameters().sum().item_double())
                        && Double.isFinite(weights.statistics().sum().item_double()));
    }

    /** Replaces the checkpoint; {@code fingerprint} tells which training it belongs to. */
    void write(Path file, String fingerprint) throws IOException {
        SafetensorsWriter writer = new SafetensorsWriter()
                .metadata("format", FORMAT)
                .metadata("training", fingerprint)
                .metadata("epoch", Integer.toString(progress.epoch()))
                .metadata("step", Integer.toString(progress.step()))
                .metadata("indLoss", Double.toString(progress.indLoss()))
                .metadata("oodLoss", Double.toString(progress.oodLoss()))
                .metadata("best", Double.toString(progress.best()))
                .metadata("metricsLength", Long.toString(progress.metricsLength()));
        writer.add(MINED, new long[] {mined.length}, floats(mined));
        NativeScope.run(() -> {
            for (Map.Entry<String, Tensor> tensor : tensors().entrySet()) {
                Tensor dense = Tensors.dense(tensor.getValue());
                writer.add(tensor.getKey(), new long[] {dense.numel()}, Tensors.bytes(dense));
            }
            writer.write(file);
        });
    }

    /**
     * Takes over a checkpoint.
     *
     * @param outliers how many there are to mine from
     * @throws IOException where it is damaged, or of another training
     */
    void read(Path path, String fingerprint, int outliers) throws IOException {
        try (Safetensors file = Safetensors.open(path)) {
            Map<String, String> metadata = file.metadata();
            if (!FORMAT.equals(metadata.get("format"))) {
                throw new IOException(path + ": a checkpoint says '" + FORMAT + "' but this file says '"
                        + metadata.get("format") + "'. Maybe it is not a checkpoint.");
            }
            String training = String.valueOf(metadata.get("training"));
            requireSame(path, training, fingerprint);
            if (mean != null && !file.names().contains(MEAN)) {
                throw new IOException(
                        path + ": the checkpoint must hold the mean of the weights but is from a version that"
                                + " averaged them otherwise. Maybe begin anew with --overwrite.");
            }
            Place stored = progress(path, metadata);
            int[] storedMined = mined(file, outliers);
            for (Map.Entry<String, Tensor> tensor : tensors().entrySet()) {
                fill(tensor.getValue(), tensor.getKey(), file);
            }
            mined = storedMined;
            progress = stored;
        }
    }

    private static int[] mined(Safetensors file, int outliers) throws IOException {
        int[] indices = ints(file.floats(MINED));
        for (int index : indices) {
            if (index < 0 || index >= outliers) {
                throw new IOException(file + ": outliers that were mined must be among the " + outliers
                        + " there are but one has index " + index + ". Maybe the checkpoint is damaged.");
            }
        }
        return indices;
    }

    /** Where and how fast a training computes may change, and how often it writes checkpoints. */
    private static void requireSame(Path path, String theirs, String ours) throws IOException {
        Optional<String> difference;
        try {
            difference = Difference.first(theirs, ours, "options.checkpointEvery", "options.device", "options.threads")
                    .map(first -> ": " + first);
        } catch (JsonProcessingException e) {
            difference = Optional.of(", but does not contain which");
        }
        if (difference.isPresent()) {
            String hint = difference.get().startsWith(": data.")
                    ? "The files of a dataset may have changed, or the options that choose samples."
                    : "Use the options that this run was started with.";
            throw new IOException(path + ": the checkpoint is of another training" + difference.get() + ". " + hint);
        }
    }

    /** Takes over what rank 0 remembers; the losses and the best of the epochs before stay with it. */
    void spread(Ranks ranks) {
        NativeScope.runWithoutGradients(() -> {
            int[] place = spread(ranks, progress.epoch(), progress.step());
            progress = progress.at(place[0], place[1]);
            tensors().values().forEach(ranks::spread);
        });
        spreadMined(ranks);
    }

    /** Takes over the outliers that rank 0 has mined. */
    void spreadMined(Ranks ranks) {
        int length = spread(ranks, mined.length)[0];
        mined = length == 0 ? new int[0] : spread(ranks, Arrays.copyOf(mined, length));
    }

    private int[] spread(Ranks ranks, int... values) {
        return NativeScope.call(() -> {
            Tensor tensor = Tensors.of(values, weights.parameters().device());
            ranks.spread(tensor);
            return ints(Tensors.floats(tensor));
        });
    }

    private static Place progress(Path path, Map<String, String> metadata) throws IOException {
        try {
            return new Place(
                    Integer.parseInt(metadata.getOrDefault("epoch", "")),
                    Integer.parseInt(metadata.getOrDefault("step", "")),
                    Double.parseDouble(metadata.getOrDefault("indLoss", "")),
                    Double.parseDouble(metadata.getOrDefault("oodLoss", "")),
                    Double.parseDouble(metadata.getOrDefault("best", "")),
                    Long.parseLong(metadata.getOrDefault("metricsLength", "")));
        } catch (NumberFormatException e) {
            throw new IOException(path + ": the checkpoint does not say where it stands: " + e.getMessage(), e);
        }
    }

    private static void fill(Tensor tensor, String name, Safetensors file) throws IOException {
        if (!file.entry(name).shape().equals(List.of(tensor.numel()))) {
            throw new IOException(file + ": tensor '" + name + "' must have " + tensor.numel() + " elements but is "
                    + file.entry(name).shape());
        }
        float[] values = file.floats(name);
        NativeScope.runWithoutGradients(() -> tensor.copy_(Tensors.of(values, tensor.device(), tensor.numel())));
    }

    private static float[] floats(int[] indices) {
        float[] values = new float[indices.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = indices[i];
        }
        return values;
    }

    private static int[] ints(float[] values) {
        int[] indices = new int[values.length];
        for (int i = 0; i < indices.length; i++) {
            indices[i] = (int) values[i];
        }
        return indices;
    }

    private Map<String, Tensor> tensors() {
        Map<String, Tensor> all = new LinkedHashMap<>();
        all.put("parameters", weights.parameters());
        all.put("statistics", weights.statistics());
        if (mean != null) {
            all.put(MEAN, mean.parameters());
            all.put("mean/statistics", mean.statistics());
        }
        slots.forEach((name, slot) -> all.put("slot/" + name, slot));
        memory.forEach((name, tensor) -> all.put("loss/" + name, tensor));
        return all;
    }

    @Override
    public void close() {
        slots.values().forEach(Tensor::releaseReference);
        decay.releaseReference();
        if (mean != null) {
            mean.close();
        }
        weights.close();
    }
}
