package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.onnx.proto.OnnxMl.ModelProto;
import ai.wood.data.Catalogue;
import ai.wood.data.ImageFile;
import ai.wood.data.Split;
import ai.wood.onnx.OnnxFile;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A trained network out as ONNX and in again: all commands give what they give for the run itself. */
class OnnxCommandsTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static Path shared;

    private static Path run;
    private static Path onnx;

    @TempDir
    Path folder;

    private record Answer(int code, String out, String err) {}

    private static Answer wood(String line, Object... more) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] texts = Stream.concat(Arrays.stream(line.split(" ")), Arrays.stream(more))
                .map(String::valueOf)
                .toArray(String[]::new);
        int code = Main.run(new PrintWriter(out), new PrintWriter(err), texts);
        return new Answer(code, out.toString(), err.toString());
    }

    private static Answer done(String line, Object... more) {
        Answer answer = wood(line, more);
        assertThat(answer.code()).as(answer.err()).isZero();
        return answer;
    }

    @BeforeAll
    static void trainAndExport() {
        run = shared.resolve("run");
        onnx = shared.resolve("digits.onnx");
        done(
                "train --network small-cnn --device cpu --ind mnist-small --ood fashion-mnist-small --limit 800 --epochs 1 --out",
                run);
        done("calibrate --scorer mahalanobis", run);
        Answer answer = done("export", run, "--onnx", onnx);
        assertThat(answer.out()).contains("logits, probabilities, features, score, ood", "mahalanobis", "difference");
    }

    @Test
    void anOnnxFileIsEvaluatedLikeTheRunItCameFrom() throws IOException {
        String judged = "--ood blobs --scorers wood,mahalanobis,vim,odin --limit 200 --bootstrap 0 --json";
        Path own = folder.resolve("own.json");
        Path theirs = folder.resolve("theirs.json");
        done("evaluate " + judged, own, run);
        done("evaluate " + judged, theirs, "--onnx", onnx, "--ind", "mnist-small");
        JsonNode expected = JSON.readTree(own.toFile());
        JsonNode found = JSON.readTree(theirs.toFile());
        assertThat(found.path("network").asText()).isEqualTo("digits");
        assertThat(found.path("accuracy").asDouble())
                .isCloseTo(expected.path("accuracy").asDouble(), within(0.006));
        assertThat(auroc(found, "wood")).isCloseTo(auroc(expected, "wood"), within(0.01));
        assertThat(auroc(found, "mahalanobis")).isGreaterThan(0.5);
        assertThat(auroc(found, "vim")).isGreaterThan(0.5);
        assertThat(found.path("skipped").toString()).contains("odin", "libtorch");
    }

    private static double auroc(JsonNode figures, String scorer) {
        for (JsonNode one : figures.path("scorers")) {
            if (one.path("name").asText().equals(scorer)) {
                return one.path("sets").path(0).path("auroc").asDouble();
            }
        }
        throw new AssertionError(scorer + " is not among " + figures.path("scorers"));
    }

    @Test
    void anAdoptedFileIsCalibratedBundledAndJudgesPictures() throws IOException {
        Path adopted = folder.resolve("adopted");
        Path picture = folder.resolve("digit.png");
        ImageFile.writePng(
                Catalogue.at(null).open("mnist-small", Split.TEST).get(0).image(), picture);
        done("adopt --ind mnist-small --ood fashion-mnist-small", onnx, "--out", adopted);
        assertThat(adopted.resolve("network.onnx")).exists();
        assertThat(wood("adopt --ind mnist-small", onnx, "--out", adopted).err())
                .contains("there is a run already");
        done("calibrate --scorer energy --conformal", adopted);
        Path bundle = folder.resolve("digits.wood");
        done("bundle", adopted, "-o", bundle);
        refused("--engine is for networks that were not ONNX", "bundle --engine torch", adopted, "-o", bundle);
        String verdict = done("score", adopted, picture).out();
        assertThat(done("score", bundle, picture).out()).isEqualTo(verdict);
        done("calibrate --scorer energy --conformal", run);
        JsonNode own = JSON.readTree(done("score", run, picture).out());
        JsonNode theirs = JSON.readTree(verdict);
        assertThat(theirs.path("label")).isEqualTo(own.path("label"));
        assertThat(theirs.path("score").asDouble()).isCloseTo(own.path("score").asDouble(), within(1e-4));
    }

    @Test
    void aFileThatSaysProbabilitiesIsEvaluatedAndCalibrated() throws IOException {
        String judged = "evaluate --ood blobs --scorers msp,energy --limit 200 --bootstrap 0 --json";
        Path own = folder.resolve("own.json");
        Path theirs = folder.resolve("theirs.json");
        done(judged, own, run);
        done(judged, theirs, "--onnx", onnx, "--ind", "mnist-small", "--probabilities", "probabilities");
        JsonNode found = JSON.readTree(theirs.toFile());
        assertThat(auroc(found, "msp")).isCloseTo(auroc(JSON.readTree(own.toFile()), "msp"), within(0.01));
        assertThat(found.path("skipped").toString()).contains("energy", "logits");

        Path adopted = folder.resolve("adopted");
        done("adopt --ind mnist-small --probabilities probabilities", onnx, "--out", adopted);
        done("calibrate --scorer msp --conformal", adopted);
        Path picture = folder.resolve("digit.png");
        ImageFile.writePng(
                Catalogue.at(null).open("mnist-small", Split.TEST).get(0).image(), picture);
        JsonNode verdict = JSON.readTree(done("score", adopted, picture).out());
        assertThat(verdict.path("score").asDouble())
                .isCloseTo(1 - verdict.path("probability").asDouble(), within(1e-6));
    }

    @Test
    void aRunKeepsHowTokensBecomeFeatures() throws IOException {
        Path byDefault = folder.resolve("by-default");
        Path mean = folder.resolve("mean");
        done("adopt --ind mnist-small", onnx, "--out", byDefault);
        done("adopt --ind mnist-small --tokens mean", onnx, "--out", mean);
        assertThat(OnnxFile.read(byDefault.resolve("network.onnx")).metadata()).containsEntry("wood.tokens", "first");
        assertThat(OnnxFile.read(mean.resolve("network.onnx")).metadata()).containsEntry("wood.tokens", "mean");
    }

    @Test
    void aNormalisationOtherThanTheFilesOwnIsWarnedOf() throws IOException {
        String judged = "evaluate --ind mnist-small --ood blobs --scorers wood --limit 50 --bootstrap 0 --normalise ";
        String warning =
                "digits.onnx states that images are normalised by mean [0.0] and deviation [1.0], but --normalise"
                        + " states mean [0.5] and deviation [0.5]. Omit --normalise unless the file is wrong.";
        assertThat(done(judged + "half", "--onnx", onnx).err()).contains(warning);
        assertThat(done(judged + "unit", "--onnx", onnx).err()).doesNotContain("warning");
        String adopt = "adopt --ind mnist-small --normalise half --out " + folder.resolve("adopted");
        assertThat(done(adopt, onnx).err()).contains(warning);

        Path silent = folder.resolve("silent.onnx");
        ModelProto model = ModelProto.parseFrom(Files.readAllBytes(onnx));
        Files.write(silent, model.toBuilder().clearMetadataProps().build().toByteArray());
        assertThat(done(judged + "half", "--onnx", silent, "--logits", "logits").err())
                .doesNotContain("warning");
    }

    @Test
    void classesKeepTheNamesThatTheFileHasForThem() throws IOException {
        Path adopted = folder.resolve("adopted");
        Answer answer = done("adopt --ind fashion-mnist-small", onnx, "--out", adopted);
        assertThat(answer.err()).contains("warning", "[0, 1, 2", "fashion-mnist-small");
        assertThat(OnnxFile.read(adopted.resolve("network.onnx")).options(null).classes())
                .startsWith("0", "1");

        Path turned = folder.resolve("turned.onnx");
        OnnxFile file = OnnxFile.read(onnx);
        file.with(file.options(null).withClasses(List.of("9", "8", "7", "6", "5", "4", "3", "2", "1", "0")))
                .write(turned);
        refused("in this order", "adopt --ind mnist-small", turned, "--out", folder.resolve("x"));
        assertThat(folder.resolve("x")).doesNotExist();
    }

    @Test
    void aBundleMayHoldTheNetworkForTheOtherEngine() throws IOException {
        Path calibrated = folder.resolve("run");
        Files.createDirectories(calibrated);
        for (String part :
                List.of("network.json", "network.safetensors", "data.json", "options.json", "training.json")) {
            Files.copy(run.resolve(part), calibrated.resolve(part));
        }
        done("calibrate --scorer vim --conformal", calibrated);
        Path picture = folder.resolve("digit.png");
        ImageFile.writePng(
                Catalogue.at(null).open("mnist-small", Split.TEST).get(0).image(), picture);
        Path torch = folder.resolve("torch.wood");
        Path other = folder.resolve("onnx.wood");
        assertThat(done("bundle", calibrated, "-o", torch).out()).contains("network torch");
        assertThat(done("bundle --engine onnx", calibrated, "-o", other).out()).contains("network onnx");
        assertThat(done("bundle --engine auto", calibrated, "-o", folder.resolve("auto.wood"))
                        .out())
                .contains("images/s, onnx");
        JsonNode own = JSON.readTree(done("score", torch, picture).out());
        JsonNode theirs = JSON.readTree(done("score", other, picture).out());
        assertThat(theirs.path("label")).isEqualTo(own.path("label"));
        assertThat(theirs.path("score").asDouble()).isCloseTo(own.path("score").asDouble(), within(1e-3));

        done("calibrate --scorer mahalanobis-ensemble --conformal", calibrated);
        refused("layers", "bundle --engine onnx", calibrated, "-o", other);
        Path rejecting = folder.resolve("rejecting");
        done(
                "train --network small-cnn --device cpu --ind mnist-small --ood blobs --limit 300 --epochs 1 --loss reject --out",
                rejecting);
        done("calibrate --scorer reject", rejecting);
        refused("reject", "bundle --engine onnx", rejecting, "-o", other);
    }

    @Test
    void whatCannotBeDoneIsSaidInALine() throws IOException {
        Path adopted = folder.resolve("adopted");
        done("adopt --ind mnist-small", onnx, "--out", adopted);
        refused(
                "is an ONNX file already. Maybe pack it with its detector: wood bundle",
                "export --onnx",
                folder.resolve("again.onnx"),
                adopted);
        refused(
                "adopted: training starts from weights but the network of this run is an ONNX file, which cannot be trained",
                "train --network small-cnn --ind mnist-small --loss plain --from",
                adopted,
                "--out",
                folder.resolve("x"));
        refused("needs RUN", "evaluate --ood blobs --onnx", onnx);
        refused("needs RUN", "evaluate --ood blobs");
        refused(
                "--network",
                "adopt --ind mnist-small",
                run.resolve("network.safetensors"),
                "--out",
                folder.resolve("x"));
        refused("classes wide", "adopt --ind mnist-small --logits features", onnx, "--out", folder.resolve("x"));
        refused(
                "Did you mean Flatten?",
                "adopt --ind mnist-small --features Flaten",
                onnx,
                "--out",
                folder.resolve("x"));
        refused("unit, half", "adopt --ind mnist-small --normalise much", onnx, "--out", folder.resolve("x"));
        assertThat(folder.resolve("x")).doesNotExist();
        Path copy = Files.createDirectories(folder.resolve("copy"));
        for (String name :
                List.of("network.safetensors", "network.json", "data.json", "options.json", "training.json")) {
            Files.copy(run.resolve(name), copy.resolve(name));
        }
        assertThat(done("export", copy, "--onnx", folder.resolve("plain.onnx")).out())
                .contains("wood calibrate");
        done("calibrate --scorer knn", copy);
        refused("knn cannot be written as ONNX", "export --onnx", folder.resolve("knn.onnx"), copy);
        assertThat(folder.resolve("knn.onnx")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"--tnr 2", "--scorers nope", "--bootstrap 1", "--limit -1"})
    void noRunIsMadeOfAnOnnxFileWhereItCannotBeEvaluated(String bad) {
        Path made = folder.resolve("made");
        Answer answer = wood("evaluate --ind mnist-small --ood blobs " + bad, made, "--onnx", onnx);
        assertThat(answer.code()).isEqualTo(2);
        assertThat(made).doesNotExist();
    }

    @Test
    void figuresMayLieInTheRunThatIsMade() {
        Path made = folder.resolve("made");
        String judged = "evaluate --ind mnist-small --ood blobs --scorers wood --limit 50 --bootstrap 0";
        done(judged, made, "--onnx", onnx, "--json", made.resolve("figures.json"));
        assertThat(made.resolve("figures.json")).exists();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void whereItIsStoppedTheRunThatWasMadeForItIsGone() throws IOException, InterruptedException {
        Path temporary = Files.createDirectories(folder.resolve("temporary"));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Main.class.getName(),
                        "evaluate",
                        "--onnx",
                        onnx.toString(),
                        "--ind",
                        "mnist-small",
                        "--ood",
                        "blobs,gaussian-noise,fashion-mnist-small")
                .redirectOutput(Redirect.DISCARD)
                .redirectError(folder.resolve("err").toFile())
                .start();
        while (process.isAlive() && !holds(temporary, "glob:**/wood-*/digits/outputs")) {
            Thread.sleep(20);
        }
        process.destroy();
        assertThat(process.waitFor())
                .as(Files.readString(folder.resolve("err")))
                .isEqualTo(143);
        assertThat(holds(temporary, "glob:**/wood-*")).isFalse();
    }

    private static boolean holds(Path folder, String pattern) throws IOException {
        PathMatcher matcher = folder.getFileSystem().getPathMatcher(pattern);
        try (Stream<Path> all = Files.walk(folder)) {
            return all.anyMatch(matcher::matches);
        } catch (UncheckedIOException e) {
            return false; // what was there is gone
        }
    }

    private static void refused(String message, String line, Object... more) {
        Answer answer = wood(line, more);
        assertThat(answer.err()).contains(message);
        assertThat(answer.code()).isEqualTo(2);
    }
}
