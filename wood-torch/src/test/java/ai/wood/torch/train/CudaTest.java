package ai.wood.torch.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Seed;
import ai.wood.data.ArrayDataset;
import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import ai.wood.data.Subset;
import ai.wood.data.transform.Flip;
import ai.wood.data.transform.Normalise;
import ai.wood.data.transform.PadCrop;
import ai.wood.data.transform.Transform;
import ai.wood.io.Safetensors;
import ai.wood.loss.Loss;
import ai.wood.loss.OutlierExposure;
import ai.wood.loss.WoodLoss;
import ai.wood.score.WoodScorer;
import ai.wood.torch.Architecture;
import ai.wood.torch.Devices;
import ai.wood.torch.Engine;
import ai.wood.torch.InferenceOptions;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Precision;
import ai.wood.torch.Tensors;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.Weights;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import ai.wood.torch.train.RunFolder.Existing;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.bytedeco.cuda.global.cudart;
import org.bytedeco.javacpp.SizeTPointer;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch_cuda;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a GPU must do; skipped where there is none. */
class CudaTest {

    private static final Shape SHAPE = new Shape(3, 32, 32);
    private static final int STEPS = 20;
    private static final TrainOptions OPTIONS = TrainOptions.paper().withEpochs(1);
    private static final Loss LOSS = WoodLoss.of(GroundCost.dynamic(), 0.1);

    @TempDir
    Path folder;

    private int agreements;

    @BeforeEach
    void aGpuIsNeeded() {
        Assumptions.assumeTrue(Devices.gpus() > 0, "libtorch sees no GPU");
        Engine.deterministic(false); // a training on the CPU before may have left it on
    }

    /**
     * At a rate that does not magnify rounding. At the paper's, ten times as high, a step's loss in one thread and in two
     * differs by a thousandth after five steps already, on one and the same processor.
     */
    @Test
    void lossesAgreeWithTheCpuOverTheFirstSteps() throws IOException {
        requireAgreement(LOSS, Transform.of());
        requireAgreement(LOSS, Transform.of(new PadCrop(4), new Flip()));
        requireAgreement(WoodLoss.of(GroundCost.dynamic(), 1).withTemperature(4), Transform.of());
        requireAgreement(WoodLoss.of(GroundCost.binary(), 0.1), Transform.of());
        requireAgreement(WoodLoss.of(distances(), 0.1), Transform.of());
        requireAgreement(new WoodLoss(new WoodScorer(GroundCost.dynamic(), 5), 0.1, true, 1), Transform.of());
        requireAgreement(OutlierExposure.DEFAULTS, Transform.of());
    }

    /** A custom cost: how far apart the numbers of two classes are. */
    private static GroundCost distances() {
        double[][] costs = new double[10][10];
        for (int i = 0; i < 10; i++) {
            for (int j = 0; j < 10; j++) {
                costs[i][j] = Math.abs(i - j) / 9.0;
            }
        }
        return GroundCost.custom(Matrix.of(costs));
    }

    private void requireAgreement(Loss loss, Transform transform) throws IOException {
        TrainOptions options = OPTIONS.withUpdate(OPTIONS.update().withRate(1e-4));
        List<Double> cpu = losses(trainer(network(0), loss, options, transform), "cpu" + ++agreements);
        List<Double> gpu = losses(trainer(network(0), loss, options.withDevice("cuda"), transform), "gpu" + agreements);
        requireClose(gpu, cpu);
    }

    /** The share of a step in the average changes from step to step, also in a step that is played back. */
    @Test
    void averagedWeightsAgreeWithTheCpu() throws IOException {
        TrainOptions plain = OPTIONS.withUpdate(OPTIONS.update().withRate(1e-4));
        TrainOptions averaged = plain.withUpdate(plain.update().withAveraging(0.99));
        float[] last = learnt(plain, "last");
        float[] cpu = learnt(averaged, "cpu");
        float[] gpu = learnt(averaged.withDevice("cuda"), "gpu");
        assertThat(distance(gpu, cpu)).isLessThan(0.1 * distance(last, cpu));
    }

    /** The weights of the last layer. */
    private float[] learnt(TrainOptions options, String name) throws IOException {
        losses(trainer(network(0), LOSS, options, Transform.of()), name);
        try (Safetensors file = Safetensors.open(new RunFolder(folder.resolve(name)).network())) {
            return file.floats("fc.weight");
        }
    }

    private static double distance(float[] a, float[] b) {
        return Math.sqrt(IntStream.range(0, a.length)
                .mapToDouble(i -> (a[i] - b[i]) * (a[i] - b[i]))
                .sum());
    }

    private static void requireClose(List<Double> losses, List<Double> expected) {
        assertThat(losses).hasSize(STEPS);
        for (int i = 0; i < STEPS; i++) {
            assertThat(losses.get(i))
                    .as("step %d of %s and %s", i, expected, losses)
                    .isCloseTo(expected.get(i), within(1e-3));
        }
    }

    @Test
    void bf16StaysNearTheCpu() throws IOException {
        List<Double> cpu = losses(trainer(network(0), LOSS, OPTIONS, Transform.of()), "cpu");
        TrainOptions options = OPTIONS.withDevice("cuda").withPrecision(Precision.BF16);
        List<Double> gpu = losses(trainer(network(0), LOSS, options, Transform.of()), "gpu");
        assertThat(gpu.get(0)).isCloseTo(cpu.get(0), within(0.02));
        assertThat(gpu.get(STEPS - 1)).isCloseTo(cpu.get(STEPS - 1), within(0.3));
    }

    @Test
    void outputsAgreeWithTheCpu() throws IOException {
        Dataset images = some("mnist-small", 700);
        Outputs cpu = outputs(images, Devices.cpu());
        Outputs gpu = outputs(images, Devices.of("cuda"));
        for (int i = 0; i < images.size(); i++) {
            assertThat(gpu.logits().row(i)).containsExactly(cpu.logits().row(i), within(1e-3));
        }
    }

    @Test
    void aClosedNetworkSaysSo() throws IOException {
        TorchNetwork network = opened(Devices.of("cuda"));
        network.close();
        List<Image> images = some("mnist-small", 2).images();
        assertThatThrownBy(() -> network.classify(images)).hasMessage("the network is closed");
    }

    private static Outputs outputs(Dataset images, Device device) {
        try (TorchNetwork network = opened(device)) {
            return network.classify(images.images());
        }
    }

    private static TorchNetwork opened(Device device) {
        Architecture architecture = network(0);
        return new TorchNetwork(
                architecture,
                Weights.initial(architecture.layout(), 1, device),
                InferenceOptions.of(Normalise.UNIT, device));
    }

    @Test
    void aNetworkThatCannotBeRecordedTrainsAllTheSameAndSaysSo() throws IOException {
        List<String> notices = new ArrayList<>();
        trainer(network(0.1), LOSS, OPTIONS.withDevice("cuda"), Transform.of())
                .train(new RunFolder(folder.resolve("run")), Existing.REFUSE, new TrainListener() {
                    @Override
                    public void notice(String message) {
                        notices.add(message);
                    }
                });
        assertThat(new RunFolder(folder.resolve("run")).best().steps()).isEqualTo(STEPS);
        assertThat(notices).anySatisfy(notice -> assertThat(notice).contains("cannot be recorded"));
    }

    /** On a GPU of which only a part may be used, so that the test does not fill all of it. */
    @Test
    void tooLargeABatchSaysWhichOneWouldFit() {
        withMemory(2_800_000_000L, this::requireHint);
    }

    @Test
    void imagesThatDoNotFitComeStepByStepAndTrainingSaysSo() {
        withMemory(1_400_000_000L, this::requireSteps);
    }

    private static void withMemory(long bytes, Runnable test) {
        NativeScope.run(() -> Tensors.of(new float[1], Devices.of("cuda"), 1)); // the allocator begins with it
        SizeTPointer free = new SizeTPointer(1);
        SizeTPointer all = new SizeTPointer(1);
        cudart.cudaMemGetInfo(free, all);
        torch_cuda.getAllocator().setMemoryFraction(Math.min(1, bytes / (double) all.get()), (byte) 0);
        try {
            test.run();
        } finally {
            torch_cuda.getAllocator().setMemoryFraction(1, (byte) 0);
        }
    }

    private void requireSteps() {
        Dataset many = Subset.of(
                noise(1_000, 1),
                IntStream.range(0, 600_000).map(i -> i % 1_000).toArray()); // 1.8 GB where 1.4 may be used
        TrainData data = new TrainData(many, null, noise(20, 2), null, Transform.of(), Normalise.HALF);
        Architecture network = Networks.DENSENET_BC_22_12.with(NetworkOptions.of(3, 10));
        Trainer trainer = new Trainer(
                network,
                LOSS,
                new WoodScorer(GroundCost.binary()),
                data,
                OPTIONS.withDevice("cuda").withBatch(50, 0));
        List<String> notices = new ArrayList<>();
        assertThatThrownBy(
                        () -> trainer.train(new RunFolder(folder.resolve("run")), Existing.REFUSE, new TrainListener() {
                            @Override
                            public void notice(String message) {
                                notices.add(message);
                            }

                            @Override
                            public boolean stops() {
                                return true;
                            }
                        }))
                .isInstanceOf(StoppedException.class);
        assertThat(notices).singleElement().asString().contains("do not fit into the memory of the GPU");
    }

    private void requireHint() {
        TrainOptions options = OPTIONS.withDevice("cuda").withBatch(4_000, 0);
        Dataset many = noise(4_000, 1);
        TrainData data = new TrainData(many, null, noise(20, 2), null, Transform.of(), Normalise.HALF);
        Architecture large = Networks.DENSENET_BC_100_12.with(NetworkOptions.of(3, 10));
        Trainer trainer = new Trainer(
                large, WoodLoss.of(GroundCost.dynamic(), 0), new WoodScorer(GroundCost.binary()), data, options);
        assertThatThrownBy(
                        () -> trainer.train(new RunFolder(folder.resolve("run")), Existing.REFUSE, TrainListener.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("4000 images does not fit")
                .satisfies(e -> System.out.println(e.getMessage()));
    }

    @Test
    void aRunThatWasInterruptedGoesOn() throws IOException {
        TrainOptions options = OPTIONS.withDevice("cuda").withCheckpointEvery(5).withEpochs(2);
        RunFolder run = new RunFolder(folder.resolve("run"));
        assertThatThrownBy(() -> trainer(network(0), LOSS, options, Transform.of())
                        .train(run, Existing.REFUSE, new TrainListener() {
                            @Override
                            public void step(long done, long total, double loss) {
                                if (done == 13) {
                                    throw new IllegalStateException("pulled the plug");
                                }
                            }
                        }))
                .hasMessage("pulled the plug");
        trainer(network(0), LOSS, options, Transform.of()).train(run, Existing.RESUME, TrainListener.NONE);
        assertThat(run.best().validation().loss()).isFinite();
    }

    /** As in {@code tune} and {@code reproduce}: what one training recorded must not stay with the next. */
    @Test
    void trainingsInOneProcessDoNotAddUpInMemory() throws IOException {
        TrainOptions options = OPTIONS.withDevice("cuda").withBatch(400, 100);
        List<Long> reserved = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            losses(trainer(network(0), LOSS, options, Transform.of()), "run" + i);
            torch_cuda.getAllocator().emptyCache();
            reserved.add(torch_cuda
                            .getAllocator()
                            .getDeviceStats((byte) 0)
                            .reserved_bytes()
                            .current()
                    >> 20);
        }
        System.out.println("MiB reserved after each of four trainings: " + reserved);
        long growth = (reserved.get(3) - reserved.get(0)) / 3;
        assertThat(growth).as("MiB a training, of %s", reserved).isLessThan(10);
    }

    /** More ranks need more GPUs, but one is enough to meet, to send and to part. */
    @Test
    void aWorldOfOneTalksToItselfOverNccl() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        World world = new World(1, 0, "127.0.0.1", port, Duration.ofSeconds(60));
        try (Group group = Group.meet(world, Devices.of("cuda"), "{}")) {
            float[] values = {1, 2, 3};
            NativeScope.run(() -> {
                Tensor tensor = Tensors.of(values, Devices.of("cuda"), 3);
                group.sum(tensor);
                group.spread(tensor);
                assertThat(Tensors.floats(tensor)).containsExactly(values);
            });
        }
    }

    /** The losses of a training, whose steps must be recorded on a GPU. */
    private List<Double> losses(Trainer trainer, String name) throws IOException {
        List<Double> losses = new ArrayList<>();
        trainer.train(new RunFolder(folder.resolve(name)), Existing.REFUSE, new TrainListener() {
            @Override
            public void step(long done, long total, double loss) {
                losses.add(loss);
            }

            @Override
            public void notice(String message) {
                throw new AssertionError(message);
            }
        });
        return losses;
    }

    private static Trainer trainer(Architecture network, Loss loss, TrainOptions options, Transform transform)
            throws IOException {
        TrainData data = new TrainData(
                some("mnist-small", options.indBatch() * STEPS),
                some("fashion-mnist-small", 100),
                some("mnist-small", 50),
                some("fashion-mnist-small", 50),
                transform,
                Normalise.UNIT);
        return new Trainer(network, loss, new WoodScorer(GroundCost.dynamic()), data, options);
    }

    private static Dataset some(String name, int size) throws IOException {
        return Subset.random(Catalogue.at(null).open(name, Split.TRAIN), size, new Seed(1));
    }

    private static Architecture network(double dropout) {
        return Networks.DENSENET_BC_22_12.with(NetworkOptions.of(1, 10).withDropout(dropout));
    }

    private static Dataset noise(int size, long seed) {
        byte[] values = new byte[size * SHAPE.length()];
        new SplittableRandom(seed).nextBytes(values);
        int[] labels = IntStream.range(0, size).map(i -> i % 10).toArray();
        return ArrayDataset.wrap(SHAPE, values, labels).withName("noise").withSplit(Split.TRAIN);
    }
}
