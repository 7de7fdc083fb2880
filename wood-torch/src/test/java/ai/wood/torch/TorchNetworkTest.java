package ai.wood.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.data.transform.Normalise;
import ai.wood.io.Safetensors;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import ai.wood.torch.net.ScriptNetwork;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TorchNetworkTest {

    private static final Architecture PAPER =
            Networks.DENSENET_BC_100_12.with(NetworkOptions.of(1, 10).withLegacyPool(true));
    private static final InferenceOptions OPTIONS = InferenceOptions.of(Normalise.UNIT, Devices.cpu());

    @Test
    void theAuthorsNetworkGivesTheirProbabilities() throws IOException {
        double[] expected = doubles("mnist-vs-fashion-dynamic.probabilities.f64");
        try (TorchNetwork network = authorsNetwork(OPTIONS)) {
            Outputs outputs = network.classify(images());
            for (int i = 0; i < expected.length; i++) {
                assertThat(outputs.probabilities(i / 10)[i % 10]).isCloseTo(expected[i], within(1e-4));
            }
        }
    }

    /** Who is interrupted is told so afterwards; native work that is on its way needs the weights to its end. */
    @Test
    void closedByAnInterruptedThreadItStillWaitsForWhatRuns() throws Exception {
        LinearNetwork linear = new LinearNetwork(LinearNetwork.SHAPE, 3);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Architecture slow = new Architecture() {
            @Override
            public Layout layout() {
                return linear.layout();
            }

            @Override
            public Activations forward(Pass pass, Tensor images) {
                running.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return linear.forward(pass, images);
            }
        };
        TorchNetwork network =
                new TorchNetwork(slow, linear.weights(1), InferenceOptions.of(LinearNetwork.NORMALISE, Devices.cpu()));
        Image image = Image.of(LinearNetwork.SHAPE, new byte[LinearNetwork.SHAPE.length()]);
        CompletableFuture<Outputs> answer = CompletableFuture.supplyAsync(() -> network.classify(List.of(image)));
        running.await();
        CompletableFuture<Boolean> interrupted = CompletableFuture.supplyAsync(() -> {
            Thread.currentThread().interrupt();
            network.close();
            return Thread.interrupted();
        });
        try {
            assertThatThrownBy(() -> interrupted.get(200, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
        } finally {
            goOn.countDown();
        }
        assertThat(answer.get().size()).isOne();
        assertThat(interrupted.get()).isTrue();
    }

    @Test
    void normalisedImagesReachTheNetworkUnchanged() {
        LinearNetwork linear = new LinearNetwork(LinearNetwork.SHAPE, 3);
        byte[] values = new byte[LinearNetwork.SHAPE.length()];
        new SplittableRandom(1).nextBytes(values);
        Image pixels = Image.of(LinearNetwork.SHAPE, values);
        float[] floats = new float[values.length];
        Normalise.HALF.write(pixels, floats, 0);
        try (TorchNetwork network =
                new TorchNetwork(linear, linear.weights(1), InferenceOptions.of(Normalise.HALF, Devices.cpu()))) {
            Outputs said = network.classify(List.of(pixels, Image.normalised(LinearNetwork.SHAPE, floats, 0)));
            assertThat(said.logits().row(1)).isEqualTo(said.logits().row(0));
        }
    }

    @Test
    void aClosedNetworkSaysSo() {
        LinearNetwork linear = new LinearNetwork(LinearNetwork.SHAPE, 3);
        TorchNetwork network = new TorchNetwork(
                linear, linear.weights(1), InferenceOptions.of(LinearNetwork.NORMALISE, Devices.cpu()));
        Image image = Image.of(LinearNetwork.SHAPE, new byte[LinearNetwork.SHAPE.length()]);
        network.close();
        assertThatThrownBy(() -> network.classify(List.of(image)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the network is closed");
    }

    @Test
    void foldedMicroBatchesAgreeWithThePlainPass() throws IOException {
        List<Image> images = images().subList(0, 23);
        try (TorchNetwork plain = authorsNetwork(OPTIONS.withThreads(1).withMicroBatch(23));
                TorchNetwork fast = authorsNetwork(OPTIONS.withThreads(2).withMicroBatch(4));
                Safetensors file = Golden.open("mnist-vs-fashion-dynamic.safetensors");
                Weights weights = Weights.read(PAPER.layout(), file, Devices.cpu())) {
            float[] reference = NativeScope.callWithoutGradients(() -> {
                float[] values = new float[23 * 784];
                for (int i = 0; i < 23; i++) {
                    Normalise.UNIT.write(images.get(i), values, i * 784);
                }
                return Tensors.floats(
                        PAPER.forward(Pass.evaluation(weights), Tensors.of(values, Devices.cpu(), 23, 1, 28, 28))
                                .logits());
            });
            for (TorchNetwork network : List.of(plain, fast)) {
                Outputs outputs = network.classify(images);
                for (int i = 0; i < reference.length; i++) {
                    assertThat(outputs.logits().get(i / 10, i % 10)).isCloseTo(reference[i], within(1e-3));
                }
            }
        }
    }

    /** At 3 x 1024 x 1024 five images are as many numbers as a micro-batch may have. */
    @Test
    void largeImagesComeInSmallerMicroBatches() {
        List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
        Architecture brightness = new Architecture() {
            @Override
            public Layout layout() {
                return new Layout();
            }

            @Override
            public Activations forward(Pass pass, Tensor images) {
                sizes.add((int) images.size(0));
                return new Activations(pass.globalPool(images), pass.globalPool(images));
            }
        };
        Shape shape = new Shape(3, 1024, 1024);
        byte[] light = new byte[shape.length()];
        Arrays.fill(light, (byte) 51);
        List<Image> images = new ArrayList<>(Collections.nCopies(7, Image.wrap(shape, new byte[shape.length()])));
        images.set(6, Image.wrap(shape, light));
        try (TorchNetwork network = new TorchNetwork(
                brightness,
                Weights.initial(brightness.layout(), 1, Devices.cpu()),
                InferenceOptions.of(Normalise.UNIT, Devices.cpu()).withThreads(1))) {
            Matrix means = network.classify(images).logits();
            assertThat(means.get(5, 0)).isZero();
            assertThat(means.get(6, 0)).isCloseTo(0.2, within(1e-4));
        }
        assertThat(sizes).containsExactly(5, 2);
    }

    @Test
    void featuresAndBlocksComeWithTheOutputs() throws IOException {
        try (TorchNetwork network = authorsNetwork(OPTIONS)) {
            Outputs outputs = network.classifyDetailed(images().subList(0, 3));
            assertThat(outputs.features().columns()).isEqualTo(342);
            assertThat(outputs.layers().keySet()).containsExactly("block1", "block2", "block3");
            assertThat(outputs.layers().values()).allMatch(block -> block.rows() == 3);
            assertThat(network.classify(images().subList(0, 3)).layers()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(value = Networks.class, names = "WIDERESNET_28_10", mode = EnumSource.Mode.EXCLUDE) // large
    void theHeadMakesTheLogitsOfTheFeatures(Networks name) {
        Architecture architecture = name.with(NetworkOptions.of(1, 10));
        List<Image> noise = noise(3);
        Weights weights = Weights.initial(architecture.layout(), 1, Devices.cpu());
        NativeScope.runWithoutGradients(() -> weights.view("fc.bias").copy_(torch.arange(new Scalar(10))));
        try (TorchNetwork network = new TorchNetwork(architecture, weights, OPTIONS)) {
            Outputs outputs = network.classify(noise);
            Head head = network.head().orElseThrow();
            for (int i = 0; i < noise.size(); i++) {
                double[] logits = outputs.logits().row(i);
                double largest = Arrays.stream(logits).map(Math::abs).max().orElseThrow(); // untrained: 1e4 and more
                assertThat(head.logits(outputs.features().row(i)))
                        .containsExactly(logits, within(1e-4 + 1e-6 * largest));
            }
        }
    }

    private static List<Image> noise(int count) {
        byte[] bytes = new byte[count * 784];
        new SplittableRandom(1).nextBytes(bytes);
        return IntStream.range(0, count)
                .mapToObj(i -> Image.wrap(new Shape(1, 28, 28), bytes, i * 784))
                .toList();
    }

    @Test
    void aProcessorRunsSmallMicroBatchesSideBySide() {
        assertThat(OPTIONS.threads()).isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(OPTIONS.microBatch()).isLessThan(100);
    }

    @Test
    void imagesOfTwoShapesAreRefused() throws IOException {
        try (TorchNetwork network = authorsNetwork(OPTIONS)) {
            List<Image> mixed = List.of(images().get(0), Image.of(new Shape(1, 2, 2), new byte[4]));
            assertThatThrownBy(() -> network.classify(mixed))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1x2x2");
        }
    }

    @Test
    void aScriptThatFailsTellsItsReasonAndNotItsStackTrace() throws IOException {
        ScriptNetwork script = ScriptNetwork.load(Golden.path("small-cnn.tiny.pt"));
        Weights weights = Weights.initial(script.layout(), 0, Devices.cpu());
        try (TorchNetwork network = new TorchNetwork(script, weights, OPTIONS)) {
            assertThatThrownBy(() -> network.classify(List.of(Image.of(new Shape(3, 2, 2), new byte[12]))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("ScriptNetwork[small-cnn.tiny.pt] failed on images of 3x2x2: RuntimeError: Given input"
                            + " size: (8x1x1). Calculated output size: (8x0x0). Output size is too small."
                            + " Maybe it needs images of another size.");
        }
    }

    /** More memory than there is. */
    @Test
    void aFailureThatHasNothingToDoWithTheImagesSizeDoesNotBlameIt() {
        LinearNetwork linear = new LinearNetwork(LinearNetwork.SHAPE, 3);
        Architecture huge = new Architecture() {
            @Override
            public Layout layout() {
                return linear.layout();
            }

            @Override
            public Activations forward(Pass pass, Tensor images) {
                return new Activations(torch.zeros(1L << 50), images);
            }
        };
        Image image = Image.of(LinearNetwork.SHAPE, new byte[LinearNetwork.SHAPE.length()]);
        try (TorchNetwork network = new TorchNetwork(
                huge, linear.weights(1), InferenceOptions.of(LinearNetwork.NORMALISE, Devices.cpu()))) {
            assertThatThrownBy(() -> network.classify(List.of(image)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("can't allocate memory")
                    .hasMessageNotContaining("Maybe")
                    .hasMessageNotContaining("\n");
        }
    }

    @Test
    void weightsOfAnotherNetworkAreRefused() throws IOException {
        Layout other = Networks.RESNET_20.with(NetworkOptions.of(1, 10)).layout();
        try (Safetensors file = Golden.open("mnist-vs-fashion-dynamic.safetensors")) {
            assertThatThrownBy(() -> Weights.read(other, file, Devices.cpu()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("mnist-vs-fashion-dynamic.safetensors")
                    .hasMessageContaining("another network");
        }
    }

    private static TorchNetwork authorsNetwork(InferenceOptions options) throws IOException {
        try (Safetensors file = Golden.open("mnist-vs-fashion-dynamic.safetensors")) {
            return new TorchNetwork(PAPER, Weights.read(PAPER.layout(), file, Devices.cpu()), options);
        }
    }

    private static List<Image> images() throws IOException {
        byte[] bytes = Files.readAllBytes(Golden.path("mnist-test-0-99.u8"));
        List<Image> images = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            images.add(Image.wrap(new Shape(1, 28, 28), bytes, i * 784));
        }
        return images;
    }

    private static double[] doubles(String name) throws IOException {
        ByteBuffer bytes =
                ByteBuffer.wrap(Files.readAllBytes(Golden.path(name))).order(ByteOrder.LITTLE_ENDIAN);
        double[] values = new double[bytes.remaining() / Double.BYTES];
        bytes.asDoubleBuffer().get(values);
        return values;
    }
}
