package ai.wood;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DetectorTest {

    private static final Outputs LOGITS_OF_TWO = Outputs.ofLogits(Matrix.of(new double[] {0, 1}, new double[] {7, 7}));

    @TempDir
    Path folder;

    /** A detector of maximum softmax probability with these calibration scores. */
    private static Detector msp(ThresholdPolicy policy, List<Double> thresholds, double[] scores, int... labels) {
        ScorerKind msp = ScorerKinds.msp();
        return new Detector(new Detector.Parts(
                msp,
                msp.settings(),
                msp.fit(FitData.NONE, msp.settings()),
                policy,
                thresholds,
                scores,
                labels,
                List.of("no", "yes"),
                Map.of(),
                null));
    }

    private static Outputs featuresOnly(Outputs outputs) {
        return Outputs.ofFeatures(outputs.features());
    }

    @Test
    void theShortestWayFromArraysToVerdicts() throws IOException {
        Detector detector = Detector.of(ScorerKinds.knn())
                .fit(Toy.TRAINING)
                .classes(Toy.NAMES)
                .conformal(0.95)
                .calibrate(Toy.HELD_OUT);
        detector.save(folder.resolve("detector.wood"));
        List<Verdict> verdicts = Detector.load(folder.resolve("detector.wood")).detect(Toy.QUERIES);
        assertThat(verdicts).isEqualTo(detector.detect(Toy.QUERIES)).hasSize(50);
        double[] scores = detector.scores();
        Arrays.sort(scores);
        assertThat(detector.thresholds()).containsExactly(scores[57]); // ceil(61 * 0.95) = 58th smallest of 60
        assertThat(detector.settings()).isEqualTo(Settings.NONE.with("k", 50));
        assertThat(detector.classes()).isEqualTo(Toy.NAMES);
        assertThat(detector).hasToString("Detector[knn k=50, thresholds " + scores[57] + ", 60 calibration scores]");
    }

    @Test
    void aVerdictHasLabelProbabilityScorePValueThresholdAndAlarm() {
        Detector detector = msp(ThresholdPolicy.conformal(0.9), List.of(0.3), new double[] {0.1, 0.2, 0.3}, 0, 0, 1);
        List<Verdict> verdicts = detector.detect(LOGITS_OF_TWO);
        double probability = 1 / (1 + Math.exp(-1));
        assertThat(verdicts.get(0).label()).isEqualTo(1);
        assertThat(verdicts.get(0).probability()).isCloseTo(probability, within(1e-12));
        assertThat(verdicts.get(0).score()).isCloseTo(1 - probability, within(1e-12));
        assertThat(verdicts.get(0).pValue()).isEqualTo(2 / 4.0);
        assertThat(verdicts.get(0).threshold()).isEqualTo(0.3);
        assertThat(verdicts.get(0).ood()).isFalse();
        assertThat(verdicts.get(1)).isEqualTo(new Verdict(0, 0.5, 0.5, 1 / 4.0, 0.3, true));
        assertThat(detector.detect(Outputs.ofLogits(Matrix.wrap(new double[0], 2))))
                .isEmpty();
    }

    @Test
    void aPredictionOfNanIsOodWhateverTheScorerComputes() {
        ScorerKind calm = kind(Set.of(), outputs -> new double[outputs.size()]);
        Detector detector = Detector.of(calm).classes(List.of("no", "yes")).calibrate(LOGITS_OF_TWO);
        List<Verdict> verdicts = detector.detect(Outputs.ofLogits(Matrix.of(
                new double[] {1, 0},
                new double[] {1, Double.NaN},
                new double[] {Double.NaN, 1},
                new double[] {0, Double.POSITIVE_INFINITY},
                new double[] {0, Double.NEGATIVE_INFINITY})));
        assertThat(verdicts).extracting(Verdict::ood).containsExactly(false, true, true, true, false);
    }

    private static ScorerKind kind(Set<Requirement> requires, Scorer scorer) {
        return new ScorerKind() {
            @Override
            public String id() {
                return "own";
            }

            @Override
            public Set<Requirement> requires() {
                return requires;
            }

            @Override
            public Scorer fit(FitData data, Settings settings) {
                return scorer;
            }

            @Override
            public Scorer restore(Parameters saved) {
                return scorer;
            }
        };
    }

    @Test
    void thresholdsOfAClassConcernSamplesPredictedAsItOnly() {
        Detector detector = msp(
                new ThresholdPolicy(0.5, false, true),
                List.of(0.15, 0.425),
                new double[] {0.1, 0.2, 0.4, 0.45},
                0,
                0,
                1,
                1);
        List<Verdict> verdicts = detector.detect(Outputs.ofLogits(Matrix.of(new double[] {1, 0}, new double[] {0, 1})));
        assertThat(verdicts).extracting(Verdict::ood).containsExactly(true, false);
        assertThat(verdicts).extracting(Verdict::pValue).containsExactly(1 / 3.0, 1.0);
        assertThat(verdicts).extracting(Verdict::threshold).containsExactly(0.15, 0.425);
        assertThat(detector.threshold(1)).isEqualTo(new Threshold(0.425, 0.5));
    }

    @Test
    void everyPolicyChoosesItsThresholds() {
        double[] scores = Toy.detector(ScorerKinds.energy()).scores();
        Calibration all = Calibration.of(scores);
        int[] labels = Toy.detector(ScorerKinds.energy()).labels();
        for (double tnr : new double[] {0.5, 0.9, 0.99}) {
            for (boolean conformal : new boolean[] {true, false}) {
                Detector one =
                        Toy.detector(ScorerKinds.energy(), Settings.NONE, new ThresholdPolicy(tnr, conformal, false));
                assertThat(one.thresholds())
                        .containsExactly((conformal ? all.conformal(tnr) : all.quantile(tnr)).value());
                Detector perClass =
                        Toy.detector(ScorerKinds.energy(), Settings.NONE, new ThresholdPolicy(tnr, conformal, true));
                List<Double> expected = IntStream.range(0, Toy.CLASSES)
                        .mapToObj(label -> Calibration.of(IntStream.range(0, scores.length)
                                .filter(i -> labels[i] == label)
                                .mapToDouble(i -> scores[i])
                                .toArray()))
                        .map(ofClass -> (conformal ? ofClass.conformal(tnr) : ofClass.quantile(tnr)).value())
                        .toList();
                assertThat(perClass.thresholds()).isEqualTo(expected);
            }
        }
        assertThat(ThresholdPolicy.quantile(0.7)).isEqualTo(new ThresholdPolicy(0.7, false, false));
        assertThat(ThresholdPolicy.conformal(0.7)).isEqualTo(new ThresholdPolicy(0.7, true, false));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 1, Double.NaN, -0.5})
    void aFractionToKeepLiesBetweenZeroAndOne(double tnr) {
        assertThatIllegalArgumentException().isThrownBy(() -> ThresholdPolicy.quantile(tnr));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Detector.of(ScorerKinds.msp()).conformal(tnr));
    }

    @Test
    void recalibrationKeepsTheScorerAndChangesTheThresholds() {
        Detector detector = Toy.detector(ScorerKinds.knn(), Settings.NONE.with("k", 7), ThresholdPolicy.conformal(0.9))
                .withClassifier(new ClassifierReference("echo", "1x2x3", List.of(0.5), List.of(0.25)));
        Outputs fresh = Toy.outputs(20, 40, 0.5);
        Detector again = detector.recalibrated(ThresholdPolicy.quantile(0.5), fresh);
        assertThat(again.scorer()).isSameAs(detector.scorer());
        assertThat(again.settings()).isEqualTo(detector.settings());
        assertThat(again.classifier()).isEqualTo(detector.classifier());
        assertThat(again.classes()).isEqualTo(detector.classes());
        assertThat(again.scores()).containsExactly(detector.score(fresh));
        assertThat(again.thresholds())
                .containsExactly(
                        Calibration.of(detector.score(fresh)).quantile(0.5).value());
        assertThat(again.policy()).isEqualTo(ThresholdPolicy.quantile(0.5));
    }

    @Test
    void trainingOutputsAreNoHeldOutOutputs() {
        Detector.Builder builder = Detector.of(ScorerKinds.knn()).fit(Toy.TRAINING);
        Outputs copy = Outputs.ofLogits(Toy.TRAINING.logits().dividedBy(1))
                .withFeatures(Toy.TRAINING.features().dividedBy(1));
        for (Outputs same : List.of(Toy.TRAINING, copy, featuresOnly(copy))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> builder.calibrate(same))
                    .withMessageContainingAll("fitted to the outputs", "other held-out outputs");
        }
        Outputs otherFeatures = copy.withFeatures(copy.features().dividedBy(2));
        assertThat(builder.calibrate(otherFeatures).scores()).hasSize(90);
    }

    @Test
    void aScorerThatIsAFormulaNeedsNoFit() {
        Detector detector = Detector.of(ScorerKinds.energy()).calibrate(Toy.HELD_OUT);
        assertThat(detector.classes()).containsExactly("0", "1", "2");
        assertThat(detector.policy()).isEqualTo(ThresholdPolicy.conformal(0.95));
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> Detector.of(ScorerKinds.knn()).calibrate(Toy.HELD_OUT))
                .withMessage("needs training outputs to fit to");
    }

    @Test
    void settingsComeBeforeTheFit() {
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> Detector.of(ScorerKinds.knn()).fit(Toy.TRAINING).settings(Settings.NONE.with("k", 3)))
                .withMessageContaining("Change settings before fit()");
    }

    @Test
    void everythingThatAScorerLacksIsNamed() {
        ScorerKind ensemble = ScorerKinds.byId("mahalanobis-ensemble");
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> Detector.of(ensemble).fit(Outputs.ofLogits(Toy.TRAINING.logits())))
                .withMessage("needs features and features of intermediate layers and labels of the training outputs"
                        + " and InD and OOD validation outputs to tune on");
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> Toy.detector(ensemble).detect(Outputs.ofLogits(Toy.QUERIES.logits())))
                .withMessage("needs features and features of intermediate layers");
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> Detector.of(ScorerKinds.energy()).calibrate(featuresOnly(Toy.HELD_OUT)))
                .withMessage("needs logits");
        ScorerKind ofSamples = kind(Set.of(Requirement.SAMPLES, Requirement.INPUT_GRADIENT), outputs -> new double[0]);
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> Detector.of(ofSamples).calibrate(Toy.HELD_OUT))
                .withMessage("needs the samples themselves, not only outputs and a network that runs on libtorch,"
                        + " for the gradient by its input");
    }

    @Test
    void settingsThatDoNotExistAreRefusedWithTheClosestName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Detector.of(ScorerKinds.wood()).settings(Settings.NONE.with("lamda", 3)))
                .withMessageContainingAll("there is no setting 'lamda'", "Did you mean lambda?", "cost");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Detector.of(ScorerKinds.knn()).settings(Settings.NONE.with("k", "many")))
                .withMessage("the setting 'k' must be a number but is many");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Detector.of(ScorerKinds.wood()).settings(Settings.NONE.with("cost", 1)))
                .withMessage("the setting 'cost' must be a word but is 1.0");
    }

    @ParameterizedTest
    @CsvSource({"NaN", "Infinity", "-Infinity"})
    void fitAndCalibrateRefuseOutputsThatAreNotFiniteAndNameTheRow(double broken) {
        for (String what : List.of("logits", "features", "layer early")) {
            Outputs training = broken(Toy.TRAINING, what, broken);
            Outputs heldOut = broken(Toy.HELD_OUT, what, broken);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Detector.of(ScorerKinds.knn()).fit(training))
                    .withMessage("row 12: " + what + " must be finite but one is NaN or infinite");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Detector.of(ScorerKinds.energy()).calibrate(heldOut))
                    .withMessage("row 12: " + what + " must be finite but one is NaN or infinite");
            assertThatIllegalArgumentException()
                    .isThrownBy(() ->
                            Toy.detector(ScorerKinds.energy()).recalibrated(ThresholdPolicy.conformal(0.9), heldOut))
                    .withMessageStartingWith("row 12: ");
        }
    }

    private static Outputs broken(Outputs outputs, String what, double value) {
        return switch (what) {
            case "logits" -> Outputs.ofLogits(broken(outputs.logits(), value)).withFeatures(outputs.features());
            case "features" -> outputs.withFeatures(broken(outputs.features(), value));
            default -> outputs.withLayers(Map.of("early", broken(outputs.layer("early"), value)));
        };
    }

    private static Matrix broken(Matrix matrix, double value) {
        double[][] rows =
                IntStream.range(0, matrix.rows()).mapToObj(matrix::row).toArray(double[][]::new);
        rows[11][1] = value;
        return Matrix.of(rows);
    }

    @ParameterizedTest
    @ValueSource(strings = {"knn", "mahalanobis", "mahalanobis-unit", "relative-mahalanobis"})
    void featuresAloneSuffice(String id) throws IOException {
        ScorerKind kind = ScorerKinds.byId(id);
        FitData data = FitData.of(featuresOnly(Toy.TRAINING)).withLabels(Toy.DATA.labels());
        Detector detector = Detector.of(kind).fit(data).conformal(0.9).calibrate(featuresOnly(Toy.HELD_OUT));
        assertThat(detector.classes()).isEmpty();
        assertThat(detector.scores()).containsExactly(Toy.detector(kind).scores());
        detector.save(folder.resolve("detector.wood"));
        List<Verdict> verdicts = Detector.load(folder.resolve("detector.wood")).detect(featuresOnly(Toy.QUERIES));
        assertThat(verdicts).isEqualTo(detector.detect(featuresOnly(Toy.QUERIES)));
        assertThat(verdicts).extracting(Verdict::label).containsOnly(Verdict.NO_LABEL);
        assertThat(verdicts).extracting(Verdict::probability).containsOnly(Double.NaN);
        assertThat(verdicts)
                .extracting(Verdict::ood)
                .isEqualTo(Toy.detector(kind).detect(Toy.QUERIES).stream()
                        .map(Verdict::ood)
                        .toList());
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> Detector.of(kind)
                        .fit(data)
                        .policy(new ThresholdPolicy(0.9, true, true))
                        .calibrate(featuresOnly(Toy.HELD_OUT)))
                .withMessage("thresholds per class need logits or probabilities");
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> Toy.detector(kind, Settings.NONE, new ThresholdPolicy(0.9, true, true))
                        .detect(featuresOnly(Toy.QUERIES)))
                .withMessage("thresholds per class need logits or probabilities");
    }

    @Test
    void nanFeaturesAreOod() {
        Outputs broken = featuresOnly(broken(Toy.QUERIES, "features", Double.NaN));
        for (ScorerKind kind : List.of(ScorerKinds.knn(), ScorerKinds.mahalanobis())) {
            Verdict verdict = Toy.detector(kind).detect(broken).get(11);
            assertThat(verdict.ood()).isTrue();
            assertThat(verdict.score()).isNaN();
            assertThat(verdict.pValue()).isEqualTo(1 / 61.0);
        }
    }

    /** Energy and the largest logit were -Infinity, the most InD score there is. */
    @ParameterizedTest
    @ValueSource(strings = {"energy", "max-logit"})
    void anInfiniteLogitIsNotTheMostIndScore(String id) {
        Outputs infinite = Outputs.ofLogits(Matrix.of(new double[] {1, Double.POSITIVE_INFINITY, 3}));
        ScorerKind kind = ScorerKinds.byId(id);
        assertThat(kind.fit(FitData.NONE, kind.settings()).score(infinite)[0]).isNaN();
        assertThat(Toy.detector(kind).detect(infinite).get(0).ood()).isTrue();
    }

    @Test
    void labelsOfVerdictsAreThoseOfTheLogits() {
        double tiny = 1e-17; // lost by softmax
        Outputs near = Outputs.ofLogits(Matrix.of(new double[] {0, tiny, 0}));
        assertThat(near.probabilities(0)[0]).isEqualTo(near.probabilities(0)[1]);
        assertThat(Toy.detector(ScorerKinds.msp()).detect(near).get(0).label())
                .isEqualTo(near.label(0))
                .isEqualTo(1);
    }

    @Test
    void outputsOfAnotherNumberOfClassesAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Toy.detector(ScorerKinds.energy()).detect(LOGITS_OF_TWO))
                .withMessage("the detector has 3 classes but the outputs have 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Detector.of(ScorerKinds.msp())
                        .classes(List.of("a", "b", "c", "d"))
                        .calibrate(Toy.HELD_OUT))
                .withMessage("there are 4 class names but the outputs have 3 classes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Detector.of(ScorerKinds.msp()).calibrate(Toy.outputs(1, 0, 0)))
                .withMessageContaining("at least one held-out sample");
    }

    @Test
    void partsThatDoNotFitTogetherAreRefused() {
        ThresholdPolicy one = ThresholdPolicy.conformal(0.9);
        ThresholdPolicy perClass = new ThresholdPolicy(0.9, true, true);
        double[] scores = {1, 2};
        assertThat(msp(one, List.of(3.0), scores, 0, 1).thresholds()).containsExactly(3.0);
        assertThatIllegalArgumentException().isThrownBy(() -> msp(one, List.of(), scores, 0, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> msp(one, List.of(1.0, 2.0), scores, 0, 1))
                .withMessage("a detector needs 1 thresholds but has [1.0, 2.0]");
        assertThatIllegalArgumentException().isThrownBy(() -> msp(perClass, List.of(1.0), scores, 0, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> msp(one, List.of(Double.NaN), scores, 0, 1));
        for (int label : new int[] {-1, 2}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> msp(one, List.of(1.0), scores, 0, label))
                    .withMessage("labels must lie in 0 to 1 but one is " + label);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> msp(one, List.of(1.0), scores, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> msp(one, List.of(1.0), new double[0]));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> msp(one, List.of(1.0), new double[] {1, Double.NaN}, 0, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Detector.of(ScorerKinds.msp())
                        .classes(List.of("a", "a", "b"))
                        .calibrate(Toy.HELD_OUT))
                .withMessageContaining("must be at least 2 and different");
    }

    @Test
    void aDetectorDoesNotShareItsArrays() {
        Detector detector = Toy.detector(ScorerKinds.msp());
        double[] before = detector.scores();
        Arrays.fill(detector.scores(), 7);
        Arrays.fill(detector.labels(), 2);
        assertThat(detector.scores()).containsExactly(before);
        assertThat(detector.labels()).contains(0, 1);
    }

    @Test
    void threadsGetTheSameVerdicts() throws InterruptedException, ExecutionException {
        Detector detector = Toy.detector(ScorerKinds.knn());
        List<Verdict> expected = detector.detect(Toy.QUERIES);
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<List<Verdict>>> answers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            answers.add(pool.submit(() -> detector.detect(Toy.QUERIES)));
        }
        for (Future<List<Verdict>> answer : answers) {
            assertThat(answer.get()).isEqualTo(expected);
        }
        pool.shutdown();
    }

    /** Its logits are the numbers of a sample. */
    private static final class Echo implements Classifier<double[]> {
        private boolean closed;
        private boolean detailed;

        @Override
        public Outputs classify(List<double[]> samples) {
            return Outputs.ofLogits(Matrix.of(samples.toArray(double[][]::new)));
        }

        @Override
        public Outputs classifyDetailed(List<double[]> samples) {
            detailed = true;
            Outputs outputs = classify(samples);
            return outputs.withFeatures(outputs.logits()).withLayers(Map.of("only", outputs.logits()));
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    @Test
    void aSampleDetectorPreparesClassifiesAndDetects() {
        Detector detector = msp(ThresholdPolicy.conformal(0.9), List.of(0.3), new double[] {0.1, 0.2, 0.3}, 0, 0, 1);
        Echo echo = new Echo();
        SampleDetector<double[]> halved =
                new SampleDetector<>(detector, echo, sample -> new double[] {sample[0] / 2, sample[1] / 2});
        assertThat(halved.detect(List.of(new double[] {0, 2}, new double[] {14, 14})))
                .isEqualTo(detector.detect(LOGITS_OF_TWO));
        assertThat(halved.detect(List.of())).isEmpty();
        assertThat(echo.detailed).isFalse();
        halved.close();
        assertThat(echo.closed).isTrue();
    }

    @Test
    void layersAreComputedForScorersThatReadThemOnly() {
        Echo echo = new Echo();
        ScorerKind ofLayers = kind(
                Set.of(Requirement.LAYERS), outputs -> outputs.layer("only").mapRows(row -> row[0]));
        Detector detector = Detector.of(ofLayers).calibrate(echo.classifyDetailed(List.of(new double[] {1, 2})));
        echo.detailed = false;
        assertThat(new SampleDetector<>(detector, echo).detect(List.of(new double[] {3, 4})))
                .extracting(Verdict::score)
                .containsExactly(3.0);
        assertThat(echo.detailed).isTrue();
    }
}
