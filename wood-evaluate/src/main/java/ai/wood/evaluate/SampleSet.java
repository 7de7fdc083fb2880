package ai.wood.evaluate;

import ai.wood.CannotRunException;
import ai.wood.Outputs;
import ai.wood.Requirement;
import ai.wood.data.Dataset;
import ai.wood.io.Sha256;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Named samples to compare scorers on: the outputs of a network for each, true labels and images if they are known. */
public final class SampleSet {

    private final String name;
    private final Outputs outputs;
    private final int[] labels;
    private final @Nullable String hash;
    private final @Nullable Dataset dataset;

    private SampleSet(String name, Outputs outputs, int[] labels, @Nullable String hash, @Nullable Dataset dataset) {
        this.name = name;
        this.outputs = outputs;
        this.labels = labels;
        this.hash = hash;
        this.dataset = dataset;
        int known = dataset == null ? labels.length : dataset.size();
        if (known != outputs.size() && (known > 0 || dataset != null)) {
            throw new IllegalArgumentException(name + " has " + known + (dataset == null ? " labels" : " samples")
                    + " but there are outputs of " + outputs.size());
        }
    }

    /** Images and their outputs. */
    public static SampleSet of(Dataset dataset, Outputs outputs) {
        return new SampleSet(dataset.name(), outputs, dataset.labels(), null, dataset);
    }

    /**
     * Outputs without the samples.
     *
     * @param labels true labels; empty if unknown
     * @param hash SHA-256 of the files that contain them
     */
    public static SampleSet of(String name, Outputs outputs, int[] labels, String hash) {
        return new SampleSet(name, outputs, labels.clone(), hash, null);
    }

    /** Some of these samples, by index. */
    SampleSet rows(int... rows) {
        return new SampleSet(
                name,
                outputs.select(rows),
                labels.length == 0
                        ? labels
                        : IntStream.of(rows).map(i -> labels[i]).toArray(),
                rows.length == size() ? hash() : Sha256.of(hash() + " " + Arrays.toString(rows)),
                null);
    }

    public String name() {
        return name;
    }

    public int size() {
        return outputs.size();
    }

    public Outputs outputs() {
        return outputs;
    }

    /** The true label of each sample; empty if unknown. */
    public int[] labels() {
        return labels.clone();
    }

    /** SHA-256 of the samples, of the files that contain them, or of these files and the numbers of the rows used. */
    public String hash() {
        return hash != null ? hash : dataset().hash();
    }

    /** Fraction of samples that the network classifies correctly; NaN without labels or predictions. */
    public double accuracy() {
        return labels.length == 0 || !outputs.hasPredictions() ? Double.NaN : outputs.accuracy(labels);
    }

    boolean hasImages() {
        return dataset != null;
    }

    /**
     * The images.
     *
     * @throws CannotRunException if only the outputs are known
     */
    public Dataset dataset() {
        if (dataset == null) {
            throw new CannotRunException("needs " + Requirement.SAMPLES.description());
        }
        return dataset;
    }
}
