package ai.wood.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.assertj.core.api.Assumptions.assumeThat;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Settings;
import ai.wood.ThresholdPolicy;
import ai.wood.Toy;
import ai.wood.Verdict;
import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A short Python script reads detector files and computes the same verdicts. Skipped without Python and NumPy. */
class PythonReaderTest {

    private static final double[] LOGITS = {0.5, 2.25, -1};

    @TempDir
    Path folder;

    private static String python(Object... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("python3"));
        for (Object arg : args) {
            command.add(arg.toString());
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String out = new String(process.getInputStream().readAllBytes(), UTF_8);
        return process.waitFor() == 0 ? out : "failed: " + out;
    }

    @BeforeEach
    void needsPython() throws InterruptedException {
        String answer;
        try {
            answer = python("-c", "import numpy; print('here')");
        } catch (IOException e) {
            answer = e.getMessage();
        }
        assumeThat(answer).as("skipped: python3 with numpy is needed").isEqualToIgnoringNewLines("here");
    }

    private String read(Detector detector, double... logits) throws IOException, InterruptedException {
        Path file = folder.resolve("detector.wood");
        detector.save(file);
        Path script = Path.of("../docs/read_detector.py").toAbsolutePath().normalize();
        return python(script, file, logits[0], logits[1], logits[2]);
    }

    private void agrees(Detector detector, double... logits) throws IOException, InterruptedException {
        String out = read(detector, logits);
        Verdict verdict = detector.detect(Outputs.ofLogits(Matrix.of(logits))).get(0);
        String[] words = out.lines().reduce((first, last) -> last).orElseThrow().split(" ", -1);
        assertThat(out).contains("ant", "bee", detector.kind().id());
        if (!Double.isNaN(verdict.score())) {
            assertThat(words[1]).isEqualTo(detector.classes().get(verdict.label()));
        }
        assertThat(Double.parseDouble(words[3].replace("nan", "NaN")))
                .isCloseTo(verdict.score(), withinPercentage(1e-9));
        assertThat(Boolean.parseBoolean(words[5])).isEqualTo(verdict.ood());
        assertThat(Double.parseDouble(words[7])).isCloseTo(verdict.pValue(), within(1e-12));
    }

    @ParameterizedTest
    @ValueSource(strings = {"wood", "msp", "energy", "max-logit", "entropy"})
    void scorersOfLogitsAgree(String id) throws IOException, InterruptedException {
        Detector detector = Toy.detector(ScorerKinds.byId(id));
        agrees(detector, LOGITS);
        agrees(detector, -1, 40, 0.5);
        agrees(detector, 1, Double.NaN, 2);
        agrees(detector, 1, Double.POSITIVE_INFINITY, 2);
        agrees(detector, 1, Double.NEGATIVE_INFINITY, 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gen", "kl-matching", "knn"})
    void otherScorersAreNamed(String id) throws IOException, InterruptedException {
        assertThat(read(Toy.detector(ScorerKinds.byId(id)), LOGITS))
                .contains("this script computes the scorers wood, msp, max-logit, energy, entropy but the detector has "
                        + id);
    }

    @Test
    void settingsAndThresholdsPerClassAgree() throws IOException, InterruptedException {
        Settings settings = Settings.NONE
                .with("cost", Toy.matrix(1, Toy.CLASSES, Toy.CLASSES, 10))
                .with("lambda", 2)
                .with("temperature", 1.5);
        agrees(Toy.detector(ScorerKinds.wood(), settings, new ThresholdPolicy(0.5, false, true)), LOGITS);
        agrees(
                Toy.detector(ScorerKinds.wood(), Settings.NONE.with("cost", "binary"), ThresholdPolicy.quantile(0.5)),
                LOGITS);
    }
}
