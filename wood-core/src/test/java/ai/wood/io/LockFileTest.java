package ai.wood.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LockFileTest {

    @TempDir
    Path folder;

    /** Where a process closes any channel of a file, the system takes all of its locks on it away. */
    @Test
    void whoIsRefusedTakesTheLockFromNobody() throws IOException, InterruptedException {
        Path file = folder.resolve("lock");
        LockFile lock = LockFile.lock(file, "is taken");
        for (Path name : new Path[] {file, folder.resolve("../" + folder.getFileName() + "/lock")}) {
            assertThatIOException()
                    .isThrownBy(() -> LockFile.lock(name, "is taken"))
                    .withMessage("is taken");
        }
        assertThat(lockedElsewhere(file)).isFalse();
        lock.close();
        assertThat(lockedElsewhere(file)).isTrue();
        LockFile.lock(file, "is taken").close();
    }

    @Test
    void aLockStaysWhereASecondNameOfTheFileIsRefused() throws IOException, InterruptedException {
        Path file = folder.resolve("lock");
        LockFile lock = LockFile.lock(file, "is taken");
        Path link = Files.createLink(folder.resolve("link"), file);
        assertThatIOException()
                .isThrownBy(() -> LockFile.lock(link, "is taken"))
                .withMessage("is taken");
        assertThat(lockedElsewhere(file)).isFalse();
        lock.close();
        LockFile second = LockFile.lock(link, "is taken");
        lock.close();
        assertThat(lockedElsewhere(file)).isFalse();
        second.close();
        assertThat(lockedElsewhere(file)).isTrue();
    }

    @Test
    void whoWaitsGetsItOrIsRefusedInTime() throws Exception {
        Path file = folder.resolve("lock");
        LockFile first = LockFile.lock(file, "is taken");
        assertThatIOException()
                .isThrownBy(() -> LockFile.await(file, Duration.ofMillis(20), "is still taken"))
                .withMessage("is still taken");
        CompletableFuture<Void> second = CompletableFuture.runAsync(() -> {
            try {
                LockFile.await(file, Duration.ofMinutes(1), "is still taken").close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertThat(second).isNotDone();
        first.close();
        second.join();
    }

    @Test
    void aLockThatThisProcessHasByOtherMeansRefusesAndStays() throws IOException, InterruptedException {
        Path file = folder.resolve("lock");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                FileLock other = channel.lock()) {
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThatIOException()
                        .isThrownBy(() -> LockFile.lock(file, "is taken"))
                        .withMessage("is taken");
            }
            assertThat(other.isValid()).isTrue();
            assertThat(lockedElsewhere(file)).isFalse();
        }
        LockFile.lock(file, "is taken").close();
    }

    /** Whether another process gets the lock. */
    private boolean lockedElsewhere(Path file) throws IOException, InterruptedException {
        Path source = Files.writeString(folder.resolve("Try.java"), """
                import java.nio.channels.FileChannel;
                import java.nio.file.Path;
                import java.nio.file.StandardOpenOption;

                class Try {
                    public static void main(String[] args) throws Exception {
                        try (FileChannel channel = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE)) {
                            System.exit(channel.tryLock() == null ? 3 : 0);
                        }
                    }
                }
                """);
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        int code = new ProcessBuilder(java, source.toString(), file.toString())
                .inheritIO()
                .start()
                .waitFor();
        assertThat(code).isIn(0, 3);
        return code == 0;
    }
}
