package ai.wood;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A detector and its classifier: samples in, verdicts out. Closing it closes the classifier.
 *
 * @param <T> the type of a sample
 * @param prepare brings a sample into the form that the classifier takes, such as an image to its size
 */
public record SampleDetector<T>(Detector detector, Classifier<T> classifier, UnaryOperator<T> prepare)
        implements AutoCloseable {

    /** For samples that the classifier takes as they are. */
    public SampleDetector(Detector detector, Classifier<T> classifier) {
        this(detector, classifier, UnaryOperator.identity());
    }

    /** A verdict for each sample, in their order. */
    public List<Verdict> detect(List<T> samples) {
        return samples.isEmpty() ? List.of() : detector.detect(outputs(samples));
    }

    /** The outputs that the detector scores. */
    public Outputs outputs(List<T> samples) {
        List<T> prepared = samples.stream().map(prepare).toList();
        Outputs outputs = detector.kind().requires().contains(Requirement.LAYERS)
                ? classifier.classifyDetailed(prepared)
                : classifier.classify(prepared);
        return SampleScorer.complete(detector.scorer(), classifier, prepared, outputs);
    }

    @Override
    public void close() {
        classifier.close();
    }
}
