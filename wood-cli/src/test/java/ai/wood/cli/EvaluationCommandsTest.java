package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.SampleDetector;
import ai.wood.ThresholdPolicy;
import ai.wood.Verdict;
import ai.wood.data.Catalogue;
import ai.wood.data.Image;
import ai.wood.data.ImageDetector;
import ai.wood.data.ImageFile;
import ai.wood.data.Split;
import ai.wood.data.transform.Normalise;
import ai.wood.evaluate.EvaluateOptions;
import ai.wood.evaluate.EvaluationResult;
import ai.wood.evaluate.EvaluationResult.ScorerResult;
import ai.wood.evaluate.OutputStore;
import ai.wood.evaluate.Run;
import ai.wood.io.SafetensorsWriter;
import ai.wood.metric.RankedScores;
import ai.wood.score.ScorerKinds;
import ai.wood.score.WoodScorer;
import ai.wood.torch.Devices;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.transport.GroundCost;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands around a run: evaluate, calibrate, score, adopt; on bundled data and the smallest network. */
class EvaluationCommandsTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path shared;

    private static Path run;

    @TempDir
    Path folder;

    private record Answer(int code, String out, String err) {}

    private static Answer wood(Object... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] texts = Arrays.stream(args).map(String::valueOf).toArray(String[]::new);
        int code = Main.run(new PrintWriter(out), new PrintWriter(err), texts);
        return new Answer(code, out.toString(), err.toString());
    }

    @BeforeAll
    static void train() {
        run = shared.resolve("run");
        List<Object> args =
                new ArrayList<>(List.of("train", "--out", run, "--network", "small-cnn", "--device", "cpu"));
        args.addAll(List.of("--ind", "mnist-small", "--ood", "fashion-mnist-small", "--limit", 800, "--epochs", 1));
        Answer answer = wood(args.toArray());
        assertThat(answer.code()).as(answer.err()).isZero();
    }

    /** A copy of the trained run without anything that later commands added. */
    private Path copy() throws IOException {
        return copy("copy");
    }

    private Path copy(String name) throws IOException {
        Path to = Files.createDirectories(folder.resolve(name));
        for (String part :
                List.of("network.safetensors", "network.json", "data.json", "options.json", "training.json")) {
            Files.copy(run.resolve(part), to.resolve(part));
        }
        return to;
    }

    private static JsonNode named(JsonNode list, String key, String name) {
        for (JsonNode one : list) {
            if (one.path(key).asText().equals(name)) {
                return one;
            }
        }
        throw new AssertionError(name + " is not among " + list);
    }

    private static double[] woodScores(Outputs outputs) {
        return new WoodScorer(GroundCost.dynamic()).score(outputs);
    }

    @ParameterizedTest
    @CsvSource({
        "blobs;folder:absent, figures.json, absent: must be a folder of pictures but does not exist",
        "blobs, absent/figures.json, absent/figures.json: could not be written (there is no such folder)"
    })
    void evaluateTellsWhatIsMissingBeforeTheNetworkLooksAtAnything(String ood, String json, String message)
            throws IOException {
        Path copy = copy();
        Answer answer =
                wood("evaluate", copy, "--ood", ood.replace(';', ','), "--limit", 50, "-o", folder.resolve(json));
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains(message);
        assertThat(answer.out()).isEmpty();
        assertThat(copy.resolve("outputs")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource({
        "-o, outputs/figures.json",
        "--csv, outputs/../outputs/figures.csv",
        "--report, checkpoint/report.html",
        "--figures, outputs/figures"
    })
    void resultsDoNotGoWhereTheRunKeepsItsOwn(String option, String path) throws IOException {
        Path copy = copy();
        Files.createDirectories(copy.resolve("outputs"));
        Files.createDirectories(copy.resolve("checkpoint"));
        Answer answer = wood("evaluate", copy, "--ood", "blobs", "--limit", 50, option, copy.resolve(path));
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err())
                .contains(path + ": ", "must not be written into " + copy.resolve(path.split("/", 2)[0]), "Maybe");
        assertThat(copy.resolve("outputs")).isEmptyDirectory();
    }

    @Test
    void figuresNeedAFolderBeforeTheNetworkLooksAtAnything() throws IOException {
        Path copy = copy();
        Path file = Files.createFile(folder.resolve("figures"));
        Answer answer = wood("evaluate", copy, "--ood", "blobs", "--limit", 50, "--figures", file);
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains("figures: must be a folder but is a file");
        assertThat(copy.resolve("outputs")).doesNotExist();
    }

    @Test
    void aThresholdThatTooFewSamplesCannotGiveIsExplained() throws IOException {
        Path copy = copy();
        Path json = folder.resolve("figures.json");
        Answer answer = wood("evaluate", copy, "--ood", "blobs", "--scorers", "wood,msp", "--limit", 12, "-o", json);
        String note = "12 validation samples are too few for a threshold that keeps 95% of InD samples:"
                + " nothing is called OOD.";
        assertThat(answer.out()).as(answer.err()).containsOnlyOnce("Note: " + note);
        assertThat(answer.out())
                .as("again below thresholds that are infinite")
                .containsSubsequence("Infinity", "* best", note);
        assertThat(JSON.readTree(json.toFile()).path("notes").toString()).containsOnlyOnce(note);
        Answer lower = wood("evaluate", copy, "--ood", "blobs", "--scorers", "wood", "--limit", 12, "--tnr", 0.9);
        assertThat(lower.out()).as(lower.err()).contains("* best").doesNotContain("too few");
    }

    @Test
    void samplesThatTrainingOrTuningUsedAreToldOfWithinAMixtureToo() throws IOException {
        Path copy = copy();
        String set = "npy:" + images(40);
        Answer tuned = wood("evaluate", copy, "--ood", set, "--tune-on", set, "--scorers", "mahalanobis-ensemble");
        assertThat(tuned.out())
                .as(tuned.err())
                .containsOnlyOnce(
                        "Note: " + set + " has no test split: scorers were tuned on some of these very samples.");

        Path data = copy.resolve("data.json");
        Files.writeString(data, Files.readString(data).replace("fashion-mnist-small", set));
        for (String ood : List.of(set, "mix:blobs," + set)) {
            Answer seen = wood("evaluate", copy, "--ood", ood, "--scorers", "msp", "--limit", 50);
            assertThat(seen.out())
                    .as(seen.err())
                    .containsOnlyOnce("Note: " + set + " has no test split: training saw these very samples.");
        }
        Answer other = wood("evaluate", copy, "--ood", "mix:blobs,gaussian-noise", "--scorers", "msp", "--limit", 50);
        assertThat(other.out()).as(other.err()).doesNotContain("Note");
    }

    @Test
    void whatIsWrongWithAPartOfAMixtureIsSaid() throws IOException {
        String set = "npy:" + images(40);
        String mixed = "mix:blobs," + set + "*3";
        Answer answer = wood("evaluate", copy(), "--ood", mixed + ",mnist-small", "--scorers", "msp", "--limit", 100);
        assertThat(answer.out())
                .as(answer.err())
                .contains(
                        "Note: " + mixed + ",mnist-small draws about 60 samples from the 40 of " + set
                                + ": intervals are too narrow and p-values too small.",
                        "Note: mnist-small has the samples of the InD set")
                .doesNotContain("of blobs:", "of mnist-small:");
    }

    /** A NumPy file of black images, 28 x 28. */
    private Path images(int count) throws IOException {
        String header = "{'descr': '|u1', 'fortran_order': False, 'shape': (" + count + ", 28, 28), }\n";
        ByteBuffer bytes =
                ByteBuffer.allocate(10 + header.length() + count * 784).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put((byte) 0x93).put("NUMPY".getBytes(StandardCharsets.US_ASCII)).putShort((short) 1);
        bytes.putShort((short) header.length()).put(header.getBytes(StandardCharsets.US_ASCII));
        return Files.write(folder.resolve("images.npy"), bytes.array());
    }

    @Test
    void tooFewReplicatesForAnIntervalAreRefusedBeforeTheNetworkLooksAtAnything() throws IOException {
        Path copy = copy();
        Answer answer = wood("evaluate", copy, "--ood", "blobs", "--limit", 50, "--bootstrap", 20);
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).startsWith("wood: the number of replicates must be 0, for no intervals, or");
        assertThat(copy.resolve("outputs")).doesNotExist();
    }

    @Test
    void evaluateComparesScorersFromOnePassAndWritesFigures() throws IOException {
        Path json = folder.resolve("figures.json");
        Path csv = folder.resolve("figures.csv");
        Answer answer = wood(
                "evaluate",
                run,
                "--ood",
                "fashion-mnist-small,blobs",
                "--limit",
                300,
                "--bootstrap",
                100,
                "-o",
                json,
                "--csv",
                csv,
                "--report",
                folder.resolve("report.html"));
        assertThat(answer.code()).as(answer.err()).isZero();
        assertThat(answer.out())
                .contains("fashion-mnist-small (seen), near", "blobs (unseen), far", "mean of all OOD", "mahalanobis");
        JsonNode figures = JSON.readTree(json.toFile());
        JsonNode auroc = named(
                        named(figures.path("scorers"), "name", "wood").path("sets"), "ood", "fashion-mnist-small")
                .path("auroc");
        assertThat(auroc.path("value").asDouble())
                .isBetween(auroc.path("low").asDouble(), auroc.path("high").asDouble());
        assertThat(figures.path("ood").path(0).path("seen").asBoolean()).isTrue();
        assertThat(figures.path("scorers").size() + figures.path("skipped").size())
                .isEqualTo(EvaluateOptions.ofOutputs().size());
        assertThat(Files.readAllLines(csv))
                .hasSize(1 + 2 * figures.path("scorers").size());
        assertThat(Files.readString(folder.resolve("report.html"))).contains("<html");
    }

    @Test
    void theOldNameOfTheResultStillWorksWithANotice() throws IOException {
        Path json = folder.resolve("figures.json");
        Path copy = copy();
        Answer old = wood("evaluate", copy, "--ood", "blobs", "--scorers", "msp", "--limit", 50, "--json", json);
        assertThat(old.code()).as(old.err()).isZero();
        assertThat(old.err()).contains("--json FILE is now -o FILE");
        assertThat(EvaluationResult.read(json).network()).isEqualTo("copy");
        Answer both = wood("evaluate", copy, "--ood", "blobs", "--json", json, "-o", json);
        assertThat(both.code()).isEqualTo(2);
        assertThat(both.err()).contains("Use -o alone");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--conformal", "--tnr=0.9", "--per-class"})
    void theThresholdThatEvaluateReportsIsTheOneThatCalibrateDeploys(String method) throws IOException {
        Path copy = copy();
        assertThat(wood("calibrate", copy, "--scorer", "energy", method).code()).isZero();
        Detector detector = Detector.load(copy);
        Path json = folder.resolve("result.json");
        Answer answer = wood("evaluate", copy, "--ood", "blobs", "--scorers", "msp,energy", "-o", json);
        assertThat(answer.code()).as(answer.err()).isZero();
        assertThat(answer.out()).contains("energy (deployed)", "the detector's scorer, with its thresholds");
        EvaluationResult result = EvaluationResult.read(json);
        assertThat(result.scorers())
                .filteredOn(ScorerResult::deployed)
                .singleElement()
                .satisfies(deployed -> {
                    assertThat(deployed.name()).isEqualTo("energy");
                    boolean perClass = method.equals("--per-class");
                    assertThat(perClass ? deployed.classThresholds() : List.of(deployed.threshold()))
                            .isEqualTo(detector.thresholds());
                    assertThat(deployed.method()).isEqualTo(method.equals("--conformal") ? "conformal" : "quantile");
                    assertThat(deployed.thresholdSamples()).isEqualTo(detector.scores().length);
                });
        assertThat(result.tnr()).isEqualTo(detector.policy().tnr());
        try (TorchNetwork network = NetworkDescription.open(copy, Devices.cpu())) {
            List<Verdict> verdicts = detector.detect(network.classify(
                    Catalogue.at(null).open("mnist-small", Split.TEST).images()));
            assertThat(result.scorers().get(1).falseAlarmRate())
                    .isCloseTo(verdicts.stream().filter(Verdict::ood).count() / (double) verdicts.size(), within(2e-3));
        }
    }

    @Test
    void calibrateAndEvaluateChooseTheSameThresholdByThemselves() throws IOException {
        Path copy = copy();
        double before = threshold(evaluated(copy, "--scorers", "wood"));
        assertThat(wood("calibrate", copy, "--conformal").code()).isZero();
        assertThat(Detector.load(copy).thresholds()).containsExactly(before);
        assertThat(threshold(evaluated(copy, "--scorers", "wood"))).isEqualTo(before);
    }

    @Test
    void theDetectorIsComparedEvenIfItsScorerIsNotNamed() throws IOException {
        Path copy = copy();
        assertThat(wood("calibrate", copy, "--scorer", "energy").code()).isZero();
        JsonNode scorers = evaluated(copy, "--scorers", "msp").path("scorers");
        assertThat(named(scorers, "name", "energy").path("deployed").asBoolean())
                .isTrue();
        assertThat(named(scorers, "name", "msp").path("deployed").asBoolean(true))
                .isFalse();
    }

    @Test
    void aDetectorOfOtherWeightsIsNotReportedAsDeployed() throws IOException {
        Path copy = copy();
        assertThat(wood("calibrate", copy).code()).isZero();
        append(copy.resolve(NetworkDescription.FILE), " ");
        Answer answer = wood("evaluate", copy, "--ood", "blobs", "--limit", 50);
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains("network.json: its size or SHA-256 is not the one in detector.json");
    }

    @Test
    void otherSettingsOfTheDeployedScorerAreRefused() throws IOException {
        Path copy = copy();
        assertThat(wood("calibrate", copy).code()).isZero();
        Answer answer = wood("evaluate", copy, "--ood", "blobs", "--cost", "binary");
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains("uses the scorer wood with the settings cost=dynamic", "Calibrate the run");
    }

    @Test
    void figuresAreThoseOfTheNetworkOnTheTestSplits() throws IOException {
        Path json = folder.resolve("figures.json");
        Answer answer = wood(
                "evaluate", run, "--ood", "fashion-mnist-small", "--scorers", "wood,msp", "--bootstrap", 0, "-o", json);
        assertThat(answer.code()).as(answer.err()).isZero();
        JsonNode figures = JSON.readTree(json.toFile());
        JsonNode wood = named(figures.path("scorers"), "name", "wood");
        Catalogue catalogue = Catalogue.at(null);
        try (TorchNetwork network = NetworkDescription.open(run, Devices.cpu())) {
            Outputs ind =
                    network.classify(catalogue.open("mnist-small", Split.TEST).images());
            Outputs ood = network.classify(
                    catalogue.open("fashion-mnist-small", Split.TEST).images());
            RankedScores scores = RankedScores.of(woodScores(ind), woodScores(ood));
            assertThat(wood.path("sets").path(0).path("auroc").asDouble()).isCloseTo(scores.auroc(), within(1e-6));
            assertThat(wood.path("sets").path(0).path("fnr95").asDouble())
                    .isCloseTo(scores.fnrAtTnr(0.95), within(1e-3));
            assertThat(wood.path("testThreshold95").asDouble()).isCloseTo(scores.thresholdAtTnr(0.95), within(1e-5));
        }
        assertThat(figures.path("validation").path("size").asInt()).isEqualTo(60);
    }

    /** A copy of the trained run whose training taught another WOOD score. */
    private Path taught(String cost, Object temperature) throws IOException {
        Path copy = copy();
        Path file = copy.resolve("training.json");
        ObjectNode options = (ObjectNode) JSON.readTree(file.toFile());
        options.putObject("scorer")
                .put("name", "wood")
                .put("cost", cost)
                .put("lambda", "Infinity")
                .putPOJO("temperature", temperature);
        JSON.writeValue(file.toFile(), options);
        return copy;
    }

    private JsonNode evaluated(Path folder, Object... more) throws IOException {
        Path json = this.folder.resolve("figures.json");
        List<Object> args =
                new ArrayList<>(List.of("evaluate", folder, "--ood", "blobs", "--bootstrap", 0, "-o", json));
        args.addAll(List.of(more));
        Answer answer = wood(args.toArray());
        assertThat(answer.code()).as(answer.err()).isZero();
        return JSON.readTree(json.toFile());
    }

    @Test
    void woodIsScoredAsTheNetworkWasTaughtUnlessToldOtherwise() throws IOException {
        Path copy = taught("binary", 5);
        JsonNode figures = evaluated(copy, "--scorers", "wood,msp");
        assertThat(settings(figures)).isEqualTo("{\"cost\":\"binary\",\"lambda\":\"Infinity\",\"temperature\":5.0}");
        assertThat(figures.path("notes").toString()).contains("The WOOD score uses the binary cost at temperature 5.");
        WoodScorer binary = new WoodScorer(GroundCost.binary());
        try (TorchNetwork network = NetworkDescription.open(copy, Devices.cpu())) {
            Outputs ind = network.classify(
                    Catalogue.at(null).open("mnist-small", Split.TEST).images());
            double[] hot = binary.score(ind.withTemperature(5));
            double[] cold = binary.score(ind);
            assertThat(named(figures.path("scorers"), "name", "wood")
                            .path("testThreshold95")
                            .asDouble())
                    .isCloseTo(RankedScores.of(hot, hot).thresholdAtTnr(0.95), within(1e-5));
            assertThat(named(figures.path("scorers"), "name", "msp")
                            .path("testThreshold95")
                            .asDouble())
                    .isCloseTo(RankedScores.of(cold, cold).thresholdAtTnr(0.95), within(1e-5));
        }
        assertThat(settings(evaluated(copy, "--scorers", "wood", "--cost", "dynamic")))
                .isEqualTo("{\"cost\":\"dynamic\",\"lambda\":\"Infinity\",\"temperature\":5.0}");
        JsonNode usual = evaluated(original(), "--scorers", "wood");
        assertThat(settings(usual)).startsWith("{\"cost\":\"dynamic\"");
        assertThat(usual.path("notes")).isEmpty();
    }

    private static String settings(JsonNode figures) {
        return named(figures.path("scorers"), "name", "wood").path("settings").toString();
    }

    /** A second copy of the trained run, without a detector. */
    private Path original() throws IOException {
        Path original = folder.resolve("original");
        return Files.exists(original) ? original : copy("original");
    }

    @Test
    void detectorsScoreWoodAsTheNetworkWasTaughtUnlessToldOtherwise() throws IOException {
        Path copy = taught("binary", 5);
        JsonNode own = calibratedScorer(copy);
        assertThat(own.path("cost").asText()).isEqualTo("binary");
        assertThat(own.path("temperature").asDouble()).isEqualTo(5);
        JsonNode told = calibratedScorer(copy, "--cost", "dynamic", "--temperature", 2);
        assertThat(told.path("cost").asText()).isEqualTo("dynamic");
        assertThat(told.path("temperature").asDouble()).isEqualTo(2);
        assertThat(calibratedScorer(copy, "--scorer", "energy")
                        .path("temperature")
                        .asDouble())
                .isEqualTo(1);
        Answer cold = wood("calibrate", copy, "--temperature", 0);
        assertThat(cold.code()).isEqualTo(2);
        assertThat(cold.err()).contains("temperature must be positive and finite but is 0.0");
    }

    private static JsonNode calibratedScorer(Path folder, Object... more) throws IOException {
        List<Object> args = new ArrayList<>(List.of("calibrate", folder));
        args.addAll(List.of(more));
        Answer answer = wood(args.toArray());
        assertThat(answer.code()).as(answer.err()).isZero();
        assertThat(answer.err()).doesNotContain("warning");
        return JSON.readTree(folder.resolve("detector.json").toFile())
                .path("scorer")
                .path("settings");
    }

    @Test
    void aCostMatrixOfTheRunsOwnIsScoredBy() throws IOException {
        Path copy = taught("custom", 1);
        double[] costs = new double[100];
        Arrays.setAll(costs, i -> Math.abs(i / 10 - i % 10) / 7.0);
        Matrix matrix = Matrix.wrap(costs, 10);
        new SafetensorsWriter().add("cost", matrix).write(copy.resolve("cost.safetensors"));
        Path file = Files.write(
                folder.resolve("costs.csv"),
                IntStream.range(0, 10)
                        .mapToObj(r -> DoubleStream.of(matrix.row(r))
                                .mapToObj(Double::toString)
                                .collect(Collectors.joining(",")))
                        .toList());
        JsonNode own = evaluated(copy, "--scorers", "wood");
        assertThat(settings(own)).startsWith("{\"cost\":\"matrix\"");
        assertThat(threshold(own))
                .isEqualTo(threshold(evaluated(original(), "--scorers", "wood", "--cost", file)))
                .isNotEqualTo(threshold(evaluated(original(), "--scorers", "wood")));
        assertThat(calibratedScorer(copy).path("cost").asText()).isEqualTo("matrix");
    }

    private static double threshold(JsonNode figures) {
        return named(figures.path("scorers"), "name", "wood").path("threshold").asDouble();
    }

    @Test
    void whatIsReadIsNotWrittenOver() throws IOException {
        Path logits = Files.writeString(folder.resolve("logits.csv"), "1,2\n3,4\n");
        Answer scored = wood("score", "--logits", logits, "--out", folder.resolve("./logits.csv"));
        assertThat(scored.code()).isEqualTo(2);
        assertThat(scored.err()).contains("this is one that is read, which would be lost");
        assertThat(logits).hasContent("1,2\n3,4");
        Path onnx = Files.writeString(folder.resolve("classifier.onnx"), "weights");
        Path picture = folder.resolve("pictures/cat/a.png");
        Files.createDirectories(picture.getParent());
        ImageFile.writePng(Image.of(new ai.wood.data.Shape(1, 4, 4), new byte[16]), picture);
        byte[] before = Files.readAllBytes(picture);
        String pictures = "folder:" + folder.resolve("pictures");
        for (Answer answer : List.of(
                wood("data", "show", pictures, "--out", picture),
                wood("evaluate", run, "--ood", "rotated:" + pictures, "-o", picture),
                wood("evaluate", run, "--ood", pictures, "--figures", folder.resolve("pictures/figures")),
                wood("adopt", onnx, "--ind", pictures, "--out", folder.resolve("pictures/run")))) {
            assertThat(answer.code()).isEqualTo(2);
            assertThat(answer.err()).contains("must not be written into the dataset");
        }
        assertThat(picture).hasBinaryContent(before);
    }

    @Test
    void aCostMatrixThatIsMissedOrNoneIsRefused() throws IOException {
        Path copy = taught("custom", 1);
        Answer missed = wood("calibrate", copy);
        assertThat(missed.code()).isEqualTo(2);
        assertThat(missed.err()).contains("cost.safetensors", "there is no such file", "Name another ground cost");
        assertThat(wood("calibrate", copy, "--cost", "binary").code()).isZero();
        Answer costless = wood("calibrate", copy, "--scorer", "energy");
        assertThat(costless.code()).as(costless.err()).isZero();
        assertThat(evaluated(copy, "--scorers", "energy,msp").path("scorers")).hasSize(2);
        new SafetensorsWriter()
                .add("cost", Matrix.wrap(new double[] {0, -1, 1, 0}, 2))
                .write(copy.resolve("cost.safetensors"));
        Answer negative = wood("calibrate", copy);
        assertThat(negative.code()).isEqualTo(2);
        assertThat(negative.err()).contains("cost.safetensors: a cost must be finite and not negative");
    }

    @ParameterizedTest
    @CsvSource({
        "no-such, 1, there is no ground cost 'no-such'",
        "binary, -1, temperature must be positive and finite but is -1.0",
        "binary, x, is not a description of a training"
    })
    void aTaughtScoreThatIsNoneIsRefused(String cost, String temperature, String told) throws IOException {
        Answer answer = wood("calibrate", taught(cost, temperature));
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains("training.json: is not a description of a training", told);
    }

    @Test
    void imageScorersAreComparedOnRequest() throws IOException {
        Path json = folder.resolve("figures.json");
        Answer answer = wood(
                "evaluate",
                run,
                "--ood",
                "blobs",
                "--scorers",
                "odin,invariance,msp",
                "--limit",
                50,
                "--bootstrap",
                0,
                "-o",
                json);
        assertThat(answer.code()).as(answer.err()).isZero();
        JsonNode scorers = JSON.readTree(json.toFile()).path("scorers");
        assertThat(named(scorers, "name", "odin").path("tunedOn").asText())
                .startsWith("held-out samples of seen OOD: fashion-mnist-small");
        assertThat(named(scorers, "name", "invariance").path("tunedOn").asText())
                .startsWith("held-out InD samples: mnist-small");
        assertThat(named(scorers, "name", "msp").path("tunedOn").asText("none")).isEmpty();
    }

    @Test
    void changedDataAreNotTakenForTheRunsOwn() throws IOException {
        Path copy = copy();
        Files.writeString(
                copy.resolve("data.json"),
                Files.readString(copy.resolve("data.json")).replace("\"seed\" : 0", "\"seed\" : 1"));
        Answer answer = wood("evaluate", copy, "--ood", "blobs", "--scorers", "wood", "--limit", 50);
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains("other samples of mnist-small");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--scorers; no-such; no-such",
                "--near; cifar10; near",
                "--limit; -1; must be positive but is -1",
                "--ood; no-such; no-such",
                "--cost; no-such; no-such",
                "--temperature; NaN; temperature must be positive and finite but is NaN"
            })
    void badOptionsAreNamed(String option, String value, String hint) {
        Answer answer = wood("evaluate", run, "--ood", "blobs", option, value);
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains(hint).doesNotContain("Exception");
    }

    @Test
    void aFolderThatIsNoRunIsExplained() {
        Answer answer = wood("evaluate", folder, "--ood", "blobs");
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains("data.json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"wood", "mahalanobis"})
    void aDetectorJudgesPicturesAsItsPartsDo(String scorer) throws IOException {
        Path copy = copy();
        Answer calibrated = wood("calibrate", copy, "--scorer", scorer, "--tnr", 0.9, "--conformal");
        assertThat(calibrated.code()).as(calibrated.err()).isZero();
        assertThat(calibrated.out()).contains("threshold", "detector.json");
        Path pictures = Files.createDirectories(folder.resolve("pictures/deep"));
        List<Image> images = Stream.of(0, 1, 2)
                .map(i -> {
                    try {
                        return Catalogue.at(null)
                                .open("mnist-small", Split.TEST)
                                .get(i)
                                .image();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                })
                .toList();
        for (int i = 0; i < images.size(); i++) {
            ImageFile.writePng(images.get(i), pictures.resolve(i + ".png"));
        }
        Answer scored = wood("score", copy, folder.resolve("pictures"));
        assertThat(scored.code()).as(scored.err()).isZero();
        List<String> lines = scored.out().lines().toList();
        assertThat(lines).hasSize(3);
        try (SampleDetector<Image> detector = ImageDetector.load(copy)) {
            List<Verdict> verdicts = detector.detect(images);
            for (int i = 0; i < 3; i++) {
                JsonNode line = JSON.readTree(lines.get(i));
                assertThat(line.path("file").asText()).endsWith("deep/" + i + ".png");
                assertThat(line.path("score").asDouble())
                        .isCloseTo(
                                verdicts.get(i).score(),
                                within(1e-4 * Math.abs(verdicts.get(i).score())));
                assertThat(line.path("pValue").asDouble()).isBetween(1 / 61.0, 1.0);
                assertThat(line.path("ood").asBoolean())
                        .isEqualTo(verdicts.get(i).ood());
            }
        }
    }

    @Test
    void autoTakesTheScorerThatMissesLeastOfOodThatTestsNothing() throws IOException {
        Path copy = copy();
        Answer calibrated = wood("calibrate", copy, "--scorer", "auto", "--fit-limit", 50);
        assertThat(calibrated.code()).as(calibrated.err()).isZero();
        List<String[]> rows = calibrated
                .out()
                .lines()
                .skip(1)
                .takeWhile(line -> !line.startsWith("threshold"))
                .map(line -> line.split(" +"))
                .toList();
        assertThat(rows).hasSizeGreaterThan(10);
        assertThat(rows.stream().map(row -> Double.parseDouble(row[1]))).isSorted();
        assertThat(rows.stream().map(row -> row[0])).doesNotContain("mahalanobis-ensemble", "confidence");
        assertThat(Detector.load(copy).kind().id()).isEqualTo(rows.get(0)[0]);
    }

    @Test
    void autoTellsWhichScorersCouldNotBeMeasuredAndWhy() throws IOException {
        Path copy = copy();
        Answer calibrated = wood("calibrate", copy, "--scorer", "auto", "--fit-limit", 5, "--json");
        assertThat(calibrated.code()).as(calibrated.err()).isZero();
        assertThat(calibrated.err()).contains("wood: warning: vim is left out of the choice: the features");
        assertThat(JSON.readTree(calibrated.out()).path("scorer").asText()).isNotEqualTo("vim");
    }

    @Test
    void classesWithoutAnAlarmAreNamedWithTheReason() throws IOException {
        Path copy = copy();
        Answer quantile = wood("calibrate", copy, "--per-class", "--fit-limit", 3);
        assertThat(quantile.err())
                .contains("never raise an alarm: no held-out sample was predicted as one of them. Maybe")
                .doesNotContain("conformal");
        Answer conformal = wood("calibrate", copy, "--per-class", "--fit-limit", 3, "--conformal");
        assertThat(conformal.err()).contains("a conformal threshold at TNR 0.95 needs 19 held-out samples of a class");
    }

    /** A run whose logits are all the given one. */
    private Path saying(float logit) throws IOException {
        Path copy = copy();
        Path file = copy.resolve("network.safetensors");
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        int header = (int) bytes.getLong();
        JsonNode bias = JSON.readTree(bytes.array(), 8, header).path("fc.bias").path("data_offsets");
        for (int at = bias.path(0).asInt(); at < bias.path(1).asInt(); at += Float.BYTES) {
            bytes.putFloat(8 + header + at, logit);
        }
        Files.write(file, bytes.array());
        return copy;
    }

    @Test
    void tooFewScoresForAConformalThresholdAreExplained() throws IOException {
        Path copy = copy();
        Answer tooFew = wood("calibrate", copy, "--scorer", "max-logit", "--conformal", "--fit-limit", 3);
        assertThat(tooFew.code()).isEqualTo(2);
        assertThat(tooFew.err())
                .isEqualTo("wood: " + copy
                        + ": a conformal threshold at TNR 0.95 needs at least 19 scores but there are 3."
                        + " Maybe hold out more, or a lower --tnr: 0.75 at most with so many.\n");
        Answer perClass = wood("calibrate", copy, "--scorer", "max-logit", "--per-class", "--fit-limit", 3);
        assertThat(perClass.code()).isZero();
        assertThat(perClass.err()).contains("never raise an alarm: no held-out sample");
        assertThat(copy.resolve("detector.json")).exists();
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN})
    void outputsThatAreNotFiniteAreNotCalibratedOn(float value) throws IOException {
        Path copy = saying(value);
        Answer answer = wood("calibrate", copy, "--scorer", "max-logit", "--conformal");
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains(copy.toString(), "row 1: logits must be finite", "training diverged");
        assertThat(copy.resolve("detector.json")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"95", "1", "NaN"})
    void aConfidenceThatIsNoShareIsRefusedBeforeAnythingIsDone(String confidence) throws IOException {
        Path copy = copy();
        Answer answer = wood("calibrate", copy, "--confidence", confidence);
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err())
                .startsWith("wood: --confidence must lie strictly between 0 and 1 but is")
                .contains("Maybe give a share");
        assertThat(copy.resolve("outputs")).doesNotExist();
        assertThat(copy.resolve("detector.json")).doesNotExist();
    }

    @Test
    void unreadablePicturesAreNamedPassedOverAndToldByTheExitCode() throws IOException {
        assertThat(wood("calibrate", run, "--per-class").code()).isZero();
        Files.writeString(folder.resolve("broken.png"), "no picture");
        ImageFile.writePng(Image.of(new ai.wood.data.Shape(3, 40, 50), new byte[6000]), folder.resolve("whole.png"));
        Answer answer = wood(
                "score", run, folder.resolve("broken.png"), folder.resolve("whole.png"), folder.resolve("none.png"));
        assertThat(answer.code()).isEqualTo(3);
        assertThat(answer.err()).contains("broken.png", "none.png").doesNotContain("Exception");
        assertThat(answer.out().lines()).hasSize(1);
        assertThat(JSON.readTree(answer.out()).path("file").asText()).endsWith("whole.png");
    }

    @Test
    void foldersWithoutPicturesAndLinksThatLeadNowhereAreNamed() throws IOException {
        Path copy = copy();
        assertThat(wood("calibrate", copy).code()).isZero();
        Path pictures = Files.createDirectories(folder.resolve("pictures"));
        Answer none = wood("score", copy, pictures);
        assertThat(none.code()).isEqualTo(2);
        assertThat(none.err()).contains("there is no image", "*.png");
        ImageIO.write(
                new BufferedImage(20, 20, BufferedImage.TYPE_BYTE_GRAY),
                "png",
                pictures.resolve("whole.png").toFile());
        Files.createSymbolicLink(pictures.resolve("dangling.png"), folder.resolve("nowhere.png"));
        Answer answer = wood("score", copy, pictures);
        assertThat(answer.code()).isEqualTo(3);
        assertThat(answer.err()).contains("dangling.png");
        assertThat(answer.out().lines()).singleElement().asString().contains("whole.png");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "{}", "[1]", "{\"network\":1}"})
    void whatDescribesNoDetectorIsRefused(String json) throws IOException {
        Path copy = copy();
        Files.writeString(copy.resolve("detector.json"), json);
        Answer answer = wood("score", copy, folder);
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains("detector.json").doesNotContain("this should not have happened");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\"kind\" : \"wood\"; \"kind\" : \"no-such\"; no-such",
                "\"perClass\" : false; \"perClass\" : true; needs 10 thresholds",
                "\"tnr\" : 0.95; \"tnr\" : \"NaN\"; TNR",
                "\"0\", \"1\",; ; classes",
                "\"calibration\" : \"; \"calibration\" : \"../../secret; SHA-256",
                "\"cost\" : \"dynamic\"; \"cost\" : \"custom\"; no ground cost",
                "\"network.safetensors\"; \"../network.safetensors\"; plain",
                "\"sha256\" : \"; \"sha256\" : \"0; SHA-256"
            })
    void aDetectorThatWasTamperedWithIsRefused(String from, String to, String hint) throws IOException {
        Path copy = copy();
        assertThat(wood("calibrate", copy).code()).isZero();
        Path file = copy.resolve("detector.json");
        String text = Files.readString(file);
        assertThat(text).contains(from);
        Files.writeString(file, text.replace(from, to == null ? "" : to));
        Answer answer = wood("score", copy, folder);
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains(hint).doesNotContain("this should not have happened");
    }

    @Test
    void aDetectorNeedsNoOutputsAnyMore() throws IOException {
        Path copy = copy();
        assertThat(wood("calibrate", copy, "--scorer", "mahalanobis").code()).isZero();
        try (Stream<Path> files = Files.list(copy.resolve("outputs"))) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        ImageDetector.load(copy).close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "wood",
                "knn",
                "mahalanobis-ensemble",
                "vim",
                "react",
                "trust",
                "odin",
                "mahalanobis-noise",
                "invariance"
            })
    void aBundleSaysWhatItsRunSays(String scorer) throws IOException {
        Path copy = copy();
        assertThat(wood("calibrate", copy, "--scorer", scorer, "--conformal").code())
                .isZero();
        Path file = folder.resolve("detector.wood");
        Answer bundled = wood("bundle", copy, "-o", file);
        assertThat(bundled.code()).as(bundled.err()).isZero();
        assertThat(bundled.out()).contains("detector.wood", scorer, "10 classes", "network torch");
        Path pictures = Files.createDirectories(folder.resolve("pictures"));
        for (String set : List.of("mnist-small", "fashion-mnist-small")) {
            for (int i = 0; i < 5; i++) {
                Image image = Catalogue.at(null).open(set, Split.TEST).get(i).image();
                ImageFile.writePng(image, pictures.resolve(set + i + ".png"));
            }
        }
        Answer fromRun = wood("score", copy, pictures);
        Answer fromFile = wood("score", file, pictures);
        assertThat(fromRun.out().lines()).hasSize(10);
        assertThat(fromFile).isEqualTo(fromRun);
    }

    @Test
    void aBundleJudgesLogitsWithoutANetwork() throws IOException {
        Path copy = copy();
        assertThat(wood("calibrate", copy, "--scorer", "energy").code()).isZero();
        Path file = folder.resolve("outputs.wood");
        assertThat(wood("bundle", copy, "--outputs-only", "-o", file).code()).isZero();
        Path logits = folder.resolve("logits.csv");
        Files.writeString(logits, "9,0,0,0,0,0,0,0,0,0\n0,0,0,0,0,0,0,0,0,0.5\n");
        Answer answer = wood("score", file, "--logits", logits);
        assertThat(answer.code()).as(answer.err()).isZero();
        List<String> lines = answer.out().lines().toList();
        assertThat(JSON.readTree(lines.get(0)).path("row").asInt()).isZero();
        assertThat(JSON.readTree(lines.get(1)).path("label").asText()).isEqualTo("9");
        assertThat(JSON.readTree(lines.get(1)).path("score").asDouble())
                .isCloseTo(-Math.log(9 + Math.exp(0.5)), within(1e-12));
        assertThat(wood("score", copy, "--logits", logits)).isEqualTo(answer);
        Answer pictures = wood("score", file, folder);
        assertThat(pictures.code()).isEqualTo(2);
        Answer other = wood("score", file, "--logits", logits, "--scorer", "msp");
        assertThat(other.code()).isEqualTo(2);
        assertThat(other.err()).contains("--scorer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"knn", "mahalanobis-ensemble"})
    void aDetectorThatNeedsMoreThanLogitsSaysSo(String scorer) throws IOException {
        Path copy = copy();
        assertThat(wood("calibrate", copy, "--scorer", scorer).code()).isZero();
        Path logits = Files.writeString(folder.resolve("logits.csv"), "9,0,0,0,0,0,0,0,0,0\n");
        Answer answer = wood("score", copy, "--logits", logits);
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err())
                .startsWith("wood: `wood score DETECTOR` is now")
                .contains(copy + ": The scorer " + scorer + " needs features", "Or give images");
    }

    @Test
    void aBundleWithNeitherNetworkNorFeaturesSaysWhatItIsGoodFor() throws IOException {
        Path copy = copy();
        assertThat(wood("calibrate", copy, "--scorer", "knn").code()).isZero();
        Path file = folder.resolve("outputs.wood");
        Answer bundled = wood("bundle", copy, "--outputs-only", "-o", file);
        assertThat(bundled.code()).isZero();
        assertThat(bundled.err()).startsWith("wood: warning: the scorer knn needs features");
        Path logits = Files.writeString(folder.resolve("logits.csv"), "9,0,0,0,0,0,0,0,0,0\n");
        assertThat(wood("score", file, "--logits", logits).err())
                .contains("The scorer knn needs features. Give --features")
                .doesNotContain("images");
        assertThat(wood("score", file, folder).err())
                .contains("images need a network", "pack the run with its network")
                .doesNotContain("--logits");
    }

    @ParameterizedTest
    @ValueSource(strings = {"network.safetensors", "network.json", "network.onnx", "detector.json", "data.json"})
    void partsOfARunAreNotWrittenOver(String part) throws IOException {
        Path copy = copy();
        assertThat(wood("calibrate", copy, "--scorer", "energy").code()).isZero();
        Path file = copy.resolve(part);
        byte[] before = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
        Path link = Files.createSymbolicLink(folder.resolve("link"), copy);
        for (Answer answer : List.of(
                wood("bundle", copy, "-o", file),
                wood("bundle", copy, "--outputs-only", "-o", link.resolve(part)),
                wood("export", copy, "--onnx", file),
                wood("evaluate", copy, "--ood", "blobs", "--limit", 50, "-o", file))) {
            assertThat(answer.code()).isEqualTo(2);
            assertThat(answer.err()).contains(part + ": a new file is to be written but this is a part of the run");
        }
        assertThat(Files.exists(file) ? Files.readAllBytes(file) : new byte[0]).isEqualTo(before);
    }

    @Test
    void aBundleIsNotWrittenOverByItsOutputs() throws IOException {
        Path copy = copy();
        Path file = copy.resolve("detector.wood");
        assertThat(wood("calibrate", copy, "--scorer", "energy").code()).isZero();
        assertThat(wood("bundle", copy, "-o", file).code()).isZero();
        assertThat(wood("bundle", copy, "-o", file).code()).isZero();
        assertThat(wood("bundle", file, "--outputs-only", "-o", file).err()).contains("the one that is read");
        assertThat(wood("bundle", copy, "-o", copy).err()).contains("this is a folder");
    }

    @Test
    void bundlesAreNotWrittenInPlaceOfFolders() throws IOException {
        Path copy = copy();
        assertThat(wood("calibrate", copy, "--scorer", "energy").code()).isZero();
        Answer answer = wood("bundle", copy, "-o", folder);
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err().strip())
                .isEqualTo(
                        "wood: " + folder + ": a file is to be written but this is a folder. Maybe name a file in it.");
    }

    @Test
    void aBundleIsNotBundledAgainButForItsOutputs() throws IOException {
        Path copy = copy();
        Path file = folder.resolve("first.wood");
        assertThat(wood("calibrate", copy, "--scorer", "energy").code()).isZero();
        assertThat(wood("bundle", copy, "-o", file).code()).isZero();
        Answer again = wood("bundle", file, "-o", folder.resolve("second.wood"));
        assertThat(again.code()).isEqualTo(2);
        assertThat(again.err()).startsWith("wood: " + file + ": a network is packed from the folder of a run");
        assertThat(wood("bundle", file, "--outputs-only", "-o", folder.resolve("second.wood"))
                        .code())
                .isZero();
    }

    @Test
    void aRunWithoutADetectorIsNotBundled() throws IOException {
        Answer answer = wood("bundle", copy(), "-o", folder.resolve("detector.wood"));
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains("wood calibrate");
    }

    @Test
    void adoptedWeightsGiveTheSameFiguresAndSayWhatIsUnknown() throws IOException {
        Path adopted = folder.resolve("adopted");
        Answer answer = wood(
                "adopt",
                run.resolve("network.safetensors"),
                "--network",
                "small-cnn",
                "--ind",
                "mnist-small",
                "--out",
                adopted);
        assertThat(answer.code()).as(answer.err()).isZero();
        Path first = folder.resolve("1.json");
        Path second = folder.resolve("2.json");
        for (Path[] pair : new Path[][] {{original(), first}, {adopted, second}}) {
            Answer evaluated =
                    wood("evaluate", pair[0], "--ood", "blobs", "--scorers", "wood", "--limit", 100, "-o", pair[1]);
            assertThat(evaluated.code()).as(evaluated.err()).isZero();
        }
        JsonNode own = JSON.readTree(first.toFile());
        JsonNode theirs = JSON.readTree(second.toFile());
        for (String metric : List.of("auroc", "fnr95")) {
            JsonNode measured =
                    theirs.path("scorers").path(0).path("sets").path(0).path(metric);
            assertThat(measured)
                    .hasSize(3)
                    .isEqualTo(own.path("scorers").path(0).path("sets").path(0).path(metric));
        }
        assertThat(theirs.path("notes").toString())
                .contains("trained elsewhere", "Whether it saw OOD that is called unseen is unknown too.");
        assertThat(own.path("notes")).isEmpty();
        Answer calibrated = wood("calibrate", adopted, "--conformal");
        assertThat(calibrated.code()).as(calibrated.err()).isZero();
        assertThat(calibrated.err()).contains("trained elsewhere", "more frequent than promised");
        for (String existing : List.of("--resume", "--no-augment")) {
            Answer trained = wood(
                    "train",
                    "--ind",
                    "mnist-small",
                    "--loss",
                    "plain",
                    "--network",
                    "small-cnn",
                    "--out",
                    adopted,
                    existing);
            assertThat(trained.code()).isEqualTo(2);
            assertThat(trained.err()).contains("another folder");
        }
        assertThat(adopted.resolve("network.safetensors")).hasSameBinaryContentAs(run.resolve("network.safetensors"));
        assertThat(wood(
                                "adopt",
                                run.resolve("network.safetensors"),
                                "--network",
                                "small-cnn",
                                "--ind",
                                "mnist-small",
                                "--out",
                                adopted)
                        .err())
                .contains("there is a run already");
        Path begun = Files.createDirectories(folder.resolve("begun"));
        Files.writeString(begun.resolve("options.json"), "{}");
        assertThat(wood(
                                "adopt",
                                run.resolve("network.safetensors"),
                                "--network",
                                "small-cnn",
                                "--ind",
                                "mnist-small",
                                "--out",
                                begun)
                        .err())
                .contains("there is a run already");
        Answer wrong = wood(
                "adopt",
                run.resolve("network.safetensors"),
                "--network",
                "resnet-20",
                "--ind",
                "mnist-small",
                "--out",
                folder.resolve("wrong"));
        assertThat(wrong.code()).isEqualTo(2);
        assertThat(folder.resolve("wrong")).doesNotExist();
    }

    @Test
    void whatGoesOnFromANetworkSeesImagesAsItDid() throws IOException {
        Path adopted = folder.resolve("adopted");
        Path weights = run.resolve("network.safetensors");
        Object[] adopt = {
            "adopt",
            weights,
            "--network",
            "small-cnn",
            "--ind",
            "mnist-small",
            "--normalise",
            "0.1/0.3",
            "--out",
            adopted
        };
        assertThat(wood(adopt).code()).isZero();
        Path out = folder.resolve("further");
        List<Object> train =
                new ArrayList<>(List.of("train", "--from", adopted, "--out", out, "--network", "small-cnn"));
        train.addAll(List.of("--ind", "mnist-small", "--loss", "plain", "--limit", 200, "--epochs", 1));
        Answer trained = wood(train.toArray());
        assertThat(trained.code()).as(trained.err()).isZero();
        assertThat(NetworkDescription.read(out).normalise()).isEqualTo(new Normalise(List.of(0.1), List.of(0.3)));
        Path description = adopted.resolve(NetworkDescription.FILE);
        Files.writeString(
                description, Files.readString(description).replace("\"legacyPool\" : false", "\"legacyPool\" : true"));
        train.add("--overwrite");
        Answer other = wood(train.toArray());
        assertThat(other.code()).isEqualTo(2);
        assertThat(other.err()).contains("7 x 7 window", "Maybe give --legacy-pool");
    }

    @Test
    void aNetworkThatIsReplacedMeanwhileIsNotCalibrated() throws IOException {
        Path copy = copy();
        Path description = copy.resolve(NetworkDescription.FILE);
        EvaluateOptions options = EvaluateOptions.of(List.of()).withScorers(List.of(ScorerKinds.msp()));
        OutputStore.Progress training = (name, done, total) -> append(description, " ");
        try (Run opened = Run.open(copy, Catalogue.at(null), "cpu", training)) {
            assertThatThrownBy(() -> opened.calibrate(options, ThresholdPolicy.quantile(0.95)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContainingAll("was replaced", "wait until its training has ended");
        }
    }

    private static void append(Path file, String text) {
        try {
            Files.writeString(file, text, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Misspelt, a set that was seen would be told of as unseen. */
    @Test
    void anOodSetThatIsNoneIsNotTakenForOneThatWasSeen() throws IOException {
        Path adopted = folder.resolve("adopted");
        Path weights = run.resolve("network.safetensors");
        List<Object> adopt = List.of("adopt", weights, "--network", "small-cnn", "--ind", "mnist-small");
        Answer misspelt = wood(with(adopt, "--ood", "fashion-mnist-smal", "--out", adopted));
        assertThat(misspelt.code()).isEqualTo(2);
        assertThat(misspelt.err()).contains("Did you mean fashion-mnist-small?");
        assertThat(adopted).doesNotExist();
        Answer missing = wood(with(adopt, "--ood", "textures", "--out", adopted, "--data", folder));
        assertThat(missing.code()).as(missing.err()).isZero();
        assertThat(missing.err())
                .startsWith("wood: warning: the OOD set textures cannot be opened: ")
                .contains("wood data fetch textures");
        assertThat(adopted).exists();
    }

    @Test
    void adoptedWeightsSeeImagesOfTheShapeThatIsTold() throws IOException {
        Path adopted = folder.resolve("adopted");
        Path weights = run.resolve("network.safetensors");
        List<Object> adopt = List.of("adopt", weights, "--network", "small-cnn", "--ind", "mnist-small");
        assertThat(wood(with(adopt, "--shape", "1x20x24", "--out", adopted)).code())
                .isZero();
        assertThat(JSON.readTree(adopted.resolve("data.json").toFile())
                        .path("shape")
                        .asText())
                .isEqualTo("1x20x24");
        assertThat(NetworkDescription.read(adopted).shape()).isEqualTo(new ai.wood.data.Shape(1, 20, 24));
        JsonNode figures = evaluated(adopted, "--scorers", "msp");
        assertThat(figures.path("accuracy").asDouble()).isBetween(0.0, 1.0);
    }

    private static Object[] with(List<Object> args, Object... more) {
        return Stream.concat(args.stream(), Arrays.stream(more)).toArray();
    }

    @Test
    void whereTrainingSawNoOodScorersAreTunedOnGeneratedOodOfOtherKinds() throws IOException {
        Path adopted = folder.resolve("adopted");
        Path json = folder.resolve("figures.json");
        wood(
                "adopt",
                run.resolve("network.safetensors"),
                "--network",
                "small-cnn",
                "--ind",
                "mnist-small",
                "--out",
                adopted);
        Answer answer = wood(
                "evaluate",
                adopted,
                "--ood",
                "blobs,uniform-noise,blurred:mnist-small,patch-shuffled:mnist-small",
                "--scorers",
                "odin",
                "--limit",
                40,
                "--bootstrap",
                0,
                "-o",
                json);
        assertThat(answer.code()).as(answer.err()).isZero();
        String tunedOn = named(JSON.readTree(json.toFile()).path("scorers"), "name", "odin")
                .path("tunedOn")
                .asText();
        assertThat(tunedOn)
                .startsWith("generated OOD: gaussian-noise+")
                .contains("mixed-up:mnist-small")
                .doesNotContain("blobs", "uniform-noise", "blurred", "jigsaw");
    }

    @ParameterizedTest
    @ValueSource(strings = {"evaluate", "adopt", "calibrate", "score", "detect"})
    void everyCommandTeachesByExample(String command) {
        Answer help = wood(command, "--help");
        assertThat(help.code()).isZero();
        assertThat(help.out()).contains("Example", "wood " + command);
    }
}
