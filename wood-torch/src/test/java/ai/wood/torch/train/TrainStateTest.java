package ai.wood.torch.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import ai.wood.torch.Devices;
import ai.wood.torch.Weights;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainStateTest {

    @TempDir
    Path folder;

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
