package ai.wood.evaluate;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.data.ArrayDataset;
import ai.wood.data.Dataset;
import ai.wood.data.Shape;
import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputStoreTest {

    private static final int SIZE = 103;
    private static final int CHUNK = 10;

    @TempDir
    Path folder;

    private Dataset dataset;
    private final Counting network = new Counting();

    @BeforeEach
    void data() {
        byte[] values = new byte[SIZE * 4];
        new Random(1).nextBytes(values);
        int[] labels = new int[SIZE];
        for (int i = 0; i < SIZE; i++) {
            labels[i] = i % 3;
        }
        dataset = ArrayDataset.wrap(new Shape(1, 2, 2), values, labels);
    }

    /** Outputs made of an image's values; counts its rows and can be told to fail. */
    private static final class Counting implements NetworkOutputs.Source {
        private int rows;
        private int failAfter = Integer.MAX_VALUE;

        @Override
        public Outputs forward(Dataset part) {
            if (rows + part.size() > failAfter) {
                throw new IllegalStateException("killed");
            }
            rows += part.size();
            return of(part);
        }

        static Outputs of(Dataset part) {
            float[] logits = new float[part.size() * 3];
            float[] features = new float[part.size() * 2];
            float[] layer = new float[part.size()];
            for (int i = 0; i < part.size(); i++) {
                for (int k = 0; k < 3; k++) {
                    logits[i * 3 + k] = part.get(i).image().get(k) / 7f;
                }
                features[2 * i] = part.get(i).image().get(3);
                features[2 * i + 1] = -features[2 * i];
                layer[i] = 1f / (1 + part.get(i).image().get(0));
            }
            return Outputs.ofLogits(Matrix.wrap(logits, 3))
                    .withFeatures(Matrix.wrap(features, 2))
                    .withLayers(Map.of("block1", Matrix.wrap(layer, 1)));
        }
    }

    private OutputStore store(String hash) {
        return new OutputStore(folder, hash, network, (name, done, total) -> {}, CHUNK);
    }

    private Outputs forward() throws IOException {
        return store("network").forward(dataset);
    }

    private Path file() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".outputs"))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void assertRight(Outputs outputs) {
        Outputs fresh = Counting.of(dataset);
        assertThat(outputs.logits()).isEqualTo(fresh.logits());
        assertThat(outputs.features()).isEqualTo(fresh.features());
        assertThat(outputs.layers()).isEqualTo(fresh.layers());
    }

    @Test
    void scoresFromTheStoreAreThoseFromMemory() throws IOException {
        Outputs stored = forward();
        Outputs fresh = Counting.of(dataset);
        assertRight(stored);
        for (String scorer : List.of("wood", "energy", "entropy")) {
            assertThat(ScorerKinds.formula(scorer).score(stored))
                    .containsExactly(ScorerKinds.formula(scorer).score(fresh));
        }
    }

    @Test
    void theNetworkSaysItOnce() throws IOException {
        forward();
        int rows = network.rows;
        assertRight(forward());
        assertThat(network.rows).isEqualTo(rows);
    }

    @Test
    void aKilledPassGoesOnWhereItWas() throws IOException {
        network.failAfter = 55;
        assertThatThrownBy(this::forward).hasMessage("killed");
        network.failAfter = Integer.MAX_VALUE;
        network.rows = 0;
        assertRight(forward());
        assertThat(network.rows).isEqualTo(SIZE - 50);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 31, 32, 33, 1000})
    void aCutFileIsCompleted(int bytes) throws IOException {
        forward();
        try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - bytes);
        }
        network.rows = 0;
        assertRight(forward());
        assertThat(network.rows).isBetween(1, 1 + 1000 / 32);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 40, 500})
    void aChangedByteIsNoticedAndEverythingAfterItSaidAgain(int fromTheEnd) throws IOException {
        forward();
        byte[] bytes = Files.readAllBytes(file());
        bytes[bytes.length - fromTheEnd] ^= 4;
        Files.write(file(), bytes);
        network.rows = 0;
        assertRight(forward());
        assertThat(network.rows).isEqualTo(1 + (fromTheEnd - 1) / 32);
    }

    @Test
    void rowsOfZerosThatACrashLeavesAreNotBelieved() throws IOException {
        network.failAfter = 55;
        assertThatThrownBy(this::forward).hasMessage("killed");
        try (FileChannel channel = FileChannel.open(file(), StandardOpenOption.APPEND)) {
            channel.write(ByteBuffer.allocate(5000));
        }
        network.failAfter = Integer.MAX_VALUE;
        assertRight(forward());
    }

    @Test
    void anotherNetworkOrOtherDataAreNotAnsweredFromTheFile() throws IOException {
        forward();
        network.rows = 0;
        assertRight(store("other").forward(dataset));
        assertThat(network.rows).isGreaterThanOrEqualTo(SIZE);
        Path other = folder.resolve("copy");
        Files.copy(file(), other);
        byte[] changed = Files.readAllBytes(other);
        Files.delete(other);
        dataset = ArrayDataset.wrap(new Shape(1, 2, 2), new byte[SIZE * 4], new int[SIZE]);
        Path place = folder.resolve(dataset.hash().substring(0, 32) + ".outputs");
        Files.write(place, changed);
        assertRight(store("other").forward(dataset));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "short",
                "\2\0\0\0\0\0\0\0{}",
                "\4\0\0\0\0\0\0\0null",
                "\377\377\377\377\377\377\377\177{}",
                "not a file of outputs at all, but somebody's letter"
            })
    void aForeignFileIsRefusedAndStays(String content) throws IOException {
        Path place = folder.resolve(dataset.hash().substring(0, 32) + ".outputs");
        byte[] bytes = content.getBytes(ISO_8859_1);
        Files.write(place, bytes);
        assertThatIOException().isThrownBy(this::forward).withMessageContaining("no file of outputs");
        assertThat(Files.readAllBytes(place)).isEqualTo(bytes);
    }

    @Test
    void hostileHeadersAreRefused() throws IOException {
        forward();
        byte[] bytes = Files.readAllBytes(file());
        String text = new String(bytes, ISO_8859_1);
        for (String logits : List.of("-1", "99999999", "0", "null", "\"a\"")) {
            String changed = text.replace("\"logits\" : 3", "\"logits\" : " + logits);
            Files.write(file(), changed.getBytes(ISO_8859_1));
            assertThatIOException().isThrownBy(this::forward).withMessageContaining(".outputs");
        }
    }

    @Test
    void twoWritersDoNotMeet() throws IOException {
        network.failAfter = 55;
        assertThatThrownBy(this::forward).hasMessage("killed");
        network.failAfter = Integer.MAX_VALUE;
        try (FileChannel channel = FileChannel.open(Path.of(file() + ".lock"), StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            assertThat(lock.isValid()).isTrue();
            assertThatIOException().isThrownBy(this::forward).withMessageContaining("being written already");
        }
    }

    /** The second comes after the first has looked and before it has written. */
    @Test
    void twoThatBeginAtOnceDoNotTakeEachOthersFile() throws IOException {
        List<String> refusals = new ArrayList<>();
        NetworkOutputs.Source slow = part -> {
            if (refusals.isEmpty()) {
                assertThatIOException().isThrownBy(this::forward).satisfies(e -> refusals.add(e.getMessage()));
            }
            return Counting.of(part);
        };
        assertRight(new OutputStore(folder, "network", slow, (name, done, total) -> {}, CHUNK).forward(dataset));
        assertThat(refusals).singleElement().asString().contains("being written already");
        assertRight(forward());
        assertThat(network.rows).isZero();
    }
}
