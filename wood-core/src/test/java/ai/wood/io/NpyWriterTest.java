package ai.wood.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.wood.Matrix;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NpyWriterTest {

    @TempDir
    Path folder;

    private NpyHeader header(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return NpyHeader.read(in, file.toString());
        }
    }

    @ParameterizedTest
    @CsvSource({"false, 1", "false, 3", "true, 1", "true, 3"})
    void writtenRowsAreReadBackInTheTypeThatWasAsked(boolean doubles, int columns) throws IOException {
        Path file = folder.resolve("a.npy");
        double third = doubles ? 1.0 / 3 : (float) (1.0 / 3);
        AtomicFile.replace(file, channel -> {
            NpyWriter writer = doubles ? NpyWriter.doubles(channel, columns) : NpyWriter.floats(channel, columns);
            writer.write(new double[] {1, -2.5, 1.0 / 3});
            writer.write(new double[0]);
            writer.write(new double[] {4, 5, 6, 7, 8, 9});
            writer.finish();
        });
        assertThat(RowReader.readAll(file))
                .isEqualTo(Matrix.wrap(new double[] {1, -2.5, third, 4, 5, 6, 7, 8, 9}, columns));
        assertThat(header(file).type()).isEqualTo(doubles ? "f8" : "f4");
        assertThat(header(file).shape()).isEqualTo(columns == 1 ? List.of(9L) : List.of(3L, 3L));
        assertThat(file).hasSize(NpyHeader.WRITTEN_LENGTH + 9 * (doubles ? 8 : 4));
    }

    @Test
    void halfARowIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AtomicFile.replace(
                        folder.resolve("a.npy"),
                        channel -> NpyWriter.floats(channel, 2).write(new double[3])))
                .withMessage("3 values are no whole rows of 2");
        assertThat(folder.toFile().list()).isEmpty();
    }
}
