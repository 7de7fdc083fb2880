package ai.wood.torch.train;

import ai.wood.Scorer;
import ai.wood.Seed;
import ai.wood.data.Batch;
import ai.wood.data.Loader;
import ai.wood.data.LoaderOptions;
import ai.wood.loss.Loss;
import ai.wood.torch.Architecture;
import ai.wood.torch.Devices;
import ai.wood.torch.Engine;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Pass;
import ai.wood.torch.Tensors;
import ai.wood.torch.Weights;
import ai.wood.torch.checkpoint.SafetensorsWriter;
import java.io.IOException;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.MemoryFormat;
import org.bytedeco.pytorch.global.torch.ScalarType;

/**
 * Trains a network by the paper's Algorithm 1: each step takes InD and OOD samples, runs them through the network
 * together, and changes all weights by the gradient of the loss.
 *
 * <p>Same data, options and machine give the same weights, bit for bit, whether the run was interrupted or not.
 */
public final class Trainer {

    private final Architecture architecture;
    private final Loss loss;
    private final TensorLoss tensorLoss;
    private final TrainOptions options;
    private final TrainData data;
    private final Device device;
    private final Seed seed;
    private final Validator validator;

    /** {@code scorer} tells InD from OOD in validation. */
    public Trainer(Architecture architecture, Loss loss, Scorer scorer, TrainData data, TrainOptions options) {
        this.architecture = architecture;
        this.loss = loss;
        this.tensorLoss = TensorLoss.of(loss);
        this.options = options;
        this.data = data;
        this.device = Devices.of(options.device());
        this.seed = new Seed(options.seed());
        this.validator = new Validator(architecture, loss, scorer, data, device);
    }

    /**
     * Trains to the last epoch, and leaves the best epoch's weights in the run folder. A run that is resumed after its
     * last epoch stays as it is.
     *
     * @throws IOException where the folder refuses, or the checkpoint in it is damaged or of another training
     * @throws DivergedException where the loss or the weights are no longer finite
     */
    public void train(RunFolder folder, RunFolder.Existing existing, TrainListener listener) throws IOException {
        Engine.threads(options.threads());
        Engine.deterministic(true);
        Manifest manifest = Manifest.of(architecture, loss, data, options);
        boolean resume = folder.open(existing);
        try (TrainState state = new TrainState(
                        Weights.initial(architecture.layout(), seed.at(0).value(), device), options.update());
                Loader loader = new Loader(data.ind(), data.ood(), loaderOptions())) {
            if (resume) {
                state.read(folder.state(), manifest.fingerprint());
            }
            RunFolder.writeJson(folder.options(), manifest.json());
            new Run(folder, manifest, state, loader, listener).toTheEnd();
        }
    }

    private LoaderOptions loaderOptions() {
        return LoaderOptions.training(options.indBatch(), options.oodBatch())
                .withTransform(data.transform())
                .withNormalise(data.normalise())
                .withSeed(seed.at(1));
    }

    /** One training on its way. */
    private final class Run {

        private final RunFolder folder;
        private final Manifest manifest;
        private final TrainState state;
        private final Loader loader;
        private final TrainListener listener;
        private final long totalSteps;

        Run(RunFolder folder, Manifest manifest, TrainState state, Loader loader, TrainListener listener) {
            this.folder = folder;
            this.manifest = manifest;
            this.state = state;
            this.loader = loader;
            this.listener = listener;
            this.totalSteps = (long) options.epochs() * loader.steps();
        }

        void toTheEnd() throws IOException {
            while (state.progress().epoch() < options.epochs()) {
                epoch();
            }
        }

        private void epoch() throws IOException {
            int firstStep = state.progress().step();
            long start = System.nanoTime();
            for (Batch batch : loader.epoch(state.progress().epoch(), firstStep)) {
                step(batch);
                if (state.progress().step() % options.checkpointEvery() == 0) {
                    checkpoint();
                }
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            long images = (long) (loader.steps() - firstStep) * (options.indBatch() + options.oodBatch());
            finishEpoch(images / Math.max(seconds, 1e-9));
        }

        private void step(Batch batch) {
            TrainState.Progress before = state.progress();
            NativeScope.run(() -> {
                TensorLoss.Parts parts = forward(batch);
                parts.total().backward();
                update();
                state.progress(
                        before.plus(parts.ind().item_double(), parts.ood().item_double()));
            });
            double value = state.progress().indLoss()
                    - before.indLoss()
                    + state.progress().oodLoss()
                    - before.oodLoss();
            if (!Double.isFinite(value)) {
                throw new DivergedException(before.epoch(), before.step(), value);
            }
            listener.step(stepsDone(), totalSteps, value);
        }

        private TensorLoss.Parts forward(Batch batch) {
            torch.manual_seed(seed.at(2).at(batch.epoch()).at(batch.step()).value());
            Tensor images = images(batch);
            Tensor logits = options.precision()
                    .run(device, () -> architecture.forward(Pass.training(state.weights()), images))
                    .logits()
                    .to(ScalarType.Float);
            int[] labels = new int[batch.ind()];
            batch.labels().get(labels);
            return tensorLoss.on(
                    logits.narrow(0, 0, batch.ind()),
                    Tensors.of(labels, device),
                    logits.narrow(0, batch.ind(), batch.ood()));
        }

        private Tensor images(Batch batch) {
            long[] shape = {
                batch.size(),
                batch.shape().channels(),
                batch.shape().height(),
                batch.shape().width()
            };
            return torch.from_blob(new FloatPointer(batch.values()), shape)
                    .to(device, ScalarType.Float)
                    .contiguous(MemoryFormat.ChannelsLast);
        }

        private void update() {
            NativeScope.runWithoutGradients(() -> {
                UpdateOptions update = options.update();
                Tensor gradient = state.weights().takeGradients();
                if (update.clip() > 0) {
                    Tensor scale =
                            gradient.norm().add(new Scalar(1e-6)).reciprocal().mul(new Scalar(update.clip()));
                    gradient.mul_(scale.clamp_max(new Scalar(1)));
                }
                Optimiser.Moment moment = new Optimiser.Moment(stepsDone() + 1, rate(stepsDone()), state.decay());
                update.optimiser().optimiser().update(state.weights().parameters(), gradient, state.slots(), moment);
                state.average(update.averaging());
            });
        }

        private void finishEpoch(double imagesPerSecond) throws IOException {
            requireFinite();
            TrainState.Progress progress = state.progress();
            EpochMetrics metrics;
            try (Weights result = state.result()) {
                EpochMetrics.Validation validation = validator.measure(result);
                metrics = new EpochMetrics(
                        progress.epoch(),
                        stepsDone(),
                        rate(stepsDone() - 1),
                        progress.indLoss() / progress.step(),
                        progress.oodLoss() / progress.step(),
                        imagesPerSecond,
                        validation,
                        validation.quality() > progress.best());
                if (metrics.best()) {
                    keep(result, metrics.epoch());
                }
            }
            long length = folder.appendMetrics(progress.metricsLength(), metrics);
            state.progress(progress.nextEpoch(metrics.validation().quality(), length));
            checkpoint();
            listener.epoch(metrics);
        }

        private void keep(Weights best, int epoch) throws IOException {
            SafetensorsWriter writer = new SafetensorsWriter()
                    .metadata("architecture", architecture.toString())
                    .metadata("epoch", Integer.toString(epoch));
            best.write(writer);
            writer.write(folder.network());
        }

        private double rate(long step) {
            return options.update().rate() * options.update().schedule().factor((double) step / totalSteps);
        }

        private void checkpoint() throws IOException {
            requireFinite();
            state.write(folder.state(), manifest.fingerprint());
        }

        private void requireFinite() {
            if (!state.isFinite()) {
                throw new DivergedException(
                        state.progress().epoch(), state.progress().step(), Double.NaN);
            }
        }

        private long stepsDone() {
            return (long) state.progress().epoch() * loader.steps()
                    + state.progress().step();
        }
    }
}
