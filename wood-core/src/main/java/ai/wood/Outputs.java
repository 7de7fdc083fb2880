package ai.wood;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What a classifier says about a batch of samples: one row per sample and one column per class, as logits or as
 * probabilities, and, where the network gives them, the features of its last layer but one and of layers before it.
 *
 * <p>Whoever has logits should keep them: probabilities are derived from logits at full precision, but the scale of the
 * logits, which several scorers need, cannot be recovered from probabilities.
 */
public final class Outputs {

    /** The branch of a network that learnt how sure it is: one column. */
    public static final String CONFIDENCE = "confidence";

    /** The branch of a network with reject classes: their logits. */
    public static final String REJECT = "reject";

    private final Matrix values;
    private final boolean logits;
    private final @Nullable Matrix features;
    private final Map<String, Matrix> layers;
    private final Map<String, Matrix> branches;

    private Outputs(
            Matrix values,
            boolean logits,
            @Nullable Matrix features,
            Map<String, Matrix> layers,
            Map<String, Matrix> branches) {
        if (values.columns() < 2) {
            throw new IllegalArgumentException("a classifier needs at least 2 classes but has " + values.columns());
        }
        if (features != null) {
            requireRows("the features", features, values.rows());
        }
        layers.forEach((name, layer) -> requireRows("layer " + name, layer, values.rows()));
        branches.forEach((name, branch) -> requireRows("branch " + name, branch, values.rows()));
        this.values = values;
        this.logits = logits;
        this.features = features;
        this.layers = Collections.unmodifiableMap(new LinkedHashMap<>(layers));
        this.branches = Collections.unmodifiableMap(new LinkedHashMap<>(branches));
    }

    private static void requireRows(String what, Matrix matrix, int rows) {
        if (matrix.rows() != rows) {
            throw new IllegalArgumentException(
                    what + " must have a row per sample, " + rows + ", but have " + matrix.rows());
        }
    }

    public static Outputs ofLogits(Matrix logits) {
        return new Outputs(logits, true, null, Map.of(), Map.of());
    }

    /** Rows must be non-negative and sum to 1; {@link Probabilities#check} says which one does not. */
    public static Outputs ofProbabilities(Matrix probabilities) {
        return new Outputs(probabilities, false, null, Map.of(), Map.of());
    }

    public Outputs withFeatures(Matrix features) {
        return new Outputs(values, logits, features, layers, branches);
    }

    /** These outputs with the features of intermediate layers, by name; their order is kept. */
    public Outputs withLayers(Map<String, Matrix> layers) {
        return new Outputs(values, logits, features, layers, branches);
    }

    /** These outputs with what the network says beside its classes, by name. */
    public Outputs withBranches(Map<String, Matrix> branches) {
        return new Outputs(values, logits, features, layers, branches);
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

    /**
     * These outputs with all logits divided by the temperature: above 1 it makes predictions less certain. Those of reject
     * classes, which share probabilities with the others, are divided too.
     */
    public Outputs withTemperature(double temperature) {
        if (temperature == 1) {
            return this;
        }
        if (!logits) {
            throw new IllegalArgumentException(
                    "a temperature divides logits but only probabilities were given, in which"
                            + " small ones may be rounded to 0. Maybe leave the temperature at 1.");
        }
        Map<String, Matrix> divided = new LinkedHashMap<>(branches);
        divided.computeIfPresent(REJECT, (name, rejects) -> rejects.dividedBy(temperature));
        return new Outputs(values.dividedBy(temperature), true, features, layers, divided);
    }

    public boolean hasFeatures() {
        return features != null;
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

    /** The features of intermediate layers, from the first to the last; empty where the network gave none. */
    public Map<String, Matrix> layers() {
        return layers;
    }

    /**
     * The features of one intermediate layer.
     *
     * @throws IllegalArgumentException where the network gave none of this name
     */
    public Matrix layer(String name) {
        Matrix layer = layers.get(name);
        if (layer == null) {
            throw new IllegalArgumentException(
                    "the outputs hold no layer '" + name + "' but " + (layers.isEmpty() ? "none" : layers.keySet()));
        }
        return layer;
    }

    /** What the network says beside its classes, such as how sure it is; empty for most networks. */
    public Map<String, Matrix> branches() {
        return branches;
    }

    /**
     * What one branch of the network says.
     *
     * @throws IllegalArgumentException where the network has none of this name
     */
    public Matrix branch(String name) {
        Matrix branch = branches.get(name);
        if (branch == null) {
            throw new IllegalArgumentException("this scorer needs a network that learnt the branch '" + name
                    + "' but the outputs hold " + (branches.isEmpty() ? "none" : branches.keySet())
                    + ". Maybe train with --loss " + name + ".");
        }
        return branch;
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
