package ai.wood.torch.train;

import ai.wood.torch.Architecture;
import ai.wood.torch.Architecture.Activations;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Pass;
import ai.wood.torch.Tensors;
import java.util.List;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;

/**
 * One step of the paper's Algorithm 1: forward, loss, backward, update. All it reads and writes stays in one place, so
 * that a GPU can record it and play it back.
 */
final class Step implements AutoCloseable {

    /** Steps done one by one before one is recorded: libtorch chooses its algorithms and sets up in them. */
    private static final int REHEARSALS = 3;

    private final Architecture architecture;
    private final TensorLoss loss;
    private final List<String> branches;
    private final TrainOptions options;
    private final Device device;
    private final TrainState state;
    private final Feed feed;
    private final Ranks ranks;
    private final @Nullable SharedNorms norms;
    private final TrainListener listener;
    private final @Nullable CudaQueue queue;
    private final Tensor schedule; // the dials of every step of the run
    private final Tensor dials; // those of the step
    private final Tensor losses; // the two terms of its loss
    private int rehearsals;
    private @Nullable Runnable recording;

    /**
     * Steps of a run, each on this rank's share of a batch; together ranks do what one would do on the whole.
     *
     * @param rates the learning rates of all steps of the run
     */
    Step(
            Trainer trainer,
            TensorLoss loss,
            TrainState state,
            Feed feed,
            double[] rates,
            Ranks ranks,
            TrainListener listener) {
        this.architecture = trainer.architecture();
        this.loss = loss;
        this.branches = trainer.branches();
        this.options = trainer.options();
        this.device = trainer.device();
        this.state = state;
        this.feed = feed;
        this.ranks = ranks;
        this.norms = ranks.size() > 1 ? new SharedNorms(ranks) : null;
        this.listener = listener;
        float[] all = dials(options.update(), rates);
        int width = all.length / rates.length;
        this.schedule = NativeScope.kept(() -> Tensors.of(all, device, rates.length, width));
        this.dials = NativeScope.kept(() -> Tensors.of(new float[width], device, width));
        this.losses = NativeScope.kept(() -> Tensors.of(new float[2], device, 2));
        this.queue = device.is_cuda() && ranks.size() == 1 ? new CudaQueue(device) : null; // last: it must be closed
    }

    /** Of every step the optimiser's numbers, then the share in the average. */
    private static float[] dials(UpdateOptions update, double[] rates) {
        Optimiser optimiser = update.optimiser().optimiser();
        int width = optimiser.dials(1, 0).length + 1;
        float[] all = new float[Math.multiplyExact(rates.length, width)];
        for (int step = 0; step < rates.length; step++) {
            double[] dials = optimiser.dials(step + 1L, rates[step]);
            for (int i = 0; i < dials.length; i++) {
                all[step * width + i] = (float) dials[i];
            }
            all[step * width + dials.length] = (float) update.averagingShare(step);
        }
        return all;
    }

    /**
     * Does a step on the batch that the feed holds.
     *
     * @param index counts the steps of the run from 0
     * @param seed of chance within the network, such as dropout
     */
    void run(long index, long seed) {
        NativeScope.runWithoutGradients(() -> dials.copy_(schedule.select(0, index)));
        if (recording != null) {
            recording.run();
            return;
        }
        torch.manual_seed(seed);
        if (queue != null && rehearsals++ == REHEARSALS) {
            record(queue);
        } else {
            perform();
        }
    }

    private void record(CudaQueue queue) {
        try {
            Runnable playable = queue.record(this::work);
            playable.run();
            recording = playable;
        } catch (RuntimeException e) {
            listener.notice("The step cannot be recorded as a CUDA graph and runs operation by operation, which is"
                    + " slower: " + firstLine(e));
            NativeScope.run(() -> state.weights().takeGradients());
            perform();
        }
    }

    private static String firstLine(RuntimeException e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("unknown");
    }

    private void perform() {
        try {
            work();
        } catch (RuntimeException e) {
            throw isOutOfMemory(e) ? tooLarge(e) : e;
        }
    }

    private void work() {
        NativeScope.run(() -> {
            TensorLoss.Parts parts = parts();
            parts.total().backward();
            NativeScope.runWithoutGradients(() -> {
                losses.copy_(torch.stack(new TensorVector(parts.ind(), parts.ood()), 0));
                update(averaged(state.weights().takeGradients()));
            });
        });
    }

    private TensorLoss.Parts parts() {
        Tensor logits = forward(feed.images());
        long ind = options.indBatch() / ranks.size();
        return loss.on(
                logits.narrow(0, 0, ind), feed.labels(), logits.narrow(0, ind, options.oodBatch() / ranks.size()));
    }

    /** The mean of all ranks' gradients; losses become their means on the way. */
    private Tensor averaged(Tensor gradient) {
        if (ranks.size() == 1) {
            return gradient;
        }
        Tensor all = torch.cat(new TensorVector(gradient, losses), 0);
        ranks.sum(all);
        all.div_(new Scalar(ranks.size()));
        losses.copy_(all.narrow(0, gradient.numel(), losses.numel()));
        return all.narrow(0, 0, gradient.numel());
    }

    /** The logits, followed by the branches that the loss reads. */
    private Tensor forward(Tensor images) {
        Activations said = options.precision().run(device, () -> architecture.forward(pass(), images));
        Tensor logits = said.logits().to(ScalarType.Float);
        TensorVector parts = new TensorVector(logits);
        for (String name : branches) {
            Tensor branch = said.branches().get(name);
            if (branch == null) {
                throw new IllegalArgumentException("the loss needs a network with the branch '" + name + "' but "
                        + architecture + " has none. Maybe give it one with NetworkOptions.withBranches.");
            }
            parts.push_back(branch.to(ScalarType.Float));
        }
        return branches.isEmpty() ? logits : torch.cat(parts, 1);
    }

    private Pass pass() {
        return norms == null ? Pass.training(state.weights()) : Pass.training(state.weights(), norms);
    }

    /** Whether libtorch says that a device has too little memory, itself or in the words of cuBLAS and cuDNN. */
    static boolean isOutOfMemory(RuntimeException e) {
        String message = String.valueOf(e.getMessage());
        return Stream.of("out of memory", "can't allocate memory", "ALLOC_FAILED", "unable to find an engine")
                .anyMatch(message::contains);
    }

    private IllegalArgumentException tooLarge(RuntimeException cause) {
        int batch = (options.indBatch() + options.oodBatch()) / ranks.size();
        int fitting = ranks.size() > 1 ? 0 : fitting(batch / 2); // trying takes all ranks
        return new IllegalArgumentException(
                "a step on " + batch + " images does not fit into the memory of " + options.device()
                        + (fitting > 0 ? "; one on " + fitting + " does" : "")
                        + ". Maybe use smaller batches (--ind-batch, --ood-batch) or a smaller network.",
                cause);
    }

    /** The largest half, quarter, eighth ... of the batch that fits, found by trying; 0 where none does. */
    private int fitting(int count) {
        if (count < 2) { // fewer cannot be normalised
            return 0;
        }
        try {
            NativeScope.run(() -> {
                forward(feed.images().narrow(0, 0, count)).sum().backward();
                state.weights().takeGradients();
            });
            return count;
        } catch (RuntimeException e) {
            return isOutOfMemory(e) ? fitting(count / 2) : 0;
        }
    }

    private void update(Tensor gradient) {
        UpdateOptions update = options.update();
        if (update.clip() > 0) {
            Tensor scale = gradient.norm().add(new Scalar(1e-6)).reciprocal().mul(new Scalar(update.clip()));
            gradient.mul_(scale.clamp_max(new Scalar(1)));
        }
        Optimiser.Moment moment = new Optimiser.Moment(dials, state.decay());
        update.optimiser().optimiser().update(state.weights().parameters(), gradient, state.slots(), moment);
        state.average(dials.select(0, dials.numel() - 1));
    }

    /** The InD and the OOD term of the last step's loss, on the device. */
    Tensor losses() {
        return losses;
    }

    @Override
    public void close() {
        if (queue != null) {
            queue.close();
        }
        if (norms != null) {
            norms.close();
        }
        schedule.releaseReference();
        dials.releaseReference();
        losses.releaseReference();
    }
}
