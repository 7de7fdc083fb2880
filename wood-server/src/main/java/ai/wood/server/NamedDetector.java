package ai.wood.server;

import ai.wood.Detector;
import ai.wood.SampleDetector;
import ai.wood.data.Image;
import ai.wood.data.ImageDetector;
import ai.wood.data.Shape;
import ai.wood.data.transform.Normalise;
import ai.wood.io.DetectorFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A detector under the name that requests use.
 *
 * @param name letters, digits, dots, dashes and underscores
 * @param images the detector with its image classifier; empty for a detector that takes outputs only
 */
public record NamedDetector(String name, Detector detector, Optional<SampleDetector<Image>> images)
        implements AutoCloseable {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    public NamedDetector {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("a detector's name has up to 100 letters, digits, dots, dashes and"
                    + " underscores but is '" + name + "'. Maybe name it: NAME=PATH.");
        }
    }

    /** Loads a {@code .wood} file or a run folder. */
    public static NamedDetector load(String name, Path path, String device) throws IOException {
        try (DetectorFile file = DetectorFile.open(path)) {
            NamedDetector named = new NamedDetector(name, file.detector(), Optional.empty()); // refuses the name first
            return file.detector().classifier().isEmpty() ? named : of(name, ImageDetector.load(file, device));
        }
    }

    /** A detector of images. Closing one closes the other. */
    public static NamedDetector of(String name, SampleDetector<Image> images) {
        return new NamedDetector(name, images.detector(), Optional.of(images));
    }

    /** Class names in the order of the labels. */
    List<String> classes() {
        return detector.classes();
    }

    /** The id of its scorer. */
    String scorer() {
        return detector.kind().id();
    }

    /** The shape of the images that its classifier takes; empty if it takes outputs only. */
    public Optional<Shape> shape() {
        return images.flatMap(each -> detector.classifier()).map(ImageDetector::shape);
    }

    /** What happens to pixels between 0 and 1 before the classifier takes them. */
    Normalise normalise() {
        return detector.classifier()
                .map(reference -> new Normalise(reference.mean(), reference.deviation()))
                .orElse(Normalise.UNIT);
    }

    /** The scores of the InD samples it was calibrated on. */
    double[] calibration() {
        return detector.scores();
    }

    @Override
    public void close() {
        images.ifPresent(SampleDetector::close);
    }
}
