package ai.wood.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import ai.wood.Seeded;
import ai.wood.score.WoodScorer;
import ai.wood.transport.GroundCost;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LossTest {

    private static final int CLASSES = 6;

    static Stream<Loss> lossesWithTrueGradients() {
        Matrix costs = new Seeded(5).costs(CLASSES);
        return Stream.of(
                new CrossEntropy(),
                WoodLoss.of(GroundCost.binary(), 0.3),
                WoodLoss.of(GroundCost.dynamic(), 0.3).withTotalDerivative(),
                WoodLoss.of(GroundCost.custom(costs), 0.3),
                new WoodLoss(new WoodScorer(GroundCost.binary(), 4), 0.3, false, 1),
                new WoodLoss(new WoodScorer(GroundCost.dynamic(), 4), 0.3, true, 1),
                new WoodLoss(new WoodScorer(GroundCost.custom(costs), 4), 0.3, false, 1),
                new WoodLoss(new WoodScorer(GroundCost.dynamic(), 4), 0.3, true, 2.5),
                WoodLoss.of(GroundCost.binary(), 0.3).withTemperature(4),
                OutlierExposure.DEFAULTS,
                new EnergyMargin(-6, -1, 0.1));
    }

    private static Matrix batch(Seeded seeded, int rows) {
        return Matrix.of(
                IntStream.range(0, rows).mapToObj(i -> seeded.logits(CLASSES)).toArray(double[][]::new));
    }

    private static Matrix moved(Matrix matrix, int row, int column, double by) {
        double[][] rows =
                IntStream.range(0, matrix.rows()).mapToObj(matrix::row).toArray(double[][]::new);
        rows[row][column] += by;
        return Matrix.of(rows);
    }

    @ParameterizedTest
    @MethodSource("lossesWithTrueGradients")
    void gradientEqualsCentralDifferences(Loss loss) {
        Seeded seeded = new Seeded(11);
        Matrix ind = batch(seeded, 4);
        Matrix ood = batch(seeded, 3);
        int[] labels = {0, 5, 2, 2};
        LossValue value = loss.on(ind, labels, ood);
        double h = 1e-6;
        for (int k = 0; k < CLASSES; k++) {
            for (int r = 0; r < 4; r++) {
                double difference = (loss.on(moved(ind, r, k, h), labels, ood).value()
                                - loss.on(moved(ind, r, k, -h), labels, ood).value())
                        / (2 * h);
                assertThat(value.ind().get(r, k)).isCloseTo(difference, within(1e-7));
            }
            for (int r = 0; r < 3; r++) {
                double difference = (loss.on(ind, labels, moved(ood, r, k, h)).value()
                                - loss.on(ind, labels, moved(ood, r, k, -h)).value())
                        / (2 * h);
                assertThat(value.ood().get(r, k)).isCloseTo(difference, within(1e-7));
            }
        }
    }

    /** The sign the paper prints would fail this: a step down the gradient must raise the score of OOD samples. */
    @ParameterizedTest
    @MethodSource("lossesWithTrueGradients")
    void aStepDownTheGradientLowersTheLoss(Loss loss) {
        Seeded seeded = new Seeded(12);
        Matrix ind = batch(seeded, 4);
        Matrix ood = batch(seeded, 3);
        int[] labels = {1, 2, 3, 4};
        LossValue before = loss.on(ind, labels, ood);
        LossValue after = loss.on(step(ind, before.ind()), labels, step(ood, before.ood()));
        assertThat(after.value()).isLessThan(before.value());
    }

    @Test
    void woodTrainingRaisesTheScoreOfOodSamples() {
        for (GroundCost cost : new GroundCost[] {GroundCost.binary(), GroundCost.dynamic()}) {
            WoodLoss loss = WoodLoss.of(cost, 1);
            double[] logits = new Seeded(13).logits(CLASSES);
            double first = cost.score(softmax(logits));
            double[] gradient = new double[CLASSES];
            for (int i = 0; i < 2000; i++) {
                loss.ood(logits, gradient);
                for (int k = 0; k < CLASSES; k++) {
                    logits[k] -= gradient[k];
                }
            }
            double last = cost.score(softmax(logits));
            assertThat(last).isGreaterThan(first).isCloseTo(1 - 1.0 / CLASSES, within(0.05));
        }
    }

    @Test
    void holdingTheDynamicMatrixFixedHalvesItsGradient() {
        double[] logits = new Seeded(14).logits(CLASSES);
        double[] frozen = new double[CLASSES];
        double[] total = new double[CLASSES];
        WoodLoss loss = WoodLoss.of(GroundCost.dynamic(), 0.1);
        loss.ood(logits, frozen);
        loss.withTotalDerivative().ood(logits, total);
        for (int k = 0; k < CLASSES; k++) {
            assertThat(total[k]).isCloseTo(2 * frozen[k], within(1e-15));
        }
    }

    /** By a hot score it does not vanish, and lifts classes that the prediction has all but ruled out. */
    @Test
    void atATemperatureCertainPredictionsAreMoved() {
        double[] certain = {30, 0, 0, 0, 0, -30};
        double[] gradient = new double[CLASSES];
        WoodLoss loss = WoodLoss.of(GroundCost.dynamic(), 1).withTotalDerivative();
        loss.ood(certain, gradient);
        assertThat(gradient).containsExactly(new double[CLASSES], within(1e-11));
        loss.withTemperature(10).ood(certain, gradient);
        assertThat(gradient[0]).isGreaterThan(1e-3);
        assertThat(gradient[5]).isLessThan(-1e-5);
        assertThat(loss.withTemperature(10).ood(new double[CLASSES], gradient))
                .isCloseTo(-(1 - 1.0 / CLASSES), within(1e-12));
    }

    /** {@code s = 1 - 1/K - var(z) / (K T^2) + ...}, whose next term is of the third order in {@code 1 / T}. */
    @Test
    void atAHighTemperatureTheDynamicTermIsTheVarianceOfTheLogits() {
        double[] logits = new Seeded(17).logits(CLASSES);
        double mean = Arrays.stream(logits).average().orElseThrow();
        double variance = Arrays.stream(logits)
                .map(z -> (z - mean) * (z - mean))
                .average()
                .orElseThrow();
        double t = 1e3;
        double score = -WoodLoss.of(GroundCost.dynamic(), 1).withTemperature(t).ood(logits, new double[CLASSES]);
        assertThat((1 - 1.0 / CLASSES - score) * t * t).isCloseTo(variance / CLASSES, withinPercentage(1));
    }

    @Test
    void valuesAreWhatTheFormulasSay() {
        Matrix ind = Matrix.of(new double[] {2, 0});
        Matrix ood = Matrix.of(new double[] {1, 0});
        int[] labels = {0};
        double crossEntropy = Math.log1p(Math.exp(-2));
        double[] f = {1, 0};
        Probabilities.softmax(f);
        double lse = Math.log(Math.E + 1);
        assertThat(new CrossEntropy().on(ind, labels, ood).value()).isCloseTo(crossEntropy, within(1e-12));
        assertThat(WoodLoss.of(GroundCost.binary(), 0.1).on(ind, labels, ood).value())
                .isCloseTo(crossEntropy - 0.1 * f[1], within(1e-12));
        assertThat(WoodLoss.of(GroundCost.dynamic(), 0.1).on(ind, labels, ood).value())
                .isCloseTo(crossEntropy - 0.1 * 2 * f[0] * f[1], within(1e-12));
        assertThat(OutlierExposure.DEFAULTS.on(ind, labels, ood).value())
                .isCloseTo(crossEntropy + 0.5 * (lse - 0.5), within(1e-12));
        double indEnergy = -Math.log(Math.exp(2) + 1);
        assertThat(EnergyMargin.DEFAULTS.on(ind, labels, ood).value())
                .isCloseTo(crossEntropy + 0.1 * Math.pow(indEnergy + 23, 2), within(1e-12));
        assertThat(new EnergyMargin(-23, 5, 0.1).on(ind, labels, ood).value())
                .isCloseTo(crossEntropy + 0.1 * (Math.pow(indEnergy + 23, 2) + Math.pow(5 + lse, 2)), within(1e-12));
    }

    @Test
    void withoutOodSamplesOnlyTheClassesCount() {
        Matrix ind = batch(new Seeded(16), 2);
        Matrix none = Matrix.wrap(new double[0], CLASSES);
        int[] labels = {0, 1};
        assertThat(WoodLoss.of(GroundCost.binary(), 1).on(ind, labels, none).value())
                .isEqualTo(new CrossEntropy().on(ind, labels, none).value());
        assertThatIllegalArgumentException().isThrownBy(() -> new CrossEntropy().on(ind, new int[] {0}, none));
        assertThatIllegalArgumentException().isThrownBy(() -> WoodLoss.of(GroundCost.binary(), Double.NaN));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> WoodLoss.of(GroundCost.binary(), 1).withTemperature(Double.NaN));
        assertThatIllegalArgumentException().isThrownBy(() -> new EnergyMargin(-5, -23, 0.1));
    }

    private static double[] softmax(double[] logits) {
        double[] f = logits.clone();
        Probabilities.softmax(f);
        return f;
    }

    private static Matrix step(Matrix point, Matrix gradient) {
        double[][] rows = new double[point.rows()][CLASSES];
        for (int r = 0; r < point.rows(); r++) {
            for (int k = 0; k < CLASSES; k++) {
                rows[r][k] = point.get(r, k) - 1e-3 * gradient.get(r, k);
            }
        }
        return Matrix.of(rows);
    }
}
