package ai.wood.server;

import ai.wood.bundle.Bundle;
import ai.wood.bundle.Detector;
import ai.wood.bundle.DetectorDescription.Classifier;
import ai.wood.data.Shape;
import ai.wood.data.transform.Normalise;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A detector under the name by which requests ask for it, and what the server must know of it.
 *
 * @param name letters, digits, dots, dashes and underscores
 * @param detector judges images of its shape, and logits
 * @param classes names, in the order of the labels
 * @param shape of the images; empty where the detector judges logits only
 * @param normalise what the network's inputs are made by; any where there is no network
 * @param scorer its name
 * @param scores of the InD samples that it was calibrated on
 */
public record ServedDetector(
        String name,
        Detector detector,
        List<String> classes,
        Optional<Shape> shape,
        Normalise normalise,
        String scorer,
        List<Double> scores)
        implements AutoCloseable {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    public ServedDetector {
        classes = List.copyOf(classes);
        scores = List.copyOf(scores);
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a detector's name has up to 100 letters, digits, dots, dashes and"
                    + " underscores but is '" + name + "'. Maybe name it: NAME=PATH.");
        }
        if (scores.isEmpty()) {
            throw new IllegalArgumentException("detector " + name + " must have calibration scores but has none");
        }
    }

    /** A bundle under a name; closing the one closes the other. */
    public static ServedDetector of(String name, Bundle bundle) {
        Classifier classifier = bundle.description().classifier();
        return new ServedDetector(
                name,
                bundle.detector(),
                bundle.classes(),
                bundle.shape(),
                bundle.shape().isEmpty() ? Normalise.UNIT : new Normalise(classifier.mean(), classifier.deviation()),
                bundle.scorer().id(),
                Arrays.stream(bundle.scores()).boxed().toList());
    }

    /** The calibration scores for arithmetic. */
    double[] calibration() {
        return scores.stream().mapToDouble(Double::doubleValue).toArray();
    }

    @Override
    public void close() {
        detector.close();
    }
}
