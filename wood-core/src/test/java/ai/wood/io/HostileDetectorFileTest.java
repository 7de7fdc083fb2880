package ai.wood.io;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Toy;
import ai.wood.Verdict;
import ai.wood.score.ScorerKinds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are no detectors, or no longer: each is refused with a message that names it. Nothing else is written. */
class HostileDetectorFileTest {

    private static final Outputs QUERIES = Toy.outputs(7, 20, 1);
    private static final String FITTED = "detector.safetensors";

    @TempDir
    Path folder;

    private Path run;
    private Path file;
    private Map<String, byte[]> parts;

    @BeforeEach
    void detector() throws IOException {
        run = Files.createDirectories(folder.resolve("run"));
        Path network = Files.writeString(run.resolve(DetectorFileTest.PART), "0.05");
        Detector detector = Toy.detector(ScorerKinds.mahalanobis()).withClassifier(DetectorFileTest.ECHO);
        DetectorFile.saveInto(run, detector, Set.of(DetectorFileTest.PART));
        file = folder.resolve("detector.wood");
        DetectorFile.save(detector, Map.of(DetectorFileTest.PART, network), file);
        parts = unzipped(file);
        assertThat(parts).containsOnlyKeys("detector.json", FITTED, DetectorFileTest.PART);
    }

    /** No test leaves anything next to the files it made itself. */
    @AfterEach
    void nothingWasWritten() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.map(path -> folder.relativize(path).toString()))
                    .isSubsetOf(
                            "",
                            "run",
                            "run/network.txt",
                            "run/detector.json",
                            "run/detector.safetensors",
                            "detector.wood");
        }
    }

    private static Map<String, byte[]> unzipped(Path file) throws IOException {
        Map<String, byte[]> parts = new LinkedHashMap<>();
        try (ZipFile zip = new ZipFile(file.toFile())) {
            for (ZipEntry entry : zip.stream().toList()) {
                parts.put(entry.getName(), zip.getInputStream(entry).readAllBytes());
            }
        }
        return parts;
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

    /** Opens the detector and reads its classifier to the end. */
    private static Detector readAll(Path path) throws IOException {
        try (DetectorFile opened = DetectorFile.open(path)) {
            for (String name : opened.classifierParts()) {
                try (InputStream part = opened.open(name)) {
                    part.transferTo(OutputStream.nullOutputStream());
                }
            }
            return opened.detector();
        }
    }

    private void refused(String... words) {
        refused(file, words);
    }

    private static void refused(Path path, String... words) {
        assertThatIOException()
                .isThrownBy(() -> readAll(path))
                .withMessageStartingWith(path.toString())
                .withMessageContainingAll(words);
    }

    private String description() {
        return new String(Objects.requireNonNull(parts.get("detector.json")), UTF_8);
    }

    private void describe(String from, String to) throws IOException {
        assertThat(description()).contains(from);
        parts.put("detector.json", description().replace(from, to).getBytes(UTF_8));
        repack(ZipEntry.STORED);
    }

    @Test
    void repackedPartsAreStillADetector() throws IOException {
        repack(ZipEntry.STORED);
        assertThat(readAll(file).detect(QUERIES)).hasSize(20);
        describe("\"tnr\" : 0.9", "\"tnr\" : 0.8");
        assertThat(readAll(file).policy().tnr()).isEqualTo(0.8);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no detector", "PK\u0003\u0004 but no more than that, and certainly no directory"})
    void foreignFilesAreRefused(String content) throws IOException {
        Files.writeString(file, content);
        refused("not a detector file", "zip");
    }

    @Test
    void aMissingFileIsRefused() throws IOException {
        Files.delete(file);
        refused("there is no detector", ".wood file or the folder of a run");
    }

    @Test
    void anyOtherZipIsRefused() throws IOException {
        parts = new LinkedHashMap<>(Map.of("readme.txt", new byte[] {1}));
        repack(ZipEntry.STORED);
        refused("detector.json");
    }

    @Test
    void aFileCutShortIsRefusedWhereverItEnds() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length; length += 97) {
            Files.write(file, Arrays.copyOf(whole, length));
            refused("cut short");
        }
    }

    @Test
    void aPartCutShortInAFolderIsRefusedWhereverItEnds() throws IOException {
        Path fitted = run.resolve(FITTED);
        byte[] whole = Files.readAllBytes(fitted);
        for (int length = 0; length < whole.length; length += 97) {
            Files.write(fitted, Arrays.copyOf(whole, length));
            refused(run, FITTED, "cut short");
        }
        Files.write(fitted, Arrays.copyOf(whole, whole.length + 1));
        refused(run, FITTED, "size");
        Files.delete(fitted);
        refused(run, FITTED, "no such file");
    }

    @Test
    void aChangedPartIsRefusedThoughItsChecksumFits() throws IOException {
        byte[] tensors = Objects.requireNonNull(parts.get(FITTED));
        tensors[tensors.length - 1] ^= 1;
        repack(ZipEntry.STORED);
        refused(FITTED, "SHA-256");
        Files.write(run.resolve(FITTED), tensors);
        refused(run, FITTED, "SHA-256");
    }

    @Test
    void aChangedClassifierIsRefused() throws IOException {
        parts.put(DetectorFileTest.PART, "0.06".getBytes(UTF_8));
        repack(ZipEntry.STORED);
        refused(DetectorFileTest.PART, "SHA-256");
    }

    @Test
    void aPartOfAnotherSizeIsRefused() throws IOException {
        parts.put(DetectorFileTest.PART, "0.050".getBytes(UTF_8));
        repack(ZipEntry.STORED);
        refused(DetectorFileTest.PART, "size");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "\"format\" : 2; \"format\" : 3; newer",
                "\"format\" : 2; \"format\" : 0; the format must be 1 or 2 but is 0",
                "\"format\" : 2; \"format\" : \"x\"; detector.json",
                "\"format\" : 2; \"format\" : 1; detector.json",
                "\"format\" : 2,; ; format",
                "\"tnr\" : 0.9; \"tnr\" : \"NaN\"; TNR",
                "\"tnr\" : 0.9; \"tnr\" : 1; TNR",
                "\"tnr\" : 0.9; \"tnr\" : null; double",
                "\"perClass\" : false; \"perClass\" : true; needs 3 thresholds",
                "\"values\" : [; \"values\" : [ \"NaN\", ; needs 1 thresholds",
                "\"values\" : [; \"values\" : [ 7, ; needs 1 thresholds",
                "\"values\" : [; \"values\" : [], \"more\" : [; detector.json",
                "\"values\" : [; \"values\" : [ null ], \"values\" : [ null, ; detector",
                "\"settings\" : { }; \"settings\" : {\"kk\" : 3}; there is no setting 'kk'",
                "\"settings\" : { }; \"settings\" : null; settings",
                "\"kind\" : \"mahalanobis\"; \"kind\" : \"knn\"; samples",
                "\"kind\" : \"mahalanobis\"; \"kind\" : \"wood\"; must be a word but is null",
                "\"kind\" : \"mahalanobis\"; \"kind\" : \"mahalnobis\"; Did you mean mahalanobis?",
                "\"kind\" : \"mahalanobis\"; \"kind\" : null; kind",
                "\"jar\" : \"\"; \"jar\" : null; jar",
                "\"format\" : \"echo\"; \"format\" : null; format",
                "\"mean\" : [; \"mean\" : [ null, ; detector.json",
                "\"network.txt\"; \"../network.txt\"; plain",
                "\"network.txt\"; \"network.bin\"; parts must be",
                "\"detector.safetensors\"; \"other.safetensors\"; detector.safetensors",
                "\"ant\", \"bee\",; ; labels must lie in 0 to 0",
                "\"ant\",; \"bee\",; class names must be at least 2 and different",
                "\"ant\",; null,; detector.json",
                "\"sha256\" : \"; \"sha256\" : \"x; SHA-256",
                "\"size\" : 4,; \"size\" : 5,; size",
                "\"size\" : 4,; \"size\" : 3,; size",
                "\"size\" : 4,; \"size\" : -4,; size",
                "\"data\" : { }; \"data\" : {\"fit\": \"/etc/passwd\"}; SHA-256",
                "\"data\" : { }; \"data\" : {\"fit\": null}; detector.json",
                "\"thresholds\"; \"other\"; detector.json"
            })
    void aDescriptionThatDoesNotFitIsRefused(String from, String to, String word) throws IOException {
        describe(from, to == null ? "" : to);
        refused(word);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "null", "[]", "{}", "{\"format\":1}", "{\"format\":2}", "1", "{\"format\":2} {}"})
    void aDescriptionOfNothingIsRefused(String json) throws IOException {
        parts.put("detector.json", json.getBytes(UTF_8));
        repack(ZipEntry.STORED);
        refused("detector.json");
    }

    @Test
    void aDeeplyNestedDescriptionIsRefused() throws IOException {
        String deep = "[".repeat(1_000_000);
        parts.put("detector.json", deep.getBytes(UTF_8));
        repack(ZipEntry.STORED);
        refused("detector.json");
        parts.put("detector.json", ("{\"format\":" + deep).getBytes(UTF_8));
        repack(ZipEntry.STORED);
        refused("detector.json");
    }

    @Test
    void aHugeDescriptionIsNotRead() throws IOException {
        byte[] huge = new byte[1 << 25];
        Arrays.fill(huge, (byte) ' ');
        parts.put("detector.json", huge);
        repack(ZipEntry.STORED);
        refused("detector.json", "more than");
    }

    /** Its bytes exceed the heap; only as many as the description states are read. */
    @Test
    void aHugePartOfAFolderIsNotRead() throws IOException {
        for (String name : List.of(FITTED, DetectorFileTest.PART)) {
            byte[] before = Files.readAllBytes(run.resolve(name));
            try (RandomAccessFile sparse =
                    new RandomAccessFile(run.resolve(name).toFile(), "rw")) {
                sparse.setLength(1L << 40);
            }
            refused(run, name, "size");
            Files.write(run.resolve(name), before);
        }
        assertThat(readAll(run).detect(QUERIES)).hasSize(20);
        try (RandomAccessFile sparse =
                new RandomAccessFile(run.resolve("detector.json").toFile(), "rw")) {
            sparse.setLength(1L << 40);
        }
        refused(run, "detector.json", "more than");
    }

    @ParameterizedTest
    @ValueSource(strings = {"detector.json", FITTED, DetectorFileTest.PART})
    void aMissingPartIsRefused(String name) throws IOException {
        parts.remove(name);
        repack(ZipEntry.STORED);
        refused(name);
    }

    @Test
    void aPartThatIsNotDescribedIsRefused() throws IOException {
        parts.put("more.txt", new byte[3]);
        repack(ZipEntry.STORED);
        refused("more.txt");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../evil.txt", "/etc/evil.txt", "a/b.txt", "..", "a\\b.txt", "network.json/", "C:evil.txt"})
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
    void compressedPartsAreRefused() throws IOException {
        repack(ZipEntry.DEFLATED);
        refused("compressed");
    }

    @Test
    void aZipBombIsRefusedBeforeItIsUnpacked() throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            zip.putNextEntry(new ZipEntry("detector.json"));
            byte[] zeros = new byte[1 << 20];
            for (int i = 0; i < 200; i++) {
                zip.write(zeros);
            }
        }
        assertThat(Files.size(file)).isLessThan(1 << 20);
        refused("without compression");
    }

    @Test
    void aDirectoryOfThousandsIsNotRead() throws IOException {
        for (int i = 0; i < 5000; i++) {
            parts.put("part-" + i + ".txt", new byte[0]);
        }
        repack(ZipEntry.STORED);
        refused("at most 17 parts");
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
        refused("a zip of at most 4 GiB");
    }

    /** The end of the zip may claim fewer entries than its directory has. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 4, 17, 18, 0xFFFF})
    void aWrongNumberOfPartsIsRefused(int count) throws IOException {
        byte[] whole = Files.readAllBytes(file);
        ByteBuffer.wrap(whole)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort(whole.length - 14, (short) count)
                .putShort(whole.length - 12, (short) count);
        Files.write(file, whole);
        List<Verdict> expected = Detector.load(run).detect(QUERIES);
        try {
            assertThat(readAll(file).detect(QUERIES)).isEqualTo(expected); // the JDK counts by itself
        } catch (IOException e) {
            assertThat(e).hasMessageStartingWith(file.toString());
        }
    }

    @Test
    void bytesAfterTheZipAreRefused() throws IOException {
        Files.write(file, new byte[100], StandardOpenOption.APPEND);
        refused("zip");
    }

    @Test
    void changedBytesAreNoticedOrDoNotMatter() throws IOException {
        byte[] whole = Files.readAllBytes(file);
        assertThat(refusals(whole, new Random(5), 1500)).isGreaterThan(1000);
    }

    @Test
    void changedBytesOfFormat1AreNoticedOrDoNotMatter() throws IOException, URISyntaxException {
        for (String name : List.of("knn", "wood-custom")) {
            Path old = Path.of(
                    Objects.requireNonNull(HostileDetectorFileTest.class.getResource("format1/" + name + ".wood"))
                            .toURI());
            byte[] whole = Files.readAllBytes(old);
            assertThat(refusals(whole, new Random(6), 600)).isGreaterThan(400);
        }
    }

    /** How many files with up to three changed bits are refused; all others must give the same verdicts. */
    private int refusals(byte[] whole, Random random, int trials) throws IOException {
        Files.write(file, whole);
        List<Verdict> expected = readAll(file).detect(QUERIES);
        int refused = 0;
        for (int trial = 0; trial < trials; trial++) {
            byte[] changed = whole.clone();
            for (int flips = random.nextInt(3); flips >= 0; flips--) {
                changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
            }
            Files.write(file, changed);
            try {
                assertThat(readAll(file).detect(QUERIES)).isEqualTo(expected);
            } catch (IOException e) {
                assertThat(e).hasMessageContaining(file.toString());
                refused++;
            }
        }
        return refused;
    }

    /** Without a checksum over the description, a run folder may hold any text; it must never be more than refused. */
    @Test
    void anyChangeOfADescriptionIsRefusedOrADetector() throws IOException {
        byte[] whole = Files.readAllBytes(run.resolve("detector.json"));
        Random random = new Random(9);
        for (int trial = 0; trial < 600; trial++) {
            byte[] changed = whole.clone();
            for (int edits = random.nextInt(4); edits >= 0; edits--) {
                int at = random.nextInt(changed.length);
                changed[at] = (byte) "\"{}[]:,.-0129eENnull x".charAt(random.nextInt(22));
            }
            Files.write(run.resolve("detector.json"), changed);
            try {
                assertThat(readAll(run).detect(QUERIES)).hasSize(20);
            } catch (IOException e) {
                assertThat(e).hasMessageContaining(run.toString());
            }
        }
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
        refused("larger than the file");
    }

    /** The fitted matrices of a valid file, to be changed. */
    private Map<String, Matrix> tensors() throws IOException {
        Map<String, Matrix> tensors = new LinkedHashMap<>();
        try (Safetensors fitted = Safetensors.open(run.resolve(FITTED))) {
            for (String name : fitted.names()) {
                tensors.put(name, fitted.matrix(name));
            }
        }
        return tensors;
    }

    /** A file whose hashes and checksums are right for these matrices. */
    private void refit(Map<String, Matrix> tensors) throws IOException {
        SafetensorsWriter writer = new SafetensorsWriter();
        tensors.forEach(writer::add);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writer.writeTo(Channels.newChannel(out));
        replaceFitted(out.toByteArray());
    }

    private void replaceFitted(byte[] bytes) throws IOException {
        byte[] before = Objects.requireNonNull(parts.get(FITTED));
        String text = description()
                .replace(hash(before), hash(bytes))
                .replace("\"size\" : " + before.length, "\"size\" : " + bytes.length);
        parts.put("detector.json", text.getBytes(UTF_8));
        parts.put(FITTED, bytes);
        repack(ZipEntry.STORED);
    }

    private static String hash(byte[] bytes) {
        return HexFormat.of().formatHex(Sha256.digest().digest(bytes));
    }

    @Test
    void rewrittenMatricesAreStillADetector() throws IOException {
        refit(tensors());
        assertThat(readAll(file).detect(QUERIES)).isEqualTo(Detector.load(run).detect(QUERIES));
    }

    static Stream<String> matrices() {
        return Stream.of("calibration.scores", "calibration.labels", "scorer.whitening", "scorer.means");
    }

    @ParameterizedTest
    @MethodSource("matrices")
    void missingOrTornMatricesAreRefused(String name) throws IOException {
        Map<String, Matrix> whole = tensors();
        Matrix matrix = Objects.requireNonNull(whole.get(name));
        for (String change : List.of("missing", "no rows", "narrower", "taller")) {
            Map<String, Matrix> changed = new LinkedHashMap<>(whole);
            switch (change) {
                case "missing" -> changed.remove(name);
                case "no rows" -> changed.put(name, Matrix.wrap(new double[0], matrix.columns()));
                case "narrower" -> changed.put(name, narrower(matrix));
                default -> changed.put(name, taller(matrix));
            }
            refit(changed);
            if (name.equals("scorer.means") && change.equals("taller")) {
                assertThat(readAll(file).detect(QUERIES)).as("a class twice").hasSize(20);
            } else if (name.equals("scorer.whitening") && change.equals("narrower")) {
                Detector narrow = readAll(file);
                assertThatExceptionOfType(IllegalArgumentException.class)
                        .isThrownBy(() -> narrow.detect(QUERIES))
                        .withMessageContaining("fitted to 5 features but the network gives 6");
            } else {
                refused(FITTED);
            }
        }
    }

    private static Matrix narrower(Matrix matrix) {
        return Matrix.of(IntStream.range(0, matrix.rows())
                .mapToObj(r -> Arrays.copyOf(matrix.row(r), matrix.columns() - 1))
                .toArray(double[][]::new));
    }

    private static Matrix taller(Matrix matrix) {
        return Matrix.of(IntStream.range(0, matrix.rows() + 1)
                .mapToObj(r -> matrix.row(Math.min(r, matrix.rows() - 1)))
                .toArray(double[][]::new));
    }

    @ParameterizedTest
    @CsvSource({
        "calibration.labels, 3, labels must lie in 0 to 2 but one is 3",
        "calibration.labels, -1, labels must lie in 0 to 2 but one is -1",
        "calibration.labels, 0.5, labels must be whole numbers but one is 0.5",
        "calibration.labels, NaN, labels must be whole numbers but one is NaN",
        "calibration.labels, 1e10, labels must be whole numbers but one is 1.0E10",
        "calibration.scores, NaN, every score must be a number but one is NaN"
    })
    void calibrationValuesOutOfRangeAreRefused(String name, double value, String message) throws IOException {
        Map<String, Matrix> tensors = tensors();
        double[] row = Objects.requireNonNull(tensors.get(name)).row(0);
        row[5] = value;
        tensors.put(name, Matrix.of(row));
        refit(tensors);
        refused(FITTED, message);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 1, 1L << 32, 1L << 62, Long.MAX_VALUE})
    void aHeaderOfAnyLengthIsRefused(long length) throws IOException {
        byte[] bytes = Objects.requireNonNull(parts.get(FITTED)).clone();
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(0, length);
        replaceFitted(bytes);
        refused(FITTED, "header must be");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "12345678", "a file that is no safetensors file, with hashes that fit"})
    void fittedMatricesOfAnotherFormatAreRefused(String content) throws IOException {
        replaceFitted(content.getBytes(UTF_8));
        refused(FITTED);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "knn; \"ant\"; null; detector.json",
                "knn; \"mean\" : [; \"mean\" : [ null,; detector.json",
                "knn; \"data\" : { }; \"data\" : {\"fit\": null}; detector.json",
                "knn; \"name\" : \"knn\"; \"name\" : \"no-such\"; no-such",
                "knn; \"name\" : \"knn\"; \"name\" : \"mahalanobis\"; whitening",
                "mahalanobis; \"name\" : \"mahalanobis\"; \"name\" : \"knn\"; needs the number 'k'",
                "wood; \"cost\" : \"dynamic\"; \"cost\" : \"custom\"; custom",
                "wood; \"cost\" : \"dynamic\"; \"cost\" : null; cost",
                "wood; \"lambda\" : \"Infinity\"; \"lambda\" : \"NaN\"; lambda",
                "wood; \"temperature\" : 1.0; \"temperature\" : 0; temperature",
                "wood; \"perClass\" : false; \"perClass\" : true; needs 3 thresholds",
                "wood; \"tnr\" : 0.9; \"tnr\" : 7; TNR",
                "wood; \"thresholds\" : [; \"thresholds\" : [ null,; detector",
                "wood; \"thresholds\" : [; \"thresholds\" : [ \"NaN\",; thresholds",
                "wood; \"choice\"; \"other\"; detector.json",
                "wood; \"sha256\" : \"; \"sha256\" : \"x; SHA-256"
            })
    void aDescriptionOfFormat1ThatDoesNotFitIsRefused(String name, String from, String to, String word)
            throws IOException, URISyntaxException {
        parts = unzipped(
                Path.of(Objects.requireNonNull(HostileDetectorFileTest.class.getResource("format1/" + name + ".wood"))
                        .toURI()));
        describe(from, to);
        refused(word);
    }

    @Test
    void aScorerOfAJarThatIsNotLoadedIsNamedWithItsJar() throws IOException {
        describe("\"kind\" : \"mahalanobis\"", "\"kind\" : \"own\"");
        assertThatExceptionOfType(UnknownScorerException.class)
                .isThrownBy(() -> readAll(file))
                .withMessageStartingWith(file + "!detector.json: there is no scorer 'own'");
        describe("\"jar\" : \"\"", "\"jar\" : \"own-scorers.jar\"");
        assertThatExceptionOfType(UnknownScorerException.class)
                .isThrownBy(() -> readAll(file))
                .withMessageStartingWith(file.toString())
                .withMessageContainingAll("'own'", "own-scorers.jar");
    }
}
