package ai.wood;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.io.AtomicFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FloatRowsTest {

    @TempDir
    Path folder;

    private FileChannel file(long position, float... values) throws IOException {
        FileChannel channel = FileChannel.open(
                folder.resolve("rows"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        AtomicFile.writeFully(channel.position(position), bytes);
        return channel;
    }

    @Test
    void aViewOfColumnsReadsAsTheSameMatrixInMemoryWhereverSegmentsEnd() throws IOException {
        try (FileChannel channel = file(5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)) {
            for (int segment = 12; segment <= 48; segment += 7) {
                FloatRows rows = FloatRows.map(channel, 5, 4, 3, segment);
                Matrix view = Matrix.view(rows, 1, 2);
                assertThat(view).isEqualTo(Matrix.wrap(new float[] {2, 3, 5, 6, 8, 9, 11, 12}, 2));
                assertThat(view.get(3, 1)).isEqualTo(12);
                assertThat(view.mapRows(row -> row[0] * row[1])).containsExactly(6, 30, 72, 132);
                assertThatThrownBy(() -> view.get(4, 0)).isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
    }

    @Test
    void rowsBeyondTwoGibibytesAreReached() throws IOException {
        int columns = 1 << 20;
        try (FileChannel channel = file(767L * columns * Float.BYTES, new float[columns - 1])) {
            AtomicFile.writeFully(
                    channel,
                    ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putFloat(0, 42));
            FloatRows rows = FloatRows.map(channel, 0, 768, columns);
            assertThat(Matrix.view(rows, 0, columns).get(767, columns - 1)).isEqualTo(42);
            assertThat(Matrix.view(rows, columns - 1, 1).row(767)).containsExactly(42);
        }
    }

    @Test
    void whatDoesNotLieInTheFileIsRefused() throws IOException {
        try (FileChannel channel = file(0, 1, 2, 3, 4)) {
            assertThatIllegalArgumentException().isThrownBy(() -> FloatRows.map(channel, 0, 3, 2));
            assertThatIllegalArgumentException().isThrownBy(() -> FloatRows.map(channel, 1, 2, 2));
            FloatRows rows = FloatRows.map(channel, 0, 2, 2);
            assertThatThrownBy(() -> Matrix.view(rows, 1, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }
}
