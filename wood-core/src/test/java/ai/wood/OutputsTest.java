package ai.wood;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutputsTest {

    private static final Matrix TWO = Matrix.of(new double[] {1, 2}, new double[] {3, 4});

    @Test
    void layersKeepTheirOrderAndComeThroughATemperature() {
        Map<String, Matrix> layers = new LinkedHashMap<>();
        for (String name : new String[] {"z", "block1", "a"}) {
            layers.put(name, TWO);
        }
        Outputs outputs = Outputs.ofLogits(TWO).withLayers(layers).withFeatures(TWO);
        layers.clear();
        assertThat(outputs.withTemperature(2).layers().keySet()).containsExactly("z", "block1", "a");
        assertThat(outputs.withTemperature(2).layer("block1")).isEqualTo(TWO);
        assertThat(outputs.withTemperature(2).logits().row(1)).containsExactly(1.5, 2);
    }

    @Test
    void layersHaveARowPerSample() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outputs.ofLogits(TWO).withLayers(Map.of("block1", Matrix.of(new double[] {1}))))
                .withMessageContaining("block1")
                .withMessageContaining("2, but");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outputs.ofLogits(TWO).layer("block1"))
                .withMessage("the scorer needs the layer 'block1' but the outputs have none");
    }

    @Test
    void branchesAreNoLayersAndHaveARowPerSample() {
        Outputs outputs = Outputs.ofLogits(TWO).withBranches(Map.of("reject", TWO));
        assertThat(outputs.layers()).isEmpty();
        assertThat(outputs.withFeatures(TWO).branch("reject")).isEqualTo(TWO);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> outputs.branch("confidence"))
                .withMessageContaining("'confidence' but the outputs have [reject]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> outputs.withBranches(Map.of("reject", Matrix.of(new double[] {1}))))
                .withMessageContaining("branch reject");
    }

    @Test
    void aHeadMultipliesAndAdds() {
        Head head =
                new Head(Matrix.of(new double[] {1, 2, 0}, new double[] {0, -1, 3}), Matrix.of(new double[] {5, 7}));
        assertThat(head.logits(new double[] {1, 10, 100})).containsExactly(26, 297);
        assertThat(head.withTemperature(2).logits(new double[] {1, 10, 100})).containsExactly(13, 148.5);
        assertThatIllegalArgumentException().isThrownBy(() -> head.logits(new double[] {1, 10}));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Head(TWO, TWO))
                .withMessageContaining("needs a bias of 1 x 2");
    }

    @Test
    void probabilitiesHaveNoTemperature() {
        Outputs outputs = Outputs.ofProbabilities(Matrix.of(new double[] {1, 0}));
        assertThat(outputs.withTemperature(1)).isSameAs(outputs);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> outputs.withTemperature(2))
                .withMessageContainingAll("a temperature divides logits", "there are only probabilities");
        Outputs features = Outputs.ofFeatures(TWO);
        assertThat(features.withTemperature(2)).isSameAs(features);
    }

    @ParameterizedTest
    @CsvSource({
        "2.5, -1.5, 'column 2: a probability must not be negative but is -1.5. Maybe these are logits.'",
        "3, 4, 'probabilities must sum to 1 but sum to 7.0. Maybe these are logits.'",
        "NaN, 1, 'column 1: a probability must not be negative but is NaN'",
        "0, 0, 'probabilities must sum to 1 but sum to 0.0. Maybe these are logits.'",
        "Infinity, 0, 'probabilities must sum to 1 but sum to Infinity. Maybe these are logits.'"
    })
    void logitsAreNoProbabilities(double first, double second, String problem) {
        Matrix rows = Matrix.of(new double[] {0.5, 0.5}, new double[] {first, second}, new double[] {9, 9});
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outputs.ofProbabilities(rows))
                .withMessage("row 2, " + problem);
    }

    @Test
    void featuresAloneAreOutputs() {
        Outputs outputs = Outputs.ofFeatures(TWO);
        assertThat(outputs.hasPredictions()).isFalse();
        assertThat(outputs.classes()).isZero();
        assertThat(outputs.size()).isEqualTo(2);
        assertThat(outputs.provides()).containsExactly(Requirement.FEATURES);
        assertThatExceptionOfType(CannotRunException.class)
                .isThrownBy(outputs::predictions)
                .withMessageContaining("there are only features");
        assertThatExceptionOfType(CannotRunException.class).isThrownBy(() -> outputs.label(0));
        assertThatExceptionOfType(CannotRunException.class).isThrownBy(() -> outputs.probabilities(0));
    }
}
