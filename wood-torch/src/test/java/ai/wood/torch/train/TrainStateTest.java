package ai.wood.torch.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.torch.Devices;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Tensors;
import ai.wood.torch.Weights;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.bytedeco.pytorch.Scalar;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainStateTest {

    @TempDir
    Path folder;

    /** With 0.75, of three steps the last weighs 16, the one before 12, the first 9; what came before them nothing. */
    @Test
    void theAverageIsOfTheStepsAlone() {
        Weights weights = Weights.initial(TrainerTest.NETWORK.layout(), 0, Devices.cpu());
        UpdateOptions update = UpdateOptions.paper().withAveraging(0.75);
        try (TrainState state = new TrainState(weights, update, Map.of())) {
            float[] first = values(weights);
            NativeScope.runWithoutGradients(() -> {
                for (int step = 0; step < 3; step++) {
                    weights.parameters().add_(new Scalar(1));
                    weights.statistics().add_(new Scalar(1));
                    state.average();
                }
            });
            try (Weights result = state.result(3)) {
                float[] average = values(result);
                double mean = (9 * 1 + 12 * 2 + 16 * 3) / 37.0;
                for (int i = 0; i < first.length; i++) {
                    assertThat(average[i]).isCloseTo((float) (first[i] + mean), within(1e-5f));
                }
            }
        }
    }

    /** Parameters, then statistics. */
    private static float[] values(Weights weights) {
        float[] parameters = Tensors.floats(weights.parameters());
        float[] statistics = Tensors.floats(weights.statistics());
        assertThat(statistics).isNotEmpty();
        float[] all = Arrays.copyOf(parameters, parameters.length + statistics.length);
        System.arraycopy(statistics, 0, all, parameters.length, statistics.length);
        return all;
    }

    @Test
    void aCheckpointWithoutTheSumOfTheWeightsIsRefused() throws IOException {
        Path file = folder.resolve("state");
        Weights weights = Weights.initial(TrainerTest.NETWORK.layout(), 0, Devices.cpu());
        try (TrainState state = new TrainState(weights, UpdateOptions.paper(), Map.of())) {
            state.write(file, "{}");
        }
        Weights others = Weights.initial(TrainerTest.NETWORK.layout(), 0, Devices.cpu());
        try (TrainState state = new TrainState(others, UpdateOptions.paper().withAveraging(0.9), Map.of())) {
            assertThatIOException().isThrownBy(() -> state.read(file, "{}", 0)).withMessageContaining("--overwrite");
        }
    }

    @Test
    void outliersThatWereMinedMustBeAmongThoseThereAre() throws IOException {
        Path file = folder.resolve("state");
        Weights weights = Weights.initial(TrainerTest.NETWORK.layout(), 0, Devices.cpu());
        try (TrainState state = new TrainState(weights, UpdateOptions.paper(), Map.of())) {
            state.mined(new int[] {0, 5});
            state.write(file, "{}");
            state.mined(new int[] {});
            assertThatIOException()
                    .isThrownBy(() -> state.read(file, "{}", 5))
                    .withMessage(file + ": outliers that were mined must be among the 5 there are but one has index 5."
                            + " Maybe the checkpoint is damaged.");
            assertThat(state.mined()).isEmpty();
            state.read(file, "{}", 6);
            assertThat(state.mined()).containsExactly(0, 5);
            state.mined(new int[] {-1});
            state.write(file, "{}");
            assertThatIOException()
                    .isThrownBy(() -> state.read(file, "{}", 6))
                    .withMessageContaining("one has index -1");
        }
    }
}
