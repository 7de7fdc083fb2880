package ai.wood.lab;

import static ai.wood.ManyDigits.DIGITS;
import static ai.wood.ManyDigits.exp;
import static ai.wood.ManyDigits.log;
import static ai.wood.ManyDigits.softmax;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Seeded;
import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AuthorsScorerTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"wood-authors-binary", "wood-authors-dynamic"})
    void aDetectorIsRestoredToTheLastBit(String id) throws IOException {
        Outputs outputs = Outputs.ofLogits(Matrix.of(new double[] {3, 1, 2}, new double[] {1, 1, 4}));
        Detector detector = Detector.of(ScorerKinds.byId(id)).calibrate(outputs);
        detector.save(folder.resolve("d.wood"));
        assertThat(Detector.load(folder.resolve("d.wood")).detect(outputs)).isEqualTo(detector.detect(outputs));
    }

    /** The files were written by version 0.1; the other scorers of that version are tested in wood-core. */
    @ParameterizedTest
    @ValueSource(strings = {"wood-authors-binary", "wood-authors-dynamic"})
    void filesOfVersion01Load(String id) throws IOException {
        Path file = Path.of("src/test/resources/ai/wood/lab/format1").resolve(id + ".wood");
        Detector detector = Detector.load(file);
        assertThat(detector.kind().id()).isEqualTo(id);
        Outputs outputs = Outputs.ofLogits(Matrix.of(new double[] {3, 1, 2}, new double[] {1, 1, 4}));
        assertThat(detector.score(outputs)).containsExactly(detector.scorer().score(outputs));
    }

    @ParameterizedTest
    @CsvSource({"5,0", "5,1", "5,10", "5,19", "5,30", "5,45", "5,100", "5,300", "30,1", "30,10", "30,37", "30,60"})
    void scoresOfThePapersCodeKeepTheirPrecision(int classes, double lead) {
        double[] logits = new double[classes];
        Arrays.setAll(logits, i -> i == 2 ? lead + 1 : 1 - 0.625 * i % 7);
        List<BigDecimal> f = softmax(logits);
        BigDecimal inverseE = exp(BigDecimal.ONE.negate());
        BigDecimal s = selfTransport(f, inverseE);
        BigDecimal binary = f.stream()
                .map(mass -> mass.multiply(log(weight(mass, s, inverseE)), DIGITS))
                .reduce(BigDecimal.ONE.subtract(f.get(2)), BigDecimal::subtract);
        BigDecimal impurity = f.stream().map(mass -> mass.pow(2, DIGITS)).reduce(BigDecimal.ONE, BigDecimal::subtract);
        BigDecimal dynamic = impurity.pow(2, DIGITS).divide(BigDecimal.valueOf(2), DIGITS);
        assertScore(AuthorsScorer.BINARY, logits, binary);
        assertScore(AuthorsScorer.DYNAMIC, logits, dynamic);
    }

    /** {@code S} of {@link AuthorsScorer#BINARY} by Newton's method, which comes from below to the root. */
    private static BigDecimal selfTransport(List<BigDecimal> f, BigDecimal inverseE) {
        BigDecimal s = BigDecimal.ONE;
        for (int i = 0; i < 12; i++) {
            BigDecimal value = s.negate();
            BigDecimal slope = BigDecimal.ONE.negate();
            for (BigDecimal mass : f) {
                BigDecimal w = weight(mass, s, inverseE);
                BigDecimal share = BigDecimal.ONE
                        .subtract(inverseE)
                        .multiply(mass)
                        .multiply(w)
                        .multiply(BigDecimal.valueOf(2));
                BigDecimal moved = mass.multiply(w, DIGITS);
                value = value.add(moved);
                slope = slope.subtract(moved.multiply(inverseE).divide(share.add(inverseE.multiply(s)), DIGITS));
            }
            s = s.subtract(value.divide(slope, DIGITS)).round(DIGITS);
        }
        return s;
    }

    private static BigDecimal weight(BigDecimal mass, BigDecimal s, BigDecimal inverseE) {
        BigDecimal a = s.multiply(inverseE, DIGITS);
        BigDecimal four = BigDecimal.valueOf(4).multiply(BigDecimal.ONE.subtract(inverseE));
        BigDecimal root = a.pow(2, DIGITS).add(four.multiply(mass)).sqrt(DIGITS);
        return BigDecimal.valueOf(2).divide(a.add(root), DIGITS);
    }

    /** Values printed by the paper's code; its loop stops early, hence the tolerances. */
    @Test
    void authorsScoresEqualTheirPublishedCode() {
        double[][] rows = {
            uniform(10), peaked(10, 0.99), peaked(10, 0.9), padded(0.5, 0.5), padded(0.6, 0.3, 0.1),
        };
        double[] binary = {.479283, .000109, .009371, .310057, .178439};
        double[] dynamic = {.405000, .000230, .019322, .125000, .146064};
        for (int i = 0; i < rows.length; i++) {
            assertThat(AuthorsScorer.BINARY.score(rows[i])).isCloseTo(binary[i], within(1e-4));
            assertThat(AuthorsScorer.DYNAMIC.score(rows[i])).isCloseTo(dynamic[i], within(2.3e-3));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void authorsGradientsEqualFiniteDifferencesAlongTheSimplex(long seed) {
        double[] f = new Seeded(seed).logits(6);
        Probabilities.softmax(f);
        int top = Probabilities.argmax(f);
        for (AuthorsScorer scorer : AuthorsScorer.values()) {
            double[] gradient = new double[f.length];
            scorer.gradient(f, gradient);
            for (int i = 0; i < f.length; i++) {
                if (i == top) {
                    continue;
                }
                double h = 1e-4 * f[i];
                double[] up = f.clone();
                double[] down = f.clone();
                up[i] += h;
                up[top] -= h;
                down[i] -= h;
                down[top] += h;
                double difference = (scorer.score(up) - scorer.score(down)) / (2 * h);
                assertThat(gradient[i] - gradient[top]).as("%s", scorer).isCloseTo(difference, within(1e-6));
            }
        }
    }

    private static void assertScore(AuthorsScorer scorer, double[] logits, BigDecimal expected) {
        double score = scorer.score(Outputs.ofLogits(Matrix.of(logits)))[0];
        double exact = expected.doubleValue();
        assertThat(score).as("%s", scorer).isCloseTo(exact, within(1e-9 * Math.abs(exact)));
    }

    private static double[] uniform(int classes) {
        return peaked(classes, 1.0 / classes);
    }

    private static double[] peaked(int classes, double top) {
        double[] f = new double[classes];
        Arrays.fill(f, (1 - top) / (classes - 1));
        f[0] = top;
        return f;
    }

    private static double[] padded(double... masses) {
        return Arrays.copyOf(masses, 10);
    }
}
