package ai.wood.report;

import ai.wood.Matrix;
import ai.wood.Quantiles;
import ai.wood.evaluate.Comparison.OnOod;
import ai.wood.evaluate.Comparison.Result;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.DoubleStream;

/**
 * How many samples of each set raise an alarm at each of some hundred thresholds: enough for ROC curves and for a
 * threshold to be moved by hand, whatever the number of samples. Counts are exact.
 *
 * @param thresholds ascending, finite; scores that occur, and the calibrated threshold where it is finite
 */
record Alarms(List<Double> thresholds) {

    private static final int IND_LEVELS = 100;
    private static final int TAIL_LEVELS = 10;
    private static final int OOD_LEVELS = 160;

    static Alarms of(Result result) {
        TreeSet<Double> thresholds = new TreeSet<>();
        double[] ind = sorted(result.indScores());
        for (int i = 0; i <= IND_LEVELS; i++) {
            add(thresholds, ind, (double) i / IND_LEVELS);
        }
        for (int i = 1; i < TAIL_LEVELS; i++) {
            add(thresholds, ind, 1 - (double) i / IND_LEVELS / TAIL_LEVELS);
        }
        int levels = OOD_LEVELS / Math.max(1, result.onOod().size());
        for (OnOod on : result.onOod()) {
            double[] ood = sorted(on.scores());
            for (int i = 0; i <= levels; i++) {
                add(thresholds, ood, (double) i / levels);
            }
        }
        thresholds.add(result.threshold().value() + 0.0);
        thresholds.removeIf(threshold -> !Double.isFinite(threshold));
        return new Alarms(thresholds.isEmpty() ? List.of(0.0) : List.copyOf(thresholds));
    }

    private static void add(TreeSet<Double> thresholds, double[] sorted, double level) {
        // + 0.0 turns -0 into 0, which a TreeSet would tell apart
        thresholds.add(sorted[(int) Math.round(level * (sorted.length - 1))] + 0.0);
    }

    /** How many of the scores exceed each threshold. */
    int[] counts(Matrix scores) {
        double[] sorted = sorted(scores);
        return thresholds.stream()
                .mapToInt(threshold -> sorted.length - Quantiles.countUpTo(sorted, threshold))
                .toArray();
    }

    /** The share of the scores that exceeds each threshold. */
    double[] shares(Matrix scores) {
        return Arrays.stream(counts(scores))
                .mapToDouble(count -> (double) count / scores.columns())
                .toArray();
    }

    private static double[] sorted(Matrix scores) {
        return DoubleStream.of(scores.row(0)).sorted().toArray();
    }
}
