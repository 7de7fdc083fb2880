package ai.wood.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.wood.CannotRunException;
import ai.wood.Detector;
import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.ThresholdPolicy;
import ai.wood.Toy;
import ai.wood.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Laws of all kinds of scorers. */
class ScorerKindsTest {

    @TempDir
    Path folder;

    static List<ScorerKind> kinds() {
        return ScorerKinds.all();
    }

    static Stream<ScorerKind> fitted() {
        return kinds().stream()
                .filter(kind ->
                        !kind.fit(Toy.DATA, kind.settings()).parameters().isEmpty());
    }

    static Stream<ScorerKind> ofPredictions() {
        return kinds().stream()
                .filter(kind -> kind.requires().contains(Requirement.PREDICTIONS)
                        || kind.requires().contains(Requirement.LOGITS));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aSavedDetectorGivesTheSameVerdictsToTheLastBit(ScorerKind kind) throws IOException {
        List<Settings> all = new ArrayList<>(List.of(Settings.NONE, Toy.unusual(kind)));
        all.addAll(each(Toy.unusual(kind)));
        for (Settings settings : all) {
            for (boolean perClass : new boolean[] {false, true}) {
                Detector detector = Toy.detector(kind, settings, new ThresholdPolicy(0.9, perClass, perClass));
                Path file = folder.resolve("detector.wood");
                detector.save(file);
                Detector loaded = Detector.load(file);
                assertThat(loaded.score(Toy.QUERIES)).containsExactly(detector.score(Toy.QUERIES));
                assertThat(loaded.detect(Toy.QUERIES)).isEqualTo(detector.detect(Toy.QUERIES));
                assertThat(loaded.settings()).isEqualTo(detector.settings()).isEqualTo(settings.over(kind.settings()));
                assertThat(loaded.kind()).isSameAs(kind);
                assertThat(loaded.thresholds()).isEqualTo(detector.thresholds());
                assertThat(loaded.scores()).containsExactly(detector.scores());
                assertThat(loaded.scorer().parameters())
                        .isEqualTo(detector.scorer().parameters());
                assertThat(List.copyOf(loaded.scorer().parameters().keySet()))
                        .isEqualTo(List.copyOf(detector.scorer().parameters().keySet()));
            }
        }
    }

    /** Otherwise the law above would not show that it is saved. */
    @ParameterizedTest
    @MethodSource("kinds")
    void everySettingChangesTheScores(ScorerKind kind) {
        // TRUST's k concerns outliers only: without alpha there are none
        Settings usual = kind == BuiltInKind.TRUST ? kind.settings().with("alpha", 0.2) : kind.settings();
        double[] scores = kind.fit(Toy.DATA, usual).score(Toy.QUERIES);
        for (Settings one : each(Toy.unusual(kind))) {
            // a temperature never changes which class is predicted, and these two read no more than that
            boolean noEffect = one.has("temperature") && (kind == BuiltInKind.SHE || kind == BuiltInKind.TRUST);
            double[] changed = kind.fit(Toy.DATA, one.over(usual)).score(Toy.QUERIES);
            assertThat(Arrays.equals(changed, scores))
                    .as("%s with %s", kind.id(), one)
                    .isEqualTo(noEffect);
        }
    }

    /** Every setting by itself. */
    private static List<Settings> each(Settings settings) {
        return settings.values().entrySet().stream()
                .map(one -> one.getValue() instanceof Matrix matrix
                        ? Settings.NONE.with(one.getKey(), matrix)
                        : Settings.NONE.with(one.getKey(), (double) one.getValue()))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aWrongSettingIsRefusedBeforeTheFit(ScorerKind kind) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Detector.of(kind).settings(Settings.NONE.with("no-such", 1)))
                .withMessageContaining("there is no setting 'no-such'");
        kind.settings().values().forEach((name, usual) -> {
            Settings other = usual instanceof Double ? Settings.NONE.with(name, "x") : Settings.NONE.with(name, 1);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> Detector.of(kind).settings(other))
                    .withMessageContaining(
                            "the setting '" + name + "' must be a " + (usual instanceof Double ? "number" : "word"));
        });
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void noKindIsFittedToNothingItNeeds(ScorerKind kind) {
        Set<Requirement> missing = FitData.NONE.provides();
        if (kind.requires().stream().allMatch(needed -> needed.ofOutputs() || missing.contains(needed))) {
            assertThat(kind.fit(FitData.NONE, kind.settings()).parameters()).isEmpty();
        } else {
            assertThatExceptionOfType(CannotRunException.class)
                    .isThrownBy(() -> kind.fit(FitData.NONE, kind.settings()));
            assertThatExceptionOfType(CannotRunException.class)
                    .isThrownBy(() -> Detector.of(kind).fit(FitData.NONE))
                    .withMessageStartingWith("needs ");
        }
    }

    @ParameterizedTest
    @MethodSource("fitted")
    void emptyTrainingOutputsAreRefused(ScorerKind kind) {
        FitData nothing = new FitData(Toy.outputs(1, 0, 0), List.of(), Toy.DATA.head(), Toy.DATA.tuning(), null);
        if (kind.requires().contains(Requirement.TRAINING)) {
            assertThatExceptionOfType(CannotRunException.class)
                    .isThrownBy(() -> kind.fit(nothing, kind.settings()))
                    .withMessageStartingWith("needs ");
        }
    }

    /** A label without a sample, as a mistake in a list of labels may leave it. */
    @ParameterizedTest
    @MethodSource("kinds")
    void labelsOfOtherSamplesAreRefused(ScorerKind kind) {
        if (kind.requires().contains(Requirement.LABELS)) {
            assertThatExceptionOfType(CannotRunException.class)
                    .isThrownBy(() -> kind.fit(Toy.DATA.withLabels(List.of(0, 1, 2)), kind.settings()))
                    .withMessageContainingAll("90 samples", "3 labels");
        }
    }

    @ParameterizedTest
    @MethodSource("ofPredictions")
    void aSampleWithoutAPredictionIsOod(ScorerKind kind) {
        nanAndInfinityAreOod(kind);
    }

    @Test
    void knnWithLogitsFindsASampleWithoutAPredictionOod() {
        nanAndInfinityAreOod(ScorerKinds.knn());
        nanAndInfinityAreOod(ScorerKinds.mahalanobis());
    }

    private static void nanAndInfinityAreOod(ScorerKind kind) {
        for (boolean perClass : new boolean[] {false, true}) {
            Detector detector = Toy.detector(kind, Settings.NONE, new ThresholdPolicy(0.9, true, perClass));
            List<Verdict> whole = detector.detect(Toy.QUERIES);
            for (double broken : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
                for (int column = 0; column < Toy.CLASSES; column++) {
                    List<Verdict> verdicts = detector.detect(withLogit(4, column, broken));
                    Verdict verdict = verdicts.get(4);
                    assertThat(verdict.ood()).as("%s", verdict).isTrue();
                    assertThat(verdict.score()).isNaN();
                    assertThat(verdict.pValue()).isEqualTo(1.0 / (60 + 1));
                    assertThat(others(verdicts)).isEqualTo(others(whole));
                }
            }
        }
    }

    private static List<Verdict> others(List<Verdict> verdicts) {
        List<Verdict> others = new ArrayList<>(verdicts);
        others.remove(4);
        return others;
    }

    private static Outputs withLogit(int row, int column, double value) {
        double[][] logits = IntStream.range(0, Toy.QUERIES.size())
                .mapToObj(Toy.QUERIES.logits()::row)
                .toArray(double[][]::new);
        logits[row][column] = value;
        return Outputs.ofLogits(Matrix.of(logits))
                .withFeatures(Toy.QUERIES.features())
                .withLayers(Toy.QUERIES.layers())
                .withBranches(Toy.QUERIES.branches());
    }

    /** -Infinity is a class without mass, so very small logits have nearly the same score. */
    @ParameterizedTest
    @MethodSource("ofPredictions")
    void minusInfinityIsAClassWithoutMass(ScorerKind kind) {
        Detector detector = Toy.detector(kind);
        Verdict limit =
                detector.detect(withLogit(4, 1, Double.NEGATIVE_INFINITY)).get(4);
        Verdict near = detector.detect(withLogit(4, 1, -1e5)).get(4);
        assertThat(limit.score()).isFinite().isEqualTo(near.score());
        assertThat(limit).isEqualTo(near);
    }

    @ParameterizedTest
    @MethodSource("fitted")
    void missingOrTornParametersAreRefused(ScorerKind kind) {
        Map<String, Matrix> whole = kind.fit(Toy.DATA, kind.settings()).parameters();
        for (String lost : whole.keySet()) {
            Map<String, Matrix> rest = new LinkedHashMap<>(whole);
            rest.remove(lost);
            if (kind != BuiltInKind.TRUST) { // which may lack a class
                assertThatIllegalArgumentException()
                        .as("%s without %s", kind.id(), lost)
                        .isThrownBy(() -> restore(kind, rest));
            }
            rest.put(lost, wider(Objects.requireNonNull(whole.get(lost))));
            assertThatIllegalArgumentException()
                    .as("%s with a wider %s", kind.id(), lost)
                    .isThrownBy(() -> restore(kind, rest).score(Toy.QUERIES));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> restore(kind, Map.of()));
    }

    private static Scorer restore(ScorerKind kind, Map<String, Matrix> parameters) {
        return kind.restore(new Parameters(kind.settings(), parameters));
    }

    private static Matrix wider(Matrix matrix) {
        return Matrix.of(IntStream.range(0, matrix.rows())
                .mapToObj(r -> Arrays.copyOf(matrix.row(r), matrix.columns() + 1))
                .toArray(double[][]::new));
    }

    /** Version 0.1 wrote one more coordinate, which made all samples of NNGuide equally long. */
    @Test
    void earlierParametersOfNnGuideAreRead() {
        Scorer built = BuiltInKind.NNGUIDE.fit(Toy.DATA, BuiltInKind.NNGUIDE.settings());
        Map<String, Matrix> earlier = new LinkedHashMap<>(built.parameters());
        Matrix samples = wider(Objects.requireNonNull(built.parameters().get("samples")));
        earlier.put(
                "samples",
                Matrix.of(IntStream.range(0, 90)
                        .mapToObj(samples::row)
                        .peek(row -> row[Toy.WIDTH] = 7)
                        .toArray(double[][]::new)));
        earlier.put("square", Matrix.of(new double[] {100}));
        Scorer restored = restore(BuiltInKind.NNGUIDE, earlier);
        assertThat(restored.score(Toy.QUERIES)).containsExactly(built.score(Toy.QUERIES));
    }

    @Test
    void idsAreUniqueAndFindTheirKind() {
        assertThat(ScorerKinds.ids()).doesNotHaveDuplicates().hasSize(BuiltInKind.values().length);
        for (ScorerKind kind : ScorerKinds.all()) {
            assertThat(ScorerKinds.byId(kind.id())).isSameAs(kind);
            assertThat(kind.description()).isNotBlank();
        }
        assertThat(ScorerKinds.wood().id()).isEqualTo("wood");
        assertThat(ScorerKinds.msp().id()).isEqualTo("msp");
        assertThat(ScorerKinds.energy().id()).isEqualTo("energy");
        assertThat(ScorerKinds.knn().id()).isEqualTo("knn");
        assertThat(ScorerKinds.mahalanobis().id()).isEqualTo("mahalanobis");
    }

    /** A scorer was once restored with the default percentile instead of its own. */
    @Test
    void ashAndScaleAreRestoredWithTheirOwnPercentile() throws IOException {
        for (BuiltInKind kind : List.of(BuiltInKind.ASH, BuiltInKind.SCALE)) {
            Detector detector =
                    Toy.detector(kind, Settings.NONE.with("percentile", 40), ThresholdPolicy.conformal(0.9));
            detector.save(folder.resolve(kind.id()));
            assertThat(Detector.load(folder.resolve(kind.id())).score(Toy.QUERIES))
                    .containsExactly(detector.score(Toy.QUERIES))
                    .isNotEqualTo(Toy.detector(kind).score(Toy.QUERIES));
        }
    }
}
