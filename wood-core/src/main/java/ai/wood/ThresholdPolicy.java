package ai.wood;

import java.util.List;
import java.util.stream.IntStream;

/**
 * How thresholds are chosen from the scores of held-out InD samples.
 *
 * @param tnr fraction of InD samples to keep
 * @param conformal with a guarantee; otherwise the plain quantile
 * @param perClass one threshold for each predicted class; otherwise one for all
 */
public record ThresholdPolicy(double tnr, boolean conformal, boolean perClass) {

    public ThresholdPolicy {
        if (!(tnr > 0 && tnr < 1)) {
            throw new IllegalArgumentException("the TNR must lie strictly between 0 and 1 but is " + tnr);
        }
    }

    /** One conformal threshold. */
    public static ThresholdPolicy conformal(double tnr) {
        return new ThresholdPolicy(tnr, true, false);
    }

    /** One threshold at the plain quantile. */
    public static ThresholdPolicy quantile(double tnr) {
        return new ThresholdPolicy(tnr, false, false);
    }

    /** The threshold for these scores. */
    public Threshold choose(Calibration calibration) {
        return conformal ? calibration.conformal(tnr) : calibration.quantile(tnr);
    }

    /** Groups calibration scores: all together, or by predicted label. */
    ClassCalibration group(double[] scores, int[] labels, int classes) {
        ClassCalibration byLabel = ClassCalibration.of(scores, labels, classes);
        return perClass ? byLabel : ClassCalibration.of(scores, new int[scores.length], 1);
    }

    /** One threshold for each group. A group without scores gets infinity, which never raises an alarm. */
    List<Double> choose(ClassCalibration groups) {
        return IntStream.range(0, groups.size())
                .mapToObj(group ->
                        groups.of(group).map(this::choose).map(Threshold::value).orElse(Double.POSITIVE_INFINITY))
                .toList();
    }
}
