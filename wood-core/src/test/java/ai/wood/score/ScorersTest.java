package ai.wood.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.CannotRunException;
import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.Seeded;
import ai.wood.Settings;
import ai.wood.transport.GroundCost;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ScorersTest {

    /** One confident and one undecided sample. */
    private static final Matrix LOGITS = Matrix.of(new double[] {9, 0, 1}, new double[] {1, 0.9, 1.1});

    static Stream<BuiltInKind> withoutFeatures() {
        return Arrays.stream(BuiltInKind.values())
                .filter(kind -> Set.of(Requirement.PREDICTIONS, Requirement.LOGITS, Requirement.TRAINING)
                        .containsAll(kind.requires()));
    }

    private static Scorer fit(BuiltInKind kind, Outputs ind) {
        return kind.fit(FitData.of(ind), kind.settings());
    }

    private static Outputs random(long seed, int samples, int classes) {
        Seeded seeded = new Seeded(seed);
        return Outputs.ofLogits(Matrix.of(IntStream.range(0, samples)
                .mapToObj(i -> seeded.logits(classes))
                .toArray(double[][]::new)));
    }

    private static double score(BuiltInKind kind, double... logits) {
        return fit(kind, random(1, 50, logits.length)).score(Outputs.ofLogits(Matrix.of(logits)))[0];
    }

    @ParameterizedTest
    @MethodSource("withoutFeatures")
    void everyScorerFindsTheUndecidedSampleMoreOod(BuiltInKind kind) {
        Outputs ind = Outputs.ofLogits(Matrix.of(
                new double[] {9, 0, 1}, new double[] {8, 1, 1}, new double[] {0, 9, 1}, new double[] {0, 1, 9}));
        double[] scores = fit(kind, ind).score(Outputs.ofLogits(LOGITS));
        assertThat(scores).hasSize(2);
        assertThat(scores[1]).as("%s", kind.id()).isGreaterThan(scores[0]);
    }

    @ParameterizedTest
    @MethodSource("withoutFeatures")
    void everyScorerTakesTenThousandClassesAndHugeLogits(BuiltInKind kind) {
        Outputs ind = random(2, 3, 10_000);
        double[] huge = new double[10_000];
        huge[3] = 1e4;
        huge[4] = -1e4;
        double[] scores = fit(kind, ind).score(Outputs.ofLogits(Matrix.of(huge)));
        assertThat(scores[0]).isFinite();
    }

    @ParameterizedTest
    @MethodSource("withoutFeatures")
    void whatIsNoNumberScoresNoNumber(BuiltInKind kind) {
        assertThat(score(kind, Double.NaN, 3, 1)).as("%s", kind.id()).isNaN();
        assertThat(score(kind, 3, Double.NaN, 1)).as("%s", kind.id()).isNaN();
        assertThat(score(kind, 3, 1, Double.NaN)).as("%s", kind.id()).isNaN();
        assertThat(score(kind, Double.POSITIVE_INFINITY, 3, 1))
                .as("%s", kind.id())
                .isNaN();
    }

    @Test
    void aProbabilityThatIsRoundedUpScoresAsACertainOne() {
        Outputs certain = Outputs.ofProbabilities(Matrix.of(new double[] {1, 0}, new double[] {1 + 1e-7, 0}));
        for (BuiltInKind kind : withoutFeatures()
                .filter(kind -> !kind.requires().contains(Requirement.LOGITS))
                .toList()) {
            double[] scores = fit(kind, random(1, 50, 2)).score(certain);
            assertThat(scores[1]).as("%s", kind.id()).isCloseTo(scores[0], within(1e-5));
        }
    }

    /** A complaint that another thread makes would come wrapped, with the name of its class in front. */
    @Test
    void aCostMatrixOfAnotherSizeIsRefusedInTheSameWordsForManySamples() {
        WoodScorer scorer = new WoodScorer(GroundCost.ofConfusion(Matrix.of(new double[] {2, 1}, new double[] {1, 2})));
        Outputs outputs = Outputs.ofLogits(Matrix.wrap(new double[3_000_000], 3));
        for (int i = 0; i < 20; i++) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> scorer.score(outputs))
                    .withMessageStartingWith("the cost matrix is for 2 classes but the classifier has 3");
        }
    }

    @Test
    void knownValues() {
        double e = Math.E;
        double[] f = {1 / (1 + e), e / (1 + e)};
        assertThat(score(BuiltInKind.MSP, 0, 1)).isCloseTo(f[0], within(1e-14));
        assertThat(score(BuiltInKind.WOOD, 0, 1)).isCloseTo(1 - f[0] * f[0] - f[1] * f[1], within(1e-14));
        assertThat(score(BuiltInKind.MAX_LOGIT, 0, 1)).isEqualTo(-1);
        assertThat(score(BuiltInKind.ENERGY, 0, 1)).isCloseTo(-Math.log(1 + e), within(1e-14));
        assertThat(score(BuiltInKind.ENTROPY, 0, 1))
                .isCloseTo(-f[0] * Math.log(f[0]) - f[1] * Math.log(f[1]), within(1e-14));
        assertThat(score(BuiltInKind.GEN, 0, 1)).isCloseTo(2 * Math.pow(f[0] * f[1], 0.1), within(1e-14));
        assertThat(score(BuiltInKind.GEN, 0, 60)).isCloseTo(2 * Math.exp(-6), within(1e-9));
        assertThat(score(BuiltInKind.TEMPERATURE_MSP, 0, 1000)).isCloseTo(f[0], within(1e-14));
    }

    @Test
    void genUsesTheHundredLargestOnly() {
        double[] uniform = new double[1000];
        assertThat(score(BuiltInKind.GEN, uniform)).isCloseTo(100 * Math.pow(0.001 * 0.999, 0.1), within(1e-9));
    }

    @Test
    void klMatchingIsZeroForATypicalPrediction() {
        Outputs ind = Outputs.ofProbabilities(
                Matrix.of(new double[] {0.8, 0.2}, new double[] {0.6, 0.4}, new double[] {0.1, 0.9}));
        double[] scores = KlMatchingScorer.fit(ind)
                .score(Outputs.ofProbabilities(Matrix.of(new double[] {0.7, 0.3}, new double[] {0.5, 0.5})));
        assertThat(scores[0]).isCloseTo(0, within(1e-15));
        double toFirst = 0.5 * Math.log(0.5 / 0.7) + 0.5 * Math.log(0.5 / 0.3);
        assertThat(scores[1]).isCloseTo(toFirst, within(1e-15));
    }

    @Test
    void klMatchingIsNotFittedToWhatIsNoNumber() {
        Outputs broken = Outputs.ofLogits(Matrix.of(new double[] {1, 0, 0}, new double[] {0, Double.NaN, 0}));
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> KlMatchingScorer.fit(broken))
                .withMessageContaining("needs training predictions that are not NaN");
    }

    @ParameterizedTest
    @EnumSource(
            value = BuiltInKind.class,
            names = {"WOOD", "MSP", "ENTROPY", "GEN", "KL_MATCHING"})
    void logitsAndTheirProbabilitiesScoreAlike(BuiltInKind kind) {
        Outputs logits = random(3, 20, 7);
        Matrix probabilities =
                Matrix.of(IntStream.range(0, 20).mapToObj(logits::probabilities).toArray(double[][]::new));
        Scorer scorer = fit(kind, random(4, 50, 7));
        double[] fromProbabilities = scorer.score(Outputs.ofProbabilities(probabilities));
        assertThat(scorer.score(logits)).containsExactly(fromProbabilities, within(1e-12));
    }

    @Test
    void theTemperatureDividesTheLogits() {
        Outputs outputs = Outputs.ofLogits(LOGITS);
        Outputs halved = Outputs.ofLogits(Matrix.of(new double[] {4.5, 0, 0.5}, new double[] {0.5, 0.45, 0.55}));
        for (BuiltInKind kind : List.of(BuiltInKind.MSP, BuiltInKind.WOOD, BuiltInKind.ENERGY, BuiltInKind.ENTROPY)) {
            Settings two = kind.settings().with("temperature", 2);
            assertThat(kind.fit(FitData.NONE, two).score(outputs))
                    .containsExactly(kind.fit(FitData.NONE, kind.settings()).score(halved), within(1e-14));
        }
    }

    @Test
    void theTemperatureDividesTheLogitsOfRejectClassesToo() {
        Outputs outputs = Outputs.ofLogits(Matrix.of(new double[] {1, 4}))
                .withBranches(Map.of("reject", Matrix.of(new double[] {3}), "confidence", Matrix.of(new double[] {3})));
        BuiltInKind reject = BuiltInKind.REJECT_CLASSES;
        assertThat(reject.fit(FitData.NONE, Settings.NONE.with("temperature", 2))
                        .score(outputs)[0])
                .isCloseTo(Math.exp(1.5) / (Math.exp(0.5) + Math.exp(2) + Math.exp(1.5)), within(1e-14));
        assertThat(BuiltInKind.CONFIDENCE_BRANCH.settings()).isEqualTo(Settings.NONE);
    }

    @Test
    void scorersThatNeedLogitsSaySo() {
        Outputs probabilities = Outputs.ofProbabilities(Matrix.of(new double[] {0.5, 0.5}));
        BuiltInKind energy = BuiltInKind.ENERGY;
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> fit(energy, probabilities).score(probabilities))
                .withMessageContaining("needs logits");
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> BuiltInKind.KL_MATCHING.fit(FitData.NONE, BuiltInKind.KL_MATCHING.settings()))
                .withMessage("the scorer needs training outputs to fit to");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ScorerKinds.byId("enrgy"))
                .withMessageContainingAll("there is no scorer 'enrgy'", "Did you mean energy?");
    }

    @Test
    void everythingThatIsMissingIsNamed() {
        Outputs probabilities = Outputs.ofProbabilities(Matrix.of(new double[] {0.5, 0.5}));
        probabilities.require(BuiltInKind.WOOD);
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> probabilities.require(BuiltInKind.NNGUIDE))
                .withMessage("needs logits and features");
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> FitData.of(probabilities).require(BuiltInKind.MAHALANOBIS))
                .withMessage("needs features and labels of the training outputs");
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(() -> FitData.NONE.require(BuiltInKind.MAHALANOBIS_ENSEMBLE))
                .withMessage("needs training outputs to fit to and labels of the training outputs"
                        + " and InD and OOD validation outputs to tune on");
        Outputs withFeatures = Outputs.ofLogits(LOGITS).withFeatures(LOGITS);
        FitData.of(withFeatures).withLabels(List.of(0, 2)).require(BuiltInKind.MAHALANOBIS);
        FitData.NONE.require(BuiltInKind.ENERGY); // the outputs to score will have logits, or not
    }

    @Test
    void settingsOutOfRangeAreRefused() {
        Matrix two = Matrix.of(new double[] {0, 1}, new double[] {1, 0});
        for (Settings wrong : List.of(
                Settings.NONE.with("temperature", 0),
                Settings.NONE.with("temperature", Double.NaN),
                Settings.NONE.with("lambda", 0),
                Settings.NONE.with("lambda", Double.NaN),
                Settings.NONE.with("cost", "free"),
                Settings.NONE.with("cost", two.dividedBy(-1)))) {
            assertThatIllegalArgumentException()
                    .as("%s", wrong)
                    .isThrownBy(() -> BuiltInKind.WOOD.fit(FitData.NONE, wrong.over(BuiltInKind.WOOD.settings())));
        }
        for (Settings wrong : List.of(
                Settings.NONE.with("gamma", 0),
                Settings.NONE.with("gamma", Double.NaN),
                Settings.NONE.with("largest", 0),
                Settings.NONE.with("largest", 1.5))) {
            assertThatIllegalArgumentException()
                    .as("%s", wrong)
                    .isThrownBy(() -> BuiltInKind.GEN.fit(FitData.NONE, wrong.over(BuiltInKind.GEN.settings())));
        }
    }

    @Test
    void entropicScoreApproachesTheExactOne() {
        Outputs outputs = random(5, 30, 8);
        double[] exact = new WoodScorer(GroundCost.dynamic()).score(outputs);
        double[] entropic = new WoodScorer(GroundCost.dynamic(), 1e9).score(outputs);
        assertThat(entropic).containsExactly(exact, within(1e-8));
    }
}
