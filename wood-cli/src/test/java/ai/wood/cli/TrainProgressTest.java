package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TrainProgressTest {

    private final PrintWriter out = new PrintWriter(new StringWriter());

    @Test
    void whoeverStopsATrainingIsToldWhatGoesOn() {
        try (TrainProgress tuning = new TrainProgress(out, null, TrainProgress.AGAIN)) {
            assertThat(tuning.how(true)).isEqualTo(" before the first step");
            tuning.step(1, 2, 0.5);
            tuning.saved();
            tuning.wantStop();
            assertThat(tuning.how(true)).isEqualTo("; from the last checkpoint the same command goes on");
            tuning.saved();
            assertThat(tuning.how(true)).isEqualTo(" with a checkpoint, from which the same command goes on");
            assertThat(tuning.how(false)).isEqualTo("; from the last checkpoint the same command goes on");
        }
    }

    @Test
    void whatBeginsAnewSpeaksOfNoCheckpoint() {
        try (TrainProgress demo = new TrainProgress(out, null, null)) {
            demo.step(1, 2, 0.5);
            assertThat(demo.how(true)).isEmpty();
        }
    }
}
