package ai.wood.bundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.wood.Outputs;
import ai.wood.Verdict;
import ai.wood.bundle.DetectorDescription.Classifier;
import ai.wood.bundle.DetectorDescription.ScorerDescription;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.score.ScorerOptions;
import ai.wood.score.Scorers;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class BundleTest {

    private static final Outputs QUERIES = Toy.outputs(7, 50, 1);

    @TempDir
    Path folder;

    private Bundle reopened(Bundle bundle) throws IOException {
        Path file = folder.resolve("detector.wood");
        bundle.write(file);
        return Bundle.open(file);
    }

    /** A run folder with a network of the test format and a detector. */
    private Path run(Scorers scorer) throws IOException {
        Path run = Files.createDirectories(folder.resolve("run"));
        Files.writeString(run.resolve(EchoFormat.PART), "0.05");
        Toy.bundle(scorer).writeInto(run);
        return run;
    }

    private static List<Image> images(int count) {
        Random random = new Random(8);
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    byte[] values = new byte[Toy.SHAPE.length()];
                    random.nextBytes(values);
                    return Image.of(Toy.SHAPE, values);
                })
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void everyScorerJudgesAlikeAfterTheFile(Scorers scorer) throws IOException {
        for (double temperature : new double[] {1, 1.7}) {
            Bundle bundle = Toy.bundle(scorer, Toy.OPTIONS.withTemperature(temperature), Toy.CONFORMAL);
            try (Bundle read = reopened(bundle)) {
                assertThat(read.detector().judge(QUERIES))
                        .isEqualTo(bundle.detector().judge(QUERIES));
                assertThat(read.scorer()).isEqualTo(scorer);
            }
        }
    }

    @Test
    void customCostsAndLambdaAreKept() throws IOException {
        ScorerOptions options = ScorerOptions.DEFAULTS
                .withCost(GroundCost.custom(Toy.matrix(new Random(1), Toy.CLASSES, Toy.CLASSES, 10)))
                .withLambda(3.3);
        for (boolean perClass : new boolean[] {false, true}) {
            Bundle bundle = Toy.bundle(Scorers.WOOD, options, new Choice(0.8, false, perClass));
            try (Bundle read = reopened(bundle)) {
                assertThat(read.detector().judge(QUERIES))
                        .isEqualTo(bundle.detector().judge(QUERIES));
            }
        }
    }

    @Test
    void aBundleTellsAllThatWasPutIntoIt() throws IOException {
        String hash = "0".repeat(64);
        Bundle bundle = Toy.bundle(Scorers.ENERGY).withData(Map.of("calibration", hash));
        try (Bundle read = reopened(bundle)) {
            assertThat(read.classes()).containsExactly("ant", "bee", "\"c\"");
            assertThat(read.shape()).isEmpty();
            assertThat(read.description().classifier().imageShape()).contains(Toy.SHAPE);
            assertThat(read.scores()).containsExactly(bundle.scores());
            assertThat(read.labels()).containsExactly(bundle.labels());
            assertThat(read.description().choice()).isEqualTo(Toy.CONFORMAL);
            assertThat(read.description().data()).isEqualTo(Map.of("calibration", hash));
            assertThat(read.description().thresholds())
                    .containsExactly(read.detector().thresholds().of(0).value());
            assertThat(String.join(" ", read.description().conventions())).contains("larger score means more OOD");
        }
    }

    @Test
    void withoutANetworkOutputsAreJudgedAndImagesRefused() throws IOException {
        try (Bundle read = reopened(Toy.bundle(Scorers.MSP))) {
            assertThat(read.detector().judge(QUERIES)).hasSize(50);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> read.detector().judge(images(1)))
                    .withMessageContaining("no network");
        }
    }

    @Test
    void aRunFolderAndItsBundleJudgeImagesOfAnySizeAlike() throws IOException {
        Path run = run(Scorers.MAHALANOBIS);
        Path file = folder.resolve("detector.wood");
        Bundle.pack(run, file);
        List<Image> images = new ArrayList<>(images(20));
        images.add(Image.of(new Shape(3, 20, 30), new byte[1800]));
        try (Bundle unpacked = Bundle.open(run, "cpu");
                Detector packed = Detector.open(file)) {
            assertThat(unpacked.shape()).contains(Toy.SHAPE);
            List<Verdict> verdicts = packed.judge(images);
            assertThat(verdicts).isEqualTo(unpacked.detector().judge(images));
            assertThat(verdicts.stream().map(Verdict::ood).distinct()).hasSize(2);
        }
    }

    @Test
    void aBundleOpenedForOutputsLeavesItsNetworkAlone() throws IOException {
        Path run = run(Scorers.ENERGY);
        Path file = folder.resolve("detector.wood");
        Bundle.pack(run, file);
        try (Bundle read = Bundle.openForOutputs(file)) {
            assertThat(read.description().network()).isEqualTo("echo");
            assertThat(read.detector().judge(QUERIES))
                    .isEqualTo(Toy.bundle(Scorers.ENERGY).detector().judge(QUERIES));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> read.detector().judge(images(1)));
        }
    }

    @Test
    void theSamePartsGiveTheSameBytes() throws IOException {
        Path run = run(Scorers.MAHALANOBIS_ENSEMBLE);
        Bundle.pack(run, folder.resolve("first"));
        byte[] description = Files.readAllBytes(run.resolve("detector.json"));
        Path again = run(Scorers.MAHALANOBIS_ENSEMBLE);
        Bundle.pack(again, folder.resolve("second"));
        assertThat(Files.readAllBytes(again.resolve("detector.json"))).isEqualTo(description);
        assertThat(folder.resolve("second")).hasSameBinaryContentAs(folder.resolve("first"));
    }

    @Test
    void threadsGetTheSameVerdicts() throws IOException, InterruptedException, ExecutionException {
        try (Bundle bundle = Bundle.open(run(Scorers.KNN))) {
            List<Image> images = images(40);
            List<Verdict> expected = bundle.detector().judge(images);
            ExecutorService pool = Executors.newFixedThreadPool(4);
            List<Future<List<Verdict>>> answers = IntStream.range(0, 40)
                    .mapToObj(i -> pool.submit(() -> bundle.detector().judge(images)))
                    .toList();
            for (Future<List<Verdict>> answer : answers) {
                assertThat(answer.get()).isEqualTo(expected);
            }
            pool.shutdown();
        }
    }

    @Test
    void aDetectorOfAnotherNetworkIsRefused() throws IOException {
        Path run = run(Scorers.ENERGY);
        Files.writeString(run.resolve(EchoFormat.PART), "0.06");
        assertThatIOException()
                .isThrownBy(() -> Bundle.open(run))
                .withMessageContainingAll(EchoFormat.PART, "SHA-256", "wood calibrate");
        assertThatIOException().isThrownBy(() -> Bundle.pack(run, folder.resolve("detector.wood")));
        assertThat(folder.resolve("detector.wood")).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource(names = {"WOOD", "KL_MATCHING"})
    void aScorerForAnotherNumberOfClassesIsRefused(Scorers scorer) throws IOException {
        GroundCost cost = GroundCost.custom(Toy.matrix(new Random(1), Toy.CLASSES, Toy.CLASSES, 10));
        Toy.bundle(scorer, Toy.OPTIONS.withCost(cost), Toy.CONFORMAL).writeInto(folder);
        Path json = folder.resolve(DetectorDescription.FILE);
        String told = Files.readString(json);
        String four = told.replace("\"ant\",", "\"ant\", \"fourth\",");
        Files.writeString(json, four);
        assertThat(four).isNotEqualTo(told);
        assertThatIOException()
                .isThrownBy(() -> Bundle.openForOutputs(folder))
                .withMessageContaining("does not fit the description of the detector");
    }

    @Test
    void outputsOfAnotherNumberOfClassesAreRefused() {
        Bundle bundle = Toy.bundle(Scorers.ENERGY);
        Outputs two = Outputs.ofLogits(Toy.matrix(new Random(1), 5, 2, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> bundle.detector().judge(two))
                .withMessageContaining("3 classes");
    }

    @ParameterizedTest
    @CsvSource({"5, 3, false", "2, 3, false", "3, 0, false", "3, 0, true"})
    void heldOutOutputsMustBeThoseOfTheClassifier(int names, int samples, boolean perClass) {
        Classifier classifier = Classifier.of(
                IntStream.range(0, names).mapToObj(String::valueOf).toList());
        Outputs heldOut = Toy.outputs(1, samples, 0);
        Choice choice = new Choice(0.5, false, perClass);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Bundle.calibrate(classifier, Scorers.ENERGY, ScorerOptions.DEFAULTS, choice, heldOut))
                .withMessageContainingAll("a classifier of " + names + " classes", "are " + samples + " x 3");
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "NaN", "-0.5"})
    void aShareToKeepLiesBetweenNoneAndAll(double tnr) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Choice(tnr, true, false));
    }

    /** Scorers that have no ground cost do not need the matrix that was asked for beside them. */
    @ParameterizedTest
    @EnumSource
    void everyScorerIsRestoredWhereACustomCostWasGiven(Scorers scorer) throws IOException {
        ScorerOptions options =
                Toy.OPTIONS.withCost(GroundCost.custom(Toy.matrix(new Random(1), Toy.CLASSES, Toy.CLASSES, 10)));
        Bundle bundle = Toy.bundle(scorer, options, Toy.CONFORMAL);
        try (Bundle read = reopened(bundle)) {
            assertThat(read.detector().judge(QUERIES))
                    .isEqualTo(bundle.detector().judge(QUERIES));
        }
    }

    @Test
    void onlyTheWoodScoreIsSaidToHaveACostAndALambda() {
        ScorerOptions told =
                ScorerOptions.DEFAULTS.withCost(GroundCost.binary()).withLambda(20);
        ScorerDescription wood = ScorerDescription.of(Scorers.WOOD, told);
        assertThat(wood.cost()).isEqualTo("binary");
        assertThat(wood.lambda()).isEqualTo(20);
        assertThat(ScorerDescription.of(Scorers.MSP, told))
                .isEqualTo(ScorerDescription.of(Scorers.MSP, ScorerOptions.DEFAULTS));
    }
}
