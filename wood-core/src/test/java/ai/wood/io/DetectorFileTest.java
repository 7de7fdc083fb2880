package ai.wood.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import ai.wood.ClassifierReference;
import ai.wood.Detector;
import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.ThresholdPolicy;
import ai.wood.Toy;
import ai.wood.Verdict;
import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DetectorFileTest {

    static final String PART = "network.txt";
    static final ClassifierReference ECHO = new ClassifierReference("echo", "1x2x3", List.of(0.5), List.of(0.25));

    @TempDir
    Path folder;

    private Path file;
    private Path run;

    @BeforeEach
    void paths() throws IOException {
        file = folder.resolve("detector.wood");
        run = Files.createDirectories(folder.resolve("run"));
        Files.writeString(run.resolve(PART), "0.05");
    }

    private static List<String> names(Path in) throws IOException {
        try (Stream<Path> files = Files.list(in)) {
            return files.map(one -> one.getFileName().toString()).sorted().toList();
        }
    }

    private static Detector echoing(ScorerKind kind) {
        return Toy.detector(kind).withClassifier(ECHO);
    }

    @Test
    void everythingInADetectorIsSaved() throws IOException {
        Map<String, String> hashes = Map.of("calibration", "0".repeat(64), "fit", "a1".repeat(32));
        Detector detector = Detector.of(ScorerKinds.energy())
                .settings(Settings.NONE.with("temperature", 1 / 3.0))
                .classes(Toy.NAMES)
                .data(hashes)
                .classifier(ECHO)
                .policy(new ThresholdPolicy(0.8, false, true))
                .calibrate(Toy.HELD_OUT);
        DetectorFile.save(detector, Map.of(PART, run.resolve(PART)), file);
        try (DetectorFile opened = DetectorFile.open(file)) {
            Detector read = opened.detector();
            assertThat(read.kind()).isSameAs(detector.kind());
            assertThat(read.settings()).isEqualTo(detector.settings());
            assertThat(read.policy()).isEqualTo(detector.policy());
            assertThat(read.thresholds()).isEqualTo(detector.thresholds());
            assertThat(read.scores()).containsExactly(detector.scores());
            assertThat(read.labels()).containsExactly(detector.labels());
            assertThat(read.classes()).isEqualTo(Toy.NAMES);
            assertThat(read.data()).isEqualTo(hashes);
            assertThat(read.classifier()).contains(ECHO);
            assertThat(opened.classifierParts()).containsExactly(PART);
            try (InputStream part = opened.open(PART)) {
                assertThat(part.readAllBytes()).asString(UTF_8).isEqualTo("0.05");
            }
            assertThat(opened.path(PART)).isEqualTo(file + "!" + PART);
        }
    }

    /** What {@link Detector#save} writes must open without the files of a classifier. */
    @Test
    void aDetectorSavedAloneHasNoClassifier() throws IOException {
        echoing(ScorerKinds.energy()).save(file);
        try (DetectorFile opened = DetectorFile.open(file)) {
            assertThat(opened.detector().classifier()).isEmpty();
            assertThat(opened.classifierParts()).isEmpty();
        }
    }

    @Test
    void aRunFolderAndItsFileGiveTheSameVerdicts() throws IOException {
        Detector detector = echoing(ScorerKinds.mahalanobis());
        DetectorFile.saveInto(run, detector, Set.of(PART));
        assertThat(names(run)).containsExactly("detector.json", "detector.safetensors", PART);
        try (DetectorFile opened = DetectorFile.open(run)) {
            assertThat(opened.detector().detect(Toy.QUERIES)).isEqualTo(detector.detect(Toy.QUERIES));
            assertThat(opened.detector().classifier()).contains(ECHO);
            assertThat(opened.path(PART)).isEqualTo(run.resolve(PART).toString());
            try (InputStream part = opened.open(PART)) {
                assertThat(part.readAllBytes()).asString(UTF_8).isEqualTo("0.05");
            }
        }
        assertThat(Detector.load(run).detect(Toy.QUERIES)).isEqualTo(detector.detect(Toy.QUERIES));
    }

    @Test
    void theSameDetectorGivesTheSameBytes() throws IOException {
        ScorerKind ensemble = ScorerKinds.byId("mahalanobis-ensemble");
        DetectorFile.save(echoing(ensemble), Map.of(PART, run.resolve(PART)), file);
        Path again = folder.resolve("again.wood");
        DetectorFile.save(echoing(ensemble), Map.of(PART, run.resolve(PART)), again);
        assertThat(again).hasSameBinaryContentAs(file);
        Detector.load(file).save(again);
        Path third = folder.resolve("third.wood");
        Toy.detector(ensemble).save(third);
        assertThat(again).hasSameBinaryContentAs(third);
    }

    @Test
    void nothingButTheFileIsLeft() throws IOException {
        Files.writeString(file, "old");
        Path missing = folder.resolve("missing.bin");
        assertThatIOException()
                .isThrownBy(
                        () -> DetectorFile.save(echoing(ScorerKinds.energy()), Map.of("missing.bin", missing), file));
        assertThat(names(folder)).containsExactly("detector.wood", "run");
        assertThat(file).hasContent("old");
        Toy.detector(ScorerKinds.energy()).save(file);
        Detector.load(file).detect(Toy.QUERIES);
        assertThat(names(folder)).containsExactly("detector.wood", "run");
    }

    @Test
    void aClassifierThatChangedIsNoticedWhenItIsRead() throws IOException {
        DetectorFile.saveInto(run, echoing(ScorerKinds.energy()), Set.of(PART));
        Files.writeString(run.resolve(PART), "0.06");
        try (DetectorFile opened = DetectorFile.open(run);
                InputStream part = opened.open(PART)) {
            assertThat(opened.detector().detect(Toy.QUERIES)).hasSize(50);
            assertThatIOException()
                    .isThrownBy(part::readAllBytes)
                    .withMessageStartingWith(run.resolve(PART).toString())
                    .withMessageContainingAll("SHA-256", "changed");
        }
        Files.delete(run.resolve(PART));
        try (DetectorFile opened = DetectorFile.open(run)) {
            assertThatIOException()
                    .isThrownBy(() -> opened.open(PART))
                    .withMessageStartingWith(run.resolve(PART).toString());
            assertThatIOException()
                    .isThrownBy(() -> opened.open("other.txt"))
                    .withMessageStartingWith(run.resolve("other.txt").toString());
        }
    }

    /** Thresholds follow from the scores when they are chosen. Afterwards the file decides. */
    @Test
    void thresholdsAreReadFromTheFile() throws IOException {
        Detector detector = Toy.detector(ScorerKinds.energy());
        DetectorFile.saveInto(run, detector, Set.of());
        Path json = run.resolve("detector.json");
        String text = Files.readString(json);
        String edited = text.replace("[ " + detector.thresholds().get(0) + " ]", "[ -0.125 ]");
        assertThat(edited).isNotEqualTo(text);
        Files.writeString(json, edited);
        Detector read = Detector.load(run);
        assertThat(read.thresholds()).containsExactly(-0.125);
        List<Verdict> verdicts = read.detect(Toy.QUERIES);
        assertThat(verdicts).allMatch(verdict -> verdict.ood() == verdict.score() > -0.125);
        assertThat(verdicts)
                .extracting(Verdict::pValue)
                .isEqualTo(detector.detect(Toy.QUERIES).stream()
                        .map(Verdict::pValue)
                        .toList());
    }

    @Test
    void thresholdsThatNeverRaiseAnAlarmAreKept() throws IOException {
        Detector detector = Toy.detector(ScorerKinds.energy(), Settings.NONE, new ThresholdPolicy(0.999, true, true));
        assertThat(detector.thresholds()).containsOnly(Double.POSITIVE_INFINITY).hasSize(3);
        detector.save(file);
        assertThat(Detector.load(file).thresholds()).isEqualTo(detector.thresholds());
    }

    @ParameterizedTest
    @ValueSource(strings = {"wood", "kl-matching"})
    void aScorerForAnotherNumberOfClassesIsRefused(String id) throws IOException {
        ScorerKind kind = ScorerKinds.byId(id);
        Settings cost = id.equals("wood")
                ? Settings.NONE.with("cost", Toy.matrix(1, Toy.CLASSES, Toy.CLASSES, 10))
                : Settings.NONE;
        DetectorFile.saveInto(run, Toy.detector(kind, cost, ThresholdPolicy.conformal(0.9)), Set.of());
        Path json = run.resolve("detector.json");
        String text = Files.readString(json);
        String four = text.replace("\"ant\",", "\"ant\", \"fourth\",");
        assertThat(four).isNotEqualTo(text);
        Files.writeString(json, four);
        assertThatIOException()
                .isThrownBy(() -> Detector.load(run))
                .withMessageStartingWith(run.toString())
                .withMessageContainingAll("does not fit the description of the detector", "3", "4");
    }

    @Test
    void aDetectorOfProbabilitiesIsSavedToo() throws IOException {
        Outputs heldOut = Outputs.ofProbabilities(probabilities(Toy.HELD_OUT));
        Detector detector = Detector.of(ScorerKinds.wood())
                .fit(FitData.NONE)
                .classes(Toy.NAMES)
                .calibrate(heldOut);
        detector.save(file);
        Outputs queries = Outputs.ofProbabilities(probabilities(Toy.QUERIES));
        assertThat(Detector.load(file).detect(queries)).isEqualTo(detector.detect(queries));
    }

    private static Matrix probabilities(Outputs outputs) {
        double[][] rows = new double[outputs.size()][];
        for (int r = 0; r < rows.length; r++) {
            rows[r] = outputs.probabilities(r);
        }
        return Matrix.of(rows);
    }

    @Test
    void aFolderWithoutADetectorIsRefused() {
        assertThatIOException()
                .isThrownBy(() -> Detector.load(run))
                .withMessageStartingWith(run.resolve("detector.json").toString())
                .withMessageContaining("no such file");
        assertThatIOException()
                .isThrownBy(() -> Detector.load(folder.resolve("nothing")))
                .withMessageStartingWith(folder.resolve("nothing").toString());
    }
}
