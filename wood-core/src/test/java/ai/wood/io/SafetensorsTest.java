package ai.wood.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SafetensorsTest {

    @TempDir
    Path folder;

    @Test
    void whatIsWrittenIsReadBack() throws IOException {
        Path file = folder.resolve("x.safetensors");
        float[] values = {1, -2.5f, Float.MIN_VALUE, 0};
        new SafetensorsWriter()
                .metadata("who", "\"quoted\"")
                .add("a", new long[] {2, 2}, values)
                .add("scalar", new long[0], new float[] {7})
                .add("empty", new long[] {0, 3}, new float[0])
                .write(file);
        try (Safetensors read = Safetensors.open(file)) {
            assertThat(read.names()).containsExactly("a", "scalar", "empty");
            assertThat(read.metadata()).containsEntry("who", "\"quoted\"");
            assertThat(read.entry("a").shape()).isEqualTo(List.of(2L, 2L));
            assertThat(read.floats("a")).isEqualTo(values);
            assertThat(read.floats("scalar")).containsExactly(7);
            assertThat(read.floats("empty")).isEmpty();
            assertThatThrownBy(() -> read.floats("b"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("'b'");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "BOOL, 01, 1",
        "U8, ff, 255",
        "I8, ff, -1",
        "F8_E5M2, c4, -4",
        "F8_E4M3, 38, 1",
        "F8_E4M3, fe, -448",
        "F8_E8M0, 80, 2",
        "I16, feff, -2",
        "U16, feff, 65534",
        "F16, 003c, 1",
        "F16, 0100, 5.9604645E-8",
        "F16, 00fc, -Infinity",
        "BF16, 803f, 1",
        "BF16, 40c0, -3",
        "I32, ffffffff, -1",
        "U32, ffffffff, 4294967296",
        "F32, 0000003f, 0.5",
        "I64, feffffffffffffff, -2",
        "U64, 0000000000000080, 9223372036854775808",
        "F64, 000000000000e0bf, -0.5"
    })
    void everyRealTypeBecomesFloats(String dtype, String hex, float expected) throws IOException {
        byte[] data = HexFormat.of().parseHex(hex);
        Path file = write(entry("t", dtype, "1", 0, data.length), data);
        try (Safetensors read = Safetensors.open(file)) {
            assertThat(read.floats("t")).containsExactly(expected);
        }
    }

    @Test
    void complexAndPackedTypesOpenButAreNoFloats() throws IOException {
        Path file = write(entry("c", "C64", "1", 0, 8) + "," + entry("p", "F4", "2", 8, 9), new byte[9]);
        try (Safetensors read = Safetensors.open(file)) {
            assertThat(read.entry("p").length()).isEqualTo(1);
            assertThatThrownBy(() -> read.floats("c"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("C64");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\"a\":1",
                "\"a\":{\"dtype\":\"F32\"}",
                "\"a\":{\"dtype\":\"Q9\",\"shape\":[1],\"data_offsets\":[0,4]}",
                "\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}",
                "\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,4]}",
                "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}",
                "\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}",
                "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}",
                "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,400000]}",
                "\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]}",
                "\"a\":{\"dtype\":\"F32\",\"shape\":[99999999999999999999],\"data_offsets\":[0,4]}",
                "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
                        + "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}",
                "\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
                        + "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[2,4]}",
                "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                        + "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[3,4]}",
                "\"__metadata__\":{\"k\":{}},\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}",
                "\"a\":{\"x\":[[[[[[[[[[]]]]]]]]]],\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}"
            })
    void aHeaderThatBreaksARuleIsRefused(String entries) throws IOException {
        Path file = write(entries, new byte[4]);
        assertThatThrownBy(() -> Safetensors.open(file).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("hostile.safetensors");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 0, 1, 13, 100_000_001, Long.MAX_VALUE, Long.MIN_VALUE})
    void aHeaderLengthBeyondTheFileIsRefusedWithoutReadingIt(long length) throws IOException {
        Path file = folder.resolve("hostile.safetensors");
        Files.write(
                file,
                ByteBuffer.allocate(20)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(length)
                        .array());
        assertThatThrownBy(() -> Safetensors.open(file).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("byte 0");
    }

    /** The file is long enough for its header, so only the bound protects the memory. */
    @ParameterizedTest
    @ValueSource(ints = {100, Safetensors.DETECTOR_HEADER, Safetensors.NETWORK_HEADER})
    void aHeaderBeyondTheBoundOfItsUseIsRefused(int bound) throws IOException {
        Path file = folder.resolve("hostile.safetensors");
        String json = "{\"__metadata__\":{\"k\":\"" + "x".repeat(bound - 25) + "\"}}";
        for (String padding : List.of("", " ")) {
            byte[] header = (json + padding).getBytes(StandardCharsets.UTF_8);
            ByteBuffer bytes = ByteBuffer.allocate(8 + header.length).order(ByteOrder.LITTLE_ENDIAN);
            Files.write(file, bytes.putLong(header.length).put(header).array());
            if (header.length == bound) {
                Safetensors.open(file, bound).close();
            } else {
                assertThatThrownBy(() -> Safetensors.open(file, bound).close())
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("the header must be 2 to " + bound + " bytes long but its length is ");
            }
        }
    }

    @Test
    void aNetworkWithAHeaderBeyondTheUsualBoundIsRefused() throws IOException {
        Path file = folder.resolve("hostile.safetensors");
        byte[] bytes = new byte[8 + Safetensors.NETWORK_HEADER + 1];
        Arrays.fill(bytes, 8, bytes.length, (byte) ' ');
        ByteBuffer.wrap(bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(bytes.length - 8)
                .putShort((short) 0x7d7b);
        Files.write(file, bytes);
        assertThatThrownBy(() -> Safetensors.open(file).close())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("bytes long but its length is " + (bytes.length - 8));
    }

    @Test
    void randomlyDamagedFilesAreRefusedOrReadAndNothingElse() throws IOException {
        Path file = folder.resolve("hostile.safetensors");
        new SafetensorsWriter()
                .add("a", new long[] {3}, new float[] {1, 2, 3})
                .metadata("k", "v")
                .write(file);
        byte[] good = Files.readAllBytes(file);
        SplittableRandom random = new SplittableRandom(7);
        for (int trial = 0; trial < 500; trial++) {
            byte[] bad = Arrays.copyOf(good, random.nextInt(4) > 0 ? good.length : random.nextInt(good.length));
            for (int flips = random.nextInt(1, 4); flips > 0 && bad.length > 0; flips--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            Files.write(file, bad);
            try (Safetensors read = Safetensors.open(file)) {
                for (String name : read.names()) {
                    read.floats(name);
                }
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("hostile.safetensors");
            }
        }
    }

    @Test
    void aMissingFolderIsNamed() {
        Path file = folder.resolve("missing/x.safetensors");
        assertThatThrownBy(() -> new SafetensorsWriter().write(file))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("missing/x.safetensors");
    }

    private static String entry(String name, String dtype, String shape, int begin, int end) {
        return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape + "],\"data_offsets\":[" + begin
                + "," + end + "]}";
    }

    private Path write(String entries, byte[] data) throws IOException {
        byte[] json = ("{" + entries + "}  ").getBytes(StandardCharsets.UTF_8);
        Path file = folder.resolve("hostile.safetensors");
        try (OutputStream out = Files.newOutputStream(file)) {
            out.write(ByteBuffer.allocate(8)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(json.length)
                    .array());
            out.write(json);
            out.write(data);
        }
        return file;
    }
}
