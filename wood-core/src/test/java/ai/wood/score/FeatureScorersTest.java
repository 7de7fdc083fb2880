package ai.wood.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.data.Percentage.withPercentage;

import ai.wood.CannotRunException;
import ai.wood.FitData;
import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.Seeded;
import ai.wood.Settings;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every scorer on features, against NumPy (the recipe is beside the figures) and by laws. */
class FeatureScorersTest {

    private static final int CLASSES = 3;
    private static final int WIDTH = 8;
    private static final Head HEAD = new Head(
            Matrix.of(IntStream.range(0, CLASSES)
                    .mapToObj(k -> IntStream.range(0, WIDTH)
                            .mapToDouble(i -> Math.cos(k + 2 * i) + (k == i % CLASSES ? 1 : 0))
                            .toArray())
                    .toArray(double[][]::new)),
            Matrix.of(new double[] {0, 0.1, 0.2}));
    private static final List<Integer> LABELS =
            IntStream.range(0, 60).mapToObj(r -> r % CLASSES).toList();

    private static final Outputs IND = outputs(0, features(60, 0, 1.5));
    private static final FitData DATA = FitData.of(IND)
            .withLabels(LABELS)
            .withHead(HEAD)
            .withTuning(outputs(5, features(20, 5, 1.5)), outputs(9, features(20, 9, 0.3)));
    private static final Outputs QUERIES = outputs(
            3,
            Stream.concat(Arrays.stream(features(3, 3, 1.5)), Arrays.stream(features(3, 7, 0.3)))
                    .toArray(double[][]::new));

    private static double[][] features(int count, double phase, double shift) {
        return IntStream.range(0, count)
                .mapToObj(r -> IntStream.range(0, WIDTH)
                        .mapToDouble(i -> Math.max(
                                0,
                                Math.sin(1.7 * (r + 1) * (i + 1) + phase + i * i)
                                        + (r % CLASSES == i % CLASSES ? shift : 0)))
                        .toArray())
                .toArray(double[][]::new);
    }

    private static Outputs outputs(double phase, double[]... features) {
        double[][] layer = IntStream.range(0, features.length)
                .mapToObj(r -> IntStream.range(0, 4)
                        .mapToDouble(j -> features[r][j] * features[r][j + 1] + Math.sin(r + j + phase))
                        .toArray())
                .toArray(double[][]::new);
        return Outputs.ofLogits(
                        Matrix.of(Arrays.stream(features).map(HEAD::logits).toArray(double[][]::new)))
                .withFeatures(Matrix.of(features))
                .withLayers(Map.of("block1", Matrix.of(layer)));
    }

    private static Outputs map(Outputs outputs, DoubleUnaryOperator change) {
        return outputs(
                0,
                IntStream.range(0, outputs.size())
                        .mapToObj(r -> Arrays.stream(outputs.features().row(r))
                                .map(change)
                                .toArray())
                        .toArray(double[][]::new));
    }

    static Stream<BuiltInKind> onFeatures() {
        return Arrays.stream(BuiltInKind.values())
                .filter(kind -> kind.requires().contains(Requirement.FEATURES));
    }

    static Stream<BuiltInKind> fitted() {
        return onFeatures().filter(kind -> kind.requires().contains(Requirement.TRAINING));
    }

    private static Scorer fit(BuiltInKind kind) {
        return fit(kind, DATA);
    }

    private static Scorer fit(BuiltInKind kind, FitData data) {
        return kind.fit(data, kind.settings());
    }

    @ParameterizedTest
    @MethodSource("onFeatures")
    void scoresEqualThoseOfNumPy(BuiltInKind kind) throws IOException {
        double[] scores = fit(kind).score(QUERIES);
        double[] expected = golden(kind.id());
        assertThat(expected).hasSize(6);
        for (int r = 0; r < expected.length; r++) {
            assertThat(scores[r]).as("sample %d", r).isCloseTo(expected[r], withPercentage(1e-3));
        }
    }

    private static double[] golden(String id) throws IOException {
        try (InputStream file = FeatureScorersTest.class.getResourceAsStream("feature-scorers.csv")) {
            return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .filter(line -> line.startsWith(id + ","))
                    .flatMap(line -> Arrays.stream(line.split(",", -1)).skip(1))
                    .mapToDouble(Double::parseDouble)
                    .toArray();
        }
    }

    @ParameterizedTest
    @MethodSource("onFeatures")
    void everySampleIsScoredByItself(BuiltInKind kind) {
        Scorer fitted = fit(kind);
        double[] together = fitted.score(outputs(0, features(70, 4, 1)));
        double[] first = fitted.score(outputs(0, Arrays.copyOf(features(70, 4, 1), 33)));
        assertThat(Arrays.copyOf(together, 33)).containsExactly(first);
    }

    @ParameterizedTest
    @MethodSource("onFeatures")
    void whatIsNoNumberScoresNoNumber(BuiltInKind kind) {
        double[][] features = features(2, 3, 1.5);
        features[1][2] = Double.NaN;
        double[] scores = fit(kind).score(outputs(3, features));
        assertThat(scores[0]).isFinite();
        assertThat(scores[1]).isNaN();
    }

    /** What is predicted where the first logit is NaN is not the first class, and where another is, not the best of the rest. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void whatIsPredictedByNoNumberScoresNoNumber(int at) {
        double[] logits = {1, 2, 3};
        logits[at] = Double.NaN;
        Outputs outputs = Outputs.ofLogits(Matrix.of(new double[] {1, 2, 3}, logits))
                .withFeatures(Matrix.of(features(2, 3, 1.5)));
        for (BuiltInKind kind : List.of(BuiltInKind.SHE, BuiltInKind.TRUST)) {
            double[] scores = fit(kind).score(outputs);
            assertThat(scores[0]).as(kind.id()).isFinite();
            assertThat(scores[1]).as(kind.id()).isNaN();
        }
    }

    @ParameterizedTest
    @MethodSource("fitted")
    void aFitToWhatIsNoNumberIsRefused(BuiltInKind kind) {
        double[][] features = features(60, 0, 1.5);
        features[7][2] = Double.NaN;
        FitData data = FitData.of(outputs(0, features)).withLabels(LABELS).withHead(HEAD);
        FitData all = data.withTuning(QUERIES, QUERIES);
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> fit(kind, all))
                .withMessageContaining("needs finite training features but those in row 8 are not");
    }

    @ParameterizedTest
    @MethodSource("fitted")
    void aNetworkOfOtherFeaturesIsRefused(BuiltInKind kind) {
        Scorer fitted = fit(kind);
        Outputs other = QUERIES.withFeatures(Matrix.wrap(new double[6 * 5], 5));
        if (kind.requires().contains(Requirement.TRAINING) || kind.requires().contains(Requirement.HEAD)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> fitted.score(other))
                    .withMessageContaining("fitted to 8 features but the network gives 5");
        } else {
            assertThat(fitted.score(other)).hasSize(6); // those that take features as they come
        }
    }

    /** A complaint that another thread makes would come wrapped, with the name of its class in front. */
    @ParameterizedTest
    @EnumSource(
            value = BuiltInKind.class,
            names = {"KNN", "NNGUIDE", "TRUST"})
    void aRefusalReadsTheSameForManySamples(BuiltInKind kind) {
        Scorer fitted = fit(kind);
        int samples = 20_000;
        Outputs other = Outputs.ofLogits(Matrix.wrap(new double[samples * 3], 3))
                .withFeatures(Matrix.wrap(new double[samples * 5], 5));
        for (int i = 0; i < 20; i++) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> fitted.score(other))
                    .withMessageStartingWith("the scorer was fitted to 8 features");
        }
    }

    @ParameterizedTest
    @MethodSource("onFeatures")
    void everyRequirementIsRequired(BuiltInKind kind) {
        for (Requirement missing : kind.requires()) {
            FitData data = new FitData(
                    missing == Requirement.TRAINING ? null : IND,
                    missing == Requirement.LABELS ? List.of() : LABELS,
                    missing == Requirement.HEAD ? null : HEAD,
                    missing == Requirement.TUNING ? null : DATA.tuning(),
                    null);
            Outputs outputs = without(missing);
            assertThatExceptionOfType(CannotRunException.class)
                    .as("%s", missing)
                    .isThrownBy(() -> {
                        data.require(kind);
                        outputs.require(kind);
                    })
                    .withMessage("needs " + missing.description());
            assertThatExceptionOfType(CannotRunException.class)
                    .as("%s", missing)
                    .isThrownBy(() -> fit(kind, data).score(outputs));
        }
        DATA.require(kind);
        QUERIES.require(kind);
    }

    private static Outputs without(Requirement missing) {
        return switch (missing) {
            case PREDICTIONS -> Outputs.ofFeatures(QUERIES.features()).withLayers(QUERIES.layers());
            case LOGITS ->
                Outputs.ofProbabilities(Matrix.of(IntStream.range(0, QUERIES.size())
                                .mapToObj(QUERIES::probabilities)
                                .toArray(double[][]::new)))
                        .withFeatures(QUERIES.features());
            case FEATURES -> Outputs.ofLogits(QUERIES.logits()).withLayers(QUERIES.layers());
            case LAYERS -> Outputs.ofLogits(QUERIES.logits()).withFeatures(QUERIES.features());
            default -> QUERIES;
        };
    }

    /** Three clusters of unit variance; OOD around a point far from all of them. */
    @ParameterizedTest
    @MethodSource("onFeatures")
    void farClustersScoreHigher(BuiltInKind kind) {
        Seeded seeded = new Seeded(11);
        Outputs ind = clusters(seeded, 300, false);
        List<Integer> labels =
                IntStream.range(0, 300).mapToObj(r -> r % CLASSES).toList();
        Scorer fitted = fit(
                kind,
                FitData.of(ind)
                        .withLabels(labels)
                        .withHead(CLUSTER_HEAD)
                        .withTuning(clusters(seeded, 60, false), clusters(seeded, 60, true)));
        double near = Arrays.stream(fitted.score(clusters(seeded, 60, false)))
                .average()
                .orElseThrow();
        double far = Arrays.stream(fitted.score(clusters(seeded, 60, true)))
                .average()
                .orElseThrow();
        assertThat(far).isGreaterThan(near);
    }

    private static final Head CLUSTER_HEAD = new Head(
            Matrix.of(IntStream.range(0, CLASSES)
                    .mapToObj(k -> IntStream.range(0, WIDTH)
                            .mapToDouble(i -> i == k ? 1 : -0.2)
                            .toArray())
                    .toArray(double[][]::new)),
            Matrix.of(new double[CLASSES]));

    /** InD: one of the first features is large; OOD: none of them, but two of the others. */
    private static Outputs clusters(Seeded seeded, int count, boolean ood) {
        double[][] features = IntStream.range(0, count)
                .mapToObj(r -> {
                    double[] h = seeded.normals(WIDTH, 1, 0.3);
                    if (ood) {
                        h[5] += 4;
                        h[6] += 3;
                    } else {
                        h[r % CLASSES] += 6;
                    }
                    return Arrays.stream(h).map(x -> Math.max(0, x)).toArray();
                })
                .toArray(double[][]::new);
        Matrix matrix = Matrix.of(features);
        return Outputs.ofLogits(Matrix.of(
                        Arrays.stream(features).map(CLUSTER_HEAD::logits).toArray(double[][]::new)))
                .withFeatures(matrix)
                .withLayers(Map.of("block1", matrix));
    }

    @Test
    void relativeMahalanobisIsZeroWhereAllSamplesAreOfOneClass() {
        RelativeMahalanobisScorer scorer = RelativeMahalanobisScorer.fit(
                IND, LABELS.stream().map(label -> 1).toList());
        assertThat(scorer.score(QUERIES)).containsOnly(new double[] {0}, within(1e-12));
    }

    @Test
    void knnDoesNotSeeTheLengthOfFeatures() {
        double[] scores = fit(BuiltInKind.KNN).score(QUERIES);
        double[] longer = fit(BuiltInKind.KNN).score(map(QUERIES, x -> 1000 * x));
        assertThat(longer).containsExactly(scores, within(1e-6));
    }

    @Test
    void knnOfAStoredSampleIsZero() {
        assertThat(KnnScorer.fit(IND, 1).score(IND)).containsOnly(0);
    }

    @Test
    void moreNeighboursThanSamplesAreAllSamples() {
        assertThat(KnnScorer.fit(IND, 61).score(QUERIES))
                .containsExactly(KnnScorer.fit(IND, 60).score(QUERIES));
        assertThat(NnGuideScorer.fit(IND, 61).score(QUERIES))
                .containsExactly(NnGuideScorer.fit(IND, 60).score(QUERIES));
        for (BuiltInKind kind : List.of(BuiltInKind.KNN, BuiltInKind.NNGUIDE)) {
            for (double k : new double[] {0, -1, 1.5, Double.NaN}) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> kind.fit(DATA, kind.settings().with("k", k)));
            }
        }
    }

    @Test
    void oneVeryConfidentSampleDoesNotCostNnGuideItsPrecision() {
        double[][] logits =
                IntStream.range(0, IND.size()).mapToObj(IND.logits()::row).toArray(double[][]::new);
        logits[0][0] = 1e6;
        double[][] features =
                IntStream.range(0, IND.size()).mapToObj(IND.features()::row).toArray(double[][]::new);
        features[0] = new double[WIDTH];
        features[0][7] = 1;
        Outputs sure = Outputs.ofLogits(Matrix.of(logits)).withFeatures(Matrix.of(features));
        double[] query = {1, 2, 3, 4, 3, 2, 1, 0}; // has nothing in common with that sample
        Outputs queries = Outputs.ofLogits(Matrix.of(new double[] {1, 2, 3})).withFeatures(Matrix.of(query));
        double guidance = IntStream.range(0, IND.size())
                .mapToDouble(r -> Probabilities.logSumExp(logits[r])
                        * dot(Neighbours.unit(features[r].clone()), Neighbours.unit(query.clone())))
                .sorted()
                .skip(IND.size() - 10)
                .average()
                .orElseThrow();
        double expected = -guidance * Probabilities.logSumExp(new double[] {1, 2, 3});
        assertThat(NnGuideScorer.fit(sure, 10).score(queries)[0]).isCloseTo(expected, withPercentage(1e-4));
    }

    private static double dot(double[] a, double[] b) {
        return IntStream.range(0, a.length).mapToDouble(i -> a[i] * b[i]).sum();
    }

    @Test
    void featuresWithoutDirectionAreScored() {
        Outputs zero = map(QUERIES, x -> 0);
        assertThat(fit(BuiltInKind.KNN).score(zero)).containsOnly(1);
        assertThat(fit(BuiltInKind.NNGUIDE).score(zero)).containsOnly(0);
        for (BuiltInKind kind : onFeatures().toList()) {
            assertThat(fit(kind).score(zero)).as(kind.id()).doesNotContain(Double.NaN);
        }
    }

    @Test
    void reactWithoutACutIsTheEnergy() {
        double[] energy = fit(BuiltInKind.ENERGY).score(IND);
        assertThat(ShapedEnergyScorer.react(IND, HEAD, 100).score(IND)).containsExactly(energy, within(1e-12));
    }

    @Test
    void ashAndScaleOfEqualFeaturesGrowByTheShareKept() {
        Outputs equal = map(QUERIES, x -> 1);
        double factor = Math.exp(8.0 / 2);
        Settings percentile = Settings.NONE.with("percentile", 75);
        double[] scaled = ShapedEnergyScorer.scale(HEAD, percentile).score(equal);
        double[] energy = fit(BuiltInKind.ENERGY).score(map(QUERIES, x -> factor));
        assertThat(scaled).containsExactly(energy, within(1e-9));
        double[] firstTwo = {factor, factor, 0, 0, 0, 0, 0, 0};
        assertThat(ShapedEnergyScorer.ash(HEAD, percentile).score(equal)[0])
                .isCloseTo(fit(BuiltInKind.ENERGY).score(outputs(0, firstTwo))[0], within(1e-9));
    }

    @Test
    void aTemperatureReachesTheHead() {
        Settings warm = Settings.NONE.with("temperature", 4);
        double[] energy = BuiltInKind.ENERGY.fit(DATA, warm).score(QUERIES);
        double[] uncut =
                ShapedEnergyScorer.react(QUERIES, HEAD.withTemperature(4), 100).score(QUERIES);
        assertThat(uncut).containsExactly(energy, within(1e-12));
        for (BuiltInKind kind : onFeatures()
                .filter(kind -> kind.requires().contains(Requirement.HEAD))
                .toList()) {
            double[] scores = kind.fit(DATA, warm.over(kind.settings())).score(QUERIES);
            assertThat(scores)
                    .as(kind.id())
                    .containsExactly(
                            fit(kind, DATA.withHead(HEAD.withTemperature(4))).score(QUERIES), within(1e-12))
                    .isNotEqualTo(fit(kind).score(QUERIES));
            Outputs featuresOnly = Outputs.ofFeatures(QUERIES.features());
            FitData fewer = FitData.of(Outputs.ofFeatures(IND.features())).withHead(HEAD);
            assertThat(kind.fit(fewer, warm.over(kind.settings())).score(featuresOnly))
                    .as("%s without logits", kind.id())
                    .containsExactly(scores);
        }
    }

    @Test
    void classesWithoutSamplesAreDefined() {
        List<Integer> twoClasses = LABELS.stream().map(label -> label % 2).toList();
        FitData data = DATA.withLabels(twoClasses);
        for (BuiltInKind kind : List.of(BuiltInKind.MAHALANOBIS, BuiltInKind.RELATIVE_MAHALANOBIS)) {
            assertThat(Arrays.stream(fit(kind, data).score(QUERIES))).allMatch(Double::isFinite);
        }
        for (int r = 0; r < QUERIES.size(); r++) {
            double she = fit(BuiltInKind.SHE, data).score(QUERIES)[r];
            double trust = fit(BuiltInKind.TRUST, data).score(QUERIES)[r];
            assertThat(she == 0).isEqualTo(QUERIES.label(r) == 2);
            assertThat(trust == Double.POSITIVE_INFINITY).isEqualTo(QUERIES.label(r) == 2);
        }
        FitData oneClass = DATA.withLabels(LABELS.stream().map(label -> 1).toList());
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> fit(BuiltInKind.TRUST, oneClass))
                .withMessageContaining("at least 2 classes but there are samples of 1");
        FitData shifted =
                DATA.withLabels(LABELS.stream().map(label -> label + 1).toList());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fit(BuiltInKind.SHE, shifted))
                .withMessageContaining("labels must lie in 0 to 2 but one is 3");
    }

    private static Settings trust(int neighbours, int k, double alpha) {
        return Settings.NONE.with("neighbours", neighbours).with("k", k).with("alpha", alpha);
    }

    @Test
    void trustLeavesOutliersOut() {
        double[][] points = {{0}, {1}, {2}, {100}, {200}, {201}, {202}, {203}};
        Outputs ind = Outputs.ofLogits(Matrix.wrap(new double[16], 2)).withFeatures(Matrix.of(points));
        List<Integer> labels = List.of(0, 0, 0, 0, 1, 1, 1, 1);
        Outputs query = Outputs.ofLogits(Matrix.of(new double[] {1, 0})).withFeatures(Matrix.of(new double[] {110}));
        for (double[] expected :
                new double[][] {{1, 0, 10 / 90.0}, {1, 0.25, 108 / 90.0}, {2, 0, 108 / 91.0}, {2, 0.25, 109 / 91.0}}) {
            assertThat(TrustScorer.fit(ind, labels, trust((int) expected[0], 2, expected[1]))
                            .score(query)[0])
                    .isCloseTo(expected[2], within(1e-6));
        }
    }

    /** Brute force over all samples of a class. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 20, 1000})
    void trustIsARatioOfDistancesFromTheGivenNeighbour(int neighbours) {
        double[] scores = TrustScorer.fit(IND, LABELS, trust(neighbours, 10, 0)).score(QUERIES);
        for (int r = 0; r < QUERIES.size(); r++) {
            double[] query = QUERIES.features().row(r);
            double[] distances = IntStream.range(0, CLASSES)
                    .mapToDouble(label -> IntStream.range(0, IND.size())
                            .filter(i -> LABELS.get(i) == label)
                            .mapToDouble(i -> distance(IND.features().row(i), query))
                            .sorted()
                            .skip(Math.min(neighbours, 20) - 1)
                            .findFirst()
                            .orElseThrow())
                    .toArray();
            int predicted = QUERIES.label(r);
            double other = IntStream.range(0, CLASSES)
                    .filter(label -> label != predicted)
                    .mapToDouble(label -> distances[label])
                    .min()
                    .orElseThrow();
            assertThat(scores[r]).isCloseTo(distances[predicted] / other, withPercentage(1e-3));
        }
        assertThat(fit(BuiltInKind.TRUST).score(QUERIES))
                .as("the default is the second neighbour")
                .containsExactly(TrustScorer.fit(IND, LABELS, trust(2, 10, 0)).score(QUERIES));
    }

    private static double distance(double[] a, double[] b) {
        return Math.sqrt(IntStream.range(0, a.length)
                .mapToDouble(i -> (a[i] - b[i]) * (a[i] - b[i]))
                .sum());
    }

    private static Matrix unit(Matrix rows) {
        return Matrix.of(IntStream.range(0, rows.rows())
                .mapToObj(r -> {
                    double length = distance(rows.row(r), new double[rows.columns()]);
                    return Arrays.stream(rows.row(r)).map(x -> x / length).toArray();
                })
                .toArray(double[][]::new));
    }

    private static Outputs unit(Outputs outputs) {
        return outputs.withFeatures(unit(outputs.features()))
                .withLayers(Map.of("block1", unit(outputs.layer("block1"))));
    }

    @Test
    void theUnitKindsEqualTheOthersOnFeaturesDividedByTheirLengths() {
        FitData.Tuning tuning = Objects.requireNonNull(DATA.tuning());
        FitData unit = FitData.of(unit(IND)).withLabels(LABELS).withTuning(unit(tuning.ind()), unit(tuning.ood()));
        for (List<BuiltInKind> pair : List.of(
                List.of(BuiltInKind.MAHALANOBIS_UNIT, BuiltInKind.MAHALANOBIS),
                List.of(BuiltInKind.MAHALANOBIS_ENSEMBLE_UNIT, BuiltInKind.MAHALANOBIS_ENSEMBLE))) {
            assertThat(fit(pair.get(0)).score(QUERIES))
                    .as("%s", pair)
                    .containsExactly(fit(pair.get(1), unit).score(unit(QUERIES)), within(1e-9))
                    .isNotEqualTo(fit(pair.get(1)).score(QUERIES));
            Outputs longer = QUERIES.withFeatures(QUERIES.features().dividedBy(0.001));
            assertThat(fit(pair.get(0)).score(longer))
                    .as("%s: the length does not matter", pair)
                    .containsExactly(fit(pair.get(0)).score(QUERIES), within(1e-9));
        }
    }

    @Test
    void vimNeedsVariationOutsideThePrincipalDirections() {
        double[][] line = IntStream.range(0, 60)
                .mapToObj(r -> IntStream.range(0, WIDTH).mapToDouble(i -> r).toArray())
                .toArray(double[][]::new);
        Head unbiased = new Head(HEAD.weights(), Matrix.of(new double[CLASSES]));
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> VimScorer.fit(outputs(0, line), unbiased, 1))
                .withMessageContaining("must vary outside");
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> VimScorer.fit(QUERIES, HEAD, WIDTH))
                .withMessageContaining("fewer than the 8 features");
    }

    @Test
    void vimLeavesAsManyDirectionsAsThePaper() {
        assertThat(VimScorer.principal(8)).isEqualTo(4);
        assertThat(VimScorer.principal(767)).isEqualTo(383);
        assertThat(VimScorer.principal(768)).isEqualTo(512);
        assertThat(VimScorer.principal(2048)).isEqualTo(1000);
    }
}
