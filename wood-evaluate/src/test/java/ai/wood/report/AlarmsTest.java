package ai.wood.report;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.Matrix;
import ai.wood.Threshold;
import ai.wood.evaluate.Comparison;
import ai.wood.evaluate.Comparison.Result;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class AlarmsTest {

    private static Result result;

    @BeforeAll
    static void makeUpScores() throws IOException {
        result = Report.own(Synthetic.report(List.of("n"), 3, 400).comparisons().get(0));
    }

    @Test
    void countsAreExactAtEveryThreshold() {
        Alarms alarms = Alarms.of(result);
        Matrix scores = result.onOod().get(2).scores();
        int[] counts = alarms.counts(scores);
        for (int i = 0; i < counts.length; i++) {
            double threshold = alarms.thresholds().get(i);
            assertThat(counts[i]).isEqualTo((int) Arrays.stream(scores.row(0))
                    .filter(score -> score > threshold)
                    .count());
        }
    }

    @Test
    void theCalibratedThresholdIsAmongThem() {
        Alarms alarms = Alarms.of(result);
        int calibrated = alarms.thresholds().indexOf(result.threshold().value());
        assertThat(alarms.shares(result.indScores())[calibrated]).isEqualTo(result.falseAlarmRate());
    }

    @Test
    void aThresholdOfMinusZeroIsZero() {
        Result zero = new Result(
                result.name(),
                result.settings(),
                false,
                result.tunedOn(),
                new Comparison.Thresholds(new Threshold(-0.0, 0.95), true, List.of()),
                result.validationScores(),
                result.indScores(),
                result.falseAlarmRate(),
                result.acceptedAccuracy(),
                result.spent(),
                result.onOod());
        assertThat(Alarms.of(zero).thresholds()).contains(0.0).doesNotContain(-0.0);
    }

    @Test
    void thresholdsAscendAndAreFew() {
        List<Double> thresholds = Alarms.of(result).thresholds();
        assertThat(thresholds).isSorted().doesNotHaveDuplicates().hasSizeBetween(50, 300);
    }
}
