package ai.wood.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.metric.Bootstrap;
import ai.wood.score.ScorerKinds;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ArrayEvaluationTest {

    private static final int CLASSES = 3;

    /** Samples whose class is their number modulo 3; InD ones are certain of it. */
    private static SampleSet samples(String name, long seed, double certainty, int size) {
        Random random = new Random(seed);
        double[][] logits = new double[size][CLASSES];
        double[][] features = new double[size][4];
        int[] labels = new int[size];
        for (int i = 0; i < size; i++) {
            labels[i] = i % CLASSES;
            for (int k = 0; k < CLASSES; k++) {
                logits[i][k] = random.nextGaussian() + (k == labels[i] ? certainty : 0);
                features[i][k] = random.nextGaussian() + (k == labels[i] ? certainty : 0);
            }
            features[i][3] = random.nextGaussian();
        }
        Outputs outputs = Outputs.ofLogits(Matrix.of(logits)).withFeatures(Matrix.of(features));
        return SampleSet.of(name, outputs, labels, "");
    }

    private static final SampleSet IND = samples("InD", 1, 5, 301);
    private static final SampleSet FIT = samples("training", 2, 5, 200);
    private static final List<SampleSet> OOD = List.of(samples("a", 3, 0, 80), samples("b", 4, 2, 90));

    private static Detector detector() {
        return Detector.of(ScorerKinds.knn())
                .fit(samples("f", 5, 5, 100).outputs())
                .conformal(0.9)
                .calibrate(samples("c", 6, 5, 99).outputs());
    }

    private static NetworkOutputs outputs(@Nullable SampleSet fit, List<ScorerKind> scorers) {
        return new ArrayEvaluation("d.wood", detector(), IND, OOD, fit, 1).outputs(scorers, Settings.NONE);
    }

    private static Comparison compare(@Nullable SampleSet fit, List<ScorerKind> scorers) {
        return Comparison.of(outputs(fit, scorers), scorers, 0.9, Bootstrap.NONE);
    }

    private static List<String> names(Comparison comparison) {
        return comparison.results().stream().map(Result::name).toList();
    }

    @Test
    void withTrainingSamplesAllScorersThatCanRunAreComparedAndTheOthersAreListed() {
        Comparison comparison = compare(FIT, ScorerKinds.all());
        assertThat(names(comparison)).contains("wood", "msp", "energy", "knn", "mahalanobis", "she", "kl-matching");
        assertThat(comparison.skipped())
                .extracting(Comparison.Skipped::name)
                .contains("odin", "mahalanobis-ensemble", "vim", "confidence");
        assertThat(Stream.concat(
                        names(comparison).stream(),
                        comparison.skipped().stream().map(Comparison.Skipped::name)))
                .containsExactlyInAnyOrderElementsOf(ScorerKinds.ids());
    }

    @Test
    void withoutTrainingSamplesTheDetectorIsComparedWithScorersThatNeedNoFit() {
        Comparison comparison = compare(null, ScorerKinds.all());
        assertThat(names(comparison)).contains("wood", "msp", "energy", "knn").doesNotContain("mahalanobis", "she");
        assertThat(comparison.skipped())
                .filteredOn(skipped -> skipped.name().equals("mahalanobis"))
                .singleElement()
                .satisfies(skipped -> assertThat(skipped.reason()).contains("training outputs to fit to"));
    }

    @Test
    void theDeployedScorerHasTheDetectorsScoresAndThreshold() {
        Detector detector = detector();
        for (SampleSet fit : Arrays.asList(FIT, null)) {
            Comparison comparison = compare(fit, ScorerKinds.all());
            assertThat(comparison.results())
                    .filteredOn(Result::deployed)
                    .singleElement()
                    .satisfies(result -> {
                        assertThat(result.name()).isEqualTo("knn");
                        assertThat(result.threshold()).isEqualTo(detector.threshold(0));
                        assertThat(result.onOod().get(0).scores().row(0))
                                .containsExactly(detector.score(OOD.get(0).outputs()));
                        assertThat(result.onOod().get(0).detectionRate())
                                .isEqualTo(detector.detect(OOD.get(0).outputs()).stream()
                                                .filter(verdict -> verdict.ood())
                                                .count()
                                        / 80.0);
                    });
        }
    }

    private static List<String> rows(SampleSet set) {
        return IntStream.range(0, set.size())
                .mapToObj(i -> Arrays.toString(set.outputs().logits().row(i)))
                .toList();
    }

    private static long[] perClass(SampleSet set) {
        return IntStream.range(0, CLASSES)
                .mapToLong(k ->
                        Arrays.stream(set.labels()).filter(label -> label == k).count())
                .toArray();
    }

    @Test
    void noSampleThatChoosesAThresholdIsMeasuredOrFitted() {
        NetworkOutputs without = outputs(null, ScorerKinds.all());
        assertThat(Stream.concat(rows(without.validation()).stream(), rows(without.test()).stream()))
                .containsExactlyInAnyOrderElementsOf(rows(IND));
        assertThat(without.validation().size()).isEqualTo(151);
        assertThat(perClass(without.validation())).containsExactlyInAnyOrder(51, 50, 50);
        assertThat(without.notes().toString()).contains("151 of the 301 InD samples", "the other 150 were measured");

        NetworkOutputs with = outputs(FIT, ScorerKinds.all());
        assertThat(rows(with.test())).isEqualTo(rows(IND));
        SampleSet fitted = SampleSet.of("fitted", with.setup().data().requireTraining(), new int[0], "");
        assertThat(Stream.concat(rows(with.validation()).stream(), rows(fitted).stream()))
                .containsExactlyInAnyOrderElementsOf(rows(FIT));
        assertThat(with.setup().data().labels()).hasSize(100);
        assertThat(with.notes().toString()).contains("Of the 200 training samples, 100 fitted");
    }

    @Test
    void labelsStayWithTheirRows() {
        SampleSet test = outputs(null, ScorerKinds.all()).test();
        List<String> all = rows(IND);
        List<String> some = rows(test);
        for (int i = 0; i < test.size(); i++) {
            assertThat(test.labels()[i]).isEqualTo(all.indexOf(some.get(i)) % CLASSES);
        }
    }

    @Test
    void theDetectorAloneIsMeasuredOnAllSamples() {
        NetworkOutputs outputs = outputs(null, List.of(ScorerKinds.knn()));
        assertThat(outputs.test().size()).isEqualTo(301);
        assertThat(outputs.notes().toString()).doesNotContain("threshold");
        Comparison comparison = compare(null, List.of(ScorerKinds.knn()));
        assertThat(comparison.results().get(0).deployed()).isTrue();
        EvaluationResult result = EvaluationResult.of(comparison, List.of(), 0.9, Bootstrap.NONE);
        assertThat(result.validation().size()).isZero();
    }

    @Test
    void theSameSeedGivesTheSameHalves() {
        assertThat(rows(outputs(null, ScorerKinds.all()).test()))
                .isEqualTo(rows(outputs(null, ScorerKinds.all()).test()));
        NetworkOutputs other =
                new ArrayEvaluation("d", detector(), IND, OOD, null, 2).outputs(ScorerKinds.all(), Settings.NONE);
        assertThat(rows(other.test()))
                .isNotEqualTo(rows(outputs(null, ScorerKinds.all()).test()));
    }

    private static void refused(SampleSet ind, SampleSet ood, Detector detector, String... reasons) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ArrayEvaluation("d", detector, ind, List.of(ood), null, 1))
                .withMessageContainingAll(reasons);
    }

    @Test
    void arraysThatDoNotFitTogetherAreRefused() {
        SampleSet logits = SampleSet.of("logits", Outputs.ofLogits(IND.outputs().logits()), new int[0], "");
        SampleSet two = SampleSet.of(
                "two", Outputs.ofLogits(Matrix.of(new double[] {1, 2}, new double[] {2, 1})), new int[0], "");
        Detector energy = Detector.of(ScorerKinds.byId("energy")).conformal(0.9).calibrate(IND.outputs());
        refused(IND, logits, detector(), "3 classes and 4 features", "but logits has logits of 3 classes.");
        refused(logits, logits, detector(), "the detector's scorer knn needs features");
        refused(two, two, energy, "the detector has 3 classes but two has 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ArrayEvaluation("d", detector(), IND, List.of(OOD.get(0), OOD.get(0)), null, 1))
                .withMessageContaining("two OOD sets 'a'");
    }
}
