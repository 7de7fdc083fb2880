package ai.wood.bundle;

import ai.wood.Thresholds;
import ai.wood.calibrate.Calibration;
import ai.wood.calibrate.ClassCalibration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How thresholds are chosen from the scores of held-out InD samples.
 *
 * @param tnr share of InD samples to keep
 * @param conformal with a guarantee, not as a plain quantile
 * @param perClass one for each predicted class
 */
public record Choice(double tnr, boolean conformal, boolean perClass) {

    public Choice {
        if (!(tnr > 0 && tnr < 1)) {
            throw new IllegalArgumentException("the TNR must lie strictly between 0 and 1 but is " + tnr);
        }
    }

    /**
     * Chooses.
     *
     * @param labels predicted for the samples, below the number of classes
     */
    public Thresholds choose(double[] scores, int[] labels, int classes) {
        if (perClass) {
            ClassCalibration calibration = ClassCalibration.of(scores, labels, classes);
            return calibration.thresholds(IntStream.range(0, classes)
                    .mapToObj(k -> conformal ? calibration.conformal(k, tnr) : calibration.quantile(k, tnr))
                    .toList());
        }
        Calibration calibration = Calibration.of(scores);
        return calibration.thresholds(conformal ? calibration.conformal(tnr) : calibration.quantile(tnr));
    }

    /** The value for all classes, or one for each. */
    List<Double> values(Thresholds thresholds, int classes) {
        return IntStream.range(0, perClass ? classes : 1)
                .mapToObj(k -> thresholds.of(k).value())
                .toList();
    }
}
