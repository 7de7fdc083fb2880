package ai.wood.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Seeded;
import ai.wood.score.WoodScorer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroundCostTest {

    private static double scoreOfLogits(GroundCost cost, double... logits) {
        return new WoodScorer(cost).score(Outputs.ofLogits(Matrix.of(logits)))[0];
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void closedFormEqualsTheLeastLinearProgram(long seed) {
        Seeded seeded = new Seeded(seed);
        int classes = seeded.between(2, 7);
        double[] f = seeded.distribution(classes);
        for (GroundCost cost :
                List.of(GroundCost.binary(), GroundCost.dynamic(), GroundCost.custom(seeded.costs(classes)))) {
            double least = Double.POSITIVE_INFINITY;
            for (int k = 0; k < classes; k++) {
                double[] y = Seeded.oneHot(classes, k);
                least = Math.min(
                        least, ExactTransport.solve(f, y, cost.matrix(f, k)).value());
            }
            assertThat(cost.score(f)).as("%s", cost).isCloseTo(least, within(1e-9));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void scoreOfLogitsEqualsScoreOfTheirSoftmax(long seed) {
        Seeded seeded = new Seeded(seed);
        int classes = seeded.between(2, 40);
        double[] logits = seeded.logits(classes);
        double[] f = logits.clone();
        Probabilities.softmax(f);
        for (GroundCost cost :
                List.of(GroundCost.binary(), GroundCost.dynamic(), GroundCost.custom(seeded.costs(classes)))) {
            assertThat(scoreOfLogits(cost, logits)).as("%s", cost).isCloseTo(cost.score(f), within(1e-13));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 7, 10, 100, 1001})
    void fastPathOverFloatsEqualsThePlainOne(int classes) {
        Seeded seeded = new Seeded(classes);
        float[] data = new float[50 * classes];
        double[][] rows = new double[50][];
        for (int r = 0; r < 50; r++) {
            rows[r] = seeded.distribution(classes);
            for (int i = 0; i < classes; i++) {
                data[r * classes + i] = (float) rows[r][i];
                rows[r][i] = data[r * classes + i];
            }
        }
        for (GroundCost cost : List.of(GroundCost.binary(), GroundCost.dynamic())) {
            double[] fast = Matrix.wrap(data, classes).mapRows(cost);
            for (int r = 0; r < 50; r++) {
                assertThat(fast[r]).isCloseTo(cost.score(rows[r]), within(1e-14));
            }
        }
    }

    @Test
    void scoresOfTheDesignTable() {
        double[] confident = new double[10];
        Arrays.fill(confident, 0.01 / 9);
        confident[0] = 0.99;
        double[] mixed = {0.6, 0.3, 0.1, 0, 0, 0, 0, 0, 0, 0};
        assertThat(GroundCost.binary().score(confident)).isCloseTo(0.01, within(1e-15));
        assertThat(GroundCost.dynamic().score(confident)).isCloseTo(0.019889, within(5e-7));
        assertThat(GroundCost.binary().score(mixed)).isCloseTo(0.4, within(1e-15));
        assertThat(GroundCost.dynamic().score(mixed)).isCloseTo(0.54, within(1e-15));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void dynamicCostIsTheSameForEveryClass(long seed) {
        Seeded seeded = new Seeded(seed);
        int classes = seeded.between(2, 8);
        double[] f = seeded.distribution(classes);
        for (int k = 0; k < classes; k++) {
            Transport transport = ExactTransport.solve(
                    f, Seeded.oneHot(classes, k), GroundCost.dynamic().matrix(f, k));
            assertThat(transport.value()).isCloseTo(GroundCost.dynamic().score(f), within(1e-9));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 10, 1000, 10_000})
    void binaryAndDynamicAreLargestAtTheUniformDistribution(int classes) {
        double[] uniform = new double[classes];
        Arrays.fill(uniform, 1.0 / classes);
        Seeded seeded = new Seeded(classes);
        for (GroundCost cost : List.of(GroundCost.binary(), GroundCost.dynamic())) {
            double largest = cost.score(uniform);
            assertThat(largest).isCloseTo(1 - 1.0 / classes, within(1e-12));
            for (int i = 0; i < 20; i++) {
                assertThat(cost.score(seeded.distribution(classes))).isLessThanOrEqualTo(largest + 1e-12);
            }
            assertThat(cost.score(Seeded.oneHot(classes, classes - 1))).isZero();
        }
    }

    @Test
    void confidentLogitsKeepTheirRelativePrecision() {
        for (double gap : new double[] {1, 40, 80, 700}) {
            double tiny = Math.exp(-gap);
            assertThat(scoreOfLogits(GroundCost.binary(), gap, 0) / tiny * (1 + tiny))
                    .isCloseTo(1, within(1e-11));
            assertThat(scoreOfLogits(GroundCost.dynamic(), gap, 0) / tiny * (1 + tiny) * (1 + tiny))
                    .isCloseTo(2, within(1e-11));
        }
    }

    /** The fast path for rows of floats, and rows of doubles, which {@code 1 - max f} would round to 0. */
    @ParameterizedTest
    @ValueSource(ints = {2, 10, 100})
    void scoresOfConfidentProbabilitiesKeepTheirRelativePrecision(int classes) {
        double[] f = new double[classes];
        Arrays.fill(f, 1e-20);
        f[classes / 2] = 1;
        float[] floats = new float[classes];
        Arrays.setAll(f, i -> floats[i] = (float) f[i]);
        double others = (classes - 1) * f[0];
        for (Matrix row : List.of(Matrix.of(f), Matrix.wrap(floats, classes))) {
            Outputs outputs = Outputs.ofProbabilities(row);
            assertThat(new WoodScorer(GroundCost.binary()).score(outputs)[0] / others)
                    .isCloseTo(1, within(1e-12));
            assertThat(new WoodScorer(GroundCost.dynamic()).score(outputs)[0] / (2 * others))
                    .isCloseTo(1, within(1e-12));
        }
    }

    @Test
    void hugeLogitsAndTiesGiveFiniteScores() {
        for (GroundCost cost : List.of(GroundCost.binary(), GroundCost.dynamic())) {
            assertThat(scoreOfLogits(cost, 1e4, -1e4)).isBetween(0.0, 1e-300);
            assertThat(scoreOfLogits(cost, -1e4, -1e4)).isCloseTo(0.5, within(1e-15));
            assertThat(scoreOfLogits(cost, 1e4, 1e4, 1e4, -1e4)).isCloseTo(2 / 3.0, within(1e-15));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void gradientEqualsFiniteDifferencesAlongTheSimplex(long seed) {
        Seeded seeded = new Seeded(seed);
        int classes = seeded.between(2, 9);
        double[] f = seeded.logits(classes);
        Probabilities.softmax(f);
        double h = 1e-7 * Arrays.stream(f).min().orElseThrow();
        for (GroundCost cost :
                List.of(GroundCost.binary(), GroundCost.dynamic(), GroundCost.custom(seeded.costs(classes)))) {
            double[] gradient = new double[classes];
            cost.totalGradient(f, gradient);
            for (int i = 1; i < classes; i++) {
                double[] up = f.clone();
                double[] down = f.clone();
                up[i] += h;
                up[0] -= h;
                down[i] -= h;
                down[0] += h;
                double difference = (cost.score(up) - cost.score(down)) / (2 * h);
                assertThat(gradient[i] - gradient[0]).as("%s", cost).isCloseTo(difference, within(1e-4));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void gradientIsTheColumnOfTheNearestClass(long seed) {
        Seeded seeded = new Seeded(seed);
        int classes = seeded.between(2, 9);
        double[] f = seeded.distribution(classes);
        for (GroundCost cost :
                List.of(GroundCost.binary(), GroundCost.dynamic(), GroundCost.custom(seeded.costs(classes)))) {
            int nearest = cost.nearest(f);
            Matrix matrix = cost.matrix(f, nearest);
            double[] gradient = new double[classes];
            cost.gradient(f, gradient);
            for (int i = 0; i < classes; i++) {
                assertThat(gradient[i]).isEqualTo(matrix.get(i, nearest));
            }
        }
    }

    @Test
    void hierarchyGivesTreeDistances() {
        CustomCost cost = GroundCost.ofHierarchy(List.of(
                List.of("animal", "mammal", "cat"), List.of("animal", "mammal", "dog"), List.of("vehicle", "car")));
        assertThat(cost.matrix().row(0)).containsExactly(new double[] {0, 0.4, 1}, within(1e-15));
        assertThat(cost.axioms().isMetric()).isTrue();
    }

    @Test
    void classMeansGiveEuclideanDistances() {
        CustomCost cost =
                GroundCost.ofClassMeans(Matrix.of(new double[] {0, 0}, new double[] {3, 4}, new double[] {0, 10}));
        assertThat(cost.matrix().row(0)).containsExactly(new double[] {0, 0.5, 1}, within(1e-15));
        assertThat(cost.axioms().isMetric()).isTrue();
    }

    @Test
    void confusedClassesAreNear() {
        CustomCost cost = GroundCost.ofConfusion(
                Matrix.of(new double[] {6, 4, 0}, new double[] {2, 8, 0}, new double[] {0, 0, 5}));
        assertThat(cost.matrix().get(0, 1)).isCloseTo(1 - (0.4 + 0.2) / 2, within(1e-15));
        assertThat(cost.matrix().get(0, 2)).isEqualTo(1);
        assertThat(cost.axioms().isMetric()).isTrue();
    }

    @Test
    void axiomsTellWhatAMatrixLacks() {
        assertThat(GroundCost.custom(Matrix.of(new double[] {0, 1}, new double[] {1, 0}))
                        .axioms())
                .hasToString("a metric");
        assertThat(GroundCost.custom(Matrix.of(new double[] {1, 1}, new double[] {1, 0}))
                        .axioms())
                .isEqualTo(new MetricAxioms(false, true, true));
        assertThat(GroundCost.custom(Matrix.of(new double[] {0, 1}, new double[] {2, 0}))
                        .axioms())
                .isEqualTo(new MetricAxioms(true, false, true));
        assertThat(GroundCost.custom(Matrix.of(new double[] {0, 1, 5}, new double[] {1, 0, 1}, new double[] {5, 1, 0}))
                        .axioms())
                .isEqualTo(new MetricAxioms(true, true, false));
    }

    @Test
    void descriptionsOfDifferentMatricesDiffer() {
        Matrix one = Matrix.of(new double[] {0, 1}, new double[] {1, 0});
        Matrix other = Matrix.of(new double[] {0, 1}, new double[] {2, 0});
        assertThat(GroundCost.custom(one)).hasToString(GroundCost.custom(one).toString());
        assertThat(GroundCost.custom(one).toString())
                .startsWith("custom 2 x 2")
                .isNotEqualTo(GroundCost.custom(other).toString());
    }

    @Test
    void badMatricesAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GroundCost.custom(Matrix.of(new double[] {0, 1, 2}, new double[] {1, 0, 2})))
                .withMessageContaining("square");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GroundCost.custom(Matrix.of(new double[] {0, 1}, new double[] {-1, 0})))
                .withMessageContaining("row 2, column 1 holds -1.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GroundCost.custom(Matrix.of(new double[] {0, Double.NaN}, new double[] {1, 0})));
        for (Matrix counts : List.of(
                Matrix.of(new double[] {5, 1, 2}, new double[] {1, 5, 2}),
                Matrix.of(new double[] {5, 1}, new double[] {1, 5}, new double[] {1, 1}))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> GroundCost.ofConfusion(counts))
                    .withMessageContaining("a confusion matrix must be square");
        }
        CustomCost two = GroundCost.custom(Matrix.of(new double[] {0, 1}, new double[] {1, 0}));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> two.score(new double[] {0.2, 0.3, 0.5}))
                .withMessageContaining("2 classes but the classifier has 3");
    }
}
