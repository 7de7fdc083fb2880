package ai.wood.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.StringStringEntryProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.TensorShapeProto;
import ai.onnx.proto.OnnxMl.TensorShapeProto.Dimension;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.data.transform.Normalise;
import ai.wood.onnx.OnnxOptions.Layout;
import ai.wood.onnx.OnnxOptions.Tokens;
import ai.wood.onnx.export.Tiny;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OnnxNetworkTest {

    private static final Shape SHAPE = new Shape(1, 2, 2);

    @TempDir
    Path folder;

    @Test
    void aClassifierThatEndsInSoftmaxGivesItsLogitsFeaturesAndHead() throws IOException {
        try (OnnxNetwork network = OnnxNetwork.open(tiny(model -> {}))) {
            Outputs said = network.classify(images(45));
            for (int i = 0; i < 45; i++) {
                double[] pixels = pixels(images(45).get(i));
                assertThat(said.logits().row(i)).containsExactly(Tiny.logits(pixels), within(1e-5));
                assertThat(said.features().row(i)).containsExactly(pixels, within(1e-6));
                assertThat(network.head().orElseThrow().logits(said.features().row(i)))
                        .containsExactly(said.logits().row(i), within(1e-5));
            }
        }
    }

    @Test
    void normalisedImagesReachTheNetworkUnchanged() throws IOException {
        OnnxFile file = OnnxFile.read(tiny(model -> {}));
        try (OnnxNetwork network = OnnxNetwork.of(file, file.options(null).withNormalise(Normalise.HALF))) {
            Image pixels = images(1).get(0);
            float[] floats = new float[SHAPE.length()];
            Normalise.HALF.write(pixels, floats, 0);
            Outputs said = network.classify(List.of(pixels, Image.normalised(SHAPE, floats, 0)));
            assertThat(said.logits().row(1)).isEqualTo(said.logits().row(0));
        }
    }

    @Test
    void probabilitiesAreReadWhereTheyAreAskedFor() throws IOException {
        OnnxFile file = OnnxFile.read(tiny(model -> {}))
                .with(Map.of("wood.output", "said", "wood.says", "probabilities", "wood.features", ""));
        try (OnnxNetwork network = OnnxNetwork.of(file, file.options(null))) {
            Outputs said = network.classify(images(2));
            Outputs expected = Outputs.ofLogits(Matrix.of(
                    Tiny.logits(pixels(images(2).get(0))),
                    Tiny.logits(pixels(images(2).get(1)))));
            assertThat(said.hasLogits()).isFalse();
            assertThat(said.hasFeatures()).isFalse();
            assertThat(network.head()).isEmpty();
            assertThat(said.probabilities(1)).containsExactly(expected.probabilities(1), within(1e-6));
        }
    }

    @Test
    void aLoopWithoutAnEndIsGivenUp() throws IOException {
        OnnxFile file = OnnxFile.read(tiny(OnnxNetworkTest::endless));
        OnnxOptions options = file.options(null);
        assertThatThrownBy(() -> OnnxNetwork.of(file, options, Duration.ofMillis(500)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("tiny.onnx: the network has not answered within");
    }

    /** Puts a loop that hands its value on for ever before the linear layer. */
    private static void endless(ModelProto.Builder model) {
        GraphProto body = GraphProto.newBuilder()
                .setName("body")
                .addInput(value("round", TensorProto.DataType.INT64))
                .addInput(value("again", TensorProto.DataType.BOOL))
                .addInput(value("before", TensorProto.DataType.FLOAT, 0, 4))
                .addNode(identity("again", "goOn"))
                .addNode(identity("before", "after"))
                .addOutput(value("goOn", TensorProto.DataType.BOOL))
                .addOutput(value("after", TensorProto.DataType.FLOAT, 0, 4))
                .build();
        GraphProto.Builder graph = model.getGraphBuilder();
        graph.addInitializer(TensorProto.newBuilder()
                .setName("rounds")
                .setDataType(TensorProto.DataType.INT64.getNumber())
                .addInt64Data(Long.MAX_VALUE));
        graph.addInitializer(TensorProto.newBuilder()
                .setName("yes")
                .setDataType(TensorProto.DataType.BOOL.getNumber())
                .addInt32Data(1));
        String pixels = graph.getNode(0).getOutput(0);
        graph.getNodeBuilder(1).setInput(0, "looped");
        graph.addNode(
                1,
                NodeProto.newBuilder()
                        .setOpType("Loop")
                        .addInput("rounds")
                        .addInput("yes")
                        .addInput(pixels)
                        .addOutput("looped")
                        .addAttribute(AttributeProto.newBuilder()
                                .setName("body")
                                .setType(AttributeProto.AttributeType.GRAPH)
                                .setG(body)));
    }

    private static NodeProto identity(String from, String to) {
        return NodeProto.newBuilder()
                .setOpType("Identity")
                .addInput(from)
                .addOutput(to)
                .build();
    }

    /** A value of a graph; an extent of 0 is any. */
    private static ValueInfoProto value(String name, TensorProto.DataType type, long... extents) {
        ValueInfoProto.Builder value = ValueInfoProto.newBuilder().setName(name);
        TensorShapeProto.Builder shape = value.getTypeBuilder()
                .getTensorTypeBuilder()
                .setElemType(type.getNumber())
                .getShapeBuilder();
        for (long extent : extents) {
            shape.addDim(
                    extent == 0
                            ? Dimension.newBuilder().setDimParam("n")
                            : Dimension.newBuilder().setDimValue(extent));
        }
        return value.build();
    }

    @Test
    void logitsAreNotTakenForProbabilities() throws IOException {
        OnnxFile file =
                OnnxFile.read(tiny(model -> {})).with(Map.of("wood.output", "Gemm", "wood.says", "probabilities"));
        OnnxOptions options = file.options(null);
        assertThatThrownBy(() -> OnnxNetwork.of(file, options))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Maybe these are logits");
    }

    @Test
    void batchesOfOneSizeAreFilledUp() throws IOException {
        Path fixed = tiny(model -> model.getGraphBuilder()
                .getInputBuilder(0)
                .getTypeBuilder()
                .getTensorTypeBuilder()
                .getShapeBuilder()
                .setDim(0, Dimension.newBuilder().setDimValue(4)));
        try (OnnxNetwork network = OnnxNetwork.open(fixed)) {
            Outputs said = network.classify(images(6));
            assertThat(said.size()).isEqualTo(6);
            for (int i = 0; i < 6; i++) {
                assertThat(said.logits().row(i))
                        .containsExactly(Tiny.logits(pixels(images(6).get(i))), within(1e-5));
            }
        }
    }

    @Test
    void channelsMayComeLast() throws IOException {
        Path nhwc = tiny(model -> model.getGraphBuilder()
                .getInputBuilder(0)
                .getTypeBuilder()
                .getTensorTypeBuilder()
                .getShapeBuilder()
                .setDim(1, Dimension.newBuilder().setDimValue(2))
                .setDim(2, Dimension.newBuilder().setDimValue(2))
                .setDim(3, Dimension.newBuilder().setDimValue(1)));
        try (OnnxNetwork network = OnnxNetwork.open(nhwc)) {
            assertThat(network.options().layout()).isEqualTo(Layout.NHWC);
            Image image = images(1).get(0);
            assertThat(network.classify(List.of(image)).logits().row(0))
                    .containsExactly(Tiny.logits(pixels(image)), within(1e-5));
        }
    }

    @ParameterizedTest
    @CsvSource({"first, 0.4 0.8", "relu, 0.4 0.8", "last, 0.4 0.8", "again, 0.4 0.8", "sum, 0.4 0.8", "pixels, 0.2"})
    void mapsAreAveragedOverTheirPixelsWhereverTheirChannelsStand(String map, String means) throws IOException {
        OnnxFile file = OnnxFile.read(write(Tiny.channelsLast())).with(Map.of("wood.features", map));
        byte[] image = {0, 51, 102, 51}; // mean 0.2; the channels are twice and four times that
        try (OnnxNetwork network = OnnxNetwork.of(file, file.options(null))) {
            assertThat(network.options().layout()).isEqualTo(Layout.NHWC);
            Outputs said = network.classify(List.of(Image.of(SHAPE, image)));
            double[] expected =
                    Arrays.stream(means.split(" ")).mapToDouble(Double::valueOf).toArray();
            assertThat(said.features().row(0)).containsExactly(expected, within(1e-6));
        }
    }

    @ParameterizedTest
    @CsvSource({"FIRST, 0.2 0.4", "MEAN, 0.4 0.5"})
    void tokensBecomeTheirFirstOneOrTheirMean(Tokens tokens, String vector) throws IOException {
        OnnxFile file = OnnxFile.read(write(Tiny.tokens()))
                .with(Map.of(
                        "wood.features", "tokens", "wood.tokens", tokens.name().toLowerCase(Locale.ROOT)));
        byte[] image = {51, 102, (byte) 153, (byte) 153};
        try (OnnxNetwork network = OnnxNetwork.of(file, file.options(null))) {
            Outputs outputs = network.classify(List.of(Image.of(SHAPE, new byte[4]), Image.of(SHAPE, image)));
            double[] expected = Arrays.stream(vector.split(" "))
                    .mapToDouble(Double::valueOf)
                    .toArray();
            assertThat(outputs.features().row(0)).containsExactly(0, 0);
            assertThat(outputs.features().row(1)).containsExactly(expected, within(1e-6));
        }
    }

    @Test
    void withoutAnOptionTheFirstTokenIsUsed() throws IOException {
        OnnxFile file = OnnxFile.read(write(Tiny.tokens())).with(Map.of("wood.features", "tokens"));
        assertThat(file.options(null).tokens()).isEqualTo(Tokens.FIRST);
    }

    @Test
    void tokensAreNotTakenForClasses() throws IOException {
        notOpened(
                OnnxFile.read(write(Tiny.tokens())).with(Map.of("wood.output", "tokens")),
                "the output 'tokens' must have one number for each class but is [2, 2, 2]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"MatMul", "MatMul with a transposed matrix", "Gemm", "Gemm with an empty name"})
    void aLastLayerWithoutBiasHasABiasOfZeros(String form) throws IOException {
        OnnxFile file = OnnxFile.read(write(Tiny.withoutBias(form)));
        try (OnnxNetwork network = OnnxNetwork.of(file, file.options(null))) {
            Outputs outputs = network.classify(images(5));
            Head head = network.head().orElseThrow();
            assertThat(head.logits(new double[4])).containsExactly(0, 0, 0);
            for (int i = 0; i < 5; i++) {
                assertThat(outputs.features().row(i))
                        .containsExactly(pixels(images(5).get(i)), within(1e-6));
                assertThat(head.logits(outputs.features().row(i)))
                        .containsExactly(outputs.logits().row(i), within(1e-5));
            }
        }
    }

    @Test
    void aFileOf16BitFloatsGivesItsLogitsFeaturesAndHead() throws IOException {
        try (OnnxNetwork network = OnnxNetwork.open(write(Tiny.half(Tiny.model())))) {
            Outputs outputs = network.classify(images(5));
            for (int i = 0; i < 5; i++) {
                double[] pixels = pixels(images(5).get(i));
                assertThat(outputs.logits().row(i)).containsExactly(Tiny.logits(pixels), within(2e-3));
                assertThat(outputs.features().row(i)).containsExactly(pixels, within(1e-3));
                assertThat(network.head().orElseThrow().logits(pixels))
                        .containsExactly(Tiny.logits(pixels), within(1e-5)); // the weights are exact in 16 bits
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Cast", "Reshape", "Unsqueeze Squeeze", "Clip", "Identity", "Flatten", "Clip Cast Reshape"})
    void theLogitsAreFoundBeforeASoftmaxAndWhatFollowsIt(String operations) throws IOException {
        OnnxFile file = OnnxFile.read(write(Tiny.softmaxAnd(operations.split(" "))));
        try (OnnxNetwork network = OnnxNetwork.of(file, file.options(null))) {
            Image image = images(1).get(0);
            assertThat(network.classify(List.of(image)).logits().row(0))
                    .containsExactly(Tiny.logits(pixels(image)), within(1e-5));
            assertThat(network.head()).isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Cast", "Reshape", "Clip", "Clip Cast Reshape"})
    void theResultOfASoftmaxIsRefusedAsLogits(String operations) throws IOException {
        notOpened(
                OnnxFile.read(write(Tiny.softmaxAnd(operations.split(" ")))).with(Map.of("wood.output", "said")),
                "'said' is computed by a Softmax, so it contains probabilities, not logits. Use 'Gemm' as logits");
    }

    @Test
    void rowsThatSumToOneAreRefusedAsLogits() throws IOException {
        OnnxFile file = OnnxFile.read(write(Tiny.hiddenSoftmax()));
        notOpened(file, "the output 'said' should contain logits but contains probabilities");
        OnnxNetwork.of(file, file.with(Map.of("wood.says", "probabilities")).options(null))
                .close();
    }

    @Test
    void theLogarithmOfASoftmaxIsPassedOverToo() throws IOException {
        Path file = tiny(model -> model.getGraphBuilder().getNodeBuilderList().stream()
                .filter(node -> node.getOpType().equals("Softmax"))
                .forEach(node -> node.setOpType("LogSoftmax")));
        try (OnnxNetwork network = OnnxNetwork.open(file)) {
            Image image = images(1).get(0);
            assertThat(network.classify(List.of(image)).logits().row(0))
                    .containsExactly(Tiny.logits(pixels(image)), within(1e-5));
            assertThat(network.head()).isPresent();
        }
    }

    @Test
    void anotherNameForTheFeaturesDoesNotHideTheLastLayer() throws IOException {
        Path file = tiny(model -> {
            NodeProto.Builder gemm = model.getGraphBuilder().getNodeBuilderList().stream()
                    .filter(node -> node.getOpType().equals("Gemm"))
                    .findFirst()
                    .orElseThrow();
            String pixels = gemm.getInput(0);
            gemm.setInput(0, "renamed");
            model.getGraphBuilder()
                    .addNode(
                            1,
                            NodeProto.newBuilder()
                                    .setOpType("Identity")
                                    .addInput(pixels)
                                    .addOutput("renamed"));
        });
        try (OnnxNetwork network = OnnxNetwork.open(file)) {
            assertThat(network.head()).isPresent();
        }
    }

    @Test
    void imagesAreFittedAndNormalised() throws IOException {
        OnnxFile file = OnnxFile.read(tiny(model -> {}));
        OnnxOptions options = file.options(null).withNormalise(Normalise.of(0.5, 0.25));
        byte[] grey = new byte[3 * 8 * 8];
        Arrays.fill(grey, (byte) 255);
        try (OnnxNetwork network = OnnxNetwork.of(file, options)) {
            Outputs said = network.classify(List.of(Image.of(new Shape(3, 8, 8), grey)));
            assertThat(said.logits().row(0)).containsExactly(Tiny.logits(2, 2, 2, 2), within(1e-5));
        }
    }

    @Test
    void theMetadataCarryTheOptions() throws IOException {
        OnnxFile file = OnnxFile.read(tiny(model -> {})).with(Map.of("wood.features", "", "wood.tokens", "mean"));
        OnnxOptions options =
                file.options(null).withNormalise(Normalise.of(0.1, 0.3)).withClasses(List.of("a", "b, c", "d"));
        Path told = folder.resolve("told.onnx");
        file.with(options).write(told);
        assertThat(OnnxFile.read(told).options(null)).isEqualTo(options);
        try (OnnxNetwork network = OnnxNetwork.open(told)) {
            assertThat(network.options()).isEqualTo(options);
        }
    }

    /** The file and what it must say were made by pytorch.py, beside them. */
    @ParameterizedTest
    @ValueSource(strings = {"", "/0/0.5/Relu_output_0"})
    void aFileOfPyTorchsExporterSaysWhatPyTorchSays(String maps) throws IOException {
        Shape shape = new Shape(3, 16, 16);
        OnnxFile read = OnnxFile.read(resource("pytorch.onnx"));
        OnnxFile file = maps.isEmpty() ? read : read.with(Map.of("wood.features", maps));
        OnnxOptions options = file.options(shape)
                .withNormalise(new Normalise(List.of(0.485, 0.456, 0.406), List.of(0.229, 0.224, 0.225)));
        byte[] bytes = Files.readAllBytes(resource("pytorch-images.u8"));
        List<Image> images = IntStream.range(0, 8)
                .mapToObj(i -> Image.wrap(shape, bytes, i * shape.length()))
                .toList();
        try (OnnxNetwork network = OnnxNetwork.of(file, options)) {
            Outputs said = network.classify(images);
            double[] logits = floats("pytorch-logits.f32");
            double[] features = floats("pytorch-features.f32");
            for (int i = 0; i < 8; i++) {
                assertThat(said.logits().row(i))
                        .containsExactly(Arrays.copyOfRange(logits, i * 5, i * 5 + 5), within(1e-5));
                assertThat(said.features().row(i))
                        .containsExactly(Arrays.copyOfRange(features, i * 8, i * 8 + 8), within(1e-5));
            }
            assertThat(network.head().isPresent()).isEqualTo(maps.isEmpty());
        }
    }

    private static Path resource(String name) {
        try {
            return Path.of(Objects.requireNonNull(OnnxNetworkTest.class.getResource(name))
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static double[] floats(String name) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(resource(name))).order(ByteOrder.LITTLE_ENDIAN);
        double[] values = new double[bytes.remaining() / Float.BYTES];
        Arrays.setAll(values, i -> bytes.getFloat(i * Float.BYTES));
        return values;
    }

    @Test
    void severalThreadsGetTheAnswersOfOne() throws IOException {
        List<Image> images = images(50);
        try (OnnxNetwork network = OnnxNetwork.open(tiny(model -> {}))) {
            Outputs expected = network.classify(images);
            List<Outputs> said = IntStream.range(0, 40)
                    .parallel()
                    .mapToObj(i -> network.classify(images))
                    .toList();
            assertThat(said).allMatch(one -> one.logits().equals(expected.logits()));
        }
    }

    @Test
    void theGraphTellsWhatTheMetadataDoNot() throws IOException {
        OnnxFile file = OnnxFile.read(tiny(model -> {}));
        OnnxOptions guessed = file.options(null);
        assertThat(file.with(Map.of("wood.mean", "0.5", "wood.deviation", "0.25"))
                        .options(null))
                .isEqualTo(guessed.withNormalise(Normalise.of(0.5, 0.25)));
        assertThat(file.with(Map.of("wood.classes", "a\nb\nc")).options(null))
                .isEqualTo(guessed.withClasses(List.of("a", "b", "c")));
        assertThat(file.with(Map.of("wood.says", "probabilities")).options(null))
                .extracting(OnnxOptions::output, OnnxOptions::logits)
                .containsExactly("said", false);
        refused(file, Map.of("wood.says", "much"), "wood.says must be logits or probabilities but is 'much'");
        refused(file, Map.of("wood.layout", "nwhc"), "NHWC");
        refused(file, Map.of("wood.tokens", "firts"), "FIRST");
        refused(file, Map.of("wood.input", "pixel"), "Did you mean pixels?");
    }

    @Test
    void featuresAreThoseBehindTheOutputThatIsNamed() throws IOException {
        Path file = tiny(model ->
                model.getGraphBuilder().addOutput(0, ValueInfoProto.newBuilder().setName("Flatten")));
        OnnxOptions options =
                OnnxFile.read(file).with(Map.of("wood.output", "Gemm")).options(null);
        assertThat(options.features()).isEqualTo("Flatten");
    }

    private static void refused(OnnxFile file, Map<String, String> metadata, String message) {
        assertThatThrownBy(() -> file.with(metadata).options(null))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aClosedNetworkSaysSo() throws IOException {
        OnnxNetwork network = OnnxNetwork.open(tiny(model -> {}));
        network.close();
        network.close();
        assertThatThrownBy(() -> network.classify(images(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void weightsBesideTheFileAreTakenIn() throws IOException {
        byte[] bytes = withWeightsBeside("weights.bin").toByteArray();
        Path file = folder.resolve("beside.onnx");
        Files.write(file, bytes);
        try (OnnxNetwork network = OnnxNetwork.open(file)) {
            Image image = images(1).get(0);
            assertThat(network.classify(List.of(image)).logits().row(0))
                    .containsExactly(Tiny.logits(pixels(image)), within(1e-5));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"../weights.bin", "/etc/passwd", "missing.bin", "", "link.bin", "*/_ORT_MEM_ADDR_/*", "\0"})
    void weightsFromElsewhereAreRefused(String location) throws IOException {
        Path inner = Files.createDirectories(folder.resolve("inner"));
        ModelProto model = withWeightsBeside(location);
        Files.createSymbolicLink(inner.resolve("link.bin"), folder.resolve("weights.bin"));
        Path file = inner.resolve("network.onnx");
        Files.write(file, model.toByteArray());
        assertThatThrownBy(() -> OnnxFile.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("network.onnx");
    }

    @Test
    void weightsBeyondTheEndOfTheirFileAreRefused() throws IOException {
        ModelProto.Builder model = withWeightsBeside("weights.bin").toBuilder();
        model.getGraphBuilder().getInitializerBuilder(0).addExternalData(entry("offset", "40"));
        Path file = folder.resolve("beyond.onnx");
        Files.write(file, model.build().toByteArray());
        assertThatThrownBy(() -> OnnxFile.read(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("that file has 48");
    }

    /** The tiny classifier with its first weights in a file beside it, and another place written into it. */
    private ModelProto withWeightsBeside(String location) throws IOException {
        ModelProto.Builder model = Tiny.model().toBuilder();
        TensorProto.Builder weights = model.getGraphBuilder().getInitializerBuilder(0);
        Files.write(folder.resolve("weights.bin"), weights.getRawData().toByteArray());
        weights.clearRawData()
                .setDataLocation(TensorProto.DataLocation.EXTERNAL)
                .addExternalData(entry("location", location))
                .addExternalData(entry("length", "48"));
        return model.build();
    }

    private static StringStringEntryProto entry(String key, String value) {
        return StringStringEntryProto.newBuilder().setKey(key).setValue(value).build();
    }

    @Test
    void whatIsNoOnnxFileIsRefused() throws IOException {
        refused(new byte[0], "graph");
        refused("this is no network at all".getBytes(StandardCharsets.UTF_8), "ONNX");
        byte[] whole = Tiny.model().toByteArray();
        refused(Arrays.copyOf(whole, whole.length / 2), "part of one");
        assertThatThrownBy(() -> OnnxNetwork.open(folder.resolve("nothing.onnx")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no such file");
    }

    @Test
    void inputsThatAreNoImagesAreRefused() throws IOException {
        refused(changed(model -> shape(model).removeDim(3)), "3 dimensions");
        refused(
                changed(model -> model.getGraphBuilder()
                        .getInputBuilder(0)
                        .getTypeBuilder()
                        .getTensorTypeBuilder()
                        .setElemType(TensorProto.DataType.INT64_VALUE)),
                "must take 32-bit or 16-bit floats but the input 'pixels' takes INT64");
        refused(changed(model -> shape(model).getDimBuilder(2).setDimParam("height")), "open");
        refused(changed(model -> shape(model).getDimBuilder(0).setDimValue(1L << 40)), "at most");
        refused(changed(model -> shape(model).getDimBuilder(1).setDimValue(5)), "channels");
        refused(
                changed(model -> model.getGraphBuilder()
                        .addInput(model.getGraph().getInput(0).toBuilder().setName("more"))),
                "[pixels, more]");
    }

    private static TensorShapeProto.Builder shape(ModelProto.Builder model) {
        return model.getGraphBuilder()
                .getInputBuilder(0)
                .getTypeBuilder()
                .getTensorTypeBuilder()
                .getShapeBuilder();
    }

    @Test
    void unknownOperationsAreRefused() throws IOException {
        refused(changed(model -> model.getGraphBuilder().getNodeBuilder(0).setOpType("Flattery")), "Flattery");
        refused(
                changed(model -> model.getGraphBuilder()
                        .addNode(NodeProto.newBuilder().setOpType("Gemm").addOutput("loose"))
                        .clearOutput()
                        .addOutput(ValueInfoProto.newBuilder().setName("loose"))),
                "");
    }

    @Test
    void optionsThatDoNotFitAreRefused() throws IOException {
        OnnxFile file = OnnxFile.read(tiny(model -> {}));
        notOpened(file.with(Map.of("wood.features", "Flaten")), "Did you mean Flatten?");
        notOpened(file.with(Map.of("wood.features", "block4_pool")), "The last values are ");
        notOpened(file.with(Map.of("wood.shape", "1x4x2")), "1x4x2");
        notOpened(file.with(Map.of("wood.classes", "a\nb")), "2 classes wide but is 3");
    }

    @Test
    void aClassOfSeveralLinesIsNotWritten() throws IOException {
        OnnxFile file = OnnxFile.read(tiny(model -> {}));
        OnnxOptions options = file.options(null).withClasses(List.of("a", "b\nc", "d"));
        assertThatThrownBy(() -> file.with(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("class names in ONNX files must be single lines");
    }

    private static void notOpened(OnnxFile file, String message) {
        assertThatThrownBy(() -> OnnxNetwork.of(file, file.options(null)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    private void refused(byte[] bytes, String message) throws IOException {
        Path file = folder.resolve("hostile.onnx");
        Files.write(file, bytes);
        assertThatThrownBy(() -> OnnxNetwork.open(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("hostile.onnx")
                .hasMessageContaining(message);
    }

    /** A byte here and there is changed: either the file still opens, or it is refused politely. */
    @Test
    void mutatedFilesAreOpenedOrRefused() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        OnnxFile tiny = OnnxFile.read(tiny(model -> {}));
        Path file = folder.resolve("mutated.onnx");
        tiny.with(tiny.options(null)).write(file);
        byte[] whole = Files.readAllBytes(file);
        int opened = 0;
        for (int i = 0; i < 300; i++) {
            byte[] mutated = whole.clone();
            for (int j = 0; j < 1 + i % 3; j++) {
                mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
            }
            Files.write(file, mutated);
            try (OnnxNetwork network = OnnxNetwork.open(file)) {
                assertThat(network.classify(images(1)).size()).isEqualTo(1);
                opened++;
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("mutated.onnx");
            }
        }
        assertThat(opened).isBetween(1, 299);
    }

    private Path tiny(Consumer<ModelProto.Builder> change) throws IOException {
        return write(ModelProto.parseFrom(changed(change)));
    }

    private Path write(ModelProto model) throws IOException {
        return Files.write(folder.resolve("tiny.onnx"), model.toByteArray());
    }

    private static byte[] changed(Consumer<ModelProto.Builder> change) {
        ModelProto.Builder model = Tiny.model().toBuilder();
        change.accept(model);
        return model.build().toByteArray();
    }

    private static List<Image> images(int count) {
        byte[] bytes = new byte[count * 4];
        new SplittableRandom(1).nextBytes(bytes);
        return IntStream.range(0, count)
                .mapToObj(i -> Image.wrap(SHAPE, bytes, i * 4))
                .toList();
    }

    private static double[] pixels(Image image) {
        return IntStream.range(0, 4).mapToDouble(i -> image.get(i) / 255.0).toArray();
    }
}
