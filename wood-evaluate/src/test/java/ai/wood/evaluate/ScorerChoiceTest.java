package ai.wood.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.data.ArrayDataset;
import ai.wood.data.Shape;
import ai.wood.evaluate.Comparison.Skipped;
import ai.wood.evaluate.ScorerChoice.Candidate;
import ai.wood.score.ScorerKinds;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScorerChoiceTest {

    private static final int SIZE = 60;

    /** Logits that are surer of a class the larger the certainty, and features of which the first is given. */
    private static SampleSet part(String name, double certainty, double feature) {
        Random random = new Random(name.hashCode());
        double[][] logits = IntStream.range(0, SIZE)
                .mapToObj(i -> new double[] {certainty + random.nextGaussian(), random.nextGaussian()})
                .toArray(double[][]::new);
        double[][] features = IntStream.range(0, SIZE)
                .mapToObj(i -> new double[] {feature, random.nextGaussian()})
                .toArray(double[][]::new);
        ArrayDataset images = ArrayDataset.wrap(new Shape(1, 1, 1), new byte[SIZE], new int[SIZE]);
        return SampleSet.of(
                images.withName(name), Outputs.ofLogits(Matrix.of(logits)).withFeatures(Matrix.of(features)));
    }

    private static ScorerChoice choose(SampleSet kind, ScorerKind... scorers) {
        return ScorerChoice.of(
                List.of(scorers),
                new ScorerSetup(FitData.NONE, Settings.NONE),
                part("ind", 5, 1),
                List.of(part("whole", 1, 1), kind));
    }

    @Test
    void aScorerWhoseScoresAreNoNumbersOnOneKindIsLeftOutAndTheOthersGoOn() {
        ScorerChoice choice = choose(
                part("torn", 1, Double.NaN),
                ScorerKinds.byId("gradnorm"),
                ScorerKinds.byId("energy"),
                ScorerKinds.byId("msp"));
        assertThat(choice.candidates())
                .extracting(Candidate::scorer)
                .containsExactlyInAnyOrder(ScorerKinds.byId("energy"), ScorerKinds.byId("msp"));
        assertThat(choice.skipped()).containsExactly(new Skipped("gradnorm", "needs outputs without NaN"));
    }

    @Test
    void theOneThatMissesLeastIsTheFirst() {
        List<Candidate> candidates = choose(
                        part("near", 3, 1),
                        ScorerKinds.byId("gradnorm"),
                        ScorerKinds.byId("energy"),
                        ScorerKinds.byId("msp"),
                        ScorerKinds.byId("knn"))
                .candidates();
        assertThat(candidates).hasSize(3).extracting(Candidate::fnr).isSorted();
    }

    @Test
    void whereNoneIsLeftTheReasonsAreTold() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> choose(part("torn", Double.NaN, 1), ScorerKinds.byId("energy"), ScorerKinds.byId("msp")))
                .withMessage("no scorer could run: energy (needs outputs without NaN),"
                        + " msp (needs outputs without NaN)");
    }

    @Test
    void aDefectOfAScorerIsNotTakenForAReasonToSkipIt() {
        for (RuntimeException defect :
                List.of(new IllegalStateException("a defect"), new IllegalArgumentException("a defect"))) {
            assertThatThrownBy(() ->
                            choose(part("near", 3, 1), new ComparisonTest.Broken(defect), ScorerKinds.byId("msp")))
                    .isSameAs(defect);
        }
    }
}
