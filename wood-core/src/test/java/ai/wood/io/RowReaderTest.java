package ai.wood.io;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowReaderTest {

    @TempDir
    Path folder;

    private static Matrix read(byte[] bytes) throws IOException {
        try (RowReader reader = RowReader.of(new ByteArrayInputStream(bytes), "x")) {
            return reader.readAll();
        }
    }

    private static Matrix read(String text) throws IOException {
        return read(text.getBytes(UTF_8));
    }

    private static void assertRefused(byte[] bytes, String message) {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> read(bytes))
                .withMessageContaining(message);
    }

    private static void assertRefused(String text, String message) {
        assertRefused(text.getBytes(UTF_8), message);
    }

    private static byte[] npy(String header, byte[] data) {
        ByteBuffer bytes =
                ByteBuffer.allocate(10 + header.length() + data.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put((byte) 0x93).put("NUMPY".getBytes(UTF_8)).put((byte) 1).put((byte) 0);
        bytes.putShort((short) header.length()).put(header.getBytes(UTF_8)).put(data);
        return bytes.array();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1,2\n3,4\n",
                "1, 2\r\n3 ,4",
                "1;2\n3;4\n",
                "1\t2\n3\t4",
                "1  2\n 3 4 \n\n",
                "1 , 2\n3\t,4\n",
                "a,b\n1,2\n# a comment\n3,4\n",
                "\n\n1.0,2e0\n3,4"
            })
    void everyUsualSeparatorIsUnderstood(String text) throws IOException {
        assertThat(read(text)).isEqualTo(Matrix.of(new double[] {1, 2}, new double[] {3, 4}));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0,1,2\n1,2,3\n", "0;1;2\n1;2;3\n", "# x\n0 1 2\n\n4 5 6", "0,1\n0,1\n", ",0,1\n0,2.5,3.5\n"})
    void columnNumbersOfPandasAreNoSample(String text) {
        assertRefused(text, "' numbers the columns, so it is a header and not a sample.");
        assertRefused(text, "index=False, header=False");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0\n1\n",
                "0\n0\n5\n",
                "0,1\n",
                "0,1,3\n1,2,3\n",
                "0.0,1.0\n0.5,0.5\n",
                "1,2\n0,1\n",
                "0,1,1\n1,0,1\n"
            })
    void rowsThatResembleColumnNumbersAreSamples(String text) throws IOException {
        assertThat(read(text).rows()).isEqualTo(text.lines().count());
    }

    @Test
    void aMatrixOfCostsMayBeginWithColumnNumbers() throws IOException {
        Path file = Files.writeString(folder.resolve("cost.csv"), "0,1,2\n1,0,1\n2,1,0\n");
        assertThat(RowReader.readMatrix(file).rows()).isEqualTo(3);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> RowReader.readAll(file))
                .withMessageStartingWith(file + ", line 1: the row '0,1,2' numbers the columns");
    }

    @Test
    void mistakesAreReportedWithFileLineAndColumn() {
        assertRefused("1,2\n3\n", "x, line 2: every row must have 2 columns like the first but this one has 1");
        assertRefused("1,2\n3,4,5\n", "x, line 2: every row must have 2 columns like the first but this one has 3");
        assertRefused("1,2\n\n3,abc\n", "x, line 3, column 2: there must be a number but it reads 'abc'");
        assertRefused("1,2\n3,NaN\n", "x, line 2, column 2: the number must be finite but is NaN");
        assertRefused("1,2\n3,1e999\n", "x, line 2, column 2: the number must be finite but is Infinity");
        assertRefused("1,,2\n", "x, line 1, column 2: there must be a number but it reads ''");
        assertRefused("1,2,\n", "x, line 1, column 3");
        assertRefused("", "the file is empty");
        assertRefused("\n\n", "the file is empty");
        assertRefused("a,b\n", "only a heading");
    }

    @Test
    void numpyArraysOfEveryTypeAreRead() throws IOException {
        ByteBuffer big = ByteBuffer.allocate(16)
                .order(ByteOrder.BIG_ENDIAN)
                .putDouble(1.5)
                .putDouble(-2);
        assertThat(read(npy("{'descr': '>f8', 'fortran_order': False, 'shape': (2, 1), }", big.array())))
                .isEqualTo(Matrix.of(new double[] {1.5}, new double[] {-2}));
        ByteBuffer floats = ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(0.25f)
                .putFloat(3);
        assertThat(read(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", floats.array())))
                .isEqualTo(Matrix.of(new double[] {0.25, 3}));
        byte[] bytes = {(byte) 200, 1};
        assertThat(read(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", bytes)))
                .isEqualTo(Matrix.of(new double[] {200}, new double[] {1}));
        assertThat(read(npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }", bytes)))
                .isEqualTo(Matrix.of(new double[] {-56}, new double[] {1}));
        assertThat(read(npy("{'descr': '<i2', 'fortran_order': False, 'shape': (1,), }", new byte[] {1, 1})))
                .isEqualTo(Matrix.of(new double[] {257}));
        assertThat(read(npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }", new byte[] {-1, -1, -1, -1})))
                .isEqualTo(Matrix.of(new double[] {-1}));
        assertThat(read(npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }", new byte[8])))
                .isEqualTo(Matrix.of(new double[] {0}));
    }

    @Test
    void hostileArraysAreRefusedWithoutBelievingTheirSize() {
        String head = "{'descr': '<f4', 'fortran_order': False, 'shape': ";
        assertRefused(npy(head + "(1000000000000, 2), }", new byte[8]), "row 2: the array has 1000000000000 rows");
        assertRefused(npy(head + "(1, 1000000000000), }", new byte[8]), "1 to 16777216 columns");
        assertRefused(npy(head + "(99999999999999999999, 2), }", new byte[8]), "absurd");
        assertRefused(npy(head + "(0, 2), }", new byte[0]), "at least one row");
        assertRefused(npy(head + "(1, 1, 1), }", new byte[4]), "one or two dimensions");
        assertRefused(npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", new byte[8]), "element type");
        assertRefused(npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", new byte[8]), "are c8");
        assertRefused(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }", new byte[8]), "C order");
        assertRefused(npy("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }", new byte[4]), "are U1");
        assertRefused(npy("nonsense", new byte[8]), "element type");
        assertRefused(npy(head + "(1,), }", new byte[9]), "has 1 rows but the file goes on");
        byte[] truncated = npy(head + "(1,), }", new byte[4]);
        assertRefused(Arrays.copyOf(truncated, 20), "ends within the NumPy header");
        truncated[6] = 9;
        assertRefused(truncated, "format version");
    }

    @Test
    void writtenHeadersAreReadBack() throws IOException {
        byte[] header = NpyHeader.bytes("f8", 123456789012L, 3);
        assertThat(header).hasSize(NpyHeader.WRITTEN_LENGTH);
        NpyHeader read = NpyHeader.read(new ByteArrayInputStream(header), "x");
        assertThat(read.shape()).containsExactly(123456789012L, 3L);
        assertThat(read.type()).isEqualTo("f8");
        assertThat(read.length()).isEqualTo(NpyHeader.WRITTEN_LENGTH);
    }

    @Test
    void aBatchNamesTheRowThatItsCheckRefuses() throws IOException {
        byte[] text = "0.5,0.5\n0.4,0.4\n".getBytes(UTF_8);
        try (RowReader reader = RowReader.of(new ByteArrayInputStream(text), "p.csv")) {
            assertThatExceptionOfType(IOException.class)
                    .isThrownBy(() -> reader.nextBatch(10, Probabilities::check))
                    .withMessageStartingWith("p.csv, line 2: probabilities must sum to 1 but sum to 0.8");
        }
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> RowReader.open(folder.resolve("missing")))
                .withMessageContaining("there is no such file");
    }

    /** A line that never ends must not fill the memory. */
    @Test
    void anEndlessLineIsRefused() {
        InputStream endless = new InputStream() {
            @Override
            public int read() {
                return '1';
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                Arrays.fill(into, offset, offset + length, (byte) '1');
                return length;
            }
        };
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> RowReader.of(endless, "x"))
                .withMessageContaining("Maybe this is not a text file");
    }

    /** Whatever happens to a file, the reader answers with numbers or an IOException. */
    @Test
    void mutatedFilesNeverCauseAnythingButAnIoException() {
        Random random = new Random(5);
        byte[] array =
                npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4, 3), }", new byte[4 * 3 * Double.BYTES]);
        byte[] text = "a,b,c\n1,2,3\n4.5,5e1,-6\n7 8 9\n".getBytes(UTF_8);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            byte[] mutant = (i % 2 == 0 ? array : text).clone();
            for (int change = random.nextInt(4); change >= 0; change--) {
                mutant[random.nextInt(mutant.length)] = (byte) random.nextInt(256);
            }
            if (random.nextInt(5) == 0) {
                mutant = Arrays.copyOf(mutant, random.nextInt(mutant.length + 1));
            }
            try {
                read(mutant);
            } catch (IOException e) {
                assertThat(e.getMessage()).startsWith("x");
                refused++;
            }
        }
        assertThat(refused).isBetween(5_000, 20_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.5\n0.25\n", "score\n0.5\n0.25\n"})
    void aByteOrderMarkIsNoPartOfTheFirstNumber(String text) throws IOException {
        assertThat(read("\uFEFF" + text)).isEqualTo(Matrix.of(new double[] {0.5}, new double[] {0.25}));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nan", "-inf", "NA", "null", "None,n/a", "cat,nan", "1e5x", "NaN,NaN", "\"1\",\"2\"", ".5.5"})
    void aFirstLineThatIsMeantToBeNumbersIsNoHeading(String first) {
        assertRefused(first + "\n1,2\n", "x, line 1, column 1: the");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1d", "1f", "2.5D", "1e3F", "0x1p3", "-0X1.8P1", "1\u0000", "\u00001"})
    void spellingsThatOnlyJavaTakesForNumbersAreRefused(String cell) {
        assertRefused(
                "0," + cell + "\n", "x, line 1, column 2: there must be a number but it reads '" + cell + "'. Maybe");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "+1", "1.", "1.0", "01", "1e0", "1E+0", "10e-1", ".1e1", "100.e-2"})
    void everyUsualSpellingOfANumberIsRead(String cell) throws IOException {
        assertThat(read("0," + cell + "\n")).isEqualTo(Matrix.of(new double[] {0, 1}));
    }

    @ParameterizedTest
    @ValueSource(strings = {"score", "a,b", "info nancy", "\"x\";\"y\"", "p-value", "cat,none", "Null dog"})
    void wordsAreAHeading(String first) throws IOException {
        assertThat(read(first + "\n1 2\n")).isEqualTo(Matrix.of(new double[] {1, 2}));
    }

    /** As a shell makes of {@code <(...)}. */
    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void readsFromAPipe(@TempDir Path folder) throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        Process writer = new ProcessBuilder("sh", "-c", "echo 0,1 > pipe")
                .directory(folder.toFile())
                .start();
        assertThat(RowReader.readAll(pipe)).isEqualTo(Matrix.of(new double[] {0, 1}));
        assertThat(writer.waitFor()).isZero();
    }

    @Test
    void whatIsNoTextIsNotTakenForAHeading() throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write("1,2\n3,4\n".getBytes(UTF_8));
        }
        assertRefused(
                compressed.toByteArray(), "x: must be text or a NumPy array but is neither. Maybe it is compressed");
        assertRefused("1,2\n3,4\n".getBytes(UTF_16LE), "x, line 1, column 1: there must be a number");
        assertRefused("\uFEFF1,2\n3,4\n".getBytes(UTF_16LE), "or in UTF-16");
    }

    @ParameterizedTest
    @ValueSource(strings = {"png", "jpg", "gif", "bmp"})
    void aPictureIsToldOf(String format) throws IOException {
        ByteArrayOutputStream picture = new ByteArrayOutputStream();
        ImageIO.write(new BufferedImage(40, 30, BufferedImage.TYPE_INT_RGB), format, picture);
        assertRefused(
                picture.toByteArray(),
                "x: must be text or a NumPy array but is an image. Use a detector with a network for images.");
    }

    @Test
    void otherKindsOfFilesAreToldOf() throws IOException {
        assertRefused("RIFF\u0001\u0002\u0003\u0000WEBPVP8 ", "is an image");
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(archive)) {
            zip.putNextEntry(new ZipEntry("logits.npy"));
            zip.write(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", new byte[4]));
        }
        assertRefused(archive.toByteArray(), "is a zip archive. Maybe it is an .npz: save with numpy.save");
    }

    @ParameterizedTest
    @ValueSource(strings = {"BM", "BM,RIFF,WEBP,GIF", "PK,PNG"})
    void headingsThatResembleOtherFilesAreHeadings(String first) throws IOException {
        assertThat(read(first + "\n1 2\n")).isEqualTo(Matrix.of(new double[] {1, 2}));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1,5;2,5", "1,5\t2,5\t0,5", "1,5 2,5", "1,5 2", "1 2,5", "1; 2 3", "1,5 , 2,5 3"})
    void decimalCommasAreRefused(String line) {
        assertRefused(line + "\n", "x, line 1, numbers must be separated by commas or by semicolons or by blanks");
        assertRefused(line + "\n", "Maybe the commas are decimal ones");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1,\"a b\"", "1 \"a,b\""})
    void quotedTextIsNoNumberWhateverIsInIt(String line) {
        assertRefused(line + "\n", "x, line 1, column 2: there must be a number but it reads '\"a");
    }
}
