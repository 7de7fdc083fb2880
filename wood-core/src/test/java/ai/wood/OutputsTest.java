package ai.wood;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
                .withMessageContaining("no layer 'block1'");
    }

    @Test
    void branchesAreNoLayersAndHaveARowPerSample() {
        Outputs outputs = Outputs.ofLogits(TWO).withBranches(Map.of("reject", TWO));
        assertThat(outputs.layers()).isEmpty();
        assertThat(outputs.withFeatures(TWO).branch("reject")).isEqualTo(TWO);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> outputs.branch("confidence"))
                .withMessageContaining("[reject]")
                .withMessageContaining("--loss confidence");
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
                .withMessageContainingAll("a temperature divides logits", "only probabilities were given");
    }
}
