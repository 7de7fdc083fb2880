package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import ai.wood.Seed;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CatalogueTest {

    @TempDir
    Path folder;

    private Catalogue empty() {
        return new Catalogue(folder);
    }

    @ParameterizedTest
    @CsvSource({
        "mnist-small, TRAIN, 10000, 7de478b8044ce39209db0ca9c586e71cf57c1ca5b799c1381b46b9a885b934f5",
        "mnist-small, TEST, 2000, 032bfa13497e137bc1469ae45cdb6706e4644aabc71f436207b7d4a8a0368346",
        "fashion-mnist-small, TRAIN, 6000, f3a1cacadb38a051d755946db0b5c544de10ea3fd32cd829783ac50019df7471",
        "fashion-mnist-small, TEST, 2000, afd48527990da3d1827587604a673c41d5e10a50c3d74c3fcdcc0e9fb56258f8"
    })
    void bundlesBalancedSubsetsThatNeedNoFiles(String name, Split split, int size, String hash) throws IOException {
        Dataset dataset = empty().open(name, split);
        assertThat(dataset.size()).isEqualTo(size);
        assertThat(dataset.split()).isEqualTo(split);
        assertThat(dataset.name()).isEqualTo(name);
        int[] counts = new int[10];
        IntStream.range(0, size).forEach(i -> counts[dataset.label(i)]++);
        assertThat(counts).containsOnly(size / 10);
        assertThat(dataset.hash()).isEqualTo(hash);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mnist", "fashion-mnist"})
    void bundlesWhatTheRecipeMakes(String original) throws IOException {
        assumeThat(System.getenv(Catalogue.VARIABLE))
                .as("WOOD_DATA is not set: needs the full datasets")
                .isNotNull();
        for (Split split : List.of(Split.TRAIN, Split.TEST)) {
            Dataset bundled = empty().open(original + "-small", split);
            assertThat(BundledRecipe.subset(original, split, bundled.size()).hash())
                    .isEqualTo(bundled.hash());
        }
    }

    @ParameterizedTest
    @EnumSource
    void opensNoiseInAnyShape(Noise noise) throws IOException {
        assertThat(empty().open(noise.id(), Split.TEST).shape()).isEqualTo(new Shape(3, 32, 32));
        assertThat(empty().open(noise.id(), Split.TEST, new Shape(1, 28, 28))
                        .get(0)
                        .image()
                        .shape())
                .isEqualTo(new Shape(1, 28, 28));
    }

    @ParameterizedTest
    @EnumSource
    void opensOutliersOfOtherSets(Outliers outliers) throws IOException {
        Dataset dataset = empty().open(outliers.id() + ":mnist-small", Split.TEST);
        assertThat(dataset.name()).isEqualTo(outliers.id() + ":mnist-small");
        assertThat(dataset.size()).isEqualTo(2000);
    }

    @Test
    void opensMixturesByWeight() throws IOException {
        Dataset mixture = empty().open("mix:mnist-small*2.5,jigsaw:fashion-mnist-small,blobs*1", Split.TRAIN);
        assertThat(mixture.name()).isEqualTo("mnist-small+jigsaw:fashion-mnist-small+blobs");
        assertThat(mixture.shape()).isEqualTo(new Shape(1, 28, 28));
        assertThat(mixture.split()).isEqualTo(Split.TRAIN);
        assertThat(mixture.size()).isEqualTo(26_000);
        assertThat(empty().open("mix:blobs", Split.TEST, new Shape(1, 8, 8)).shape())
                .isEqualTo(new Shape(1, 8, 8));
        assertThatThrownBy(() -> empty().open("mix:blobs*0", Split.TEST)).hasMessageContaining("positive");
        assertThatThrownBy(() -> empty().open("jigsaw:mix:mnist-small,blobs", Split.TEST))
                .hasMessageContaining("a mixture must be the outermost but stands within jigsaw:NAME");
        assertThatThrownBy(() -> Catalogue.parts("mix:blobs,usps,mix:mnist,svhn"))
                .hasMessageContaining("stands within another. Maybe give each an option of its own");
        assertThatThrownBy(() -> empty().open("mix:blobs*2,", Split.TEST))
                .hasMessageContaining("at position 13: a part of the mixture is missing");
        assertThatThrownBy(() -> empty().open("mix:blobs*2+minst-small", Split.TEST))
                .hasMessageContaining("part 2 of 'mix:blobs*2+minst-small': there is no dataset 'minst-small'")
                .hasMessageContaining("Did you mean mnist-small?");
    }

    @Test
    void fitsAnySetToANetworksShape() throws IOException {
        Dataset digits = empty().open("mnist-small", Split.TEST, new Shape(3, 32, 32));
        Image image = digits.get(0).image();
        assertThat(image.shape()).isEqualTo(new Shape(3, 32, 32));
        assertThat(image.get(0, 16, 16)).isEqualTo(image.get(2, 16, 16));
        assertThat(digits.split()).isEqualTo(Split.TEST);
        assertThat(digits.label(0))
                .isEqualTo(empty().open("mnist-small", Split.TEST).label(0));
    }

    @Test
    void opensFoldersWithAndWithoutSplits() throws IOException {
        for (String file :
                List.of("pets/train/cat/a.png", "pets/train/dog/b.png", "pets/test/cat/c.png", "flat/d.png")) {
            picture(file);
        }
        Dataset train = empty().open("folder:" + folder.resolve("pets"), Split.TRAIN);
        assertThat(train.split()).isEqualTo(Split.TRAIN);
        assertThat(train.size()).isEqualTo(2);
        Dataset flat = empty().open("folder:" + folder.resolve("flat"), Split.TEST, new Shape(1, 8, 8));
        assertThat(flat.split()).isEqualTo(Split.NONE);
        assertThat(flat.shape()).isEqualTo(new Shape(1, 8, 8));
    }

    /** A class that one part lacks must not shift the labels of the others. */
    @Test
    void labelsOfAllPartsAreThoseOfTrain() throws IOException {
        for (String file : List.of(
                "pets/train/cat/a.png",
                "pets/train/dog/a.png",
                "pets/train/emu/a.png",
                "pets/test/dog/a.png",
                "pets/test/ape/a.png",
                "pets/val/loose.png")) {
            picture(file);
        }
        String pets = "folder:" + folder.resolve("pets");
        assertThat(empty().open(pets, Split.TRAIN).classes()).containsExactly("cat", "dog", "emu");
        Dataset test = empty().open(pets, Split.TEST);
        assertThat(test.classes()).containsExactly("cat", "dog", "emu", "ape");
        assertThat(IntStream.range(0, 2).map(test::label)).containsExactly(3, 1);
        assertThat(empty().open(pets, Split.VALIDATION).classes()).isEmpty();
        Files.delete(folder.resolve("pets/test/ape/a.png"));
        assertThat(empty().open(pets, Split.TEST).classes()).containsExactly("cat", "dog", "emu");
        for (String name : List.of("cat", "dog", "emu")) {
            Files.delete(folder.resolve("pets/train/" + name + "/a.png"));
        }
        assertThat(empty().open(pets, Split.TEST).classes()).containsExactly("dog");
    }

    @Test
    void findsTheLabelsBesideAnIdxFile() throws IOException {
        Files.write(folder.resolve("x-images-idx3-ubyte"), Fixtures.idxImages(2, 3, 3));
        assertThat(empty().open("idx:" + folder.resolve("x-images-idx3-ubyte"), Split.NONE)
                        .classes())
                .isEmpty();
        Files.write(folder.resolve("x-labels-idx1-ubyte"), Fixtures.idxLabels(1, 0));
        assertThat(empty().open("idx:" + folder.resolve("x-images-idx3-ubyte"), Split.NONE)
                        .label(0))
                .isEqualTo(1);
        Files.write(folder.resolve("a.npy"), Fixtures.npy("u1", new byte[9], 1, 3, 3));
        assertThat(empty().open("npy:" + folder.resolve("a.npy"), Split.NONE).size())
                .isEqualTo(1);
    }

    @Test
    void saysWhatThereIsAndWhatToDo() {
        assertThatThrownBy(() -> empty().open("minst", Split.TEST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'minst'")
                .hasMessageContaining("fashion-mnist, cifar10")
                .hasMessageContaining("patch-shuffled:NAME");
        assertThatThrownBy(() -> empty().open("cifar10", Split.TEST))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("test_batch.bin")
                .hasMessageContaining("wood data fetch cifar10");
        assertThatThrownBy(() -> empty().open("cifar10", Split.VALIDATION))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Maybe hold out a part of TRAIN");
    }

    static List<DatasetEntry> entries() {
        return Catalogue.entries();
    }

    @ParameterizedTest
    @MethodSource("entries")
    void everyDownloadIsVerifiableOrReadOnArrival(DatasetEntry dataset) {
        assertThat(dataset.splits()).isNotEmpty();
        for (Download download : dataset.downloads()) {
            assertThat(download.source().isAbsolute()).isTrue();
            String md5 = download.md5();
            assertThat(md5 == null || md5.matches("[0-9a-f]{32}")).isTrue();
            assertThat(md5 != null || !download.isArchive()).isTrue();
        }
    }

    @Test
    void paintsAContactSheet() throws IOException {
        Dataset few = Subset.random(empty().open("fashion-mnist-small", Split.TEST), 23, new Seed(1));
        Path file = folder.resolve("sheet.png");
        new ContactSheet(10, 56).write(few, file);
        BufferedImage sheet = ImageIO.read(file.toFile());
        assertThat(sheet.getWidth()).isEqualTo(10 * 62 + 6);
        assertThat(sheet.getHeight()).isEqualTo(3 * 76 + 6);
        Image first = few.get(0).image();
        for (int y = 0; y < 28; y++) {
            assertThat(sheet.getRGB(6 + 2 * 14, 6 + 2 * y) & 0xff).isEqualTo(first.get(0, y, 14));
        }
    }

    private void picture(String file) throws IOException {
        Files.createDirectories(folder.resolve(file).resolveSibling(".").normalize());
        Files.write(folder.resolve(file), Fixtures.picture(Fixtures.image(new Shape(3, 5, 5), 1), "png"));
    }

    @Test
    void splitsAreNoClassesAndClassesNoSplits() throws IOException {
        picture("split/train/cat/a.png");
        picture("split/val/cat/b.png");
        assertThatThrownBy(() -> empty().open("folder:" + folder.resolve("split"), Split.TEST))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is split into train and val but has no folder test");
        picture("vehicles/bus/a.png");
        picture("vehicles/train/b.png");
        Dataset vehicles = empty().open("folder:" + folder.resolve("vehicles"), Split.TRAIN);
        assertThat(vehicles.classes()).containsExactly("bus", "train");
        assertThat(vehicles.split()).isEqualTo(Split.NONE);
        picture("vehicles/Valve/c.png");
        assertThat(empty().open("folder:" + folder.resolve("vehicles"), Split.TRAIN)
                        .classes())
                .containsExactly("Valve", "bus", "train");
        picture("odd/train/cat/a.png");
        picture("odd/valid/cat/b.png");
        picture("odd/.ipynb_checkpoints/cat/b.png");
        assertThatThrownBy(() -> empty().open("folder:" + folder.resolve("odd"), Split.TRAIN))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll("has valid. Maybe rename", "folder:" + folder.resolve("odd/train"));
        picture("split/__MACOSX/cat/a.png");
        picture("split/train/@eaDir/a.png");
        picture("split/train/cat/@eaDir/a.png/thumbnail.png");
        picture("split/train/cat/._a.png");
        picture("split/train/Zebra/a.png");
        assertThat(empty().open("folder:" + folder.resolve("split"), Split.TRAIN)
                        .classes())
                .containsExactly("Zebra", "cat");
        assertThat(empty().open("folder:" + folder.resolve("split"), Split.TRAIN)
                        .size())
                .as("a picture of each")
                .isEqualTo(2);
    }

    @Test
    void labelsLieBesideTheirImagesPackedOrNot() throws IOException {
        byte[] images = {0, 0, 8, 4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3};
        byte[] labels = {0, 0, 8, 1, 0, 0, 0, 1, 7};
        Path plain = Files.write(folder.resolve("train-images-idx4-ubyte"), images);
        assertThat(empty().open("idx:" + plain, Split.NONE).label(0)).isEqualTo(Sample.UNLABELLED);
        try (OutputStream out =
                new GZIPOutputStream(Files.newOutputStream(folder.resolve("train-labels-idx1-ubyte.gz")))) {
            out.write(labels);
        }
        assertThat(empty().open("idx:" + plain, Split.NONE).label(0)).isEqualTo(7);
    }

    @Test
    void aPackedCopyOfImagesIsNotTakenForTheirLabels() throws IOException {
        byte[] images = Fixtures.idxImages(2, 3, 3);
        Path plain = Files.write(folder.resolve("digits"), images);
        Path packed = folder.resolve("digits.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
            out.write(images);
        }
        for (Path path : List.of(plain, packed)) {
            Dataset digits = empty().open("idx:" + path, Split.NONE);
            assertThat(digits.size()).isEqualTo(2);
            assertThat(digits.label(0)).isEqualTo(Sample.UNLABELLED);
        }
    }

    @Test
    void aDatasetThatIsStillBeingUnpackedIsRefused() throws IOException {
        picture("textures/images/banded/a.png");
        Path archive = Files.writeString(folder.resolve("textures/dtd-r1.0.1.tar.gz"), "not yet deleted");
        assertThat(Catalogue.entry("textures").isPresent(folder, Split.TEST)).isFalse();
        assertThatThrownBy(() -> Catalogue.at(folder).open("textures", Split.TEST))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("was not unpacked to the end")
                .hasMessageContaining("wood data fetch textures");
        Files.delete(archive);
        assertThat(Catalogue.at(folder).open("textures", Split.TEST).size()).isOne();
    }
}
