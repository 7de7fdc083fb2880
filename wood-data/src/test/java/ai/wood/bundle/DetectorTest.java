package ai.wood.bundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Scorer;
import ai.wood.Threshold;
import ai.wood.Verdict;
import ai.wood.calibrate.Calibration;
import ai.wood.calibrate.ClassCalibration;
import ai.wood.data.Image;
import ai.wood.data.Network;
import ai.wood.data.Shape;
import ai.wood.score.WoodScorer;
import ai.wood.transport.GroundCost;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DetectorTest {

    private static final Scorer MSP = new WoodScorer(GroundCost.binary());

    /** Its logits are an image's first two values. */
    private static final class Echo implements Network {
        private boolean closed;

        @Override
        public Outputs forward(List<Image> images) {
            return Outputs.ofLogits(Matrix.of(images.stream()
                    .map(image -> new double[] {image.get(0), image.get(1)})
                    .toArray(double[][]::new)));
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static Image image(int first, int second) {
        return Image.of(new Shape(1, 1, 2), new byte[] {(byte) first, (byte) second});
    }

    @Test
    void aVerdictHasLabelProbabilityScorePValueAndAlarm() {
        Calibration calibration = Calibration.of(new double[] {0.1, 0.2, 0.3});
        Detector detector = new Detector(new Echo(), MSP, calibration.thresholds(new Threshold(0.3, 0.9)));
        List<Verdict> verdicts = detector.judge(List.of(image(0, 1), image(7, 7)));
        double probability = 1 / (1 + Math.exp(-1));
        assertThat(verdicts.get(0).label()).isEqualTo(1);
        assertThat(verdicts.get(0).probability()).isCloseTo(probability, within(1e-12));
        assertThat(verdicts.get(0).score()).isCloseTo(1 - probability, within(1e-12));
        assertThat(verdicts.get(0).pValue()).isEqualTo(2 / 4.0);
        assertThat(verdicts.get(0).ood()).isFalse();
        assertThat(verdicts.get(1)).isEqualTo(new Verdict(0, 0.5, 0.5, 1 / 4.0, true));
        assertThat(detector.judge(List.of())).isEmpty();
    }

    @Test
    void aPredictionThatIsNoNumberIsAnAlarmWhateverItsScore() {
        Scorer calm = outputs -> new double[outputs.size()];
        Calibration calibration = Calibration.of(new double[] {0.1, 0.2, 0.3});
        Detector detector = new Detector(new Echo(), calm, calibration.thresholds(new Threshold(0.3, 0.9)));
        List<Verdict> verdicts = detector.judge(Outputs.ofLogits(Matrix.of(
                new double[] {1, 0}, new double[] {1, Double.NaN}, new double[] {Double.NaN, 1}, new double[] {
                    0, Double.POSITIVE_INFINITY
                })));
        assertThat(verdicts).extracting(Verdict::ood).containsExactly(false, true, true, true);
    }

    @Test
    void thresholdsOfAClassConcernSamplesPredictedAsItOnly() {
        ClassCalibration calibration =
                ClassCalibration.of(new double[] {0.1, 0.2, 0.4, 0.45}, new int[] {0, 0, 1, 1}, 2);
        List<Threshold> thresholds = IntStream.range(0, 2)
                .mapToObj(label -> calibration.quantile(label, 0.5))
                .toList();
        Detector detector = new Detector(new Echo(), MSP, calibration.thresholds(thresholds));
        List<Verdict> verdicts = detector.judge(List.of(image(1, 0), image(0, 1)));
        assertThat(verdicts).extracting(Verdict::ood).containsExactly(true, false);
        assertThat(verdicts).extracting(Verdict::pValue).containsExactly(1 / 3.0, 1.0);
    }

    @Test
    void closingADetectorClosesItsNetwork() {
        Echo network = new Echo();
        new Detector(network, MSP, Calibration.of(new double[] {1}).thresholds(new Threshold(1, 0.5))).close();
        assertThat(network.closed).isTrue();
    }
}
