package ai.wood;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.calibrate.BenjaminiHochberg;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CalibrationTest {

    /** The promise is on average over splits; the exact mean alarm rate is 1 - ceil((n+1) tnr) / (n+1). */
    @ParameterizedTest
    @CsvSource({"40, 0.9", "100, 0.95", "333, 0.95", "25, 0.8"})
    void conformalThresholdKeepsItsPromiseOverManySplits(int calibrated, double tnr) {
        int fresh = 50;
        int splits = 4000;
        Seeded seeded = new Seeded(calibrated);
        double[] pool = Arrays.stream(seeded.normals(calibrated + fresh, 0, 1))
                .map(Math::exp)
                .toArray();
        long alarms = 0;
        for (int split = 0; split < splits; split++) {
            int[] order = seeded.permutation(pool.length);
            double[] scores = Arrays.stream(order, 0, calibrated)
                    .mapToDouble(i -> pool[i])
                    .toArray();
            Threshold threshold = Calibration.of(scores).conformal(tnr);
            alarms += Arrays.stream(order, calibrated, pool.length)
                    .filter(i -> threshold.isOod(pool[i]))
                    .count();
        }
        double rate = alarms / (double) (fresh * splits);
        double expected = 1 - Math.ceil((calibrated + 1) * tnr - 1e-9) / (calibrated + 1);
        assertThat(expected).isLessThanOrEqualTo(1 - tnr + 1e-12);
        assertThat(rate).isCloseTo(expected, within(0.004)).isLessThan(1 - tnr + 0.004);
    }

    @Test
    void conformalThresholdIsTheRightOrderStatistic() {
        double[] scores = Arrays.copyOf(new Seeded(1).normals(19, 0, 1), 19);
        double largest = Arrays.stream(scores).max().orElseThrow();
        assertThat(Calibration.of(scores).conformal(0.95).value()).isEqualTo(largest);
        assertThat(Calibration.of(Arrays.copyOf(scores, 18)).conformal(0.95).value())
                .isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(Calibration.scoresNeeded(0.95)).isEqualTo(19);
        assertThat(Calibration.scoresNeeded(0.99)).isEqualTo(99);
        assertThat(Calibration.scoresNeeded(0.5)).isEqualTo(1);
        assertThat(Calibration.scoresNeeded(0.999)).isEqualTo(999);
        assertThat(Calibration.scoresNeeded(0.01)).isEqualTo(1);
        assertThat(Calibration.scoresNeeded(0.999999999999)).isEqualTo(999_999_999_999L);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Calibration.scoresNeeded(1))
                .withMessageContaining("strictly between 0 and 1 but is 1.0");
    }

    @Test
    void quantileThresholdInterpolatesLinearly() {
        Threshold threshold = Calibration.of(new double[] {5, 1, 4, 2, 3}).quantile(0.9);
        assertThat(threshold.value()).isCloseTo(4.6, within(1e-15));
        assertThat(threshold.isOod(4.6)).isFalse();
        assertThat(threshold.isOod(4.7)).isTrue();
        assertThat(threshold.isOod(Double.NaN)).isTrue();
    }

    /** Their difference is too large for a number. */
    @Test
    void quantileThresholdLiesBetweenTheLargestNumbers() {
        Calibration calibration = Calibration.of(new double[] {-1.7e308, 1.7e308});
        assertThat(calibration.quantile(0.5).value()).isZero();
        assertThat(calibration.quantile(0.75).value()).isCloseTo(0.85e308, within(1e293));
    }

    @Test
    void pValuesCountScoresAtLeastAsLarge() {
        Calibration calibration = Calibration.of(new double[] {1, 2, 2, 3});
        assertThat(calibration.pValue(0)).isEqualTo(1);
        assertThat(calibration.pValue(2)).isEqualTo(4 / 5.0);
        assertThat(calibration.pValue(9)).isEqualTo(1 / 5.0);
        assertThat(calibration.pValue(Double.NaN)).isEqualTo(1 / 5.0);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aPValueUpToAlphaIsAnAlarmOfTheConformalThreshold(long seed) {
        Seeded seeded = new Seeded(seed);
        Calibration calibration = Calibration.of(seeded.tiedScores(seeded.between(20, 200), 30));
        Threshold threshold = calibration.conformal(0.9);
        for (double score : seeded.normals(200, 0.8, 0.3)) {
            assertThat(calibration.pValue(score) <= 0.1 + 1e-12).isEqualTo(threshold.isOod(score));
        }
    }

    @Test
    void benjaminiAndHochbergTakePValuesThatAreAsLargeAsAllowed() {
        assertThat(BenjaminiHochberg.ood(new double[] {0.9, 10 / 100.0, 0.9}, 0.3))
                .containsExactly(false, true, false);
        double[] alike = new double[43];
        Arrays.fill(alike, 5 / 100.0);
        assertThat(BenjaminiHochberg.ood(alike, 0.05)).doesNotContain(false);
    }

    /** Reference values of R's binom.test. */
    @Test
    void clopperPearsonEqualsReferenceValues() {
        Interval nine = Interval.ofShare(9, 10, 0.95);
        assertThat(nine.low()).isCloseTo(0.5549839, within(1e-7));
        assertThat(nine.high()).isCloseTo(0.9974714, within(1e-7));
        Interval all = Interval.ofShare(10, 10, 0.95);
        assertThat(all.low()).isCloseTo(0.6915029, within(1e-7));
        assertThat(all.high()).isEqualTo(1);
        assertThat(Interval.ofShare(0, 10, 0.95).low()).isZero();
    }

    @Test
    void achievedTnrCountsKeptScores() {
        Calibration calibration = Calibration.of(new double[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        Threshold threshold = new Threshold(9, 0.9);
        assertThat(calibration.tnr(threshold)).isEqualTo(0.9);
        assertThat(calibration.tnrInterval(threshold, 0.95)).isEqualTo(Interval.ofShare(9, 10, 0.95));
    }

    /** Without scores every p-value is (1 + 0) / (0 + 1). NaN is OOD in every class and has the smallest p-value. */
    @Test
    void aClassWithoutScoresRaisesAlarmsForNanOnly() {
        ClassCalibration calibration = ClassCalibration.of(new double[] {1, 2, 3}, new int[] {0, 0, 0}, 2);
        List<Double> thresholds = new ThresholdPolicy(0.5, true, true).choose(calibration);
        assertThat(thresholds).containsExactly(2.0, Double.POSITIVE_INFINITY);
        for (double score : new double[] {-5, 5, Double.POSITIVE_INFINITY}) {
            assertThat(calibration.pValue(1, score)).isEqualTo(1);
            assertThat(new Threshold(thresholds.get(1), 0.5).isOod(score)).isFalse();
        }
        assertThat(new Threshold(thresholds.get(1), 0.5).isOod(Double.NaN)).isTrue();
        assertThat(calibration.pValue(1, Double.NaN)).isEqualTo(1 / 4.0);
        assertThat(calibration.pValue(0, Double.NaN))
                .isEqualTo(calibration.pValue(0, Double.POSITIVE_INFINITY))
                .isEqualTo(1 / 4.0);
    }

    @Test
    void everyClassKeepsItsOwnPromise() {
        int trials = 800;
        double[] alarms = new double[2];
        Seeded seeded = new Seeded(9);
        for (int trial = 0; trial < trials; trial++) {
            double[] scores = new double[120];
            int[] labels = new int[120];
            for (int i = 0; i < 120; i++) {
                labels[i] = i % 2;
                scores[i] = seeded.uniform() * (1 + 9 * labels[i]);
            }
            ClassCalibration calibration = ClassCalibration.of(scores, labels, 3);
            for (int label = 0; label < 2; label++) {
                double fresh = seeded.uniform() * (1 + 9 * label);
                Threshold threshold = calibration.of(label).orElseThrow().conformal(0.9);
                assertThat(threshold.isOod(fresh)).isEqualTo(calibration.pValue(label, fresh) <= 0.1 + 1e-12);
                alarms[label] += threshold.isOod(fresh) ? 1 : 0;
            }
            assertThat(calibration.of(2)).isEmpty();
            assertThat(calibration.pValue(2, 1e9)).isEqualTo(1);
        }
        for (double count : alarms) {
            assertThat(count / trials).isCloseTo(0.098, within(0.045)); // four deviations
        }
    }

    @Test
    void benjaminiHochbergDeclaresTheRightSamples() {
        double[] p = {0.01, 0.04, 0.03, 0.5, 0.02};
        // sorted .01 .02 .03 .04 .5 against .05 * i / 5 = .01 .02 .03 .04 .05
        assertThat(BenjaminiHochberg.ood(p, 0.05)).containsExactly(true, true, true, false, true);
        assertThat(BenjaminiHochberg.ood(new double[] {0.03, 0.9}, 0.05)).containsExactly(false, false);
        assertThat(BenjaminiHochberg.ood(new double[0], 0.05)).isEmpty();
    }

    @Test
    void benjaminiHochbergBoundsTheShareOfFalseAlarms() {
        Seeded seeded = new Seeded(31);
        double sum = 0;
        int trials = 400;
        for (int trial = 0; trial < trials; trial++) {
            Calibration calibration = Calibration.of(seeded.normals(300, 0, 1));
            double[] p = new double[100];
            for (int i = 0; i < 100; i++) {
                p[i] = calibration.pValue(seeded.normals(1, i < 80 ? 0 : 4, 1)[0]);
            }
            boolean[] ood = BenjaminiHochberg.ood(p, 0.2);
            int declared = 0;
            int wrong = 0;
            for (int i = 0; i < 100; i++) {
                declared += ood[i] ? 1 : 0;
                wrong += ood[i] && i < 80 ? 1 : 0;
            }
            sum += declared == 0 ? 0 : wrong / (double) declared;
        }
        assertThat(sum / trials).isBetween(0.08, 0.2);
    }

    @Test
    void badInputsAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Calibration.of(new double[0]));
        assertThatIllegalArgumentException().isThrownBy(() -> Calibration.of(new double[] {1, Double.NaN}));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Calibration.of(new double[] {1}).quantile(1))
                .withMessageContaining("strictly between 0 and 1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClassCalibration.of(new double[] {1}, new int[] {0, 1}, 2));
        for (int label : new int[] {-1, 2}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ClassCalibration.of(new double[] {1}, new int[] {label}, 2))
                    .withMessageContaining("0 to 1 but one is " + label);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> BenjaminiHochberg.ood(new double[] {1}, Double.NaN));
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, 0, 1, -0.5, 2, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void aTnrThatIsNoFractionIsRefused(double tnr) {
        Calibration calibration = Calibration.of(new double[] {3, 1, 2});
        assertThatIllegalArgumentException()
                .isThrownBy(() -> calibration.conformal(tnr))
                .withMessage("a TNR must lie strictly between 0 and 1 but is " + tnr);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Calibration.scoresNeeded(tnr))
                .withMessage("a TNR must lie strictly between 0 and 1 but is " + tnr);
        assertThatIllegalArgumentException().isThrownBy(() -> calibration.quantile(tnr));
    }

    @Test
    void almostNoShareToKeepIsTheSmallestScore() {
        assertThat(Calibration.of(new double[] {3, 1, 2}).conformal(1e-12).value())
                .isEqualTo(1);
    }
}
