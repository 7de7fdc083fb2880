package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.ClassifierReference;
import ai.wood.Detector;
import ai.wood.Outputs;
import ai.wood.SampleDetector;
import ai.wood.Verdict;
import ai.wood.io.DetectorFile;
import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Detectors with an image classifier, in files and run folders. */
class ImageDetectorTest {

    private static final Shape SHAPE = new Shape(1, 2, 3);
    private static final List<Image> IMAGES = images(1, SHAPE, 12);

    @TempDir
    private Path folder;

    private static List<Image> images(long seed, Shape shape, int count) {
        SplittableRandom random = new SplittableRandom(seed);
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    byte[] values = new byte[shape.length()];
                    random.nextBytes(values);
                    return Image.of(shape, values);
                })
                .toList();
    }

    private static Outputs outputs(List<Image> images, double factor) {
        return Outputs.ofLogits(EchoFormat.rows(images, EchoFormat.CLASSES, factor))
                .withFeatures(EchoFormat.rows(images, EchoFormat.WIDTH, factor));
    }

    private static Detector detector(String format) {
        return Detector.of(ScorerKinds.knn())
                .fit(outputs(images(2, SHAPE, 90), 0.01))
                .classifier(new ClassifierReference(format, SHAPE.toString(), List.of(0.0), List.of(1.0)))
                .calibrate(outputs(images(3, SHAPE, 60), 0.01));
    }

    private Path saved(Detector detector, String factor) throws IOException {
        Path network = folder.resolve(EchoFormat.PART);
        Files.writeString(network, factor);
        Path file = folder.resolve("detector.wood");
        DetectorFile.save(detector, Map.of(EchoFormat.PART, network), file);
        return file;
    }

    @Test
    void fileAndRunFolderGiveTheVerdictsOfTheOutputs() throws IOException {
        Detector detector = detector("echo");
        Path file = saved(detector, "0.01");
        DetectorFile.saveInto(folder, detector, Set.of(EchoFormat.PART));
        List<Verdict> expected = detector.detect(outputs(IMAGES, 0.01));
        for (Path path : List.of(file, folder)) {
            try (SampleDetector<Image> loaded = ImageDetector.load(path, "cpu")) {
                assertThat(loaded.detect(IMAGES)).isEqualTo(expected);
                assertThat(loaded.detect(List.of())).isEmpty();
            }
        }
        assertThat(EchoFormat.OPEN).hasValue(0);
    }

    @Test
    void imagesOfOtherShapesAreFitted() throws IOException {
        Path file = saved(detector("echo"), "0.01");
        try (SampleDetector<Image> loaded = ImageDetector.load(file)) {
            assertThat(loaded.detect(images(4, new Shape(3, 8, 9), 2))).hasSize(2);
        }
    }

    @Test
    void aChangedPartIsRefusedInAFolderAndInAFile() throws IOException {
        Detector detector = detector("echo");
        Path file = saved(detector, "0.01");
        DetectorFile.saveInto(folder, detector, Set.of(EchoFormat.PART));
        Files.writeString(folder.resolve(EchoFormat.PART), "0.02");
        assertThatThrownBy(() -> ImageDetector.load(folder))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(EchoFormat.PART)
                .hasMessageContaining("SHA-256");
        String content = Files.readString(file, StandardCharsets.ISO_8859_1);
        Files.writeString(file, content.replace("0.01", "0.03"), StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> ImageDetector.load(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString());
        assertThat(EchoFormat.OPEN).hasValue(0);
    }

    @Test
    void aClassifierOfOtherClassesIsClosedAndRefused() throws IOException {
        Path file = saved(detector("echo"), "-1");
        assertThatThrownBy(() -> ImageDetector.load(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the classifier has 4 classes but the detector 3");
        assertThat(EchoFormat.OPEN).hasValue(0);
    }

    @Test
    void aDetectorOfOutputsTakesNoImages() throws IOException {
        Path file = folder.resolve("outputs.wood");
        detector("echo").save(file);
        assertThatThrownBy(() -> ImageDetector.load(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has no classifier");
        assertThat(Detector.load(file).classifier()).isEmpty();
    }

    @Test
    void aFormatWithoutItsModuleIsNamed() throws IOException {
        Path file = saved(detector("strange"), "0.01");
        assertThatThrownBy(() -> ImageDetector.load(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'strange'")
                .hasMessageContaining("[echo]");
    }
}
