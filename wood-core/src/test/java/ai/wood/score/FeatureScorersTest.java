package ai.wood.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.data.Percentage.withPercentage;

import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import ai.wood.Seeded;
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

    private static final ScorerOptions OPTIONS = ScorerOptions.DEFAULTS
            .withInd(outputs(0, features(60, 0, 1.5)))
            .withLabels(LABELS)
            .withHead(HEAD)
            .withTuning(new Tuning(outputs(5, features(20, 5, 1.5)), outputs(9, features(20, 9, 0.3))));
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

    static Stream<Scorers> onFeatures() {
        return Arrays.stream(Scorers.values()).filter(scorer -> scorer.needs().contains(Need.FEATURES));
    }

    static Stream<Scorers> fitted() {
        return onFeatures().filter(scorer -> scorer.needs().contains(Need.FIT));
    }

    @ParameterizedTest
    @MethodSource("onFeatures")
    void scoresEqualThoseOfNumPy(Scorers scorer) throws IOException {
        double[] scores = scorer.create(OPTIONS).score(QUERIES);
        double[] expected = golden(scorer.id());
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
    void everySampleIsScoredByItself(Scorers scorer) {
        Scorer fitted = scorer.create(OPTIONS);
        double[] together = fitted.score(outputs(0, features(70, 4, 1)));
        double[] first = fitted.score(outputs(0, Arrays.copyOf(features(70, 4, 1), 33)));
        assertThat(Arrays.copyOf(together, 33)).containsExactly(first);
    }

    @ParameterizedTest
    @MethodSource("onFeatures")
    void whatIsNoNumberScoresNoNumber(Scorers scorer) {
        double[][] features = features(2, 3, 1.5);
        features[1][2] = Double.NaN;
        double[] scores = scorer.create(OPTIONS).score(outputs(3, features));
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
        for (Scorers scorer : List.of(Scorers.SHE, Scorers.TRUST)) {
            double[] scores = scorer.create(OPTIONS).score(outputs);
            assertThat(scores[0]).as(scorer.id()).isFinite();
            assertThat(scores[1]).as(scorer.id()).isNaN();
        }
    }

    @ParameterizedTest
    @MethodSource("fitted")
    void aFitToWhatIsNoNumberIsRefused(Scorers scorer) {
        double[][] features = features(60, 0, 1.5);
        features[7][2] = Double.NaN;
        ScorerOptions options = OPTIONS.withInd(outputs(0, features));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scorer.create(options))
                .withMessageContaining("must be finite but those of sample 7");
    }

    @ParameterizedTest
    @MethodSource("fitted")
    void aNetworkOfOtherFeaturesIsRefused(Scorers scorer) {
        Scorer fitted = scorer.create(OPTIONS);
        Outputs other = QUERIES.withFeatures(Matrix.wrap(new double[6 * 5], 5));
        if (scorer.needs().contains(Need.FIT) || scorer.needs().contains(Need.HEAD)) {
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
            value = Scorers.class,
            names = {"KNN", "NNGUIDE", "TRUST"})
    void aRefusalReadsTheSameForManySamples(Scorers scorer) {
        Scorer fitted = scorer.create(OPTIONS);
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
    void everyNeedIsNeeded(Scorers scorer) {
        for (Need need : scorer.needs()) {
            ScorerOptions options = new ScorerOptions(
                    OPTIONS.cost(),
                    OPTIONS.lambda(),
                    1,
                    need == Need.FIT ? null : OPTIONS.ind(),
                    need == Need.LABELS ? List.of() : LABELS,
                    need == Need.HEAD ? null : HEAD,
                    need == Need.TUNING ? null : OPTIONS.tuning());
            Outputs outputs = need == Need.FEATURES || need == Need.LAYERS
                    ? Outputs.ofLogits(QUERIES.logits())
                    : need == Need.LOGITS
                            ? Outputs.ofProbabilities(QUERIES.logits()).withFeatures(QUERIES.features())
                            : QUERIES;
            assertThat(scorer.missing(options, outputs)).contains(need);
            assertThatIllegalArgumentException()
                    .as("%s", need)
                    .isThrownBy(() -> scorer.create(options).score(outputs));
        }
        assertThat(scorer.missing(OPTIONS, QUERIES)).isEmpty();
    }

    /** Three clusters of unit variance; OOD around a point far from all of them. */
    @ParameterizedTest
    @MethodSource("onFeatures")
    void farClustersScoreHigher(Scorers scorer) {
        Seeded seeded = new Seeded(11);
        Outputs ind = clusters(seeded, 300, false);
        List<Integer> labels =
                IntStream.range(0, 300).mapToObj(r -> r % CLASSES).toList();
        Tuning tuning = new Tuning(clusters(seeded, 60, false), clusters(seeded, 60, true));
        Scorer fitted = scorer.create(ScorerOptions.DEFAULTS
                .withInd(ind)
                .withLabels(labels)
                .withHead(CLUSTER_HEAD)
                .withTuning(tuning));
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
        Outputs ind = Objects.requireNonNull(OPTIONS.ind());
        RelativeMahalanobisScorer scorer = RelativeMahalanobisScorer.fit(
                ind, LABELS.stream().map(label -> 1).toList());
        assertThat(scorer.score(QUERIES)).containsOnly(new double[] {0}, within(1e-12));
    }

    @Test
    void knnDoesNotSeeTheLengthOfFeatures() {
        double[] scores = Scorers.KNN.create(OPTIONS).score(QUERIES);
        double[] longer = Scorers.KNN.create(OPTIONS).score(map(QUERIES, x -> 1000 * x));
        assertThat(longer).containsExactly(scores, within(1e-6));
    }

    @Test
    void knnOfAStoredSampleIsZero() {
        Outputs ind = Objects.requireNonNull(OPTIONS.ind());
        assertThat(KnnScorer.fit(ind, 1).score(ind)).containsOnly(0);
    }

    @Test
    void knnWantsNoMoreNeighboursThanSamples() {
        Outputs ind = Objects.requireNonNull(OPTIONS.ind());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KnnScorer.fit(ind, 61))
                .withMessageContaining("must lie in 1 to 60");
        assertThat(KnnScorer.fit(QUERIES).score(QUERIES))
                .as("all where there are fewer than 50")
                .containsExactly(KnnScorer.fit(QUERIES, 6).score(QUERIES));
    }

    @Test
    void oneVeryConfidentSampleDoesNotCostNnGuideItsPrecision() {
        Outputs ind = Objects.requireNonNull(OPTIONS.ind());
        double[][] logits =
                IntStream.range(0, ind.size()).mapToObj(ind.logits()::row).toArray(double[][]::new);
        logits[0][0] = 1e6;
        double[][] features =
                IntStream.range(0, ind.size()).mapToObj(ind.features()::row).toArray(double[][]::new);
        features[0] = new double[WIDTH];
        features[0][7] = 1;
        Outputs sure = Outputs.ofLogits(Matrix.of(logits)).withFeatures(Matrix.of(features));
        double[] query = {1, 2, 3, 4, 3, 2, 1, 0}; // has nothing in common with that sample
        Outputs queries = Outputs.ofLogits(Matrix.of(new double[] {1, 2, 3})).withFeatures(Matrix.of(query));
        double guidance = IntStream.range(0, ind.size())
                .mapToDouble(r -> Probabilities.logSumExp(logits[r])
                        * dot(Neighbours.unit(features[r].clone()), Neighbours.unit(query.clone())))
                .sorted()
                .skip(ind.size() - 10)
                .average()
                .orElseThrow();
        double expected = -guidance * Probabilities.logSumExp(new double[] {1, 2, 3});
        assertThat(NnGuideScorer.fit(sure).score(queries)[0]).isCloseTo(expected, withPercentage(1e-4));
    }

    private static double dot(double[] a, double[] b) {
        return IntStream.range(0, a.length).mapToDouble(i -> a[i] * b[i]).sum();
    }

    @Test
    void featuresWithoutDirectionAreScored() {
        Outputs zero = map(QUERIES, x -> 0);
        assertThat(Scorers.KNN.create(OPTIONS).score(zero)).containsOnly(1);
        assertThat(Scorers.NNGUIDE.create(OPTIONS).score(zero)).containsOnly(0);
        for (Scorers scorer : onFeatures().toList()) {
            assertThat(scorer.create(OPTIONS).score(zero)).as(scorer.id()).doesNotContain(Double.NaN);
        }
    }

    @Test
    void reactWithoutACutIsTheEnergy() {
        Outputs ind = Objects.requireNonNull(OPTIONS.ind());
        double[] energy = Scorers.ENERGY.create(OPTIONS).score(ind);
        assertThat(ShapedEnergyScorer.react(ind, HEAD, 100).score(ind)).containsExactly(energy, within(1e-12));
    }

    @Test
    void ashAndScaleOfEqualFeaturesGrowByTheShareKept() {
        Outputs equal = map(QUERIES, x -> 1);
        double factor = Math.exp(8.0 / 2);
        double[] scaled = ShapedEnergyScorer.scale(HEAD, 75).score(equal);
        double[] energy = Scorers.ENERGY.create(OPTIONS).score(map(QUERIES, x -> factor));
        assertThat(scaled).containsExactly(energy, within(1e-9));
        double[] firstTwo = {factor, factor, 0, 0, 0, 0, 0, 0};
        assertThat(ShapedEnergyScorer.ash(HEAD, 75).score(equal)[0])
                .isCloseTo(Scorers.ENERGY.create(OPTIONS).score(outputs(0, firstTwo))[0], within(1e-9));
    }

    @Test
    void aTemperatureReachesTheHead() {
        ScorerOptions warm = OPTIONS.withTemperature(4);
        double[] energy = Scorers.ENERGY.create(warm).score(QUERIES);
        double[] uncut =
                ShapedEnergyScorer.react(QUERIES, HEAD.withTemperature(4), 100).score(QUERIES);
        assertThat(uncut).containsExactly(energy, within(1e-12));
        assertThat(Scorers.REACT.create(warm).score(QUERIES))
                .isNotEqualTo(Scorers.REACT.create(OPTIONS).score(QUERIES));
    }

    @Test
    void classesWithoutSamplesAreDefined() {
        List<Integer> twoClasses = LABELS.stream().map(label -> label % 2).toList();
        ScorerOptions options = OPTIONS.withLabels(twoClasses);
        for (Scorers scorer : List.of(Scorers.MAHALANOBIS, Scorers.RELATIVE_MAHALANOBIS)) {
            assertThat(Arrays.stream(scorer.create(options).score(QUERIES))).allMatch(Double::isFinite);
        }
        for (int r = 0; r < QUERIES.size(); r++) {
            double she = Scorers.SHE.create(options).score(QUERIES)[r];
            double trust = Scorers.TRUST.create(options).score(QUERIES)[r];
            assertThat(she == 0).isEqualTo(QUERIES.label(r) == 2);
            assertThat(trust == Double.POSITIVE_INFINITY).isEqualTo(QUERIES.label(r) == 2);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Scorers.TRUST.create(
                        OPTIONS.withLabels(LABELS.stream().map(label -> 1).toList())))
                .withMessageContaining("samples of 1 only");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Scorers.SHE.create(OPTIONS.withLabels(
                        LABELS.stream().map(label -> label + 1).toList())))
                .withMessageContaining("labels must lie in 0 to 2 but one is 3");
    }

    @Test
    void trustLeavesOutliersOut() {
        double[][] points = {{0}, {1}, {2}, {100}, {200}, {201}, {202}, {203}};
        Outputs ind = Outputs.ofLogits(Matrix.wrap(new double[16], 2)).withFeatures(Matrix.of(points));
        List<Integer> labels = List.of(0, 0, 0, 0, 1, 1, 1, 1);
        Outputs query = Outputs.ofLogits(Matrix.of(new double[] {1, 0})).withFeatures(Matrix.of(new double[] {110}));
        assertThat(TrustScorer.fit(ind, labels).score(query)[0]).isCloseTo(10 / 90.0, within(1e-6));
        assertThat(TrustScorer.fit(ind, labels, 2, 0.25).score(query)[0]).isCloseTo(108 / 90.0, within(1e-6));
    }

    @Test
    void vimNeedsVariationOutsideThePrincipalDirections() {
        double[][] line = IntStream.range(0, 60)
                .mapToObj(r -> IntStream.range(0, WIDTH).mapToDouble(i -> r).toArray())
                .toArray(double[][]::new);
        Head unbiased = new Head(HEAD.weights(), Matrix.of(new double[CLASSES]));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> VimScorer.fit(outputs(0, line), unbiased, 1))
                .withMessageContaining("must vary outside");
        assertThatIllegalArgumentException()
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
