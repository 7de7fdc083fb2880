package ai.wood;

import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * Calibration scores in groups, usually one per predicted class (Mondrian conformal prediction). The guarantee holds
 * within each group, so a class with generally higher scores does not raise more false alarms than the others.
 */
final class ClassCalibration {

    private final List<Optional<Calibration>> groups;
    private final int scores;

    private ClassCalibration(List<Optional<Calibration>> groups, int scores) {
        this.groups = groups;
        this.scores = scores;
    }

    /**
     * Groups scores by label.
     *
     * @param scores of held-out InD samples
     * @param labels the label of each, from 0 to {@code classes - 1}
     */
    static ClassCalibration of(double[] scores, int[] labels, int classes) {
        if (scores.length == 0 || scores.length != labels.length) {
            throw new IllegalArgumentException("calibration needs scores, each with a label, but there are "
                    + scores.length + " scores and " + labels.length + " labels");
        }
        List<DoubleStream.Builder> groups =
                Stream.generate(DoubleStream::builder).limit(classes).toList();
        for (int i = 0; i < labels.length; i++) {
            if (labels[i] < 0 || labels[i] >= classes) {
                throw new IllegalArgumentException(
                        "labels must lie in 0 to " + (classes - 1) + " but one is " + labels[i]);
            }
            groups.get(labels[i]).add(scores[i]);
        }
        return new ClassCalibration(
                groups.stream()
                        .map(group -> group.build().toArray())
                        .map(group ->
                                group.length == 0 ? Optional.<Calibration>empty() : Optional.of(Calibration.of(group)))
                        .toList(),
                scores.length);
    }

    /** Number of groups. */
    int size() {
        return groups.size();
    }

    /** The calibration of a group; empty if it has no scores. */
    Optional<Calibration> of(int group) {
        return groups.get(group);
    }

    /**
     * The p-value of a score within its group; 1 if the group has no scores to compare with. NaN, which is OOD in every
     * group, gets the smallest p-value that this number of scores allows.
     */
    double pValue(int group, double score) {
        if (Double.isNaN(score)) {
            return 1.0 / (scores + 1);
        }
        return groups.get(group).map(calibration -> calibration.pValue(score)).orElse(1.0);
    }
}
