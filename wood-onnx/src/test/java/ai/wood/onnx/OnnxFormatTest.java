package ai.wood.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.data.ClassifierFormat;
import ai.wood.torch.train.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnnxFormatTest {

    @TempDir
    Path run;

    /** Or the folder would hold two networks, the old one and the new one. */
    @Test
    void anAdoptedNetworkMakesRoomForATraining() throws IOException {
        Files.createFile(run.resolve(OnnxFormat.FILE));
        assertThat(ClassifierFormat.in(run)).isPresent();
        new RunFolder(run).clear();
        assertThat(ClassifierFormat.in(run)).isEmpty();
    }
}
