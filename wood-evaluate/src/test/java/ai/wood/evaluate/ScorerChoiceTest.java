package ai.wood.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.data.ArrayDataset;
import ai.wood.data.Shape;
import ai.wood.evaluate.Comparison.Skipped;
import ai.wood.evaluate.NetworkOutputs.Part;
import ai.wood.evaluate.ScorerChoice.Candidate;
import ai.wood.score.ScorerOptions;
import ai.wood.score.Scorers;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ScorerChoiceTest {

    private static final int SIZE = 60;

    /** Logits that are surer of a class the larger the certainty, and features of which the first is given. */
    private static Part part(String name, double certainty, double feature) {
        Random random = new Random(name.hashCode());
        double[][] logits = IntStream.range(0, SIZE)
                .mapToObj(i -> new double[] {certainty + random.nextGaussian(), random.nextGaussian()})
                .toArray(double[][]::new);
        double[][] features = IntStream.range(0, SIZE)
                .mapToObj(i -> new double[] {feature, random.nextGaussian()})
                .toArray(double[][]::new);
        ArrayDataset images = ArrayDataset.wrap(new Shape(1, 1, 1), new byte[SIZE], new int[SIZE]);
        return new Part(
                images.withName(name), Outputs.ofLogits(Matrix.of(logits)).withFeatures(Matrix.of(features)));
    }

    private static ScorerChoice choose(Part kind, Scorers... scorers) {
        return ScorerChoice.of(
                List.of(scorers),
                Told.all(ScorerOptions.DEFAULTS),
                part("ind", 5, 1),
                List.of(part("whole", 1, 1), kind));
    }

    @Test
    void aScorerWhoseScoresAreNoNumbersOnOneKindIsLeftOutAndTheOthersGoOn() {
        ScorerChoice choice = choose(part("torn", 1, Double.NaN), Scorers.GRADNORM, Scorers.ENERGY, Scorers.MSP);
        assertThat(choice.candidates())
                .extracting(Candidate::scorer)
                .containsExactlyInAnyOrder(Scorers.ENERGY, Scorers.MSP);
        assertThat(choice.skipped())
                .containsExactly(new Skipped("gradnorm", "every OOD score must be a number but one is NaN"));
    }

    @Test
    void theOneThatMissesLeastIsTheFirst() {
        List<Candidate> candidates = choose(
                        part("near", 3, 1), Scorers.GRADNORM, Scorers.ENERGY, Scorers.MSP, Scorers.KNN)
                .candidates();
        assertThat(candidates).hasSize(3).extracting(Candidate::fnr).isSorted();
    }

    @Test
    void whereNoneIsLeftTheReasonsAreTold() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> choose(part("torn", Double.NaN, 1), Scorers.ENERGY, Scorers.MSP))
                .withMessage("no scorer could run: energy (every OOD score must be a number but one is NaN),"
                        + " msp (every OOD score must be a number but one is NaN)");
    }
}
