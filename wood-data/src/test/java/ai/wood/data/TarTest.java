package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.io.Input;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Archives that Commons Compress wrote, in every dialect it knows. */
class TarTest {

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
                members.put(folder + size + ".bin", content);
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

    private static Map<String, byte[]> read(byte[] archive) throws IOException {
        Map<String, byte[]> members = new LinkedHashMap<>();
        try (Input in = Input.of(new ByteArrayInputStream(archive), "archive", archive.length)) {
            Tar tar = new Tar(in);
            for (Tar.Member member = tar.next(); member != null; member = tar.next()) {
                members.put(member.name(), tar.content(member).readAllBytes());
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
        assertThat(read.keySet()).containsExactlyElementsOf(members.keySet());
        members.forEach((name, content) -> assertThat(read.get(name)).as(name).isEqualTo(content));
    }

    @Test
    void membersThatAreNotReadToTheirEndsArePassedOver() throws IOException {
        byte[] archive =
                written(TarArchiveOutputStream.LONGFILE_GNU, TarArchiveOutputStream.BIGNUMBER_ERROR, members());
        List<String> names = new ArrayList<>();
        try (Input in = Input.of(new ByteArrayInputStream(archive), "archive", archive.length)) {
            Tar tar = new Tar(in);
            for (Tar.Member member = tar.next(); member != null; member = tar.next()) {
                assertThat(member.isFile()).isTrue();
                assertThat(tar.content(member).readNBytes(7)).hasSize((int) Math.min(7, member.size()));
                names.add(member.name());
            }
        }
        assertThat(names).containsExactlyElementsOf(members().keySet());
    }

    @Test
    void aMemberMayNotClaimMoreThanFollowsNorAHeaderBeChanged() throws IOException {
        byte[] sound = written(
                TarArchiveOutputStream.LONGFILE_GNU,
                TarArchiveOutputStream.BIGNUMBER_ERROR,
                Map.of("a.txt", new byte[1000]));
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
