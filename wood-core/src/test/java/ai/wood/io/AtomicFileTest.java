package ai.wood.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AtomicFileTest {

    @TempDir
    Path folder;

    private static AtomicFile.Content text(String text) {
        return channel -> channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void replacesWhatIsThere() throws IOException {
        Path file = folder.resolve("file");
        AtomicFile.replace(file, text("first, and longer"));
        AtomicFile.replace(file, text("second"));
        assertThat(file).hasContent("second");
        assertThat(folder.toFile().list()).containsExactly("file");
    }

    /** The slower one has begun first; neither may write into what the other has made. */
    @Test
    void twoWritersAtOnceLeaveTheWholeContentOfTheLast() throws IOException {
        Path file = folder.resolve("file");
        AtomicFile.replace(file, channel -> {
            text("the first").writeTo(channel);
            AtomicFile.replace(file, text("the quicker one, and longer"));
            assertThat(file).hasContent("the quicker one, and longer");
            text(" to begin").writeTo(channel);
        });
        assertThat(file).hasContent("the first to begin");
        assertThat(folder.toFile().list()).containsExactly("file");
    }

    @Test
    void newFilesMayBeReadByWhomTheUserLets() throws IOException {
        Path usual = Files.createFile(folder.resolve("usual"));
        Path file = folder.resolve("file");
        AtomicFile.replace(file, text("new"));
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(Files.getPosixFilePermissions(usual));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rw-------", "rw-rw-rw-", "r--r-----", "rwxr-x--x"})
    void aFileThatIsReplacedKeepsItsPermissions(String mode) throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        Set<PosixFilePermission> permissions = PosixFilePermissions.fromString(mode);
        Files.setPosixFilePermissions(file, permissions);
        AtomicFile.replace(file, channel -> {
            try (Stream<Path> all = Files.list(folder)) {
                for (Path each : all.toList()) {
                    assertThat(Files.getPosixFilePermissions(each)).isEqualTo(permissions);
                }
            }
            text("new").writeTo(channel);
        });
        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(permissions);
    }

    @Test
    void theTargetOfADanglingLinkIsCreated() throws IOException {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        Path first = Files.createSymbolicLink(folder.resolve("first"), Path.of("inner/second"));
        Files.createSymbolicLink(inner.resolve("second"), Path.of("../file"));
        AtomicFile.check(first);
        AtomicFile.replace(first, text("new"));
        assertThat(first).isSymbolicLink().hasContent("new");
        assertThat(folder.resolve("file")).isRegularFile().hasContent("new");
        assertThat(AtomicFile.real(first)).isEqualTo(folder.resolve("file").toRealPath());
    }

    @Test
    void aLinkIntoAMissingFolderIsRefusedBeforeTheWork() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("missing/file"));
        assertThatIOException()
                .isThrownBy(() -> AtomicFile.check(link))
                .withMessageContaining("there is no such folder");
        assertThatIOException().isThrownBy(() -> AtomicFile.replace(link, text("new")));
        assertThat(link).isSymbolicLink();
    }

    @Test
    void linksInACircleAreRefused() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("other"));
        Files.createSymbolicLink(folder.resolve("other"), Path.of("link"));
        assertThatIOException()
                .isThrownBy(() -> AtomicFile.check(link))
                .withMessageContaining("too many symbolic links");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "\u00e4"})
    void aNameThatTheFileSystemTakesIsWritten(String letter) throws IOException {
        Path file = folder.resolve(letter.repeat(255 / letter.getBytes(StandardCharsets.UTF_8).length));
        AtomicFile.check(file);
        AtomicFile.replace(file, text("new"));
        AtomicFile.replace(file, text("newer"));
        assertThat(file).hasContent("newer");
        AtomicFile.deleteLeftovers(file);
        assertThat(folder.toFile().list()).hasSize(1);
    }

    @Test
    void aNameThatIsTooLongIsRefusedBeforeTheWork() {
        Path file = folder.resolve("x".repeat(256));
        assertThatIOException()
                .isThrownBy(() -> AtomicFile.check(file))
                .withMessageStartingWith(file + ": could not be written")
                .withMessageContaining("File name too long");
        assertThatIOException()
                .isThrownBy(() -> AtomicFile.replace(file, channel -> {
                    throw new AssertionError("the work has begun");
                }))
                .withMessageContaining("File name too long");
    }

    @Test
    void leftoversOfACrashAreDeletedAndNothingElse() throws IOException {
        Path file = folder.resolve("file");
        AtomicFile.replace(file, text("new"));
        Files.createFile(folder.resolve(".file.1f.wood-tmp"));
        Files.createFile(folder.resolve(".other.1f.wood-tmp"));
        AtomicFile.deleteLeftovers(file);
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("file", ".other.1f.wood-tmp");
    }

    /** Another process may be at work on those that are not old; names of other files may begin with the same word. */
    @Test
    void oldLeftoversGoWhenTheFileIsWrittenAgain() throws IOException {
        FileTime old = FileTime.from(Instant.now().minus(Duration.ofDays(8)));
        for (String name : List.of(".file.1f.wood-tmp", ".file.other.1f.wood-tmp", ".file.1f", "x.file.1f.wood-tmp")) {
            Files.setLastModifiedTime(Files.createFile(folder.resolve(name)), old);
        }
        Files.createFile(folder.resolve(".file.2f.wood-tmp"));
        AtomicFile.replace(folder.resolve("file"), text("new"));
        assertThat(folder.toFile().list())
                .containsExactlyInAnyOrder(
                        "file", ".file.2f.wood-tmp", ".file.other.1f.wood-tmp", ".file.1f", "x.file.1f.wood-tmp");
    }

    @Test
    void aFullDiskLeavesTheOldContentAndNothingElse() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "old");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> AtomicFile.replace(file, channel -> {
                    text("half of the new").writeTo(channel);
                    throw new FileSystemException(file.toString(), null, "No space left on device");
                }))
                .withMessageContaining(file.toString())
                .withMessageContaining("its old content is untouched (No space left on device)");
        assertThat(file).hasContent("old");
        assertThat(folder.toFile().list()).containsExactly("file");
    }

    @Test
    void aMissingFolderIsSaid() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> AtomicFile.replace(folder.resolve("missing").resolve("file"), text("x")))
                .withMessageContaining("(there is no such folder)");
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "/", "src"})
    void aFolderIsNotReplacedByAFile(Path place) {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> AtomicFile.replace(place, text("x")))
                .withMessage(place + ": a file is to be written but this is a folder. Maybe name a file in it.");
    }

    @Test
    void contentThatFailsLeavesNothingBehind() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "old");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AtomicFile.replace(file, channel -> {
                    text("half of the new").writeTo(channel);
                    throw new IllegalArgumentException("of the wrong size");
                }));
        assertThat(file).hasContent("old");
        assertThat(folder.toFile().list()).containsExactly("file");
    }

    @Test
    void whatALinkLeadsToIsReplacedAndTheLinkStays() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "old");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        AtomicFile.replace(link, text("new"));
        assertThat(link).isSymbolicLink().hasContent("new");
        assertThat(file).hasContent("new");
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("file", "link");
    }
}
