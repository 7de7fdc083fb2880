package ai.wood.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Settings;
import ai.wood.ThresholdPolicy;
import ai.wood.Verdict;
import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Detector files of version 0.1 give the verdicts that version 0.1 gave. The README next to them says how they were made. */
class Format1Test {

    @TempDir
    Path folder;

    private static Path resource(String name) {
        try {
            return Path.of(Objects.requireNonNull(Format1Test.class.getResource("format1/" + name))
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    static List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(resource("expected.safetensors").resolveSibling("."))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".wood"))
                    .map(name -> name.substring(0, name.length() - ".wood".length()))
                    .sorted()
                    .toList();
        }
    }

    private static Outputs queries(Safetensors expected) throws IOException {
        return Outputs.ofLogits(expected.matrix("logits"))
                .withFeatures(expected.matrix("features"))
                .withLayers(Map.of("early", expected.matrix("layer.early")))
                .withBranches(Map.of(
                        Outputs.CONFIDENCE, expected.matrix("branch.confidence"),
                        Outputs.REJECT, expected.matrix("branch.reject")));
    }

    @Test
    void thereIsAFileForEveryScorerOfThatVersion() throws IOException {
        assertThat(names())
                .hasSize(26)
                .containsAll(ScorerKinds.ids().stream()
                        .filter(id -> !id.endsWith("-unit")) // newer
                        .toList());
    }

    @ParameterizedTest
    @MethodSource("names")
    void filesOfVersion01GiveTheirVerdicts(String name) throws IOException {
        try (Safetensors expected = Safetensors.open(resource("expected.safetensors"))) {
            Outputs queries = queries(expected);
            Detector detector = Detector.load(resource(name + ".wood"));
            Matrix rows = expected.matrix("verdicts." + name);
            List<Verdict> verdicts = detector.detect(queries);
            assertThat(verdicts).hasSize(rows.rows());
            for (int r = 0; r < rows.rows(); r++) {
                Verdict verdict = verdicts.get(r);
                assertThat(verdict.label()).isEqualTo((int) rows.get(r, 0));
                assertThat(verdict.score()).isCloseTo(rows.get(r, 1), within(1e-12 * Math.abs(rows.get(r, 1))));
                assertThat(verdict.pValue()).isEqualTo(rows.get(r, 2));
                assertThat(verdict.ood()).isEqualTo(rows.get(r, 3) == 1);
            }
            assertThat(detector.classes()).containsExactly("ant", "bee", "\"c\"");
            assertThat(detector.scores()).hasSize(60);
            detector.settings().over(detector.kind().settings());
            assertThat(detector.settings().values().keySet())
                    .as("every setting is stated")
                    .containsExactlyInAnyOrderElementsOf(
                            detector.kind().settings().values().keySet());
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void savingConvertsThemToFormat2(String name) throws IOException {
        Path file = folder.resolve("detector.wood");
        Detector old = Detector.load(resource(name + ".wood"));
        old.save(file);
        try (DetectorFile opened = DetectorFile.open(resource(name + ".wood"))) {
            Path run = Files.createDirectories(folder.resolve("run"));
            DetectorFile.saveInto(run, opened.detector(), opened.classifierParts());
            assertThat(run.resolve("detector.json")).content().contains("\"format\" : 2");
        }
        try (Safetensors expected = Safetensors.open(resource("expected.safetensors"))) {
            Outputs queries = queries(expected);
            Detector converted = Detector.load(file);
            assertThat(converted.detect(queries)).isEqualTo(old.detect(queries));
            assertThat(converted.settings()).isEqualTo(old.settings());
            assertThat(Detector.load(folder.resolve("run")).detect(queries)).isEqualTo(old.detect(queries));
        }
    }

    /** The defaults of those days, not of today. */
    @Test
    void settingsThatVersion01DidNotWriteAreItsConstants() throws IOException {
        assertThat(settings("trust").number("neighbours")).isEqualTo(1);
        assertThat(settings("temperature-msp").number("temperature")).isEqualTo(1000);
        assertThat(settings("ash").number("percentile")).isEqualTo(90);
        assertThat(settings("scale").number("percentile")).isEqualTo(85);
        assertThat(settings("gen"))
                .isEqualTo(
                        Settings.NONE.with("temperature", 1).with("gamma", 0.1).with("largest", 100));
        assertThat(settings("wood-entropic").number("lambda")).isEqualTo(5);
        assertThat(settings("wood-entropic").word("cost")).isEqualTo("binary");
        assertThat(settings("wood-custom").matrix("cost").orElseThrow().rows()).isEqualTo(3);
        assertThat(settings("wood-custom").number("temperature")).isEqualTo(2.5);
    }

    private static Settings settings(String name) throws IOException {
        return Detector.load(resource(name + ".wood")).settings();
    }

    @Test
    void theRestOfADescriptionIsReadToo() throws IOException {
        Detector custom = Detector.load(resource("wood-custom.wood"));
        assertThat(custom.policy()).isEqualTo(new ThresholdPolicy(0.9, false, true));
        assertThat(custom.thresholds()).hasSize(3);
        assertThat(custom.kind()).isSameAs(ScorerKinds.wood());
        assertThat(custom.classifier()).as("the file has no network").isEmpty();
    }
}
