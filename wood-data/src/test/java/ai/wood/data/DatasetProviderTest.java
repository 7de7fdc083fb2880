package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.io.Input;
import ai.wood.io.InvalidFileException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DatasetProviderTest {

    private static final Shape SHAPE = new Shape(1, 2, 2);

    @TempDir
    Path folder;

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @AfterEach
    void resetClassLoader() {
        Thread.currentThread().setContextClassLoader(before);
    }

    /** A user's provider. */
    public static final class Ships implements DatasetProvider {
        @Override
        public List<DatasetEntry> datasets() {
            return List.of(DatasetEntry.named("ships", SHAPE, 2)
                    .family("satellite")
                    .licence("CC0")
                    .train(2, "images", "labels")
                    .from(Download.file("https://example.org/images.gz", "0123456789abcdef0123456789abcdef"))
                    .readBy((files, split) ->
                            Idx.read(files.get(0), files.get(1), Labels.of(List.of("tug", "ferry")))));
        }
    }

    /** A provider that takes a name of ours. */
    public static final class Impostor implements DatasetProvider {
        @Override
        public List<DatasetEntry> datasets() {
            return List.of(DatasetEntry.named("mnist", SHAPE, 2).readBy((files, split) -> {
                throw new IOException("not read");
            }));
        }
    }

    private void plugIn(Class<? extends DatasetProvider> provider) throws IOException {
        Path services = Files.createDirectories(folder.resolve("jar/META-INF/services"));
        Files.writeString(services.resolve(DatasetProvider.class.getName()), provider.getName());
        URL[] jars = {folder.resolve("jar").toUri().toURL()};
        Thread.currentThread().setContextClassLoader(new URLClassLoader(jars, before));
    }

    @Test
    void aUsersDatasetOpensByName() throws IOException {
        Path ships = Files.createDirectories(folder.resolve("ships"));
        Files.write(ships.resolve("images"), Fixtures.idxImages(2, 2, 2));
        Files.write(ships.resolve("labels.gz"), Fixtures.gzip(Fixtures.idxLabels(1, 0)));
        Catalogue catalogue = new Catalogue(folder);
        assertThatIllegalArgumentException().isThrownBy(() -> catalogue.open("ships", Split.TRAIN));
        plugIn(Ships.class);
        Dataset dataset = catalogue.open("ships", Split.TRAIN);
        assertThat(dataset.name()).isEqualTo("ships");
        assertThat(dataset.classes()).containsExactly("tug", "ferry");
        assertThat(dataset.label(0)).isEqualTo(1);
        assertThat(catalogue.open("rotated:ships", Split.TRAIN).size()).isEqualTo(2);
        assertThat(Catalogue.names()).contains("ships", "mnist", "blobs");
        assertThat(Catalogue.entry("ships").licence()).isEqualTo("CC0");
        assertThat(Catalogue.family("ships")).contains("satellite");
        assertThatThrownBy(() -> catalogue.open("ship", Split.TRAIN)).hasMessageContaining("Did you mean ships?");
    }

    @Test
    void aNameBelongsToOneProvider() throws IOException {
        plugIn(Impostor.class);
        assertThatIllegalStateException()
                .isThrownBy(Catalogue::entries)
                .withMessageContaining("called mnist")
                .withMessageContaining("DatasetProviderTest$");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a,b", "a+b", "a=b", "a:b", "a/b", "a*2", "A", "..", " "})
    void aNameHasNoSeparators(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DatasetEntry.named(name, SHAPE, 2).readBy((files, split) -> {
                    throw new IOException("not read");
                }))
                .withMessageContaining("'" + name + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "mnist, glyphs",
        "cifar10, objects",
        "tiny-imagenet-c, objects",
        "svhn, house-numbers",
        "textures, textures",
        "blobs, noise"
    })
    void theEntryStatesTheFamily(String name, String family) {
        assertThat(Catalogue.family(name)).contains(family);
    }

    @Test
    void whatNoEntryStatesHasNoFamily() {
        assertThat(Catalogue.family("folder:/photos")).isEmpty();
        assertThat(Catalogue.family("rotated:mnist")).isEmpty();
    }

    private DatasetEntry failing(IOException failure) throws IOException {
        Files.createDirectories(folder.resolve("set"));
        Files.writeString(folder.resolve("set/a"), "content");
        return DatasetEntry.named("set", SHAPE, 2)
                .test(1, "a")
                .from(Download.file("https://example.org/a", null))
                .readBy((files, split) -> {
                    throw failure;
                });
    }

    @Test
    void onlyDamagedContentShouldBeFetchedAgain() throws IOException {
        DatasetEntry damaged = failing(new InvalidFileException("a: at byte 3: wrong"));
        assertThatThrownBy(() -> damaged.open(folder, Split.TEST))
                .isInstanceOf(InvalidFileException.class)
                .hasMessage("a: at byte 3: wrong. Maybe the file is damaged: delete it and run `wood data fetch set`.");
        for (IOException failure : List.of(
                new AccessDeniedException("a"),
                new IOException("No space left on device"),
                new IOException("Input/output error"))) {
            DatasetEntry entry = failing(failure);
            assertThatThrownBy(() -> entry.open(folder, Split.TEST)).isSameAs(failure);
        }
    }

    @Test
    void aFileThatCannotBeReadIsNotCalledDamaged() throws IOException {
        Path mnist = Files.createDirectories(folder.resolve("mnist"));
        Files.write(mnist.resolve("t10k-labels-idx1-ubyte"), Fixtures.idxLabels(1));
        Files.createDirectories(mnist.resolve("t10k-images-idx3-ubyte"));
        assertThatThrownBy(() -> new Catalogue(folder).open("mnist", Split.TEST))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("must be a file but is none")
                .hasMessageNotContaining("damaged");
        Files.delete(mnist.resolve("t10k-images-idx3-ubyte"));
        Files.write(mnist.resolve("t10k-images-idx3-ubyte"), new byte[] {0, 0, 8, 3, 0, 0});
        assertThatThrownBy(() -> new Catalogue(folder).open("mnist", Split.TEST))
                .isInstanceOf(InvalidFileException.class)
                .hasMessageContaining("Maybe the file is damaged");
    }

    @Test
    void aDiskThatFailsWhileReadingIsNotCalledDamaged() throws IOException {
        InputStream broken = new InputStream() {
            private int left = 100;

            @Override
            public int read() {
                throw new UnsupportedOperationException("read by blocks");
            }

            @Override
            public int read(byte[] into, int at, int count) throws IOException {
                if (left == 0) {
                    throw new IOException("Input/output error");
                }
                int read = Math.min(left, count);
                left -= read;
                return read;
            }
        };
        try (Input in = Input.of(broken, "file", 1000)) {
            assertThatThrownBy(() -> in.read(500, "values"))
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(InvalidFileException.class)
                    .hasMessageContaining("file")
                    .hasMessageContaining("Input/output error");
        }
    }
}
