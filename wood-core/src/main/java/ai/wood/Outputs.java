package ai.wood;

import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The outputs of a classifier for a batch of samples, one row per sample: predictions as logits or as probabilities, and
 * the features of the last layer and of earlier layers. Predictions or features may be absent, not both.
 *
 * <p>Keep logits if you have them. Probabilities follow from logits at full precision, but the scale of the logits,
 * which several scorers need, cannot be recovered from probabilities.
 */
public final class Outputs {

    /** The branch of a network that learned how sure it is: one column. */
    public static final String CONFIDENCE = "confidence";

    /** The branch of a network with reject classes: their logits. */
    public static final String REJECT = "reject";

    private final int size;
    private final @Nullable Predictions predictions;
    private final @Nullable Matrix features;
    private final Map<String, Matrix> layers;
    private final Map<String, Matrix> branches;

    /** What a classifier predicts, in one of two forms. */
    private sealed interface Predictions {

        Matrix rows();

        /** Other rows in the same form. */
        Predictions with(Matrix newRows);

        double[] map(RowFunction ofProbabilities);
    }

    /**
     * Any numbers. A row with NaN or +Infinity has no prediction; -Infinity is a class without mass.
     *
     * @param softmax of the rows, if it was computed already
     */
    private record Logits(Matrix rows, @Nullable Matrix softmax) implements Predictions {

        @Override
        public Predictions with(Matrix newRows) {
            return new Logits(newRows, null);
        }

        @Override
        public double[] map(RowFunction ofProbabilities) {
            return softmax != null
                    ? softmax.mapRows(ofProbabilities)
                    : rows.mapRows(row -> {
                        Probabilities.softmax(row);
                        return ofProbabilities.apply(row);
                    });
        }
    }

    /** Every row is a probability distribution. */
    private record Distributions(Matrix rows) implements Predictions {

        @Override
        public Predictions with(Matrix newRows) {
            return new Distributions(newRows);
        }

        @Override
        public double[] map(RowFunction ofProbabilities) {
            return rows.mapRows(ofProbabilities);
        }
    }

    private Outputs(
            int size,
            @Nullable Predictions predictions,
            @Nullable Matrix features,
            Map<String, Matrix> layers,
            Map<String, Matrix> branches) {
        if (predictions != null && predictions.rows().columns() < 2) {
            throw new IllegalArgumentException("a classifier needs at least 2 classes but has "
                    + predictions.rows().columns());
        }
        if (features != null) {
            requireRows("the features", features, size);
        }
        layers.forEach((name, layer) -> requireRows("layer " + name, layer, size));
        branches.forEach((name, branch) -> requireRows("branch " + name, branch, size));
        this.size = size;
        this.predictions = predictions;
        this.features = features;
        this.layers = Collections.unmodifiableMap(new LinkedHashMap<>(layers));
        this.branches = Collections.unmodifiableMap(new LinkedHashMap<>(branches));
    }

    private static void requireRows(String what, Matrix matrix, int rows) {
        if (matrix.rows() != rows) {
            throw new IllegalArgumentException(
                    what + " must have one row per sample, " + rows + ", but have " + matrix.rows());
        }
    }

    /** Outputs with logits. They need not be finite; {@link #requireFinite} refuses those that are not. */
    public static Outputs ofLogits(Matrix logits) {
        return new Outputs(logits.rows(), new Logits(logits, null), null, Map.of(), Map.of());
    }

    /**
     * Outputs with probabilities.
     *
     * @throws IllegalArgumentException if a row is not a distribution: negative, not a number, or a sum other than 1
     */
    public static Outputs ofProbabilities(Matrix probabilities) {
        int wrong = probabilities.firstRow(row -> Probabilities.problem(row).isPresent());
        if (wrong >= 0) {
            throw new IllegalArgumentException("row " + (wrong + 1) + ", "
                    + Probabilities.problem(probabilities.row(wrong)).orElseThrow());
        }
        return new Outputs(probabilities.rows(), new Distributions(probabilities), null, Map.of(), Map.of());
    }

    /** Outputs of an encoder that predicts no classes: features only. */
    public static Outputs ofFeatures(Matrix features) {
        return new Outputs(features.rows(), null, features, Map.of(), Map.of());
    }

    /** The outputs of some samples, in the given order. */
    public Outputs select(int... samples) {
        Predictions selected =
                predictions == null ? null : predictions.with(predictions.rows().select(samples));
        return new Outputs(
                samples.length,
                selected,
                features == null ? null : features.select(samples),
                select(layers, samples),
                select(branches, samples));
    }

    private static Map<String, Matrix> select(Map<String, Matrix> matrices, int... samples) {
        Map<String, Matrix> selected = new LinkedHashMap<>();
        matrices.forEach((name, matrix) -> selected.put(name, matrix.select(samples)));
        return selected;
    }

    /**
     * Outputs from matrices of which some are null.
     *
     * @throws IllegalArgumentException if there are both logits and probabilities, or nothing
     */
    public static Outputs of(@Nullable Matrix logits, @Nullable Matrix probabilities, @Nullable Matrix features) {
        if (logits != null && probabilities != null) {
            throw new IllegalArgumentException("there must be logits or probabilities, not both");
        }
        if (logits == null && probabilities == null) {
            if (features == null) {
                throw new IllegalArgumentException("there must be logits, probabilities or features");
            }
            return ofFeatures(features);
        }
        Outputs outputs = logits != null ? ofLogits(logits) : ofProbabilities(Objects.requireNonNull(probabilities));
        return features == null ? outputs : outputs.withFeatures(features);
    }

    public Outputs withFeatures(Matrix newFeatures) {
        return new Outputs(size, predictions, newFeatures, layers, branches);
    }

    /** These outputs with the features of intermediate layers, by name. Their order is kept. */
    public Outputs withLayers(Map<String, Matrix> newLayers) {
        return new Outputs(size, predictions, features, newLayers, branches);
    }

    /** These outputs with named matrices that come with the predictions, such as the confidence a network learned. */
    public Outputs withBranches(Map<String, Matrix> newBranches) {
        return new Outputs(size, predictions, features, layers, newBranches);
    }

    /** Number of samples. */
    public int size() {
        return size;
    }

    /** Number of classes; 0 without predictions. */
    public int classes() {
        return predictions == null ? 0 : predictions.rows().columns();
    }

    public boolean hasPredictions() {
        return predictions != null;
    }

    public boolean hasLogits() {
        return predictions instanceof Logits;
    }

    public boolean hasFeatures() {
        return features != null;
    }

    /** What a scorer finds here. */
    public Set<Requirement> provides() {
        Set<Requirement> provided = EnumSet.noneOf(Requirement.class);
        if (hasPredictions()) {
            provided.add(Requirement.PREDICTIONS);
        }
        if (hasLogits()) {
            provided.add(Requirement.LOGITS);
        }
        if (hasFeatures()) {
            provided.add(Requirement.FEATURES);
        }
        if (!layers.isEmpty()) {
            provided.add(Requirement.LAYERS);
        }
        if (branches.containsKey(CONFIDENCE)) {
            provided.add(Requirement.CONFIDENCE);
        }
        if (branches.containsKey(REJECT)) {
            provided.add(Requirement.REJECT);
        }
        return provided;
    }

    /**
     * Refuses a kind of scorer that these outputs do not suffice for.
     *
     * @throws CannotRunException naming everything that is missing
     */
    public void require(ScorerKind kind) {
        Set<Requirement> provided = provides();
        Requirement.requireAll(kind, needed -> provided.contains(needed) || !needed.ofOutputs());
    }

    /**
     * Logits or probabilities, as {@link #hasLogits()} tells.
     *
     * @throws CannotRunException without predictions
     */
    public Matrix predictions() {
        return required().rows();
    }

    private Predictions required() {
        if (predictions == null) {
            throw new CannotRunException("the scorer needs logits or probabilities but there are only features");
        }
        return predictions;
    }

    /**
     * The logits of every sample.
     *
     * @throws CannotRunException if there are only probabilities or features
     */
    public Matrix logits() {
        if (!(required() instanceof Logits logits)) {
            throw new CannotRunException("the scorer needs logits but there are only probabilities."
                    + " The scorers msp, entropy and wood need probabilities only.");
        }
        return logits.rows();
    }

    /** Whether the predictions and features that both have are the same numbers. */
    boolean hasSameRows(Outputs other) {
        return size == other.size
                && (predictions == null
                        || other.predictions == null
                        || predictions.rows().equals(other.predictions.rows()))
                && (features == null || other.features == null || features.equals(other.features));
    }

    /** The same outputs with the softmax of the logits computed, once, for everything that needs probabilities. */
    Outputs withSoftmax() {
        if (!(predictions instanceof Logits logits) || logits.softmax() != null) {
            return this;
        }
        double[] softmax = new double[Math.multiplyExact(size, classes())];
        double[] row = new double[classes()];
        for (int r = 0; r < size; r++) {
            logits.rows().copyRow(r, row);
            Probabilities.softmax(row);
            System.arraycopy(row, 0, softmax, r * row.length, row.length);
        }
        Logits computed = new Logits(logits.rows(), Matrix.wrap(softmax, row.length));
        return new Outputs(size, computed, features, layers, branches);
    }

    /** Applies a function to each sample's probabilities: as given, or the softmax of its logits. */
    public double[] mapProbabilities(RowFunction function) {
        return required().map(function);
    }

    /** A copy of one sample's probabilities. */
    public double[] probabilities(int sample) {
        if (predictions instanceof Logits logits && logits.softmax() != null) {
            return logits.softmax().row(sample);
        }
        double[] row = predictions().row(sample);
        if (hasLogits()) {
            Probabilities.softmax(row);
        }
        return row;
    }

    /**
     * These outputs with all logits divided by the temperature: above 1 it makes predictions less certain. Logits of
     * reject classes, which share probabilities with the others, are divided too.
     */
    public Outputs withTemperature(double temperature) {
        if (temperature == 1 || predictions == null) {
            return this;
        }
        if (!hasLogits()) {
            throw new CannotRunException("a temperature divides logits but there are only probabilities, in which"
                    + " small values may be rounded to 0. Leave the temperature at 1.");
        }
        Map<String, Matrix> divided = new LinkedHashMap<>(branches);
        divided.computeIfPresent(REJECT, (name, rejects) -> rejects.dividedBy(temperature));
        return new Outputs(size, new Logits(logits().dividedBy(temperature), null), features, layers, divided);
    }

    /**
     * Refuses outputs to fit to, to calibrate with or to evaluate on if a number is NaN or infinite.
     *
     * @throws IllegalArgumentException naming the matrix and the first such row, counted from 1
     */
    public Outputs requireFinite() {
        if (predictions != null) {
            predictions.rows().requireFinite(hasLogits() ? "logits" : "probabilities");
        }
        if (features != null) {
            features.requireFinite("features");
        }
        layers.forEach((name, layer) -> layer.requireFinite("layer " + name));
        return this;
    }

    /**
     * The features of every sample: the input of the network's last layer.
     *
     * @throws CannotRunException if there are none
     */
    public Matrix features() {
        if (features == null) {
            throw new CannotRunException("the scorer needs features but there are none");
        }
        return features;
    }

    /** The features of intermediate layers, from the first to the last. Empty if the network gives none. */
    public Map<String, Matrix> layers() {
        return layers;
    }

    /**
     * The features of one intermediate layer.
     *
     * @throws CannotRunException if there is none of this name
     */
    public Matrix layer(String name) {
        return named("layer", layers, name);
    }

    /** Named matrices that come with the predictions. Empty for most networks. */
    public Map<String, Matrix> branches() {
        return branches;
    }

    /**
     * The matrix of one branch.
     *
     * @throws CannotRunException if there is none of this name
     */
    public Matrix branch(String name) {
        return named("branch", branches, name);
    }

    private static Matrix named(String what, Map<String, Matrix> matrices, String name) {
        Matrix matrix = matrices.get(name);
        if (matrix == null) {
            throw new CannotRunException("the scorer needs the " + what + " '" + name + "' but the outputs have "
                    + (matrices.isEmpty() ? "none" : matrices.keySet()));
        }
        return matrix;
    }

    /** The predicted label of a sample: its most probable class, the first one on ties. */
    public int label(int sample) {
        return Probabilities.argmax(predictions().row(sample));
    }

    /** Fraction of samples whose predicted label is the given one. */
    public double accuracy(int[] labels) {
        if (labels.length != size || size == 0) {
            throw new IllegalArgumentException(
                    "accuracy needs one label per sample but there are " + labels.length + " for " + size);
        }
        return (double) IntStream.range(0, size)
                        .filter(i -> label(i) == labels[i])
                        .count()
                / size;
    }
}
