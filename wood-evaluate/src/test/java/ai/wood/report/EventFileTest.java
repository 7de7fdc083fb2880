package ai.wood.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventFileTest {

    @TempDir
    Path folder;

    @Test
    void checksumsAreMaskedAsTheFormatAsks() {
        // CRC-32C of "123456789" is 0xe3069283 (RFC 3720); masked: rotated right by 15, plus 0xa282ead8
        int crc = 0xe3069283;
        assertThat(EventFile.maskedCrc("123456789".getBytes(StandardCharsets.US_ASCII)))
                .isEqualTo(((crc >>> 15) | (crc << 17)) + 0xa282ead8);
    }

    @Test
    void recordsHoldStepTagAndValueAndLeaveOutWhatIsNotFinite() throws IOException {
        try (EventFile file = new EventFile(folder)) {
            file.add(300, Map.of("accuracy", 0.5));
            file.add(301, Map.of("auroc", Double.NaN));
        }
        List<byte[]> records = records();
        assertThat(records).hasSize(3);
        assertThat(new String(records.get(0), StandardCharsets.UTF_8)).contains("brain.Event:2");
        byte[] event = records.get(1);
        // after the wall time (9 bytes): step 300 as a varint, then summary { value { tag, float } }
        assertThat(event).startsWith(0x09).contains(0x10, 0xac, 0x02);
        assertThat(new String(event, StandardCharsets.ISO_8859_1)).contains("accuracy");
        assertThat(ByteBuffer.wrap(event, event.length - 4, 4)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getFloat())
                .isEqualTo(0.5f);
        assertThat(new String(records.get(2), StandardCharsets.ISO_8859_1)).doesNotContain("auroc");
    }

    private List<byte[]> records() throws IOException {
        Path file;
        try (Stream<Path> files = Files.list(folder)) {
            file = files.findFirst().orElseThrow();
        }
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        List<byte[]> records = new ArrayList<>();
        while (bytes.hasRemaining()) {
            byte[] length = new byte[8];
            bytes.get(length);
            assertThat(bytes.getInt()).isEqualTo(EventFile.maskedCrc(length));
            byte[] event = new byte
                    [(int) ByteBuffer.wrap(length)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .getLong()];
            bytes.get(event);
            assertThat(bytes.getInt()).isEqualTo(EventFile.maskedCrc(event));
            records.add(event);
        }
        return records;
    }
}
