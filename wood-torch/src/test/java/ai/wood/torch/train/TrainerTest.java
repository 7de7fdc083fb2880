package ai.wood.torch.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Matrix;
import ai.wood.Seed;
import ai.wood.data.Batch;
import ai.wood.data.Loader;
import ai.wood.data.LoaderOptions;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import ai.wood.io.Safetensors;
import ai.wood.io.Sha256;
import ai.wood.loss.CrossEntropy;
import ai.wood.loss.Loss;
import ai.wood.loss.LossValue;
import ai.wood.loss.WoodLoss;
import ai.wood.score.WoodScorer;
import ai.wood.torch.Architecture;
import ai.wood.torch.Devices;
import ai.wood.torch.Golden;
import ai.wood.torch.Layout;
import ai.wood.torch.Pass;
import ai.wood.torch.Precision;
import ai.wood.torch.Weights;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.ScriptNetwork;
import ai.wood.torch.net.SmallCnn;
import ai.wood.torch.train.RunFolder.Existing;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TrainerTest {

    static final Architecture NETWORK =
            new SmallCnn(8, NetworkOptions.of(1, ToyData.CLASSES).withDropout(0.1));
    static final Loss LOSS = WoodLoss.of(GroundCost.dynamic(), 1);
    static final TrainOptions OPTIONS = TrainOptions.paper()
            .withEpochs(4)
            .withBatch(10, 5)
            .withThreads(1)
            .withCheckpointEvery(5)
            .withUpdate(UpdateOptions.paper().withRate(5e-3).withClip(5));

    @TempDir
    Path folder;

    static Trainer trainer(TrainOptions options, Loss loss) {
        return new Trainer(NETWORK, loss, new WoodScorer(GroundCost.dynamic()), ToyData.data(), options);
    }

    @Test
    void learnsTheClassesAndToTellOodApart() throws IOException {
        List<EpochMetrics> epochs = train(OPTIONS, "run");
        EpochMetrics last = epochs.get(epochs.size() - 1);
        assertThat(epochs).hasSize(4);
        assertThat(last.validation().accuracy()).isGreaterThan(0.95);
        assertThat(last.validation().auroc()).isGreaterThan(0.95);
        assertThat(last.indLoss()).isLessThan(epochs.get(0).indLoss());
        assertThat(Files.readAllLines(folder.resolve("run/metrics.jsonl"))).hasSize(4);
        assertThat(Files.readString(folder.resolve("run/training.json"))).contains("sha256", "SmallCnn", "libtorch");
    }

    @Test
    void aNetworkThatNoTrainingHereHasLeftStaysAsItIs() throws IOException {
        train(OPTIONS.withEpochs(1), "run");
        RunFolder run = new RunFolder(folder.resolve("run"));
        byte[] weights = Files.readAllBytes(run.network());
        Files.delete(run.state());
        Files.delete(run.lock());
        Trainer other = trainer(OPTIONS.withEpochs(1).withSeed(7), LOSS);
        assertThatThrownBy(() -> other.train(run, Existing.RESUME, TrainListener.NONE))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("there is only a network", "--from");
        Files.delete(run.training()); // as where weights were adopted
        assertThatThrownBy(() -> other.train(run, Existing.REFUSE, TrainListener.NONE))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("there is a run already", "another folder");
        assertThat(run.network()).hasBinaryContent(weights);
        other.train(run, Existing.OVERWRITE, TrainListener.NONE);
        assertThat(Files.readAllBytes(run.network())).isNotEqualTo(weights);
    }

    @Test
    void whatHasNoRoomIsRefused() {
        Trainer endless = trainer(OPTIONS.withEpochs(Integer.MAX_VALUE), LOSS);
        RunFolder run = new RunFolder(folder.resolve("endless"));
        assertThatThrownBy(() -> endless.train(run, Existing.REFUSE, TrainListener.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("steps at most", "fewer epochs");
        assertThat(run.path()).doesNotExist();
        assertThatThrownBy(() -> Throughput.infer(List.of(), new Shape(3, 32, 32), 1_000_000, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("smaller batch");
    }

    @Test
    void slowStepsAreSavedAfterTenMinutesToo() throws IOException {
        for (int minutes : new int[] {1, 4, 10}) {
            Trainer trainer = trainer(OPTIONS.withEpochs(1).withCheckpointEvery(1000), LOSS);
            AtomicLong steps = new AtomicLong();
            trainer.setClock(() -> Duration.ofMinutes(minutes * steps.get()).toNanos());
            List<Long> saved = new ArrayList<>();
            long[] total = {0};
            trainer.train(new RunFolder(folder.resolve("slow-" + minutes)), Existing.REFUSE, new TrainListener() {
                @Override
                public void step(long done, long all, double loss) {
                    steps.set(done);
                    total[0] = all;
                }

                @Override
                public void saved() {
                    saved.add(steps.get());
                }
            });
            int every = (10 + minutes - 1) / minutes;
            List<Long> expected = LongStream.rangeClosed(1, total[0])
                    .filter(step -> step % every == 0)
                    .boxed()
                    .collect(Collectors.toCollection(ArrayList::new));
            if (total[0] % every != 0) {
                expected.add(total[0]); // the epoch is over
            }
            assertThat(total[0]).isGreaterThan(4);
            assertThat(saved.stream().distinct()).containsExactlyElementsOf(expected);
        }
    }

    @Test
    void goesOnFromTheWeightsOfATrainedNetwork() throws IOException {
        List<EpochMetrics> before = train(OPTIONS, "before");
        Path weights = new RunFolder(folder.resolve("before")).network();
        List<EpochMetrics> after = new ArrayList<>();
        Trainer further = new Trainer(
                NETWORK,
                LOSS,
                new WoodScorer(GroundCost.dynamic()),
                ToyData.data(),
                OPTIONS.withEpochs(1).withUpdate(UpdateOptions.paper().withRate(1e-6)),
                weights);
        RunFolder run = new RunFolder(folder.resolve("after"));
        further.train(run, Existing.REFUSE, new TrainListener() {
            @Override
            public void epoch(EpochMetrics metrics) {
                after.add(metrics);
            }
        });
        assertThat(after.get(0).indLoss()).isLessThan(before.get(1).indLoss());
        assertThat(after.get(0).validation().accuracy()).isGreaterThan(0.95);
        assertThatThrownBy(() -> trainer(OPTIONS.withEpochs(1), LOSS).train(run, Existing.RESUME, TrainListener.NONE))
                .isInstanceOf(IOException.class);
    }

    /** There are no running statistics to keep. */
    @Test
    void aNetworkWithoutNormalisationIsTrainedAndResumed() throws IOException {
        Trainer trainer = new Trainer(
                new Linear(), LOSS, new WoodScorer(GroundCost.dynamic()), ToyData.data(), OPTIONS.withEpochs(2));
        trainer.train(new RunFolder(folder.resolve("whole")), Existing.REFUSE, TrainListener.NONE);
        RunFolder parts = new RunFolder(folder.resolve("parts"));
        assertThatThrownBy(() -> trainer.train(parts, Existing.REFUSE, stopAt(7)))
                .hasMessage("pulled the plug");
        trainer.train(parts, Existing.RESUME, TrainListener.NONE);
        assertThat(network("parts")).isEqualTo(network("whole"));
    }

    private record Linear() implements Architecture {

        @Override
        public Layout layout() {
            return new Layout().head("fc", ToyData.SHAPE.length(), ToyData.CLASSES);
        }

        @Override
        public Activations forward(Pass pass, Tensor images) {
            Tensor features = images.reshape(images.size(0), ToyData.SHAPE.length());
            return new Activations(pass.linear("fc", features), features);
        }
    }

    /** With decay, a schedule and gradients that are cut, over two epochs: what a step is told of its place counts too. */
    @ParameterizedTest
    @EnumSource
    void trainsAsPlainLoopsDo(Optimisers kind) throws IOException {
        double rate = kind == Optimisers.SGD ? 0.05 : 0.01;
        UpdateOptions update = new UpdateOptions(kind, rate, Schedule.ONE_CYCLE, 0.1, 0.4, 0);
        TrainOptions options = OPTIONS.withEpochs(2).withUpdate(update);
        TrainData data = ToyData.data();
        RunFolder run = new RunFolder(folder.resolve("run"));
        new Trainer(new Linear(), LOSS, new WoodScorer(GroundCost.dynamic()), data, options)
                .train(run, Existing.REFUSE, TrainListener.NONE);

        int inputs = ToyData.SHAPE.length();
        int weights = ToyData.CLASSES * inputs;
        double[] w = initial(new Linear(), options);
        float[] decay = new float[w.length]; // the weights have it, the biases behind them have not
        Arrays.fill(decay, 0, weights, 0.1f);
        double[][] slots = new double[2][w.length];
        int cut = 0;
        LoaderOptions loading = LoaderOptions.training(options.indBatch(), options.oodBatch())
                .withTransform(data.transform())
                .withNormalise(data.normalise())
                .withSeed(new Seed(options.seed()).at(1));
        try (Loader loader = new Loader(data.ind(), data.ood(), loading)) {
            int steps = loader.steps();
            for (int step = 0; step < 2 * steps; step++) {
                Batch batch =
                        loader.epoch(step / steps, step % steps).iterator().next();
                double[] gradient = gradient(batch, w, weights);
                double norm =
                        Math.sqrt(DoubleStream.of(gradient).map(g -> g * g).sum());
                cut += norm > 0.4 ? 1 : 0;
                for (int i = 0; i < gradient.length; i++) {
                    gradient[i] *= Math.min(1, 0.4 / norm);
                }
                double now = rate * Schedule.ONE_CYCLE.factor(step / (2.0 * steps));
                OptimisersTest.referenceStep(kind, w, gradient, slots, step + 1, now, decay);
            }
        }
        assertThat(cut).isPositive();
        try (Safetensors state = Safetensors.open(run.state())) {
            float[] trained = state.floats("parameters");
            assertThat(Arrays.copyOf(trained, weights)).containsExactly(floats(w, 0, weights), within(1e-4f));
            int aligned = (weights + 63) / 64 * 64; // each tensor begins at such a place
            assertThat(Arrays.copyOfRange(trained, aligned, aligned + ToyData.CLASSES))
                    .containsExactly(floats(w, weights, w.length), within(1e-4f));
        }
    }

    private static double[] initial(Architecture network, TrainOptions options) {
        try (Weights start =
                Weights.initial(network.layout(), new Seed(options.seed()).at(0).value(), Devices.cpu())) {
            float[] weights = start.floats("fc.weight");
            double[] all = new double[weights.length + ToyData.CLASSES];
            for (int i = 0; i < weights.length; i++) {
                all[i] = weights[i];
            }
            return all; // biases start at zero
        }
    }

    /** By weights, row after row, then by biases. */
    private static double[] gradient(Batch batch, double[] w, int weights) {
        int inputs = weights / ToyData.CLASSES;
        float[] values = new float[batch.size() * inputs];
        batch.values().get(values);
        double[][] logits = new double[batch.size()][ToyData.CLASSES];
        for (int n = 0; n < logits.length; n++) {
            for (int k = 0; k < ToyData.CLASSES; k++) {
                logits[n][k] = w[weights + k];
                for (int p = 0; p < inputs; p++) {
                    logits[n][k] += w[k * inputs + p] * values[n * inputs + p];
                }
            }
        }
        int[] labels = IntStream.range(0, batch.ind()).map(batch::label).toArray();
        LossValue loss = LOSS.on(
                Matrix.of(Arrays.copyOf(logits, batch.ind())),
                labels,
                Matrix.of(Arrays.copyOfRange(logits, batch.ind(), logits.length)));
        double[] gradient = new double[w.length];
        for (int n = 0; n < logits.length; n++) {
            for (int k = 0; k < ToyData.CLASSES; k++) {
                boolean isInd = n < batch.ind();
                double slope = isInd ? loss.ind().get(n, k) : loss.ood().get(n - batch.ind(), k);
                gradient[weights + k] += slope;
                for (int p = 0; p < inputs; p++) {
                    gradient[k * inputs + p] += slope * values[n * inputs + p];
                }
            }
        }
        return gradient;
    }

    private static float[] floats(double[] values, int from, int to) {
        float[] floats = new float[to - from];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) values[from + i];
        }
        return floats;
    }

    @Test
    void qualityIsTheMeanOfAccuracyAndAurocOrAccuracyAlone() {
        assertThat(new EpochMetrics.Validation(0.4, 0.9, 0.7, 0.3).quality()).isCloseTo(0.8, within(1e-12));
        assertThat(new EpochMetrics.Validation(0.4, 0.9, Double.NaN, Double.NaN).quality())
                .isEqualTo(0.9);
    }

    @Test
    void theSameSeedGivesTheSameBits() throws IOException {
        train(OPTIONS.withEpochs(2), "a");
        train(OPTIONS.withEpochs(2), "b");
        train(OPTIONS.withEpochs(2).withSeed(1), "c");
        assertThat(network("b")).isEqualTo(network("a"));
        assertThat(network("c")).isNotEqualTo(network("a"));
    }

    @Test
    void aScriptIsKnownByWhatIsInIt() throws IOException {
        Path file = Golden.path("small-cnn.tiny.pt");
        Manifest manifest = Manifest.of(ScriptNetwork.load(file), LOSS, ToyData.data(), OPTIONS, null);
        assertThat(manifest.fingerprint()).contains(Sha256.of(file));
    }

    @Test
    void theScoreThatWasTaughtIsNotedWithItsCostMatrix() throws IOException {
        Matrix matrix = Matrix.wrap(new double[] {0, 0.1, 1, 0.1, 0, 1, 1, 1, 0}, ToyData.CLASSES);
        RunFolder run = new RunFolder(folder.resolve("run"));
        Loss custom = WoodLoss.of(GroundCost.custom(matrix), 1).withTemperature(3);
        trainer(OPTIONS.withEpochs(1), custom).train(run, Existing.REFUSE, TrainListener.NONE);
        assertThat(Files.readString(run.training())).contains("\"cost\" : \"custom\"", "\"temperature\" : 3.0");
        try (Safetensors kept = Safetensors.open(run.cost())) {
            assertThat(kept.matrix("cost")).isEqualTo(matrix);
        }
        trainer(OPTIONS.withEpochs(1), WoodLoss.of(GroundCost.binary(), 1))
                .train(run, Existing.OVERWRITE, TrainListener.NONE);
        assertThat(Files.readString(run.training())).contains("\"cost\" : \"binary\"", "\"temperature\" : 1.0");
        assertThat(run.cost()).doesNotExist();
        trainer(OPTIONS.withEpochs(1), new CrossEntropy()).train(run, Existing.OVERWRITE, TrainListener.NONE);
        assertThat(Files.readString(run.training())).doesNotContain("\"scorer\"");
    }

    @Test
    void aRunThatWasInterruptedEndsInTheSameBits() throws IOException {
        TrainOptions options = OPTIONS.withUpdate(OPTIONS.update().withAveraging(0.9));
        train(options, "whole");
        RunFolder parts = new RunFolder(folder.resolve("parts"));
        for (int stop : new int[] {7, 9, 30, 41}) {
            assertThatThrownBy(() -> trainer(options, LOSS).train(parts, Existing.RESUME, stopAt(stop)))
                    .hasMessage("pulled the plug");
        }
        trainer(options, LOSS).train(parts, Existing.RESUME, TrainListener.NONE);
        assertThat(network("parts")).isEqualTo(network("whole"));
        assertThat(tensors(parts)).isEqualTo(tensors(new RunFolder(folder.resolve("whole"))));
        assertThat(tensors(parts)).containsKey("mean/parameters");
        assertThat(untimed(parts)).hasSize(4).isEqualTo(untimed(new RunFolder(folder.resolve("whole"))));
    }

    /** All that a checkpoint holds: weights, optimiser, average ... */
    private static Map<String, List<Float>> tensors(RunFolder run) throws IOException {
        try (Safetensors state = Safetensors.open(run.state())) {
            Map<String, List<Float>> tensors = new TreeMap<>();
            for (String name : state.names()) {
                List<Float> values = new ArrayList<>();
                for (float value : state.floats(name)) {
                    values.add(value);
                }
                tensors.put(name, values);
            }
            return tensors;
        }
    }

    private static List<String> untimed(RunFolder run) throws IOException {
        return Files.readAllLines(run.metrics()).stream()
                .map(line -> line.replaceAll("\"imagesPerSecond\":[^,]*", ""))
                .toList();
    }

    @Test
    void aNetworkThatWasRemovedIsWrittenAgainWhereTheLastEpochWasTheBest() throws IOException {
        train(OPTIONS.withEpochs(1), "run");
        RunFolder run = new RunFolder(folder.resolve("run"));
        byte[] before = network("run");
        Files.delete(run.network());
        trainer(OPTIONS.withEpochs(1), LOSS).train(run, Existing.RESUME, TrainListener.NONE);
        assertThat(network("run")).isEqualTo(before);
    }

    @Test
    void aNetworkThatWasRemovedIsToldOfWhereAnEarlierEpochWasTheBest() throws IOException {
        train(OPTIONS.withEpochs(2), "run");
        RunFolder run = new RunFolder(folder.resolve("run"));
        Files.delete(run.network());
        String metrics = Files.readString(run.metrics());
        Files.writeString(run.metrics(), metrics.lines().findFirst().orElseThrow() + "\n");
        assertThatThrownBy(() -> trainer(OPTIONS.withEpochs(2), LOSS).train(run, Existing.RESUME, TrainListener.NONE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(run.network() + ": was removed")
                .hasMessageContaining("epoch 0 was the best")
                .hasMessageContaining("--overwrite");
    }

    @Test
    void stoppedOnRequestItGoesOnToTheSameBits() throws IOException {
        TrainOptions options = OPTIONS.withEpochs(2).withCheckpointEvery(1000);
        train(options, "whole");
        RunFolder run = new RunFolder(folder.resolve("run"));
        assertThatThrownBy(() -> trainer(options, LOSS).train(run, Existing.REFUSE, new TrainListener() {
                    private long steps;

                    @Override
                    public void step(long done, long total, double loss) {
                        steps = done;
                    }

                    @Override
                    public boolean stops() {
                        return steps == 3;
                    }
                }))
                .isInstanceOf(StoppedException.class)
                .hasMessageContaining("epoch 0 before step 3");
        long[] first = {0};
        TrainOptions oftener = options.withCheckpointEvery(2);
        trainer(oftener, LOSS).train(run, Existing.RESUME, new TrainListener() {
            @Override
            public void step(long done, long total, double loss) {
                first[0] = first[0] == 0 ? done : first[0];
            }
        });
        assertThat(first[0]).isEqualTo(4);
        assertThat(network("run")).isEqualTo(network("whole"));
    }

    @Test
    void aFolderThatATrainingWritesToIsRefusedToAnother() throws IOException {
        RunFolder run = new RunFolder(folder.resolve("run"));
        try (RunFolder.Claim claim = run.open(Existing.REFUSE)) {
            assertThat(claim.resumes()).isFalse();
            for (Existing existing : Existing.values()) {
                assertThatThrownBy(() -> trainer(OPTIONS, LOSS).train(run, existing, TrainListener.NONE))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("another training is writing to this folder");
            }
        }
        train(OPTIONS.withEpochs(1), "run");
    }

    @Test
    void aRunIsOverwrittenOnlyByATrainingThatCanBegin() throws IOException {
        train(OPTIONS.withEpochs(1), "run");
        byte[] before = network("run");
        RunFolder run = new RunFolder(folder.resolve("run"));
        assertThatThrownBy(() ->
                        trainer(OPTIONS.withBatch(1000, 5), LOSS).train(run, Existing.OVERWRITE, TrainListener.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a batch needs 1000. Maybe take smaller batches");
        assertThat(run.network()).hasBinaryContent(before);
        new Trainer(
                        NETWORK,
                        LOSS,
                        new WoodScorer(GroundCost.dynamic()),
                        ToyData.data(),
                        OPTIONS.withEpochs(1),
                        run.network())
                .train(run, Existing.OVERWRITE, TrainListener.NONE);
        assertThat(network("run")).isNotEqualTo(before);
    }

    @Test
    void aListenerHearsOfTheEndOfWhatCouldNotBegin() {
        List<String> heard = new ArrayList<>();
        Trainer trainer = new Trainer(
                NETWORK,
                LOSS,
                new WoodScorer(GroundCost.dynamic()),
                ToyData.data(),
                OPTIONS,
                folder.resolve("missing.safetensors"));
        assertThatThrownBy(
                        () -> trainer.train(new RunFolder(folder.resolve("run")), Existing.REFUSE, new TrainListener() {
                            @Override
                            public void begins(TrainOptions options) {
                                heard.add("begins");
                            }

                            @Override
                            public void ended() {
                                heard.add("ended");
                            }
                        }))
                .isInstanceOf(IOException.class);
        assertThat(heard).containsExactly("begins", "ended");
    }

    @Test
    void aFinishedRunStaysAsItIsWhenResumed() throws IOException {
        train(OPTIONS.withEpochs(1), "run");
        byte[] before = network("run");
        trainer(OPTIONS.withEpochs(1), LOSS)
                .train(new RunFolder(folder.resolve("run")), Existing.RESUME, TrainListener.NONE);
        assertThat(network("run")).isEqualTo(before);
    }

    @Test
    void metricsThatWereRemovedLeaveNoGap() throws IOException {
        EpochMetrics metrics =
                new EpochMetrics(3, 40, 0.1, 0.5, 0, 100, new EpochMetrics.Validation(0.4, 0.9, 0.8, 0.3), true);
        RunFolder run = new RunFolder(folder);
        long length = run.appendMetrics(1000, metrics);
        assertThat(Files.size(run.metrics())).isEqualTo(length);
        assertThat(run.best()).isEqualTo(metrics);
    }

    @Test
    void anExistingRunIsRefusedUnlessAskedFor() throws IOException {
        train(OPTIONS.withEpochs(1), "run");
        assertThatThrownBy(() -> train(OPTIONS.withEpochs(1), "run"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("--resume");
    }

    @Test
    void aCheckpointOfAnotherTrainingIsRefusedAndKept() throws IOException {
        train(OPTIONS.withEpochs(1), "run");
        RunFolder run = new RunFolder(folder.resolve("run"));
        byte[] before = Files.readAllBytes(run.state());
        assertThatThrownBy(() -> trainer(OPTIONS.withEpochs(1).withSeed(9), LOSS)
                        .train(run, Existing.RESUME, TrainListener.NONE))
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith("the checkpoint is of another training: options.seed is " + OPTIONS.seed()
                        + " there and 9 here. Use the options that this run was started with.");
        Trainer more = new Trainer(
                NETWORK,
                LOSS,
                new WoodScorer(GroundCost.dynamic()),
                ToyData.data().withOod(ToyData.ood(61, 2, Split.TRAIN)),
                OPTIONS.withEpochs(1));
        assertThatThrownBy(() -> more.train(run, Existing.RESUME, TrainListener.NONE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the checkpoint is of another training: data.")
                .hasMessageEndingWith("The files of a dataset may have changed, or the options that choose samples.");
        assertThat(Files.readAllBytes(run.state())).isEqualTo(before);
    }

    @Test
    void aFolderThatCannotBeMadeIsNamed() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "notes");
        for (Path out : List.of(file, file.resolve("run"))) {
            assertThatThrownBy(
                            () -> trainer(OPTIONS, LOSS).train(new RunFolder(out), Existing.REFUSE, TrainListener.NONE))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(out + ": the folder of a run could not be made (");
        }
        assertThat(file).hasContent("notes");
    }

    @Test
    void aDamagedCheckpointIsRefused() throws IOException {
        train(OPTIONS.withEpochs(1), "run");
        RunFolder run = new RunFolder(folder.resolve("run"));
        byte[] bytes = Files.readAllBytes(run.state());
        Files.write(run.state(), Arrays.copyOf(bytes, bytes.length - 100));
        assertThatThrownBy(() -> trainer(OPTIONS.withEpochs(1), LOSS).train(run, Existing.RESUME, TrainListener.NONE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("state.safetensors")
                .hasMessageContaining("cut short");
    }

    @Test
    void divergenceStopsAtOnce() throws IOException {
        TrainOptions wild = OPTIONS.withCheckpointEvery(1)
                .withUpdate(UpdateOptions.paper().withOptimiser(Optimisers.SGD).withRate(1e20));
        RunFolder run = new RunFolder(folder.resolve("run"));
        assertThatThrownBy(() -> trainer(wild, LOSS).train(run, Existing.REFUSE, TrainListener.NONE))
                .isInstanceOfSatisfying(
                        DivergedException.class, e -> assertThat(e.epoch()).isZero())
                .hasMessageContaining("learning rate");
    }

    /** A loss that is as good as another until it has been asked so often. */
    private record Souring(Loss loss, AtomicInteger left) implements Loss {

        @Override
        public double ind(double[] logits, int label, double[] gradient) {
            double value = loss.ind(logits, label, gradient);
            return left.getAndDecrement() > 0 ? value : Double.NaN;
        }

        @Override
        public double ood(double[] logits, double[] gradient) {
            return loss.ood(logits, gradient);
        }

        @Override
        public String toString() {
            return "souring";
        }
    }

    @Test
    void divergenceLaterKeepsTheLastGoodCheckpointToGoOnFrom() throws IOException {
        trainer(OPTIONS, new Souring(LOSS, new AtomicInteger(Integer.MAX_VALUE)))
                .train(new RunFolder(folder.resolve("whole")), Existing.REFUSE, TrainListener.NONE);
        RunFolder run = new RunFolder(folder.resolve("run"));
        Trainer souring = trainer(OPTIONS, new Souring(LOSS, new AtomicInteger(300)));
        assertThatThrownBy(() -> souring.train(run, Existing.REFUSE, TrainListener.NONE))
                .isInstanceOf(DivergedException.class);
        assertThat(tensors(run).get("parameters")).allMatch(Float::isFinite);
        trainer(OPTIONS, new Souring(LOSS, new AtomicInteger(Integer.MAX_VALUE)))
                .train(run, Existing.RESUME, TrainListener.NONE);
        assertThat(tensors(run)).isEqualTo(tensors(new RunFolder(folder.resolve("whole"))));
    }

    @Test
    void nothingToValidateOnIsRefusedBeforeTraining() {
        TrainData all = ToyData.data();
        assertThatThrownBy(() -> new TrainData(
                        all.ind(),
                        all.ood(),
                        all.indValidation(),
                        ToyData.ood(0, 4, Split.VALIDATION),
                        all.transform(),
                        all.normalise()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must not be empty but diagonals (VALIDATION) is");
    }

    @Test
    void plainTrainingNeedsNoOod() throws IOException {
        TrainData all = ToyData.data();
        TrainData ind = new TrainData(all.ind(), null, all.indValidation(), null, all.transform(), all.normalise());
        List<EpochMetrics> epochs = new ArrayList<>();
        new Trainer(
                        NETWORK,
                        new CrossEntropy(),
                        new WoodScorer(GroundCost.binary()),
                        ind,
                        OPTIONS.withBatch(10, 0).withEpochs(2))
                .train(new RunFolder(folder.resolve("run")), Existing.REFUSE, collect(epochs));
        assertThat(epochs.get(1).validation().accuracy()).isGreaterThan(0.9);
        assertThat(epochs.get(1).validation().auroc()).isNaN();
        assertThat(epochs.get(1).oodLoss()).isZero();
    }

    @Test
    void bf16Trains() throws IOException {
        List<EpochMetrics> epochs = train(OPTIONS.withPrecision(Precision.BF16), "run");
        assertThat(epochs.get(3).validation().accuracy()).isGreaterThan(0.9);
    }

    @Test
    void keptWeightsAreTheValidatedOnes() throws IOException {
        List<EpochMetrics> epochs = train(OPTIONS, "run");
        EpochMetrics best =
                epochs.stream().filter(EpochMetrics::best).reduce((a, b) -> b).orElseThrow();
        assertThat(new RunFolder(folder.resolve("run")).best()).isEqualTo(best);
        try (Safetensors file = Safetensors.open(folder.resolve("run/network.safetensors"));
                Weights weights = Weights.read(NETWORK.layout(), file, Devices.cpu())) {
            assertThat(file.metadata()).containsEntry("epoch", Integer.toString(best.epoch()));
            Validator validator =
                    new Validator(NETWORK, LOSS, new WoodScorer(GroundCost.dynamic()), ToyData.data(), Devices.cpu());
            assertThat(validator.measure(weights)).isEqualTo(best.validation());
        }
    }

    private List<EpochMetrics> train(TrainOptions options, String name) throws IOException {
        List<EpochMetrics> epochs = new ArrayList<>();
        trainer(options, LOSS).train(new RunFolder(folder.resolve(name)), Existing.REFUSE, collect(epochs));
        return epochs;
    }

    private static TrainListener collect(List<EpochMetrics> epochs) {
        return new TrainListener() {
            @Override
            public void epoch(EpochMetrics metrics) {
                epochs.add(metrics);
            }
        };
    }

    private static TrainListener stopAt(long step) {
        return new TrainListener() {
            @Override
            public void step(long done, long total, double loss) {
                if (done == step) {
                    throw new IllegalStateException("pulled the plug");
                }
            }
        };
    }

    private byte[] network(String name) throws IOException {
        return Files.readAllBytes(folder.resolve(name).resolve("network.safetensors"));
    }
}
