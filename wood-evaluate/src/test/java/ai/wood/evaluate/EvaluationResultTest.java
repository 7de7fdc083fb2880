package ai.wood.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import ai.wood.Detector;
import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Settings;
import ai.wood.evaluate.EvaluationResult.ScorerResult;
import ai.wood.evaluate.EvaluationResult.SetResult;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.Metric;
import ai.wood.score.ScorerKinds;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EvaluationResultTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private static SampleSet samples(String name, long seed, double certainty, int size) {
        Random random = new Random(seed);
        double[][] logits = IntStream.range(0, size)
                .mapToObj(i -> new double[] {certainty + random.nextGaussian(), random.nextGaussian(), i % 2})
                .toArray(double[][]::new);
        return SampleSet.of(name, Outputs.ofLogits(Matrix.of(logits)), new int[size], "0".repeat(64));
    }

    private static EvaluationResult result(Bootstrap bootstrap, int validation) {
        Detector detector = Detector.of(ScorerKinds.byId("energy"))
                .conformal(0.8)
                .calibrate(samples("own", 9, 4, 50).outputs());
        NetworkOutputs outputs = new NetworkOutputs(
                "network",
                detector,
                new ScorerSetup(FitData.NONE, Settings.NONE),
                null,
                samples("ind", 1, 4, validation),
                samples("ind", 2, 4, 60),
                List.of(
                        new Ood(samples("a", 3, 0, 40), true, Distance.NEAR),
                        new Ood(samples("b", 4, 1, 40), false, Distance.UNKNOWN)),
                false,
                List.of());
        Comparison comparison = Comparison.of(
                outputs, List.of(ScorerKinds.wood(), ScorerKinds.byId("energy"), ScorerKinds.knn()), 0.9, bootstrap);
        return EvaluationResult.of(comparison, List.of("A note."), 0.9, bootstrap);
    }

    private static EvaluationResult result() {
        return result(Bootstrap.DEFAULTS.withReplicates(100), 100);
    }

    private JsonNode written(EvaluationResult result) throws IOException {
        Path file = folder.resolve("result.json");
        result.write(file);
        return JSON.readTree(file.toFile());
    }

    @Test
    void whatIsWrittenIsReadBack() throws IOException {
        for (EvaluationResult result : List.of(result(), result(Bootstrap.NONE, 3))) {
            Path file = folder.resolve("result.json");
            result.write(file);
            assertThat(EvaluationResult.read(file)).isEqualTo(result);
        }
        assertThat(result(Bootstrap.NONE, 3).scorers().get(0).threshold()).isInfinite();
    }

    @Test
    void exactlyTheDetectorsScorerIsDeployedWithTheDetectorsThreshold() {
        EvaluationResult result = result();
        double threshold = Detector.of(ScorerKinds.byId("energy"))
                .conformal(0.8)
                .calibrate(samples("own", 9, 4, 50).outputs())
                .threshold(0)
                .value();
        assertThat(result.scorers()).extracting(ScorerResult::name).containsExactly("wood", "energy");
        assertThat(result.scorers())
                .filteredOn(ScorerResult::deployed)
                .singleElement()
                .satisfies(deployed -> {
                    assertThat(deployed.name()).isEqualTo("energy");
                    assertThat(deployed.threshold()).isEqualTo(threshold);
                    assertThat(deployed.tnr()).isEqualTo(0.8);
                    assertThat(deployed.thresholdSamples()).isEqualTo(50);
                });
        assertThat(result.skipped()).singleElement().satisfies(skipped -> {
            assertThat(skipped.name()).isEqualTo("knn");
            assertThat(skipped.reason()).contains("needs features");
        });
    }

    @Test
    void eachScorerContainsItsMetricsForEveryOodSet() throws IOException {
        JsonNode json = written(result());
        assertThat(json.path("format").asInt()).isEqualTo(1);
        for (JsonNode scorer : json.path("scorers")) {
            assertThat(scorer.path("deployed").isBoolean()).isTrue();
            assertThat(scorer.path("sets")).hasSize(2);
            for (JsonNode set : scorer.path("sets")) {
                for (String key : List.of("auroc", "fnr95", "aupr", "auprIn", "fpr95_openood", "detectionError")) {
                    assertThat(set.path(key).path("value").asDouble(-1))
                            .isBetween(
                                    set.path(key).path("low").asDouble(2),
                                    set.path(key).path("high").asDouble(-2));
                }
                assertThat(set.path("detectionRate").isNumber()).isTrue();
            }
            assertThat(scorer.path("means").path("near").path("auroc").asDouble())
                    .isEqualTo(scorer.path("sets")
                            .path(0)
                            .path("auroc")
                            .path("value")
                            .asDouble());
            assertThat(scorer.path("means").has("far")).isFalse();
        }
        assertThat(written(result(Bootstrap.NONE, 100))
                        .at("/scorers/0/sets/0/auroc")
                        .isNumber())
                .isTrue();
    }

    @Test
    void metricsHaveTheirKeysAsNames() throws IOException {
        EvaluationResult result = result(Bootstrap.NONE, 100);
        SetResult set = result.scorers().get(0).sets().get(0);
        JsonNode json = written(result).at("/scorers/0/sets/0");
        for (Metric metric : Metric.values()) {
            assertThat(json.path(metric.key()).doubleValue())
                    .isEqualTo(set.metric(metric).value());
        }
    }

    private void refused(Consumer<ObjectNode> damage, String reason) throws IOException {
        ObjectNode json = (ObjectNode) written(result());
        damage.accept(json);
        Path file = folder.resolve("damaged.json");
        JSON.writeValue(file.toFile(), json);
        assertThatIOException()
                .isThrownBy(() -> EvaluationResult.read(file))
                .withMessageContainingAll(file + ": is not the result of an evaluation", reason);
    }

    private static ObjectNode scorer(ObjectNode json) {
        return (ObjectNode) json.at("/scorers/0");
    }

    @Test
    void aFileThatIsNoResultIsRefusedWithTheReason() throws IOException {
        refused(json -> json.put("format", 2), "its format is 2 but this program reads format 1");
        refused(json -> json.remove("format"), "format");
        refused(json -> json.put("unknown", 1), "unknown");
        refused(json -> json.putNull("network"), "network");
        refused(json -> json.put("accuracy", "good"), "good");
        refused(json -> json.putArray("ood"), "must have");
        refused(json -> scorer(json).put("deployed", true), "more than one scorer is deployed");
        refused(json -> scorer(json).remove("threshold"), "threshold");
        refused(json -> scorer(json).putObject("means"), "mean of each metric");
        refused(json -> scorer(json).putObject("settings").putArray("k"), "must be a number or a word");
        refused(json -> ((ArrayNode) scorer(json).path("sets")).remove(0), "must have results on [a, b]");
        refused(json -> ((ObjectNode) json.at("/scorers/0/sets/0")).put("auroc", "high"), "a metric must be a number");
        refused(
                json -> ((ObjectNode) json.at("/scorers/0/sets/0/auroc")).put("low", 2),
                "an interval must not end before it begins");
        refused(json -> json.putObject("bootstrap").put("replicates", 3), "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "[]", "{}", "{\"format\":1}", "not json", "[[[[[[[[["})
    void hostileFilesGiveAnIOException(String text) throws IOException {
        Path file = Files.writeString(folder.resolve("result.json"), text);
        assertThatIOException().isThrownBy(() -> EvaluationResult.read(file)).withMessageContaining("result.json");
    }

    @Test
    void aMissingFileIsNamed() {
        assertThatIOException()
                .isThrownBy(() -> EvaluationResult.read(folder.resolve("none.json")))
                .withMessageContaining("none.json");
    }
}
