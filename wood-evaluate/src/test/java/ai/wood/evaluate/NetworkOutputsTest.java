package ai.wood.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Settings;
import ai.wood.data.ArrayDataset;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import java.util.List;
import org.junit.jupiter.api.Test;

class NetworkOutputsTest {

    private static SampleSet part(Split split) {
        ArrayDataset images = ArrayDataset.wrap(new Shape(1, 1, 1), new byte[3], new int[] {0, 1, 1});
        return SampleSet.of(
                images.withSplit(split),
                Outputs.ofLogits(Matrix.of(new double[] {1, 0}, new double[] {0, 1}, new double[] {1, 0})));
    }

    private static NetworkOutputs outputs(Split validation, boolean leaky) {
        return new NetworkOutputs(
                "n",
                null,
                new ScorerSetup(FitData.NONE, Settings.NONE),
                null,
                part(validation),
                part(Split.TEST),
                List.of(),
                leaky,
                List.of());
    }

    @Test
    void calibratingOnTheTestSplitIsRefusedUnlessItIsOwnedUp() {
        assertThat(outputs(Split.VALIDATION, false).leaky()).isFalse();
        assertThat(outputs(Split.TEST, true).leaky()).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> outputs(Split.TEST, false))
                .withMessageContaining("calibrating thresholds must not use the test split");
    }

    @Test
    void accuracyIsTheShareOfRightLabels() {
        assertThat(outputs(Split.NONE, false).accuracy()).isEqualTo(2 / 3.0);
    }
}
