package ai.wood;

import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a classifier says about a batch of samples: one row per sample and one column per class, as logits or as
 * probabilities, and, where the network gives them, the features of its last layer but one.
 *
 * <p>Whoever has logits should keep them: probabilities are derived from logits at full precision, but the scale of the
 * logits, which several scorers need, cannot be recovered from probabilities.
 */
public final class Outputs {

    private final Matrix values;
    private final boolean logits;
    private final @Nullable Matrix features;

    private Outputs(Matrix values, boolean logits, @Nullable Matrix features) {
        if (values.columns() < 2) {
            throw new IllegalArgumentException("a classifier needs at least 2 classes but has " + values.columns());
        }
        if (features != null && features.rows() != values.rows()) {
            throw new IllegalArgumentException(
                    "features have " + features.rows() + " rows but the classifier gave " + values.rows());
        }
        this.values = values;
        this.logits = logits;
        this.features = features;
    }

    public static Outputs ofLogits(Matrix logits) {
        return new Outputs(logits, true, null);
    }

    /** Rows must be non-negative and sum to 1; {@link Probabilities#check} says which one does not. */
    public static Outputs ofProbabilities(Matrix probabilities) {
        return new Outputs(probabilities, false, null);
    }

    public Outputs withFeatures(Matrix features) {
        return new Outputs(values, logits, features);
    }

    /** Number of samples. */
    public int size() {
        return values.rows();
    }

    /** Number of classes. */
    public int classes() {
        return values.columns();
    }

    public boolean hasLogits() {
        return logits;
    }

    /** Logits or probabilities, as {@link #hasLogits()} says. */
    public Matrix values() {
        return values;
    }

    /**
     * The logits of every sample.
     *
     * @throws IllegalArgumentException where only probabilities are known
     */
    public Matrix logits() {
        if (!logits) {
            throw new IllegalArgumentException("this scorer needs logits but only probabilities were given."
                    + " Maybe use msp, entropy or wood, which need probabilities only.");
        }
        return values;
    }

    /** Applies a function to each sample's probabilities: as given, or the softmax of its logits. */
    public double[] mapProbabilities(RowFunction function) {
        if (!logits) {
            return values.mapRows(function);
        }
        return values.mapRows(row -> {
            Probabilities.softmax(row);
            return function.apply(row);
        });
    }

    /** A copy of one sample's probabilities. */
    public double[] probabilities(int sample) {
        double[] row = values.row(sample);
        if (logits) {
            Probabilities.softmax(row);
        }
        return row;
    }

    /** These outputs with all logits divided by the temperature: above 1 it makes predictions less certain. */
    public Outputs withTemperature(double temperature) {
        if (temperature == 1) {
            return this;
        }
        Matrix source = logits();
        double[] scaled = new double[Math.multiplyExact(size(), classes())];
        for (int r = 0, i = 0; r < size(); r++) {
            for (int k = 0; k < classes(); k++, i++) {
                scaled[i] = source.get(r, k) / temperature;
            }
        }
        return new Outputs(Matrix.wrap(scaled, classes()), true, features);
    }

    /**
     * The features of every sample: the input of the network's last layer.
     *
     * @throws IllegalArgumentException where the network gave none
     */
    public Matrix features() {
        if (features == null) {
            throw new IllegalArgumentException("this scorer needs features but the outputs hold none");
        }
        return features;
    }

    /** The predicted label of a sample: its most probable class, the first one on ties. */
    public int label(int sample) {
        return Probabilities.argmax(values.row(sample));
    }

    /** Share of samples whose predicted label is the given one. */
    public double accuracy(int[] labels) {
        if (labels.length != size() || size() == 0) {
            throw new IllegalArgumentException(
                    "accuracy needs one label per sample but there are " + labels.length + " for " + size());
        }
        return (double) IntStream.range(0, size())
                        .filter(i -> label(i) == labels[i])
                        .count()
                / size();
    }
}
