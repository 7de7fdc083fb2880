package ai.wood.bundle;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import ai.wood.Outputs;
import ai.wood.Verdict;
import ai.wood.score.Scorers;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are no bundles, or no longer: every one is refused with a message, nothing is written outside. */
class HostileBundleTest {

    private static final Outputs QUERIES = Toy.outputs(7, 20, 1);

    @TempDir
    Path folder;

    private Path file;
    private Map<String, byte[]> parts;

    @BeforeEach
    void bundle() throws IOException {
        Path run = Files.createDirectories(folder.resolve("run"));
        Files.writeString(run.resolve(EchoFormat.PART), "0.05");
        Toy.bundle(Scorers.MAHALANOBIS).writeInto(run);
        file = folder.resolve("detector.wood");
        Bundle.pack(run, file);
        parts = new LinkedHashMap<>();
        try (ZipFile zip = new ZipFile(file.toFile())) {
            for (ZipEntry entry : zip.stream().toList()) {
                parts.put(entry.getName(), zip.getInputStream(entry).readAllBytes());
            }
        }
        assertThat(parts).containsOnlyKeys("detector.json", "detector.safetensors", EchoFormat.PART);
    }

    private void repack(int method) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (Map.Entry<String, byte[]> part : parts.entrySet()) {
                ZipEntry entry = new ZipEntry(part.getKey());
                CRC32 crc = new CRC32();
                crc.update(part.getValue());
                entry.setMethod(method);
                entry.setSize(part.getValue().length);
                entry.setCrc(crc.getValue());
                zip.putNextEntry(entry);
                zip.write(part.getValue());
            }
        }
    }

    private void refused(String... words) {
        assertThatIOException()
                .isThrownBy(() -> Bundle.open(file))
                .withMessageStartingWith(file.toString())
                .withMessageContainingAll(words);
    }

    private void describe(String from, String to) throws IOException {
        String text = new String(Objects.requireNonNull(parts.get("detector.json")), UTF_8);
        assertThat(text).contains(from);
        parts.put("detector.json", text.replace(from, to).getBytes(UTF_8));
        repack(ZipEntry.STORED);
    }

    @Test
    void repackedPartsAreStillABundle() throws IOException {
        repack(ZipEntry.STORED);
        Bundle.open(file).close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no bundle", "PK\u0003\u0004 but no more than that, and certainly no directory"})
    void foreignFilesAreRefused(String content) throws IOException {
        Files.writeString(file, content);
        refused("zip");
    }

    @Test
    void whatIsNotThereIsRefused() throws IOException {
        Files.delete(file);
        refused("wood bundle");
    }

    @Test
    void anyZipIsRefused() throws IOException {
        parts = new LinkedHashMap<>(Map.of("readme.txt", new byte[] {1}));
        repack(ZipEntry.STORED);
        refused("detector.json");
    }

    @Test
    void aFileCutShortIsRefusedWhereverItEnds() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length; length += 97) {
            Files.write(file, Arrays.copyOf(whole, length));
            refused("zip");
        }
    }

    @Test
    void aChangedPartIsRefusedThoughItsChecksumFits() throws IOException {
        byte[] tensors = Objects.requireNonNull(parts.get("detector.safetensors"));
        tensors[tensors.length - 1] ^= 1;
        repack(ZipEntry.STORED);
        refused("detector.safetensors", "SHA-256");
    }

    @Test
    void aChangedNetworkIsRefused() throws IOException {
        parts.put(EchoFormat.PART, "0.06".getBytes(UTF_8));
        repack(ZipEntry.STORED);
        refused(EchoFormat.PART, "SHA-256");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\"format\" : 1; \"format\" : 2; newer",
                "\"format\" : 1; \"format\" : \"x\"; detector.json",
                "\"tnr\" : 0.9; \"tnr\" : 0.5; must follow from the scores",
                "\"tnr\" : 0.9; \"tnr\" : \"NaN\"; TNR",
                "\"cost\" : \"dynamic\"; \"cost\" : \"custom\"; matrix",
                "\"cost\" : \"dynamic\"; \"cost\" : \"free\"; free",
                "\"name\" : \"mahalanobis\"; \"name\" : \"knn\"; samples",
                "\"name\" : \"mahalanobis\"; \"name\" : \"no-such\"; no-such",
                "\"temperature\" : 1.0; \"temperature\" : 0; temperature",
                "\"shape\" : \"1x2x3\"; \"shape\" : \"1x2x3000000000\"; shape",
                "\"network\" : \"echo\"; \"network\" : \"torch\"; ai.wood:wood-torch",
                "\"network.txt\"; \"../network.txt\"; plain",
                "\"network.txt\"; \"network.bin\"; parts must be",
                "\"ant\", \"bee\",; ; classes",
                "\"sha256\" : \"; \"sha256\" : \"x; SHA-256",
                "\"data\" : { }; \"data\" : {\"fit\": \"/etc/passwd\"}; SHA-256",
                "\"choice\"; \"other\"; detector.json"
            })
    void aDescriptionThatDoesNotFitIsRefused(String from, String to, String word) throws IOException {
        describe(from, to == null ? "" : to);
        refused(word);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "[]", "{}", "{\"format\":1}"})
    void whatDescribesNothingIsRefused(String json) throws IOException {
        parts.put("detector.json", json.getBytes(UTF_8));
        repack(ZipEntry.STORED);
        refused("detector.json");
    }

    @Test
    void aHugeDescriptionIsNotRead() throws IOException {
        byte[] huge = new byte[1 << 25];
        Arrays.fill(huge, (byte) ' ');
        parts.put("detector.json", huge);
        repack(ZipEntry.STORED);
        refused("detector.json", "at most");
    }

    @ParameterizedTest
    @ValueSource(strings = {"detector.json", "detector.safetensors", EchoFormat.PART})
    void aMissingPartIsRefused(String name) throws IOException {
        parts.remove(name);
        repack(ZipEntry.STORED);
        refused(name);
    }

    @Test
    void aPartThatNobodyDescribesIsRefused() throws IOException {
        parts.put("more.txt", new byte[3]);
        repack(ZipEntry.STORED);
        refused("more.txt");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../evil.txt", "/tmp/evil.txt", "a/b.txt", "..", "a\\b.txt", "network.json/", "C:evil.txt"})
    void namesThatLeaveTheFolderAreRefused(String name) throws IOException {
        parts.put(name, new byte[] {1});
        repack(ZipEntry.STORED);
        refused("plain names");
    }

    @Test
    void aPartThatComesTwiceIsRefused() throws IOException {
        parts.put("eetector.json", new byte[] {1});
        repack(ZipEntry.STORED);
        String bytes = Files.readString(file, ISO_8859_1);
        Files.writeString(file, bytes.replace("eetector.json", "detector.json"), ISO_8859_1);
        refused("once");
    }

    @Test
    void whatWouldSwellIsRefusedBeforeItDoes() throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            zip.putNextEntry(new ZipEntry("detector.json"));
            byte[] zeros = new byte[1 << 20];
            for (int i = 0; i < 200; i++) {
                zip.write(zeros);
            }
        }
        assertThat(Files.size(file)).isLessThan(1 << 20);
        refused("not compressed");
    }

    @Test
    void aDirectoryOfThousandsIsNotRead() throws IOException {
        for (int i = 0; i < 5000; i++) {
            parts.put("part-" + i + ".txt", new byte[0]);
        }
        repack(ZipEntry.STORED);
        refused("at most");
    }

    /** The end of another, small zip may hide in the comment of the true end. */
    @Test
    void aDirectoryOfThousandsDoesNotHideBehindASmallOne() throws IOException {
        for (int i = 0; i < 5000; i++) {
            parts.put("part-" + i + ".txt", new byte[0]);
        }
        repack(ZipEntry.STORED);
        byte[] whole = Files.readAllBytes(file);
        ByteBuffer zip = ByteBuffer.allocate(whole.length + 22).order(ByteOrder.LITTLE_ENDIAN);
        zip.put(whole).put(whole, whole.length - 22, 22);
        zip.putShort(whole.length - 2, (short) 22); // the true end has a comment: the false one
        zip.putShort(whole.length + 10, (short) 1)
                .putInt(whole.length + 12, 100)
                .putShort(whole.length + 20, (short) 1);
        Files.write(file, zip.array());
        refused("a bundle is a zip of at most 4 GiB but this file is not");
    }

    @Test
    void whatFollowsTheZipIsRefused() throws IOException {
        try (OutputStream out = Files.newOutputStream(file, java.nio.file.StandardOpenOption.APPEND)) {
            out.write(new byte[100]);
        }
        refused("zip");
    }

    @Test
    void changedBytesAreNoticedOrDoNotMatter() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        List<Verdict> expected;
        try (Bundle bundle = Bundle.open(file)) {
            expected = bundle.detector().judge(QUERIES);
        }
        Random random = new Random(5);
        int refused = 0;
        for (int trial = 0; trial < 1500; trial++) {
            byte[] changed = whole.clone();
            for (int flips = random.nextInt(3); flips >= 0; flips--) {
                changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
            }
            Files.write(file, changed);
            try (Bundle bundle = Bundle.open(file)) {
                assertThat(bundle.detector().judge(QUERIES)).isEqualTo(expected);
            } catch (IOException e) {
                assertThat(e).hasMessageContaining(file.toString());
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(1000);
    }

    /** Entries of the directory may point at the same bytes again and again. */
    @Test
    void partsThatShareTheirBytesAreRefused() throws IOException {
        parts.clear();
        parts.put("part-0.bin", new byte[100_000]);
        repack(ZipEntry.STORED);
        ByteBuffer zip = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        int end = zip.capacity() - 22;
        int directory = zip.getInt(end + 16);
        byte[] entry = Arrays.copyOfRange(zip.array(), directory, end);
        ByteBuffer overlapping =
                ByteBuffer.allocate(end + 9 * entry.length + 22).order(ByteOrder.LITTLE_ENDIAN);
        overlapping.put(zip.array(), 0, directory);
        for (int i = 0; i < 10; i++) {
            entry[46 + "part-".length()] = (byte) ('0' + i);
            overlapping.put(entry);
        }
        zip.putShort(end + 8, (short) 10).putShort(end + 10, (short) 10).putInt(end + 12, 10 * entry.length);
        overlapping.put(zip.array(), end, 22);
        Files.write(file, overlapping.array());
        refused("no larger than the file");
    }
}
