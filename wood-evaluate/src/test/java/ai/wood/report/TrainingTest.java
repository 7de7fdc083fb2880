package ai.wood.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingTest {

    @TempDir
    Path run;

    @Test
    void readsWhatATrainingWrites() throws IOException {
        Files.writeString(run.resolve("options.json"), "{\"loss\":\"cross-entropy\"}");
        Files.writeString(
                run.resolve("metrics.jsonl"),
                "{\"epoch\":0,\"indLoss\":1.5,\"oodLoss\":-0.25,\"validation\":{\"loss\":2,\"accuracy\":0.5,"
                        + "\"auroc\":\"NaN\",\"fnr95\":\"NaN\"},\"best\":true}\n");
        Training training = Training.read(run);
        assertThat(training.options().path("loss").asText()).isEqualTo("cross-entropy");
        assertThat(training.epochs())
                .containsExactly(new Training.Epoch(0, 1.5, -0.25, 2, 0.5, Double.NaN, Double.NaN, true));
    }

    @Test
    void aFolderWithoutTheFilesTellsNothing() throws IOException {
        assertThat(Training.read(run).epochs()).isEmpty();
        assertThat(Training.read(run).options().isMissingNode()).isTrue();
    }

    @Test
    void aDamagedLineIsNamed() throws IOException {
        Files.writeString(run.resolve("metrics.jsonl"), "{\"epoch\":0}\n{\"epo\n{\"epoch\":2}\n");
        assertThatIOException().isThrownBy(() -> Training.read(run)).withMessageContaining("metrics.jsonl, line 2: ");
    }

    @Test
    void aLineThatAFullDiskHasCutOffIsPassedOver() throws IOException {
        Files.writeString(run.resolve("metrics.jsonl"), "{\"epoch\":0}\n{\"epo");
        assertThat(Training.read(run).epochs()).hasSize(1);
        Files.writeString(run.resolve("metrics.jsonl"), "{\"epoch\":0}\n{\"epo\n");
        assertThatIOException().isThrownBy(() -> Training.read(run)).withMessageContaining("metrics.jsonl, line 2: ");
    }

    @Test
    void aWholeLineCountsWhetherItIsEndedOrNot() throws IOException {
        Files.writeString(run.resolve("metrics.jsonl"), "{\"epoch\":0}\n{\"epoch\":1}");
        assertThat(Training.read(run).epochs()).hasSize(2);
    }

    @Test
    void filesOfAnotherKindAreRefused() throws IOException {
        Files.writeString(run.resolve("options.json"), "[1, 2");
        assertThatIOException().isThrownBy(() -> Training.read(run)).withMessageContaining("options.json: ");
        Files.writeString(run.resolve("options.json"), " ".repeat((1 << 20) + 1));
        assertThatIOException().isThrownBy(() -> Training.read(run)).withMessageContaining("at most 1048576 bytes");
    }
}
