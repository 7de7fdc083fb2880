package ai.wood.score;

import ai.wood.CannotRunException;
import ai.wood.Matrix;
import ai.wood.Outputs;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Labelled features to fit a scorer to.
 *
 * @param rows the features, one row per sample
 * @param labels their true labels
 * @param classes number of classes, not all of which need samples
 */
record Features(Matrix rows, List<Integer> labels, int classes) {

    Features {
        if (labels.size() != rows.rows()) {
            throw new CannotRunException("needs training samples, each with a label, but has " + rows.rows()
                    + " samples and " + labels.size() + " labels");
        }
        for (int label : labels) {
            if (label < 0 || label >= classes) {
                throw new IllegalArgumentException("labels must lie in 0 to " + (classes - 1) + " but one is " + label);
            }
        }
        requireFinite(rows);
    }

    /** More classes than any classifier has. */
    private static final int MAX_CLASSES = 1_000_000;

    /** Features of training outputs. Without predictions, the largest label tells the number of classes. */
    static Features of(Outputs training, List<Integer> labels) {
        return new Features(training.features(), labels, classes(training, labels));
    }

    private static int classes(Outputs training, List<Integer> labels) {
        if (training.hasPredictions()) {
            return training.classes();
        }
        int largest = labels.stream().mapToInt(label -> label).max().orElse(0);
        if (largest >= MAX_CLASSES) {
            throw new IllegalArgumentException("labels must be below " + MAX_CLASSES + " but one is " + largest);
        }
        return largest + 1;
    }

    /** Copies of features divided by their lengths. */
    static Matrix unit(Matrix rows) {
        double[] unit = new double[Math.multiplyExact(rows.rows(), rows.columns())];
        for (int r = 0; r < rows.rows(); r++) {
            System.arraycopy(Neighbours.unit(rows.row(r)), 0, unit, r * rows.columns(), rows.columns());
        }
        return Matrix.wrap(unit, rows.columns());
    }

    /** The mean of each class over the chosen samples; NaN for a class without any. */
    double[][] means(IntPredicate chosen) {
        double[][] means = new double[classes][rows.columns()];
        int[] counts = new int[classes];
        double[] row = new double[rows.columns()];
        for (int r = 0; r < rows.rows(); r++) {
            if (chosen.test(r)) {
                rows.copyRow(r, row);
                counts[labels.get(r)]++;
                double[] sum = means[labels.get(r)];
                for (int i = 0; i < row.length; i++) {
                    sum[i] += row[i];
                }
            }
        }
        for (int k = 0; k < classes; k++) {
            for (int i = 0; i < row.length; i++) {
                means[k][i] /= counts[k];
            }
        }
        return means;
    }

    /**
     * Features a scorer can be fitted to.
     *
     * @throws CannotRunException if there are none, or a row contains NaN or an infinite number
     */
    static Matrix requireFinite(Matrix rows) {
        if (rows.rows() == 0) {
            throw new CannotRunException("needs training samples but has none");
        }
        int wrong = rows.firstRow(row -> !Arrays.stream(row).allMatch(Double::isFinite));
        if (wrong >= 0) {
            throw new CannotRunException("needs finite training features but those in row " + (wrong + 1)
                    + " are not. Maybe the network diverged.");
        }
        return rows;
    }

    /**
     * Features of the width a scorer was fitted to.
     *
     * @throws IllegalArgumentException where they are of another
     */
    static Matrix requireWidth(Matrix rows, int width) {
        if (rows.columns() != width) {
            throw new IllegalArgumentException(
                    "the scorer was fitted to " + width + " features but the network gives " + rows.columns());
        }
        return rows;
    }

    /** Scores that depend on the predicted class, changed in place: NaN for a prediction of NaN. */
    static double[] ofPredicted(Outputs outputs, double[] scores) {
        for (int r = 0; r < scores.length; r++) {
            if (Arrays.stream(outputs.predictions().row(r)).anyMatch(Double::isNaN)) {
                scores[r] = Double.NaN;
            }
        }
        return scores;
    }
}
