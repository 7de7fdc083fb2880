package ai.wood.io;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TemporaryFolderTest {

    @Test
    void itIsGoneAlsoWhereSomebodyWritesIntoIt() throws IOException {
        for (int round = 0; round < 200; round++) {
            TemporaryFolder folder = TemporaryFolder.create();
            Path inside = Files.createDirectories(folder.path().resolve("a/b"));
            AtomicInteger written = new AtomicInteger();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write(inside, written));
            while (written.get() < 50 && !writer.isDone()) {
                Thread.onSpinWait();
            }
            folder.close();
            assertThat(folder.path()).doesNotExist();
            writer.join();
        }
    }

    /** As long as there is a folder to write into. */
    private static void write(Path folder, AtomicInteger written) {
        while (true) {
            try {
                Files.writeString(folder.resolve("file" + written.get()), "text");
                written.incrementAndGet();
            } catch (IOException e) {
                return;
            }
        }
    }
}
