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

    /** The shares are 1, 10/11 and 10/12 at first: of three steps the last weighs 55, the one before 10, the first 1. */
    @Test
    void aYoungAverageIsOfTheLastSteps() {
        assertThat(average(0.9, 3)).isCloseTo((1 * 1 + 10 * 2 + 55 * 3) / 66.0, within(1e-5));
    }

    /** Once a tenth of the steps is longer than what 0.75 spans, the weights of n steps before count 0.75^n. */
    @Test
    void anOldAverageIsWhatItsDecaySays() {
        assertThat(average(0.75, 200)).isCloseTo(200 - 3, within(1e-3));
    }

    /** The average over steps that each add 1 to all weights, from 0. */
    private static double average(double averaging, int steps) {
        Weights weights = Weights.initial(TrainerTest.NETWORK.layout(), 0, Devices.cpu());
        UpdateOptions update = UpdateOptions.paper().withAveraging(averaging);
        try (TrainState state = new TrainState(weights, update, Map.of())) {
            NativeScope.runWithoutGradients(() -> {
                weights.parameters().zero_();
                weights.statistics().zero_();
                for (int step = 0; step < steps; step++) {
                    weights.parameters().add_(new Scalar(1));
                    weights.statistics().add_(new Scalar(1));
                    state.average(Tensors.of(new float[] {(float) update.averagingShare(step)}, Devices.cpu(), 1)
                            .select(0, 0));
                }
            });
            try (Weights result = state.result()) {
                float[] average = values(result);
                assertThat(average).containsOnly(average[0]);
                return average[0];
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
    void aCheckpointWithoutTheMeanOfTheWeightsIsRefused() throws IOException {
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
