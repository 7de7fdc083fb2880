package ai.wood.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.CannotRunException;
import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.data.ArrayDataset;
import ai.wood.data.Shape;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.DeLong;
import ai.wood.metric.Metric;
import ai.wood.score.ScorerKinds;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComparisonTest {

    private static final int SIZE = 200;

    private static SampleSet part(String name, long seed, double certainty) {
        return part(name, seed, certainty, SIZE);
    }

    private static SampleSet part(String name, long seed, double certainty, int size) {
        Random random = new Random(seed);
        double[][] logits = IntStream.range(0, size)
                .mapToObj(i -> new double[] {certainty + random.nextGaussian(), random.nextGaussian(), i % 2})
                .toArray(double[][]::new);
        ArrayDataset images = ArrayDataset.wrap(new Shape(1, 1, 1), new byte[size], new int[size]);
        return SampleSet.of(images.withName(name), Outputs.ofLogits(Matrix.of(logits)));
    }

    private static Comparison compare(ScorerKind... scorers) {
        return compare(
                List.of(new Ood(part("a", 3, 0), true, Distance.NEAR), new Ood(part("b", 4, 2), false, Distance.FAR)),
                scorers);
    }

    private static Comparison compare(List<Ood> ood, ScorerKind... scorers) {
        NetworkOutputs outputs = new NetworkOutputs(
                "n",
                null,
                new ScorerSetup(FitData.NONE, Settings.NONE),
                null,
                part("ind", 1, 4),
                part("ind", 2, 4),
                ood,
                false,
                List.of());
        return Comparison.of(outputs, List.of(scorers), 0.9, Bootstrap.NONE);
    }

    @Test
    void scorersThatCannotRunAreLeftOutWithTheReason() {
        Comparison comparison = compare(ScorerKinds.byId("msp"), ScorerKinds.byId("mahalanobis"));
        assertThat(comparison.results()).extracting(Result::name).containsExactly("msp");
        assertThat(comparison.skipped()).singleElement().satisfies(skipped -> {
            assertThat(skipped.name()).isEqualTo("mahalanobis");
            assertThat(skipped.reason()).contains("needs", "features");
        });
    }

    /** A kind whose fit throws. */
    record Broken(RuntimeException failure) implements ScorerKind {

        @Override
        public String id() {
            return "broken";
        }

        @Override
        public Set<Requirement> requires() {
            return Set.of();
        }

        @Override
        public Scorer fit(FitData data, Settings settings) {
            throw failure;
        }

        @Override
        public Scorer restore(Parameters saved) {
            throw failure;
        }
    }

    @Test
    void aDefectOfAScorerIsNotTakenForAReasonToSkipIt() {
        for (RuntimeException defect : List.of(
                new IllegalStateException("a defect"),
                new IllegalArgumentException("a defect"),
                new ArrayIndexOutOfBoundsException("a defect"))) {
            assertThatThrownBy(() -> compare(new Broken(defect), ScorerKinds.byId("msp")))
                    .isSameAs(defect);
        }
        Comparison comparison = compare(new Broken(new CannotRunException("needs more")), ScorerKinds.byId("msp"));
        assertThat(comparison.results()).extracting(Result::name).containsExactly("msp");
        assertThat(comparison.skipped()).containsExactly(new Comparison.Skipped("broken", "needs more"));
    }

    @Test
    void theBestScorerIsComparedWithItselfAndTheOthersWithIt() {
        Comparison comparison = compare(ScorerKinds.byId("msp"), ScorerKinds.byId("energy"));
        for (int set = 0; set < 2; set++) {
            Result msp = comparison.result("msp");
            Result energy = comparison.result("energy");
            double difference = msp.onOod().get(set).evaluation().value(Metric.AUROC)
                    - energy.onOod().get(set).evaluation().value(Metric.AUROC);
            Result best = difference > 0 ? msp : energy;
            Result other = difference > 0 ? energy : msp;
            assertThat(best.onOod().get(set).pValue()).isEqualTo(1);
            assertThat(other.onOod().get(set).pValue())
                    .isEqualTo(DeLong.compare(
                                    other.indScores().row(0),
                                    other.onOod().get(set).scores().row(0),
                                    best.indScores().row(0),
                                    best.onOod().get(set).scores().row(0))
                            .pValue());
        }
    }

    /** InD and OOD are told apart by the first logit; the scorers see it through noise of their own. */
    @Test
    void scorersThatAreAlikeAreSeldomFoundWorseThanTheLuckiestOfThem() {
        int scorers = 20;
        int found = 0;
        for (int trial = 0; trial < 10; trial++) {
            int first = 1000 * trial;
            List<ScorerKind> alike = IntStream.range(0, scorers)
                    .<ScorerKind>mapToObj(s -> new Noisy("s" + s, first + s))
                    .toList();
            NetworkOutputs outputs = new NetworkOutputs(
                    "n",
                    null,
                    new ScorerSetup(FitData.NONE, Settings.NONE),
                    null,
                    part("ind", first + 100, 2),
                    part("ind", first + 101, 2),
                    List.of(new Ood(part("ood", first + 102, 0), false, Distance.FAR)),
                    false,
                    List.of());
            Comparison comparison = Comparison.of(new ScorerTrial(outputs, 0.9, Bootstrap.NONE), alike, name -> {});
            found += (int) comparison.results().stream()
                    .filter(result -> result.onOod().get(0).pValue() < 0.05)
                    .count();
        }
        assertThat(found / (10.0 * (scorers - 1))).isLessThan(0.05);
    }

    /** The first logit and noise, which is the same for the same outputs. */
    private record Noisy(String id, long seed) implements ScorerKind {

        @Override
        public Set<Requirement> requires() {
            return Set.of(Requirement.LOGITS);
        }

        @Override
        public Scorer fit(FitData data, Settings settings) {
            return outputs -> {
                Random random =
                        new Random(seed ^ Arrays.hashCode(outputs.logits().row(0)));
                return outputs.logits().mapRows(z -> -z[0] + 0.7 * random.nextGaussian());
            };
        }

        @Override
        public Scorer restore(Parameters saved) {
            throw new UnsupportedOperationException("is never saved");
        }
    }

    @Test
    void aSetOfOneSampleIsMeasuredButNotTested() {
        Ood one = new Ood(part("one", 3, 0, 1), false, Distance.NEAR);
        Comparison comparison = compare(List.of(one), ScorerKinds.byId("msp"), ScorerKinds.byId("energy"));
        for (Result result : comparison.results()) {
            assertThat(result.onOod().get(0).pValue()).isNaN();
            assertThat(result.onOod().get(0).evaluation().value(Metric.AUROC)).isBetween(0.0, 1.0);
        }
    }

    @Test
    void accuracyOfAcceptedSamplesCountsThoseWithoutAnAlarm() {
        Comparison comparison = compare(ScorerKinds.byId("msp"));
        Result result = comparison.result("msp");
        SampleSet test = comparison.outputs().test();
        int accepted = 0;
        int right = 0;
        for (int i = 0; i < SIZE; i++) {
            if (result.indScores().get(0, i) <= result.threshold().value()) {
                accepted++;
                right += test.outputs().label(i) == 0 ? 1 : 0;
            }
        }
        assertThat(result.acceptedAccuracy()).isEqualTo((double) right / accepted);
        assertThat(result.falseAlarmRate()).isEqualTo((double) (SIZE - accepted) / SIZE);
    }

    @Test
    void meansAreTakenOverTheSetsAskedFor() {
        Result result = compare(ScorerKinds.byId("msp")).result("msp");
        double near = result.onOod().get(0).evaluation().value(Metric.AUROC);
        double far = result.onOod().get(1).evaluation().value(Metric.AUROC);
        assertThat(result.mean(Metric.AUROC, ood -> true)).isEqualTo((near + far) / 2);
        assertThat(result.mean(Metric.AUROC, Ood::seen)).isEqualTo(near);
        assertThat(result.mean(Metric.AUROC, ood -> false)).isNaN();
    }

    @ParameterizedTest
    @CsvSource({
        "cifar10, cifar100, NEAR",
        "cifar10, svhn, FAR",
        "mnist, fashion-mnist, NEAR",
        "mnist-small, blobs, FAR",
        "mnist, patch-shuffled:mnist, NEAR",
        "cifar10, folder:photos, UNKNOWN"
    })
    void distancesAreThoseOfOpenOod(String ind, String ood, Distance distance) {
        assertThat(Distance.of(ind, ood)).isEqualTo(distance);
    }
}
