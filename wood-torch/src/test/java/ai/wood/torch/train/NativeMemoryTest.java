package ai.wood.torch.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import ai.wood.data.Image;
import ai.wood.data.LoaderOptions;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import ai.wood.data.transform.Normalise;
import ai.wood.loss.ConfidenceLoss;
import ai.wood.score.WoodScorer;
import ai.wood.torch.Architecture;
import ai.wood.torch.Devices;
import ai.wood.torch.InferenceOptions;
import ai.wood.torch.Layout;
import ai.wood.torch.NativeScope;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.Weights;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.ScriptNetwork;
import ai.wood.torch.net.SmallCnn;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Native memory has one owner and one scope. */
class NativeMemoryTest {

    @TempDir
    Path folder;

    private static final int WARM_UP = 600;
    private static final int STEPS = 1000;

    /** Trains and prints the resident bytes of this process after the warm-up and at the end. */
    public static void main(String[] args) throws IOException {
        long[] resident = new long[WARM_UP + STEPS];
        TrainData few = ToyData.data();
        TrainData data = new TrainData(
                ToyData.ind(10 * resident.length, 1, Split.TRAIN),
                few.ood(),
                few.indValidation(),
                null,
                few.transform(),
                few.normalise());
        TrainOptions options = TrainerTest.OPTIONS.withEpochs(1).withCheckpointEvery(Integer.MAX_VALUE);
        new Trainer(TrainerTest.NETWORK, TrainerTest.LOSS, new WoodScorer(GroundCost.dynamic()), data, options)
                .train(new RunFolder(Path.of(args[0])), RunFolder.Existing.REFUSE, new TrainListener() {
                    @Override
                    public void step(long done, long total, double loss) {
                        resident[(int) done - 1] = Pointer.physicalBytes();
                    }
                });
        long warm = Arrays.stream(resident, WARM_UP - 10, WARM_UP + 10).max().orElseThrow();
        long late = Arrays.stream(resident, resident.length - 20, resident.length)
                .min()
                .orElseThrow();
        System.out.println(warm + " " + late);
    }

    /** In a process of its own whose Java heap is all there from the start, so that only native memory can grow. */
    @Test
    void aThousandStepsDoNotGrowTheProcess() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xms192m",
                        "-Xmx192m",
                        "-XX:+AlwaysPreTouch",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        NativeMemoryTest.class.getName(),
                        folder.resolve("run").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(process.waitFor()).isZero();
        List<String> warmAndLate = printed.lines().reduce((first, last) -> last).stream()
                .flatMap(line -> Arrays.stream(line.split(" ")))
                .toList();
        long warm = Long.parseLong(warmAndLate.get(0));
        assertThat(Long.parseLong(warmAndLate.get(1))).isLessThan(warm + warm / 50);
    }

    /** At once, and not when the garbage collector comes by. */
    @Test
    void whatAStepAndALossRememberIsFreedWhenTheyAreClosed() {
        Trainer trainer = TrainerTest.trainer(TrainerTest.OPTIONS, TrainerTest.LOSS);
        TensorConfidence loss = new TensorConfidence(ConfidenceLoss.DEFAULTS, Devices.cpu());
        Tensor lambda = Objects.requireNonNull(loss.memory().get("lambda"));
        Weights weights = Weights.initial(TrainerTest.NETWORK.layout(), 0, Devices.cpu());
        Tensor losses;
        try (TrainState state = new TrainState(weights, UpdateOptions.paper(), loss.memory());
                Feed feed = Feed.of(ToyData.data(), LoaderOptions.training(10, 5), Devices.cpu(), TrainListener.NONE);
                Step step =
                        new Step(trainer, loss, state, feed, new double[] {1e-3}, Ranks.ALONE, TrainListener.NONE)) {
            losses = step.losses();
        }
        loss.close();
        assertThat(losses.isNull()).as("losses freed").isTrue();
        assertThat(lambda.isNull()).as("lambda freed").isTrue();
    }

    @Test
    void aScriptLetsGoOfWeightsThatAreClosed() throws IOException {
        ScriptNetwork script = ScriptNetwork.load(Path.of("src/test/resources/ai/wood/torch/golden/small-cnn.tiny.pt"));
        Weights weights = Weights.initial(script.layout(), 0, Devices.cpu());
        Tensor own =
                NativeScope.call(() -> NativeScope.retain(weights.parameters().detach()));
        try (TorchNetwork network =
                new TorchNetwork(script, weights, InferenceOptions.of(Normalise.HALF, Devices.cpu()))) {
            network.classify(List.of(Image.of(new Shape(3, 28, 28), new byte[3 * 784])));
        }
        long holders = NativeScope.call(() -> own.storage().use_count());
        own.releaseReference();
        assertThat(holders).isOne();
    }

    @Test
    void closingANetworkFreesItsMemory() throws IOException {
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/self/statm")), "there is no /proc to measure with");
        Architecture wide = new SmallCnn(256, NetworkOptions.of(1, 10));
        long bytes = Float.BYTES * wide.layout().parameters();
        try (Weights weights = Weights.initial(wide.layout(), 0, Devices.cpu())) {
            openAndClose(wide, weights.copy());
            assertThat(leastGrowth(() -> openAndClose(wide, weights.copy()))).isLessThan(5 * bytes);
        }
    }

    /** What twenty calls add to the process, the least of three times: the Java heap may grow too, but not each time. */
    private static long leastGrowth(Runnable call) {
        return IntStream.range(0, 3)
                .mapToLong(round -> {
                    long before = Pointer.physicalBytes();
                    IntStream.range(0, 20).forEach(i -> call.run());
                    return Pointer.physicalBytes() - before;
                })
                .min()
                .orElseThrow();
    }

    @Test
    void weightsThatCannotBeDrawnLeaveNothingBehind() {
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/self/statm")), "there is no /proc to measure with");
        long size = 4 << 20;
        Layout layout = new Layout();
        layout.add(new Layout.Slot("weight", Layout.Role.WEIGHT, List.of(size), (random, count) -> {
            throw new IllegalStateException("no numbers");
        }));
        long growth = leastGrowth(
                () -> assertThatIllegalStateException().isThrownBy(() -> Weights.initial(layout, 0, Devices.cpu())));
        assertThat(growth).isLessThan(5 * Float.BYTES * size);
    }

    private static void openAndClose(Architecture architecture, Weights weights) {
        try (TorchNetwork network =
                new TorchNetwork(architecture, weights, InferenceOptions.of(Normalise.UNIT, Devices.cpu()))) {
            network.classify(List.of(Image.of(new Shape(1, 4, 4), new byte[16])));
        }
    }
}
