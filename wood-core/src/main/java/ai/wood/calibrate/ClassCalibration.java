package ai.wood.calibrate;

import ai.wood.Threshold;
import ai.wood.Thresholds;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * One calibration per predicted class (Mondrian conformal prediction): the promise holds within each class, so that a
 * class with generally higher scores is not alarmed more often than the others.
 */
public final class ClassCalibration {

    private final List<Optional<Calibration>> byLabel;

    private ClassCalibration(List<Optional<Calibration>> byLabel) {
        this.byLabel = List.copyOf(byLabel);
    }

    /**
     * Groups the scores by label.
     *
     * @param indScores of held-out InD samples
     * @param labels the predicted label of each
     * @param classes number of classes
     */
    public static ClassCalibration of(double[] indScores, int[] labels, int classes) {
        if (indScores.length != labels.length) {
            throw new IllegalArgumentException(
                    "every score needs a label but there are " + indScores.length + " and " + labels.length);
        }
        List<DoubleStream.Builder> groups =
                Stream.generate(DoubleStream::builder).limit(classes).toList();
        for (int i = 0; i < labels.length; i++) {
            if (labels[i] < 0 || labels[i] >= classes) {
                throw new IllegalArgumentException(
                        "labels must lie in 0 to " + (classes - 1) + " but one is " + labels[i]);
            }
            groups.get(labels[i]).add(indScores[i]);
        }
        return new ClassCalibration(groups.stream()
                .map(group -> group.build().toArray())
                .map(scores -> scores.length == 0 ? Optional.<Calibration>empty() : Optional.of(Calibration.of(scores)))
                .toList());
    }

    /** The conformal threshold for samples predicted as this class; infinite where it has too few scores. */
    public Threshold conformal(int label, double tnr) {
        return threshold(label, tnr, calibration -> calibration.conformal(tnr));
    }

    /** The plain quantile of the scores of samples predicted as this class; infinite where there are none. */
    public Threshold quantile(int label, double tnr) {
        return threshold(label, tnr, calibration -> calibration.quantile(tnr));
    }

    private Threshold threshold(int label, double tnr, Function<Calibration, Threshold> choose) {
        return byLabel.get(label).map(choose).orElseGet(() -> new Threshold(Double.POSITIVE_INFINITY, tnr));
    }

    /** A threshold for each label, in their order, and the p-values within each. */
    public Thresholds thresholds(List<Threshold> thresholds) {
        List<Threshold> copy = List.copyOf(thresholds);
        if (copy.size() != byLabel.size()) {
            throw new IllegalArgumentException(
                    "every class needs a threshold but " + byLabel.size() + " have " + copy.size());
        }
        return new Thresholds() {
            @Override
            public Threshold of(int label) {
                return copy.get(label);
            }

            @Override
            public double pValue(int label, double score) {
                return ClassCalibration.this.pValue(label, score);
            }
        };
    }

    /**
     * The p-value of a sample predicted as this class; 1 where the class has no scores to compare with, whatever the score: also
     * for NaN, the largest of all, {@code 1 / (n + 1)} is 1 there. The verdict on NaN is OOD nevertheless.
     */
    public double pValue(int label, double score) {
        return byLabel.get(label).map(calibration -> calibration.pValue(score)).orElse(1.0);
    }
}
