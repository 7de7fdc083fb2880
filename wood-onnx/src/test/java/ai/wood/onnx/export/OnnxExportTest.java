package ai.wood.onnx.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnxruntime.OrtException;
import ai.wood.Detector;
import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.ThresholdPolicy;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.data.transform.Normalise;
import ai.wood.io.Safetensors;
import ai.wood.io.SafetensorsWriter;
import ai.wood.onnx.OnnxFile;
import ai.wood.onnx.OnnxNetwork;
import ai.wood.score.ScorerKinds;
import ai.wood.torch.Devices;
import ai.wood.torch.Layout.Slot;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Exported networks on ONNX Runtime against the same weights on libtorch. */
class OnnxExportTest {

    private static final Path GOLDEN = Path.of("../wood-torch/src/test/resources/ai/wood/torch/golden");
    private static final Shape GREY = new Shape(1, 28, 28);

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource(
            value = Networks.class,
            names = {"WIDERESNET_28_10", "DENSENET_BC_100_12"}, // large; the other is below
            mode = EnumSource.Mode.EXCLUDE)
    void everyNetworkSaysTheSameAsOnLibtorch(Networks name) throws IOException {
        Shape shape = new Shape(3, 20, 24);
        NetworkOptions options = NetworkOptions.of(3, 5).withBranches(Map.of("confidence", 1, "reject", 2));
        NetworkDescription description = new NetworkDescription(
                name.id(), options, classes(5), shape, Normalise.CIFAR10.mean(), Normalise.CIFAR10.deviation());
        description.write(folder);
        randomWeights(description);
        compare(noise(shape, 7), 1e-5);
    }

    @Test
    void thePapersNetworkSaysTheSameOnRealImages() throws IOException {
        papersNetwork().write(folder);
        compare(digits(), 0);
    }

    @Test
    void verdictsAreThoseOfTheScorer() throws IOException, OrtException {
        papersNetwork().write(folder);
        List<Image> images = digits();
        Outputs outputs;
        try (TorchNetwork network = NetworkDescription.open(folder, Devices.cpu())) {
            outputs = network.classify(images);
        }
        double[] scores = ScorerKinds.formula("energy").score(outputs);
        Detector detector = Detector.of(ScorerKinds.energy())
                .policy(ThresholdPolicy.quantile(0.2))
                .calibrate(outputs);
        double threshold = detector.threshold(0).value();
        Path file = folder.resolve("detector.onnx");
        export(detector).write(file);
        Map<String, Object> said = Runs.run(
                ModelProto.parseFrom(Files.readAllBytes(file)), "images", pixels(images), images.size(), 1, 28, 28);
        assertThat(said.keySet()).containsExactlyInAnyOrder("logits", "probabilities", "features", "score", "ood");
        float[] found = (float[]) Objects.requireNonNull(said.get("score"));
        boolean[] ood = (boolean[]) Objects.requireNonNull(said.get("ood"));
        for (int i = 0; i < scores.length; i++) {
            assertThat((double) found[i]).isCloseTo(scores[i], within(1e-4));
            assertThat(ood[i]).isEqualTo(scores[i] > threshold);
        }
    }

    private void compare(List<Image> images, double relative) throws IOException {
        Path file = folder.resolve("network.onnx");
        export(null).write(file);
        try (TorchNetwork torch = NetworkDescription.open(folder, Devices.cpu());
                OnnxNetwork onnx = OnnxNetwork.open(file)) {
            Outputs expected = torch.classify(images);
            Outputs found = onnx.classify(images);
            Head head = torch.head().orElseThrow();
            assertThat(onnx.head()).contains(head);
            assertClose(found.logits(), expected.logits(), relative);
            assertClose(found.features(), expected.features(), relative);
        }
    }

    private OnnxFile export(@Nullable Detector detector) throws IOException {
        try (Safetensors weights = Safetensors.open(folder.resolve("network.safetensors"))) {
            return OnnxExport.of(description(NetworkDescription.read(folder)), weights::floats, detector);
        }
    }

    private static OnnxExport.Description description(NetworkDescription network) {
        NetworkOptions options = network.options();
        return new OnnxExport.Description(
                network.network(),
                options.legacyPool(),
                network.shape(),
                network.normalise(),
                network.classes(),
                List.copyOf(options.branches().keySet()),
                Networks.byId(network.network()).with(options).layout().slots().stream()
                        .collect(Collectors.toMap(Slot::name, Slot::shape)));
    }

    private NetworkDescription papersNetwork() throws IOException {
        Files.copy(GOLDEN.resolve("mnist-vs-fashion-dynamic.safetensors"), folder.resolve("network.safetensors"));
        NetworkOptions options = NetworkOptions.of(1, 10).withLegacyPool(true);
        return new NetworkDescription(
                Networks.DENSENET_BC_100_12.id(), options, classes(10), GREY, List.of(0.0), List.of(1.0));
    }

    /** Weights with lively statistics, so that a wrong fold shows. */
    private void randomWeights(NetworkDescription description) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        SafetensorsWriter writer = new SafetensorsWriter();
        var layout =
                Networks.byId(description.network()).with(description.options()).layout();
        for (Slot slot : layout.slots()) {
            float[] values = slot.start().draw(random, (int) slot.size());
            boolean norm = slot.shape().size() == 1;
            for (int i = 0; norm && i < values.length; i++) {
                values[i] += (float) random.nextDouble(-0.5, 0.5) + (slot.name().endsWith("var") ? 2 : 0);
            }
            writer.add(
                    slot.name(),
                    slot.shape().stream().mapToLong(Long::longValue).toArray(),
                    values);
        }
        writer.write(folder.resolve("network.safetensors"));
    }

    private static void assertClose(Matrix found, Matrix expected, double relative) {
        double largest = 0;
        double apart = 0;
        for (int i = 0; i < expected.rows(); i++) {
            for (int j = 0; j < expected.columns(); j++) {
                largest = Math.max(largest, Math.abs(expected.get(i, j)));
                apart = Math.max(apart, Math.abs(expected.get(i, j) - found.get(i, j)));
            }
        }
        assertThat(largest).isPositive();
        assertThat(apart).isLessThan(1e-4 + relative * largest);
    }

    private static List<String> classes(int count) {
        return IntStream.range(0, count).mapToObj(k -> "class " + k).toList();
    }

    private static List<Image> digits() throws IOException {
        byte[] bytes = Files.readAllBytes(GOLDEN.resolve("mnist-test-0-99.u8"));
        return IntStream.range(0, 40)
                .mapToObj(i -> Image.wrap(GREY, bytes, i * GREY.length()))
                .toList();
    }

    private static List<Image> noise(Shape shape, int count) {
        byte[] bytes = new byte[count * shape.length()];
        new SplittableRandom(2).nextBytes(bytes);
        return IntStream.range(0, count)
                .mapToObj(i -> Image.wrap(shape, bytes, i * shape.length()))
                .toList();
    }

    private static float[] pixels(List<Image> images) {
        int length = images.get(0).shape().length();
        float[] values = new float[images.size() * length];
        for (int i = 0; i < images.size(); i++) {
            Normalise.UNIT.write(images.get(i), values, i * length);
        }
        return values;
    }
}
