package ai.wood.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.wood.CannotRunException;
import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.ScorerKind;
import ai.wood.Seeded;
import ai.wood.score.ScorerKinds;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Losses of networks with further outputs: rows are the logits of three classes and what stands behind them. */
class BranchLossTest {

    private static final int CLASSES = 3;
    private static final int[] LABELS = {0, 2, 1, 1};

    static Stream<Loss> losses() {
        return Stream.of(
                ConfidenceLoss.DEFAULTS,
                new ConfidenceLoss(2, 0.3),
                new RejectionLoss(1, 0.7),
                new RejectionLoss(4, 1));
    }

    @ParameterizedTest
    @MethodSource("losses")
    void gradientEqualsCentralDifferences(Loss loss) {
        Seeded seeded = new Seeded(1);
        int width = CLASSES + loss.branches().values().iterator().next();
        double[][] ind = rows(seeded, LABELS.length, width);
        double[][] ood = rows(seeded, 3, width);
        LossValue value = loss.on(Matrix.of(ind), LABELS, Matrix.of(ood));
        for (int k = 0; k < width; k++) {
            for (int r = 0; r < ind.length; r++) {
                assertThat(value.ind().get(r, k)).isCloseTo(slope(loss, ind, ood, ind[r], k), within(1e-7));
            }
            for (int r = 0; r < ood.length; r++) {
                assertThat(value.ood().get(r, k)).isCloseTo(slope(loss, ind, ood, ood[r], k), within(1e-7));
            }
        }
    }

    private static double slope(Loss loss, double[][] ind, double[][] ood, double[] row, int k) {
        double h = 1e-6;
        double before = row[k];
        row[k] = before + h;
        double up = loss.on(Matrix.of(ind), LABELS, Matrix.of(ood)).value();
        row[k] = before - h;
        double down = loss.on(Matrix.of(ind), LABELS, Matrix.of(ood)).value();
        row[k] = before;
        return (up - down) / (2 * h);
    }

    @Test
    void aHintMixesPredictionAndTruthByTheConfidence() {
        Seeded seeded = new Seeded(2);
        double[][] ind = rows(seeded, LABELS.length, CLASSES + 1);
        double expected = 0;
        for (int r = 0; r < ind.length; r++) {
            double c = 1 / (1 + Math.exp(-ind[r][CLASSES]));
            double p = softmax(Arrays.copyOf(ind[r], CLASSES))[LABELS[r]];
            double hinted = r % 2 == 0 ? c * p + (1 - c) : p;
            expected += (-Math.log(hinted) - 0.1 * Math.log(c)) / ind.length;
        }
        LossValue value = ConfidenceLoss.DEFAULTS.on(Matrix.of(ind), LABELS, Matrix.of(ind));
        assertThat(value.value()).isCloseTo(expected, within(1e-12));
    }

    @Test
    void confidenceSurvivesHopelessPredictions() {
        double[] row = {-1000, 1000, 0, 800};
        LossValue value = ConfidenceLoss.DEFAULTS.on(Matrix.of(row), new int[] {0}, Matrix.wrap(new double[0], 4));
        assertThat(value.value()).isBetween(700.0, 2001.0);
        assertThat(value.ind().row(0)).doesNotContain(Double.NaN);
    }

    @Test
    void anOutlierBelongsToItsLikeliestRejectClass() {
        double[] row = {9, 1, 0, 2, 4, 3};
        double[] gradient = new double[6];
        double value = new RejectionLoss(3, 0.5).ood(row, gradient);
        double[] f = softmax(row);
        assertThat(value).isCloseTo(-0.5 * Math.log(f[4]), within(1e-12));
        assertThat(gradient[4]).isNegative();
        assertThat(gradient[3]).isPositive();
    }

    @Test
    void scoresAreDoubtAndTheProbabilityOfRejection() {
        double[] row = {1, 2, 0, 0.5, -1};
        Outputs outputs = Outputs.ofLogits(Matrix.of(Arrays.copyOf(row, CLASSES)))
                .withBranches(Map.of(
                        Outputs.CONFIDENCE, Matrix.of(new double[] {1.5}),
                        Outputs.REJECT, Matrix.of(new double[] {0.5, -1})));
        double[] f = softmax(row);
        assertThat(score("confidence", outputs)).isCloseTo(1 - 1 / (1 + Math.exp(-1.5)), within(1e-12));
        assertThat(score("reject", outputs)).isCloseTo(f[3] + f[4], within(1e-12));
        assertThatThrownBy(() -> Outputs.ofLogits(Matrix.of(row)).require(ScorerKinds.byId("reject")))
                .isInstanceOf(CannotRunException.class)
                .hasMessage("needs a network trained with the loss 'reject'");
    }

    private static double score(String id, Outputs outputs) {
        ScorerKind kind = ScorerKinds.byId(id);
        return kind.fit(FitData.NONE, kind.settings()).score(outputs)[0];
    }

    @ParameterizedTest
    @MethodSource("losses")
    void whatIsNoBatchIsRefused(Loss loss) {
        int branches =
                loss.branches().values().stream().mapToInt(Integer::intValue).sum();
        Matrix two = Matrix.of(rows(new Seeded(3), 2, 3 + branches));
        Matrix none = Matrix.wrap(new double[0], 3 + branches);
        assertThat(loss.on(two, new int[] {0, 2}, none).value()).isFinite();
        for (int[] labels : new int[][] {{0}, {0, 3}, {-1, 0}}) {
            assertThatThrownBy(() -> loss.on(two, labels, none))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("label");
        }
        assertThatThrownBy(() -> loss.on(none, new int[0], two)).isInstanceOf(IllegalArgumentException.class);
        Matrix wide = Matrix.of(rows(new Seeded(3), 1, 5 + branches));
        assertThatThrownBy(() -> loss.on(two, new int[] {0, 2}, wide))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("logits");
    }

    @Test
    void settingsOutOfRangeAreRefused() {
        assertThatThrownBy(() -> new ConfidenceLoss(Double.NaN, 0.3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ConfidenceLoss(0.1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RejectionLoss(0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RejectionLoss(2, Double.NaN)).isInstanceOf(IllegalArgumentException.class);
    }

    private static double[][] rows(Seeded seeded, int count, int width) {
        return IntStream.range(0, count).mapToObj(i -> seeded.logits(width)).toArray(double[][]::new);
    }

    private static double[] softmax(double[] row) {
        double sum = Arrays.stream(row).map(Math::exp).sum();
        return Arrays.stream(row).map(z -> Math.exp(z) / sum).toArray();
    }
}
