package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives that Commons Compress wrote, in every dialect it knows. */
class TarTest {

    @TempDir
    Path folder;

    private static final String LONG_FOLDER = "folder-of-some-length/".repeat(12);

    /** Members of sizes around a block, with short, long and foreign names. */
    private static Map<String, byte[]> members() {
        SplittableRandom random = new SplittableRandom(1);
        Map<String, byte[]> members = new LinkedHashMap<>();
        int[] sizes = {0, 1, 511, 512, 513, 5000};
        for (String folder : new String[] {"a/", LONG_FOLDER, "größe/"}) {
            for (int size : sizes) {
                byte[] content = new byte[size];
                random.nextBytes(content);
                members.put("top/" + folder + size + ".bin", content);
            }
        }
        return members;
    }

    private static byte[] written(int names, int numbers, Map<String, byte[]> members) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream out = new TarArchiveOutputStream(bytes, "UTF-8")) {
            out.setLongFileMode(names);
            out.setBigNumberMode(numbers);
            out.setAddPaxHeadersForNonAsciiNames(names == TarArchiveOutputStream.LONGFILE_POSIX);
            for (Map.Entry<String, byte[]> member : members.entrySet()) {
                TarArchiveEntry entry = new TarArchiveEntry(member.getKey());
                entry.setSize(member.getValue().length);
                if (numbers != TarArchiveOutputStream.BIGNUMBER_ERROR) {
                    entry.setUserId(1L << 40); // too large for octal digits
                }
                out.putArchiveEntry(entry);
                out.write(member.getValue());
                out.closeArchiveEntry();
            }
        }
        return bytes.toByteArray();
    }

    /** What an archive unpacks to, packed and plain; the first folder of names is dropped. */
    private Map<String, byte[]> read(byte[] archive) throws IOException {
        Path plain = Files.write(folder.resolve("archive.tar"), archive);
        Path packed = Files.write(folder.resolve("archive.tar.gz"), Fixtures.gzip(archive));
        Map<String, byte[]> members = unpacked(plain);
        Map<String, byte[]> again = unpacked(packed);
        assertThat(again.keySet()).isEqualTo(members.keySet());
        return members;
    }

    private Map<String, byte[]> unpacked(Path archive) throws IOException {
        Path target = folder.resolve("out-" + archive.getFileName());
        Archive.unpack(archive, target, ".");
        Map<String, byte[]> members = new TreeMap<>();
        try (Stream<Path> files = Files.walk(target)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                members.put(target.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        return members;
    }

    @ParameterizedTest
    @CsvSource({
        TarArchiveOutputStream.LONGFILE_GNU + ", " + TarArchiveOutputStream.BIGNUMBER_ERROR,
        TarArchiveOutputStream.LONGFILE_GNU + ", " + TarArchiveOutputStream.BIGNUMBER_STAR,
        TarArchiveOutputStream.LONGFILE_POSIX + ", " + TarArchiveOutputStream.BIGNUMBER_POSIX
    })
    void membersComeOutAsTheyWentIn(int names, int numbers) throws IOException {
        Map<String, byte[]> members = members();
        Map<String, byte[]> read = read(written(names, numbers, members));
        assertThat(read).hasSameSizeAs(members);
        members.forEach((name, content) -> assertThat(read.get(name.substring(name.indexOf('/') + 1)))
                .as(name)
                .isEqualTo(content));
    }

    @Test
    void membersThatAreNotWantedArePassedOver() throws IOException {
        byte[] archive =
                written(TarArchiveOutputStream.LONGFILE_GNU, TarArchiveOutputStream.BIGNUMBER_ERROR, members());
        Path file = Files.write(folder.resolve("archive.tar"), archive);
        Archive.unpack(file, folder.resolve("some"), "größe/51");
        try (Stream<Path> files = Files.list(folder.resolve("some/größe"))) {
            assertThat(files.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("511.bin", "512.bin", "513.bin");
        }
    }

    /** A header that swells to a gigabyte when it is unpacked. */
    @ParameterizedTest
    @ValueSource(bytes = {TarConstants.LF_GNUTYPE_LONGNAME, TarConstants.LF_PAX_EXTENDED_HEADER_LC, 'g', 'K'})
    void headersAreBoundedInMemory(byte type) throws IOException {
        TarArchiveEntry entry = new TarArchiveEntry("header", type);
        entry.setSize(1L << 30);
        byte[] header = new byte[512];
        entry.writeEntryHeader(header);
        Path bomb = folder.resolve("bomb.tar.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(bomb))) {
            out.write(header);
            out.write("1073741824 path=".getBytes(StandardCharsets.US_ASCII));
            byte[] letters = "x".repeat(1 << 20).getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 64; i++) {
                out.write(letters);
            }
        }
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        assertThatThrownBy(() -> Archive.unpack(bomb, folder.resolve("out"), ""))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(bomb.toString());
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(8 << 20);
    }

    @Test
    void aMemberMayNotClaimMoreThanFollowsNorAHeaderBeChanged() throws IOException {
        byte[] sound = written(
                TarArchiveOutputStream.LONGFILE_GNU,
                TarArchiveOutputStream.BIGNUMBER_ERROR,
                Map.of("a/b.txt", new byte[1000]));
        byte[] changed = sound.clone();
        changed[0] = 'b';
        assertThatThrownBy(() -> read(changed)).isInstanceOf(IOException.class).hasMessageContaining("checksum");
        assertThatThrownBy(() -> read(Arrays.copyOf(sound, 1000))).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> read(Arrays.copyOf(sound, 1536))) // cut at a block: no end of the archive
                .isInstanceOf(IOException.class);
    }

    @Test
    void namesAreBounded() throws IOException {
        byte[] name = "x".repeat(80_000).getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (TarArchiveOutputStream out =
                new TarArchiveOutputStream(bytes, "UTF-8")) { // it takes long to write long names
            TarArchiveEntry entry = new TarArchiveEntry("././@LongLink", TarConstants.LF_GNUTYPE_LONGNAME);
            entry.setSize(name.length);
            out.putArchiveEntry(entry);
            out.write(name);
            out.closeArchiveEntry();
        }
        byte[] archive = bytes.toByteArray();
        assertThatThrownBy(() -> read(archive)).hasMessageContaining("at most 65536 bytes");
    }
}
