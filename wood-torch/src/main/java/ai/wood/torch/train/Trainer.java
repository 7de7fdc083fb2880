package ai.wood.torch.train;

import ai.wood.Scorer;
import ai.wood.Seed;
import ai.wood.data.Dataset;
import ai.wood.data.FrozenDataset;
import ai.wood.data.LoaderOptions;
import ai.wood.io.Safetensors;
import ai.wood.io.SafetensorsWriter;
import ai.wood.loss.Loss;
import ai.wood.loss.WoodLoss;
import ai.wood.torch.Architecture;
import ai.wood.torch.Devices;
import ai.wood.torch.Engine;
import ai.wood.torch.Layout;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Tensors;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.Weights;
import ai.wood.torch.net.ScriptNetwork;
import ai.wood.torch.train.TrainOptions.Mining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Trains a network by the paper's Algorithm 1: each step takes InD and OOD samples, runs them through the network
 * together, and changes all weights by the gradient of the loss.
 *
 * <p>Same data, options and machine give the same weights, on a CPU bit for bit, whether the run was interrupted or not.
 */
public final class Trainer {

    /** A GPU does so many steps before anybody looks at their loss, which makes it wait. */
    public static final int GPU_STEPS = 25;

    /** Every one of them has its numbers on the device. */
    private static final int MAX_STEPS = 100_000_000;

    /** Slow steps do not lose more than so long. */
    private static final Duration LONGEST_UNSAVED = Duration.ofMinutes(10);

    private final Architecture architecture;
    private final Loss loss;
    private final TrainOptions options;
    private final TrainData data;
    private final Device device;
    private final Seed seed;
    private final Validator validator;
    private final @Nullable Miner miner;
    private final @Nullable Path start;
    private LongSupplier clock = System::nanoTime;

    /**
     * {@code scorer} tells InD from OOD in validation.
     *
     * @throws IllegalArgumentException where the loss has a cost matrix for another number of classes than the data
     */
    public Trainer(Architecture architecture, Loss loss, Scorer scorer, TrainData data, TrainOptions options) {
        this(architecture, loss, scorer, data, options, null);
    }

    /**
     * A training that goes on from the weights of a trained network.
     *
     * @param start its safetensors file; null to begin with random weights
     */
    public Trainer(
            Architecture architecture,
            Loss loss,
            Scorer scorer,
            TrainData data,
            TrainOptions options,
            @Nullable Path start) {
        if (loss instanceof WoodLoss wood) {
            wood.score().cost().requireClasses(data.ind().classes().size());
        }
        this.architecture = architecture;
        this.loss = loss;
        this.options = options;
        this.data = data;
        this.device = Devices.of(options.device());
        this.seed = new Seed(options.seed());
        this.validator = new Validator(architecture, loss, scorer, data, device);
        this.miner = miner(options.mining(), data.ood(), scorer);
        this.start = start;
    }

    /**
     * Trains to the last epoch, and leaves the best epoch's weights in the run folder. A run that is resumed after its
     * last epoch stays as it is; weights that were removed are written again.
     *
     * @throws IOException where the folder refuses, the checkpoint in it is damaged or of another training, or the best
     *     epoch's weights were removed and the checkpoint has not got them
     * @throws StoppedException where the listener wanted it to stop
     * @throws DivergedException where the loss or the weights are no longer finite
     */
    public void train(RunFolder folder, RunFolder.Existing existing, TrainListener listener) throws IOException {
        train(folder, existing, World.ALONE, listener);
    }

    /**
     * Trains together with other processes, each of which calls this with its own place in the world. The result is that
     * of one process up to rounding, dropout aside.
     *
     * @throws RankException where another rank was lost, failed, or trains something else
     * @throws IllegalArgumentException where the batch or the network cannot be divided among the ranks
     */
    public void train(RunFolder folder, RunFolder.Existing existing, World world, TrainListener listener)
            throws IOException {
        listener.begins(options);
        try {
            Engine.threads(options.threads());
            Engine.deterministic(device.is_cpu());
            Manifest manifest =
                    Manifest.of(architecture, loss, data, options, start).by(world);
            LoaderOptions loading = loaderOptions().withShard(world.shard());
            if (world.size() == 1) {
                train(folder, existing, manifest, loading, Ranks.ALONE, listener);
            } else {
                requireDivisible();
                try (Group group = Group.meet(world, device, manifest.fingerprint())) {
                    group.together(() -> train(folder, existing, manifest, loading, group, listener));
                }
            }
        } finally {
            listener.ended();
        }
    }

    private void train(
            RunFolder folder,
            RunFolder.Existing existing,
            Manifest manifest,
            LoaderOptions loading,
            Ranks ranks,
            TrainListener listener)
            throws IOException {
        if (ranks.leads()) {
            folder.check(existing);
        }
        try (TensorLoss tensorLoss = TensorLoss.of(loss, device);
                TrainState state = new TrainState(initial(), options.update(), tensorLoss.memory());
                Feed feed = Feed.of(miner == null ? data : data.withOod(miner.outliers()), loading, device, listener);
                Step step = new Step(this, tensorLoss, state, feed, rates(feed.steps()), ranks, listener);
                RunFolder.Claim claim =
                        ranks.leads() ? folder.open(existing) : null) { // last, since it makes the folder
            if (claim != null) {
                if (claim.resumes()) {
                    int outliers = miner == null ? 0 : miner.outliers().size();
                    state.read(folder.state(), manifest.fingerprint(), outliers);
                }
                validator.tryOut(state.weights());
                if (existing == RunFolder.Existing.OVERWRITE) {
                    folder.clear(); // now that it is known that the training can begin
                }
                if (state.progress().epoch() < options.epochs() || !Files.exists(folder.manifest())) {
                    manifest.write(folder); // what is done is not of the versions of today
                }
                folder.description().write(folder.path());
                if (!claim.resumes()) {
                    state.write(folder.state(), manifest.fingerprint()); // no network is ever without one
                }
            }
            state.spread(ranks);
            new Epochs(folder, manifest, state, feed, step, ranks, listener).toTheEnd();
        }
    }

    /** A loss that follows the whole batch, or a script that normalises it, cannot work on a part. */
    private void requireDivisible() {
        boolean script = architecture instanceof ScriptNetwork
                && architecture.layout().slots().stream().anyMatch(slot -> slot.role() == Layout.Role.STATISTIC);
        if (script || loss.needsWholeBatch()) {
            throw new IllegalArgumentException("several processes cannot train "
                    + (script ? "a TorchScript network with batch normalisation" : loss.toString())
                    + ", which needs the whole batch in one place. Train it in one process.");
        }
    }

    private Weights initial() throws IOException {
        if (start == null) {
            return Weights.initial(architecture.layout(), seed.at(0).value(), device);
        }
        try (Safetensors file = Safetensors.open(start)) {
            return Weights.read(architecture.layout(), file, device);
        }
    }

    private @Nullable Miner miner(@Nullable Mining mining, @Nullable Dataset ood, Scorer scorer) {
        if (mining == null) {
            return null;
        }
        if (ood == null || options.oodBatch() == 0) {
            throw new IllegalArgumentException("mining needs OOD samples to mine but there are none");
        }
        return new Miner(mining, new FrozenDataset(ood), scorer, seed.at(3));
    }

    /** The learning rate of every step. */
    private double[] rates(int stepsPerEpoch) {
        long steps = (long) options.epochs() * stepsPerEpoch;
        if (steps > MAX_STEPS) {
            throw new IllegalArgumentException("a training has " + MAX_STEPS + " steps at most but " + options.epochs()
                    + " epochs of " + stepsPerEpoch + " have more. Maybe fewer epochs.");
        }
        double[] rates = new double[(int) steps];
        Arrays.setAll(rates, step -> rate(step, rates.length));
        return rates;
    }

    private double rate(long step, long totalSteps) {
        return options.update().rate() * options.update().schedule().factor((double) step / totalSteps);
    }

    Architecture architecture() {
        return architecture;
    }

    /** The names of the branches that the loss reads, in its order. */
    List<String> branches() {
        return List.copyOf(loss.branches().keySet());
    }

    TrainOptions options() {
        return options;
    }

    Device device() {
        return device;
    }

    private LoaderOptions loaderOptions() {
        return LoaderOptions.training(options.indBatch(), options.oodBatch())
                .withTransform(data.transform())
                .withNormalise(data.normalise())
                .withSeed(seed.at(1));
    }

    /** Nanoseconds by another clock than the system's. */
    void setClock(LongSupplier clock) {
        this.clock = clock;
    }

    /** One training on its way. */
    private final class Epochs {

        private final RunFolder folder;
        private final Manifest manifest;
        private final TrainState state;
        private final Feed feed;
        private final Step step;
        private final Ranks ranks;
        private final TrainListener listener;
        private final long totalSteps;
        private long saved = clock.getAsLong();

        Epochs(
                RunFolder folder,
                Manifest manifest,
                TrainState state,
                Feed feed,
                Step step,
                Ranks ranks,
                TrainListener listener) {
            this.folder = folder;
            this.manifest = manifest;
            this.state = state;
            this.feed = feed;
            this.step = step;
            this.ranks = ranks;
            this.listener = listener;
            this.totalSteps = (long) options.epochs() * feed.steps();
        }

        void toTheEnd() throws IOException {
            while (state.progress().epoch() < options.epochs()) {
                epoch();
            }
            if (ranks.leads() && !Files.exists(folder.network())) {
                keepAgain();
            }
        }

        /** Somebody has removed the network. The checkpoint has the weights of the last epoch. */
        private void keepAgain() throws IOException {
            int best = folder.best().epoch();
            if (best < options.epochs() - 1) {
                throw new IOException(folder.network() + ": was removed, and the checkpoint has the weights of the last"
                        + " epoch only, but epoch " + best + " was the best. Maybe begin anew with --overwrite.");
            }
            try (Weights result = state.result()) {
                keep(result, best);
            }
        }

        private void epoch() throws IOException {
            int epoch = state.progress().epoch();
            int first = state.progress().step();
            mine(epoch, first);
            long start = System.nanoTime();
            for (int next = first; next < feed.steps(); next = state.progress().step()) {
                account(steps(epoch, next, Math.min(feed.steps(), next + stepsAtOnce(next))));
                boolean stops = stops();
                if (stops || isDue()) {
                    checkpoint();
                }
                if (stops) {
                    throw new StoppedException(
                            folder.path(), epoch, state.progress().step());
                }
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            long images = (long) (feed.steps() - first) * (options.indBatch() + options.oodBatch());
            finishEpoch(images / Math.max(seconds, 1e-9));
        }

        /** Whether a checkpoint is written after the step that was just done. */
        private boolean isDue() {
            return state.progress().step() % options.checkpointEvery() == 0
                    || clock.getAsLong() - saved >= LONGEST_UNSAVED.toNanos();
        }

        /** Whether any rank is to stop: then all do, after the same step. */
        private boolean stops() {
            boolean wanted = listener.stops();
            if (ranks.size() == 1) {
                return wanted;
            }
            return NativeScope.callWithoutGradients(() -> {
                Tensor votes = Tensors.of(new float[] {wanted ? 1 : 0}, device, 1);
                ranks.sum(votes);
                return votes.item_float() > 0;
            });
        }

        /** An epoch that was begun goes on with the outliers it began with. */
        private void mine(int epoch, int first) {
            if (miner == null) {
                return;
            }
            if (first == 0 && ranks.leads()) {
                try (TorchNetwork network = validator.open(state.weights())) {
                    state.mined(miner.choose(network, epoch));
                }
            }
            state.spreadMined(ranks);
            feed.drawOodFrom(state.mined());
        }

        private int stepsAtOnce(int next) {
            return device.is_cpu()
                    ? 1
                    : Math.min(GPU_STEPS, options.checkpointEvery() - next % options.checkpointEvery());
        }

        /** Does some steps of an epoch; the two terms of the loss of each. */
        private float[] steps(int epoch, int first, int end) {
            return NativeScope.call(() -> {
                Tensor terms = Tensors.of(new float[2 * (end - first)], device, end - first, 2);
                for (int i = first; i < end; i++) {
                    feed.load(epoch, i);
                    step.run((long) epoch * feed.steps() + i, chance(epoch, i));
                    int row = i - first;
                    NativeScope.run(() -> terms.select(0, row).copy_(step.losses()));
                }
                return Tensors.floats(terms);
            });
        }

        /** The seed of chance within the network, in which ranks differ as samples do. */
        private long chance(int epoch, int step) {
            Seed own = seed.at(2).at(epoch).at(step);
            return ranks.size() == 1 ? own.value() : own.at(ranks.rank()).value();
        }

        private void account(float[] terms) {
            for (int i = 0; i < terms.length; i += 2) {
                TrainState.Place before = state.progress();
                double value = (double) terms[i] + terms[i + 1];
                if (!Double.isFinite(value)) {
                    throw new DivergedException(before.epoch(), before.step(), value);
                }
                state.progress(before.plus(terms[i], terms[i + 1]));
                listener.step(stepsDone(), totalSteps, value);
            }
        }

        private void finishEpoch(double imagesPerSecond) throws IOException {
            requireFinite();
            if (!ranks.leads()) {
                state.progress(state.progress().nextEpoch(Double.NEGATIVE_INFINITY, 0));
                return;
            }
            TrainState.Place progress = state.progress();
            EpochMetrics metrics = validate(progress, imagesPerSecond);
            long length = folder.appendMetrics(progress.metricsLength(), metrics);
            state.progress(progress.nextEpoch(metrics.validation().quality(), length));
            checkpoint();
            listener.epoch(metrics);
        }

        private EpochMetrics validate(TrainState.Place progress, double imagesPerSecond) throws IOException {
            try (Weights result = state.result()) {
                EpochMetrics.Validation validation = validator.measure(result);
                EpochMetrics metrics = new EpochMetrics(
                        progress.epoch(),
                        stepsDone(),
                        rate(stepsDone() - 1, totalSteps),
                        progress.indLoss() / progress.step(),
                        progress.oodLoss() / progress.step(),
                        imagesPerSecond,
                        validation,
                        validation.quality() > progress.best());
                if (metrics.best()) {
                    keep(result, metrics.epoch());
                }
                return metrics;
            }
        }

        private void keep(Weights best, int epoch) throws IOException {
            SafetensorsWriter writer = new SafetensorsWriter()
                    .metadata("architecture", architecture.toString())
                    .metadata("epoch", Integer.toString(epoch));
            best.write(writer);
            writer.write(folder.network());
        }

        private void checkpoint() throws IOException {
            requireFinite();
            if (ranks.leads()) {
                state.write(folder.state(), manifest.fingerprint());
            }
            saved = clock.getAsLong();
            listener.saved();
        }

        private void requireFinite() {
            if (!state.isFinite()) {
                throw new DivergedException(
                        state.progress().epoch(), state.progress().step(), Double.NaN);
            }
        }

        private long stepsDone() {
            return (long) state.progress().epoch() * feed.steps()
                    + state.progress().step();
        }
    }
}
