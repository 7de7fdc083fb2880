package ai.wood;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A scorer that needs the samples themselves, such as one that moves an image along a gradient. It measures samples first
 * and then reads its measurements, which are branches of the outputs.
 *
 * @param <T> the type of a sample
 */
public interface SampleScorer<T> extends Scorer {

    /**
     * Measures samples: named matrices with one row for each.
     *
     * @throws CannotRunException if the classifier lacks something it needs
     */
    Map<String, Matrix> measure(Classifier<T> classifier, List<T> samples);

    /** The settings that tuning chose, for a report. Empty if nothing was tuned. */
    default String tuned() {
        return "";
    }

    /** Outputs completed by the measurements of a scorer, if it needs samples. Other scorers get them as they are. */
    @SuppressWarnings("unchecked") // a detector and its classifier have the same type of sample
    static <T> Outputs complete(Scorer scorer, Classifier<T> classifier, List<T> samples, Outputs outputs) {
        if (!(scorer instanceof SampleScorer<?> needsSamples)) {
            return outputs;
        }
        Map<String, Matrix> branches = new LinkedHashMap<>(outputs.branches());
        branches.putAll(((SampleScorer<T>) needsSamples).measure(classifier, samples));
        return outputs.withBranches(branches);
    }
}
