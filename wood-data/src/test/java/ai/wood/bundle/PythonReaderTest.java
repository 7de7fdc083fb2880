package ai.wood.bundle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.assertj.core.api.Assumptions.assumeThat;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Verdict;
import ai.wood.score.ScorerOptions;
import ai.wood.score.Scorers;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code docs/read_bundle.py} says what this program says; skipped without Python and NumPy. */
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

    private String read(Bundle bundle, double... logits) throws IOException, InterruptedException {
        Path file = folder.resolve("detector.wood");
        bundle.write(file);
        return python(Path.of("..", "docs", "read_bundle.py"), file, logits[0], logits[1], logits[2]);
    }

    private void agrees(Bundle bundle, double... logits) throws IOException, InterruptedException {
        String out = read(bundle, logits);
        Verdict verdict =
                bundle.detector().judge(Outputs.ofLogits(Matrix.of(logits))).get(0);
        String[] words = out.lines().reduce((first, last) -> last).orElseThrow().split(" ", -1);
        assertThat(out).contains("ant", "bee", bundle.scorer().id());
        assertThat(words[1]).isEqualTo(bundle.classes().get(verdict.label()));
        assertThat(Double.parseDouble(words[3].replace("nan", "NaN")))
                .isCloseTo(verdict.score(), withinPercentage(1e-9));
        assertThat(Boolean.parseBoolean(words[5])).isEqualTo(verdict.ood());
        assertThat(Double.parseDouble(words[7])).isCloseTo(verdict.pValue(), within(1e-12));
    }

    @ParameterizedTest
    @EnumSource(names = {"WOOD", "MSP", "ENERGY", "MAX_LOGIT", "ENTROPY"})
    void scorersOfLogitsAgree(Scorers scorer) throws IOException, InterruptedException {
        agrees(Toy.bundle(scorer), LOGITS);
        agrees(Toy.bundle(scorer), -1, 40, 0.5);
        agrees(Toy.bundle(scorer), 1, Double.NaN, 2);
    }

    @ParameterizedTest
    @EnumSource(names = {"GEN", "KL_MATCHING", "KNN", "WOOD_AUTHORS_BINARY"})
    void scorersThatItDoesNotKnowAreNamedBesideThoseItKnows(Scorers scorer) throws IOException, InterruptedException {
        assertThat(read(Toy.bundle(scorer), LOGITS))
                .contains("one of wood, msp, max-logit, energy, entropy to be computed here but is " + scorer.id());
    }

    @Test
    void customCostsTemperatureAndClassesAgree() throws IOException, InterruptedException {
        ScorerOptions options = ScorerOptions.DEFAULTS
                .withCost(GroundCost.custom(Toy.matrix(new Random(1), Toy.CLASSES, Toy.CLASSES, 10)))
                .withLambda(2)
                .withTemperature(1.5);
        agrees(Toy.bundle(Scorers.WOOD, options, new Choice(0.5, false, true)), LOGITS);
    }
}
