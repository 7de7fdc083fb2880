package ai.wood.torch.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import ai.wood.io.Safetensors;
import ai.wood.torch.Architecture;
import ai.wood.torch.Architecture.Activations;
import ai.wood.torch.Devices;
import ai.wood.torch.Golden;
import ai.wood.torch.Layout;
import ai.wood.torch.Layout.Role;
import ai.wood.torch.Layout.Slot;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Pass;
import ai.wood.torch.Tensors;
import ai.wood.torch.Weights;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every architecture against PyTorch's own modules, on small networks; see the README of the golden files. */
class ReferenceNetworksTest {

    private static final Device CPU = Devices.cpu();

    static Stream<Arguments> references() {
        NetworkOptions grey = NetworkOptions.of(1, 3);
        NetworkOptions colour = NetworkOptions.of(3, 3);
        return Stream.of(
                Arguments.of("densenet-bc", DenseNet.bc(10, 4, colour)),
                Arguments.of("densenet", new DenseNet(10, 8, 4, false, 1, grey)),
                Arguments.of("resnet", new ResNet(4, 3, 1, colour)),
                Arguments.of("wideresnet", new WideResNet(10, 1, grey)),
                Arguments.of("small-cnn", new SmallCnn(4, colour)));
    }

    static Stream<Arguments> referencesAndScript() throws IOException {
        ScriptNetwork script = ScriptNetwork.load(Golden.path("small-cnn.tiny.pt"));
        return Stream.concat(references(), Stream.of(Arguments.of("small-cnn", script)));
    }

    @ParameterizedTest
    @MethodSource("referencesAndScript")
    void evaluationAgreesWithPyTorch(String name, Architecture architecture) throws IOException {
        try (Safetensors file = Golden.open(name + ".tiny.safetensors");
                Weights weights = Weights.read(architecture.layout(), file, CPU)) {
            NativeScope.runWithoutGradients(() -> {
                Activations found = architecture.forward(Pass.evaluation(weights), images(file));
                assertClose(found.features(), file, "/features");
                assertClose(found.logits(), file, "/logits");
            });
        }
    }

    @ParameterizedTest
    @MethodSource("referencesAndScript")
    void aTrainingStepAgreesWithPyTorch(String name, Architecture architecture) throws IOException {
        try (Safetensors file = Golden.open(name + ".tiny.safetensors");
                Weights weights = Weights.read(architecture.layout(), file, CPU)) {
            NativeScope.run(() -> {
                Tensor logits = architecture
                        .forward(Pass.training(weights), images(file))
                        .logits();
                Tensor loss = torch.cross_entropy(logits, labels(file));
                loss.backward();
                assertClose(loss, file, "/loss");
                for (Slot slot : weights.layout().slots()) {
                    boolean statistic = slot.role() == Role.STATISTIC;
                    Tensor view = weights.view(slot.name());
                    assertClose(statistic ? view : view.grad(), file, (statistic ? "/after/" : "/grad/") + slot.name());
                }
            });
        }
    }

    @ParameterizedTest
    @MethodSource("references")
    void blocksAreShownWithoutASecondPass(String name, Architecture architecture) throws IOException {
        try (Safetensors file = Golden.open(name + ".tiny.safetensors");
                Weights weights = Weights.read(architecture.layout(), file, CPU)) {
            NativeScope.runWithoutGradients(() -> {
                Pass pass = Pass.evaluation(weights);
                architecture.forward(pass, images(file));
                Map<String, Tensor> shown = pass.intermediates();
                assertThat(shown).hasSize(3);
                assertThat(shown.values())
                        .allMatch(map ->
                                map.size(0) == 8 && Float.isFinite(map.sum().item_float()));
                Tensor last = List.copyOf(shown.values()).get(2); // what is shown is not written over afterwards
                boolean whole = name.equals("resnet") || name.equals("small-cnn");
                Tensor maps = whole ? last : pass.normRelu("bn1", last);
                assertClose(maps.mean(2, 3), file, "/features");
            });
        }
    }

    private static Tensor images(Safetensors file) throws IOException {
        long[] shape = file.entry("/images").shape().stream()
                .mapToLong(Long::longValue)
                .toArray();
        return Tensors.of(file.floats("/images"), CPU, shape).contiguous(torch.MemoryFormat.ChannelsLast);
    }

    private static Tensor labels(Safetensors file) throws IOException {
        float[] labels = file.floats("/labels");
        int[] ints = new int[labels.length];
        for (int i = 0; i < ints.length; i++) {
            ints[i] = (int) labels[i];
        }
        return Tensors.of(ints, CPU);
    }

    private static void assertClose(Tensor found, Safetensors file, String name) throws IOException {
        assertThat(Tensors.floats(found)).as(name).containsExactly(file.floats(name), within(2e-5f));
    }

    @Test
    void aScriptStartsWithItsOwnWeights() throws IOException {
        ScriptNetwork script = ScriptNetwork.load(Golden.path("small-cnn.tiny.pt"));
        try (Safetensors file = Golden.open("small-cnn.tiny.safetensors");
                Weights weights = Weights.initial(script.layout(), 5, CPU)) {
            assertThat(Tensors.floats(weights.view("conv2.weight"))).isEqualTo(file.floats("conv2.weight"));
        }
    }

    @Test
    void whatIsNoScriptIsRefused() {
        assertThatThrownBy(() -> ScriptNetwork.load(Golden.path("small-cnn.tiny.safetensors")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("small-cnn.tiny.safetensors")
                .hasMessageContaining("torch.jit.script");
    }

    @ParameterizedTest
    @EnumSource
    void everyNetworkTakesImagesOfSeveralSizes(Networks network) {
        Architecture architecture = network.with(NetworkOptions.of(3, 5));
        try (Weights weights = Weights.initial(architecture.layout(), 1, CPU)) {
            for (int size : new int[] {28, 32}) {
                NativeScope.runWithoutGradients(() -> {
                    Tensor images = torch.ones(1, 3, size, size);
                    Tensor logits = architecture
                            .forward(Pass.evaluation(weights), images)
                            .logits();
                    assertThat(logits.size(1)).isEqualTo(5);
                    assertThat(logits.isfinite().all().item_bool()).isTrue();
                });
            }
        }
        assertThat(Networks.byId(network.id())).isEqualTo(network);
    }

    /** As published implementations of the same networks count them, for ten classes of colour images. */
    @ParameterizedTest
    @CsvSource({
        "DENSENET_BC_100_12, 769162",
        "DENSENET_40_12, 1019722",
        "RESNET_18, 11173962",
        "RESNET_20, 272474",
        "RESNET_56, 855770",
        "WIDERESNET_40_2, 2243546",
        "WIDERESNET_28_10, 36479194"
    })
    void networksOfTheCatalogueAreAsLargeAsTheirNamesSay(Networks network, long parameters) {
        long counted = network.with(NetworkOptions.of(3, 10)).layout().slots().stream()
                .filter(slot -> slot.role() != Role.STATISTIC)
                .mapToLong(Slot::size)
                .sum();
        assertThat(counted).isEqualTo(parameters);
    }

    @Test
    void weightsStartAsWideAsTheirLayersWant() {
        Layout layout = new Layout().convolution("conv", 64, 128, 3).linear("fc", 400, 100);
        try (Weights weights = Weights.initial(layout, 1, Devices.cpu())) {
            assertThat(deviation(weights.floats("conv.weight")))
                    .isCloseTo(Math.sqrt(2.0 / (9 * 128)), withinPercentage(2));
            float[] linear = weights.floats("fc.weight");
            assertThat(deviation(linear)).isCloseTo(1 / Math.sqrt(3 * 400), withinPercentage(2));
            assertThat(linear[0]).isBetween(-0.05f, 0.05f);
            assertThat(weights.floats("fc.bias")).containsOnly(0);
        }
    }

    private static double deviation(float[] values) {
        double sum = 0;
        for (float value : values) {
            sum += (double) value * value;
        }
        return Math.sqrt(sum / values.length); // about zero
    }
}
