package ai.wood.data;

import ai.wood.Classifier;
import ai.wood.ClassifierReference;
import ai.wood.Detector;
import ai.wood.Head;
import ai.wood.SampleDetector;
import ai.wood.data.transform.Fit;
import ai.wood.io.DetectorFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** Loads detectors with their image classifiers. Images of any size and colour are fitted to the classifier's shape. */
public final class ImageDetector {

    private ImageDetector() {}

    /** Loads a {@code .wood} file or a run folder. The classifier runs on a GPU if there is one. */
    public static SampleDetector<Image> load(Path path) throws IOException {
        return load(path, "auto");
    }

    /**
     * Loads a {@code .wood} file or a run folder.
     *
     * @param device such as {@code auto}, {@code cpu} or {@code cuda}
     * @throws IOException if it is not a valid detector, or has no classifier
     */
    public static SampleDetector<Image> load(Path path, String device) throws IOException {
        try (DetectorFile file = DetectorFile.open(path)) {
            return load(file, device);
        }
    }

    /** Loads an opened detector with its classifier. The file may be closed afterwards. */
    public static SampleDetector<Image> load(DetectorFile file, String device) throws IOException {
        Detector detector = file.detector();
        ClassifierReference reference = detector.classifier()
                .orElseThrow(() -> new IOException(file + ": the detector has no classifier, so it takes outputs,"
                        + " not images. Give it logits or features."));
        Fit fit = fit(reference, file);
        Classifier<Image> classifier = open(reference, file, device);
        int known =
                classifier.head().map(Head::classes).orElse(detector.classes().size());
        if (known != detector.classes().size()) {
            classifier.close();
            throw new IOException(file + ": the classifier has " + known + " classes but the detector "
                    + detector.classes().size() + ". Calibrate the run again.");
        }
        return new SampleDetector<>(detector, classifier, image -> fit.apply(image, new SplittableRandom(0)));
    }

    private static Classifier<Image> open(ClassifierReference reference, DetectorFile file, String device)
            throws IOException {
        ClassifierFormat format = ClassifierFormat.byName(reference.format())
                .orElseThrow(() -> new IOException(file + ": the classifier has the format '" + reference.format()
                        + "' but the class path knows "
                        + ClassifierFormat.all().stream()
                                .map(ClassifierFormat::name)
                                .toList()
                        + ". Add the dependency ai.wood:wood-" + reference.format() + "."));
        return format.open(file, device);
    }

    private static Fit fit(ClassifierReference reference, DetectorFile file) throws IOException {
        try {
            return new Fit(Shape.parse(reference.shape()));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** The shape of the images that a detector's classifier was trained on. */
    public static Shape shape(ClassifierReference reference) {
        return Shape.parse(reference.shape());
    }
}
