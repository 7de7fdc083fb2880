package ai.wood.loss;

import ai.wood.Matrix;
import ai.wood.Scorer;
import ai.wood.Settings;
import ai.wood.score.ScorerKinds;
import java.util.Map;
import java.util.Optional;

/**
 * A training loss over one batch of labelled InD and unlabelled OOD samples: the mean of a term per InD sample plus the
 * mean of a term per OOD sample.
 *
 * <p>Terms return their value for one row of logits and write their derivative by these logits.
 */
public interface Loss {

    /**
     * What a row of logits holds behind those of the classes: the names of further outputs of the network and how many
     * numbers each gives. Most losses need none.
     */
    default Map<String, Integer> branches() {
        return Map.of();
    }

    /** The settings with which the scorer {@code wood} computes the score that this loss trains, if it trains one. */
    default Optional<Settings> wood() {
        return Optional.empty();
    }

    /** Returns the score that fits this loss. Training validates with it. */
    default Scorer scorer() {
        return ScorerKinds.formula("msp");
    }

    /** Whether this loss learns from OOD samples. */
    default boolean usesOod() {
        return true;
    }

    /** Whether the loss of a batch is not the mean over its parts, so that several processes cannot divide the batch. */
    default boolean needsWholeBatch() {
        return false;
    }

    /** The term of one InD sample. */
    double ind(double[] logits, int label, double[] gradient);

    /** The term of one OOD sample; its weight is part of it. */
    double ood(double[] logits, double[] gradient);

    /**
     * Value and gradient over a batch.
     *
     * @param ind logits of the InD samples; at least one
     * @param labels their labels
     * @param ood logits of the OOD samples; may have no rows, then their term is zero
     */
    default LossValue on(Matrix ind, int[] labels, Matrix ood) {
        requireBatch(ind, labels, ood);
        int classes = ind.columns();
        double[] indGradient = new double[ind.rows() * classes];
        double[] oodGradient = new double[ood.rows() * classes];
        double[] gradient = new double[classes];
        double value = 0;
        for (int r = 0; r < ind.rows(); r++) {
            value += ind(ind.row(r), labels[r], gradient) / ind.rows();
            store(gradient, 1.0 / ind.rows(), indGradient, r);
        }
        for (int r = 0; r < ood.rows(); r++) {
            value += ood(ood.row(r), gradient) / ood.rows();
            store(gradient, 1.0 / ood.rows(), oodGradient, r);
        }
        return new LossValue(value, Matrix.wrap(indGradient, classes), Matrix.wrap(oodGradient, classes));
    }

    /**
     * Refuses what is no batch.
     *
     * @throws IllegalArgumentException where there is no InD sample, or one without a label among its classes, or where OOD
     *     samples have other logits
     */
    default void requireBatch(Matrix ind, int[] labels, Matrix ood) {
        if (ind.rows() == 0 || labels.length != ind.rows()) {
            throw new IllegalArgumentException("a batch needs InD samples, each with a label, but has " + ind.rows()
                    + " samples and " + labels.length + " labels");
        }
        int classes = ind.columns()
                - branches().values().stream().mapToInt(Integer::intValue).sum();
        for (int label : labels) {
            if (label < 0 || label >= classes) {
                throw new IllegalArgumentException(
                        "labels must be from 0 to " + (classes - 1) + " but there is a " + label);
            }
        }
        if (ood.rows() > 0 && ood.columns() != ind.columns()) {
            throw new IllegalArgumentException(
                    "OOD samples need " + ind.columns() + " logits, as InD samples have, but have " + ood.columns());
        }
    }

    private static void store(double[] gradient, double weight, double[] all, int row) {
        for (int i = 0; i < gradient.length; i++) {
            all[row * gradient.length + i] = gradient[i] * weight;
        }
    }
}
