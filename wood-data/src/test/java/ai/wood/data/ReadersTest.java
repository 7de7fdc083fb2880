package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.awt.Transparency;
import java.awt.color.ColorSpace;
import java.awt.color.ICC_Profile;
import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.awt.image.WritableRaster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import us.hebi.matlab.mat.types.MatlabType;

class ReadersTest {

    @TempDir
    Path folder;

    private Path file(String name, byte[] bytes) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.resolveSibling(".").normalize());
        return Files.write(file, bytes);
    }

    private static int[] labels(Dataset dataset) {
        return IntStream.range(0, dataset.size()).map(dataset::label).toArray();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readsIdxPlainAndPackedWhateverTheName(boolean packed) throws IOException {
        byte[] images = Fixtures.idxImages(3, 4, 5);
        byte[] labels = Fixtures.idxLabels(2, 0, 1);
        Dataset dataset = Idx.read(
                file("images", packed ? Fixtures.gzip(images) : images),
                file("labels", packed ? Fixtures.gzip(labels) : labels));
        assertThat(dataset.shape()).isEqualTo(new Shape(1, 4, 5));
        assertThat(labels(dataset)).containsExactly(2, 0, 1);
        assertThat(dataset.classes()).containsExactly("0", "1", "2");
        assertThat(dataset.get(1).image().get(0, 2, 3)).isEqualTo((20 + 13) * 7 & 0xff);
    }

    @Test
    void readsColourIdxWithoutLabels() throws IOException {
        Dataset dataset = Idx.read(file("images", Fixtures.idxImages(2, 3, 4, 5)));
        assertThat(dataset.shape()).isEqualTo(new Shape(3, 4, 5));
        assertThat(labels(dataset)).containsOnly(Sample.UNLABELLED);
        assertThat(dataset.classes()).isEmpty();
    }

    /** As 4 x 5 pixels of three values each; as four channels of 5 x 3 they would be no pictures. */
    @Test
    void readsColourIdxWithChannelsLast() throws IOException {
        Dataset dataset = Idx.read(file("images", Fixtures.idxImages(2, 4, 5, 3)));
        assertThat(dataset.shape()).isEqualTo(new Shape(3, 4, 5));
        assertThat(dataset.get(1).image().get(2, 3, 4)).isEqualTo((2 * 60 - 1) * 7 & 0xff);
        assertThat(dataset.get(1).image().get(1, 0, 1)).isEqualTo((60 + 4) * 7 & 0xff);
        byte[] four = Fixtures.idxImages(2, 4, 5, 6);
        assertThatThrownBy(() -> Idx.read(file("four", four)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("with 1 or 3 channels but are N x 4 x 5 x 6");
    }

    @Test
    void readsTheIdxFilesThatTheRecipeWrites() throws IOException {
        Dataset dataset = ArrayDataset.wrap(
                new Shape(3, 2, 2), Fixtures.image(new Shape(3, 2, 6), 1).toArray(), new int[] {0, 4, 2});
        BundledRecipe.write(dataset, folder.resolve("i.gz"), folder.resolve("l.gz"));
        assertThat(Idx.read(folder.resolve("i.gz"), folder.resolve("l.gz")).hash())
                .isEqualTo(dataset.hash());
    }

    @Test
    void readsCifarFilesOneAfterAnother() throws IOException {
        Path one = file("1.bin", Fixtures.cifar(1, 3, 9));
        Path two = file("2.bin", Fixtures.cifar(1, 0));
        Dataset dataset = CifarBinary.read10(List.of(one, two), KnownClasses.CIFAR10);
        assertThat(labels(dataset)).containsExactly(3, 9, 0);
        assertThat(dataset.get(1).image().get(2, 31, 31)).isEqualTo((1 + 3 * 3071) & 0xff);
    }

    @Test
    void readsPackedCifarFiles() throws IOException {
        byte[] records = Fixtures.cifar(1, 3, 9);
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(packed)) {
            out.write(records);
        }
        Path file = file("1.bin.gz", packed.toByteArray());
        assertThat(labels(CifarBinary.read10(List.of(file), KnownClasses.CIFAR10)))
                .containsExactly(3, 9);
        Path cut = file("2.bin.gz", Arrays.copyOf(packed.toByteArray(), packed.size() - 9));
        assertThatThrownBy(() -> CifarBinary.read10(List.of(cut), KnownClasses.CIFAR10))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("2.bin.gz: is damaged");
    }

    /** As Pillow takes it; Java would make the values those of another colour space. */
    @Test
    void takesTheValuesOfAJpegAsTheyAreWhateverItsProfile() throws IOException {
        byte[] values = new byte[3 * 64];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) new int[] {96, 160, 64}[i / 64];
        }
        byte[] jpeg = Fixtures.picture(Image.wrap(new Shape(3, 8, 8), values), "jpg");
        byte[] profile = ICC_Profile.getInstance(ColorSpace.CS_LINEAR_RGB).getData();
        byte[] name = "ICC_PROFILE\0\1\1".getBytes(StandardCharsets.ISO_8859_1);
        int length = 2 + name.length + profile.length;
        ByteBuffer profiled = ByteBuffer.allocate(jpeg.length + 2 + length)
                .put(jpeg, 0, 2)
                .putShort((short) 0xffe2)
                .putShort((short) length)
                .put(name)
                .put(profile)
                .put(jpeg, 2, jpeg.length - 2);
        assertThat(ImageFile.read(profiled.array(), "test")).isEqualTo(ImageFile.read(jpeg, "test"));
    }

    @Test
    void takesTheValuesOfAWebpAsTheyAreWhateverItsProfile() throws IOException {
        byte[] plain = Fixtures.webp();
        byte[] profile = ICC_Profile.getInstance(ColorSpace.CS_LINEAR_RGB).getData();
        int padding = profile.length % 2;
        ByteBuffer profiled = ByteBuffer.allocate(plain.length + 18 + 8 + profile.length + padding)
                .order(ByteOrder.LITTLE_ENDIAN);
        profiled.put(plain, 0, 12).putInt(4, profiled.capacity() - 8);
        profiled.put("VP8X".getBytes(StandardCharsets.US_ASCII)).putInt(10).put((byte) 0x20); // a canvas of one pixel
        profiled.position(profiled.position() + 9);
        profiled.put("ICCP".getBytes(StandardCharsets.US_ASCII))
                .putInt(profile.length)
                .put(profile);
        profiled.position(profiled.position() + padding).put(plain, 12, plain.length - 12);
        assertThat(ImageFile.read(profiled.array(), "test")).isEqualTo(ImageFile.read(plain, "test"));
    }

    @Test
    void readsTheFineLabelsOfCifar100() throws IOException {
        Dataset dataset =
                CifarBinary.read100(List.of(file("train.bin", Fixtures.cifar(2, 99, 0))), KnownClasses.CIFAR100);
        assertThat(labels(dataset)).containsExactly(99, 0);
        assertThat(dataset.get(0).image().get(0)).isZero();
        assertThat(KnownClasses.CIFAR100).hasSize(100).isSorted().doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource(names = {"UInt8", "Int16", "Int32", "Single", "Double", "UInt64"})
    void readsMatlabFilesAsAnotherLibraryWroteThem(MatlabType labelType) throws IOException {
        Dataset plain = Mat5.read(file("plain.mat", Fixtures.mat(12, false, labelType)), Labels.svhn());
        Dataset packed = Mat5.read(file("packed.mat", Fixtures.mat(12, true, labelType)), Labels.svhn());
        assertThat(plain.shape()).isEqualTo(new Shape(3, 4, 5));
        assertThat(labels(plain)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2);
        assertThat(plain.get(11).image().get(2, 3, 4)).isEqualTo(3 + 16 + 100 + 77);
        assertThat(packed.hash()).isEqualTo(plain.hash());
    }

    @Test
    void readsNumpyArraysInEitherLayout() throws IOException {
        byte[] values = Fixtures.image(new Shape(1, 2, 60), 3).toArray();
        Dataset last = NpyImages.read(file("last.npy", Fixtures.npy("u1", values, 2, 4, 5, 3)));
        Dataset first = NpyImages.read(file("first.npy", Fixtures.npy("u1", values, 2, 3, 4, 5)));
        Dataset grey = NpyImages.read(file("grey.npy", Fixtures.npy("u1", values, 6, 4, 5)));
        assertThat(List.of(last.shape(), first.shape(), grey.shape()))
                .containsExactly(new Shape(3, 4, 5), new Shape(3, 4, 5), new Shape(1, 4, 5));
        assertThat(last.get(1).image().get(2, 3, 1)).isEqualTo(values[60 + (3 * 5 + 1) * 3 + 2] & 0xff);
        assertThat(first.get(1).image().get(2, 3, 1)).isEqualTo(values[60 + 2 * 20 + 3 * 5 + 1] & 0xff);
    }

    @Test
    void readsNumpyArchivesWithLabels() throws IOException {
        byte[] labels = {2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
        Dataset dataset = NpyImages.read(file(
                "set.npz",
                Fixtures.zip(
                        "y.npy", Fixtures.npy("i8", labels, 2), "x.npy", Fixtures.npy("u1", new byte[18], 2, 3, 3))));
        assertThat(labels(dataset)).containsExactly(2, 1);
        assertThat(dataset.classes()).hasSize(3);
    }

    @Test
    void readsUspsText() throws IOException {
        byte[] text = Fixtures.usps(7, 0).getBytes(StandardCharsets.US_ASCII);
        Dataset dataset = Usps.read(file("zip.test.gz", Fixtures.gzip(text)));
        assertThat(labels(dataset)).containsExactly(7, 0);
        assertThat(dataset.get(0).image().get(0)).isZero();
        assertThat(dataset.get(0).image().get(20)).isEqualTo(255);
        assertThat(dataset.get(0).image().get(10)).isEqualTo(128);
    }

    @ParameterizedTest
    @ValueSource(strings = {"png", "bmp"})
    void decodesLosslessPicturesExactly(String format) throws IOException {
        Image colour = Fixtures.image(new Shape(3, 9, 13), 5);
        assertThat(ImageFile.read(Fixtures.picture(colour, format), "test")).isEqualTo(colour);
    }

    @Test
    void keepsGreyLevelsAsTheyAreStored() throws IOException {
        Image grey = Fixtures.image(new Shape(1, 16, 16), 5);
        assertThat(ImageFile.read(Fixtures.picture(grey, "png"), "test")).isEqualTo(grey);
        Path file = folder.resolve("grey.png");
        ImageFile.writePng(grey, file);
        assertThat(ImageFile.read(file).get(1, 7, 7)).isEqualTo(grey.get(0, 7, 7));
    }

    /** What Pillow's {@code convert("RGB")} makes of the same file. */
    @Test
    void inksBecomeLightAsInPillow() throws IOException {
        Image image = ImageFile.read(Fixtures.cmyk(), "test");
        assertThat(image.shape()).isEqualTo(new Shape(3, 8, 8));
        assertThat(IntStream.range(0, 3).map(c -> image.get(c, 3, 3))).containsExactly(148, 80, 215);
    }

    @ParameterizedTest
    @CsvSource({"1, 255", "2, 85", "4, 17"})
    void greysOfFewBitsHaveOneChannel(int bits, int step) {
        int levels = 1 << bits;
        byte[] values = new byte[levels];
        for (int i = 0; i < levels; i++) {
            values[i] = (byte) (i * step);
        }
        BufferedImage picture = new BufferedImage(
                levels, 1, BufferedImage.TYPE_BYTE_BINARY, new IndexColorModel(bits, levels, values, values, values));
        for (int i = 0; i < levels; i++) {
            picture.getRaster().setSample(i, 0, 0, i);
        }
        assertThat(Pixels.image(picture)).isEqualTo(Image.of(new Shape(1, 1, levels), values));
    }

    /** As greys do, and as Pillow has it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void coloursOfSixteenBitsKeepTheUpperEight(boolean alpha) {
        ColorModel model = new ComponentColorModel(
                ColorSpace.getInstance(ColorSpace.CS_sRGB),
                alpha,
                false,
                alpha ? Transparency.TRANSLUCENT : Transparency.OPAQUE,
                DataBuffer.TYPE_USHORT);
        WritableRaster raster = model.createCompatibleWritableRaster(2, 1);
        raster.setPixel(0, 0, new int[] {0x00ff, 0x80ff, 0xfeff, 0x1234});
        raster.setPixel(1, 0, new int[] {0xffff, 0x0100, 0x7f80, 0xffff});
        byte[] values = {0, (byte) 0xff, (byte) 0x80, 1, (byte) 0xfe, 0x7f};
        assertThat(Pixels.image(new BufferedImage(model, raster, false, null)))
                .isEqualTo(Image.of(new Shape(3, 1, 2), values));
    }

    @Test
    void otherPalettesHaveThreeChannels() {
        byte[] reds = {0, (byte) 255};
        byte[] others = {0, (byte) 254};
        BufferedImage picture = new BufferedImage(
                2, 1, BufferedImage.TYPE_BYTE_BINARY, new IndexColorModel(1, 2, reds, others, others));
        assertThat(Pixels.image(picture).shape()).isEqualTo(new Shape(3, 1, 2));
    }

    @Test
    void decodesJpegNearlyAndWebpAtAll() throws IOException {
        byte[] values = new byte[3 * 64];
        Arrays.fill(values, (byte) 90);
        Image flat = Image.wrap(new Shape(3, 8, 8), values);
        Image jpeg = ImageFile.read(Fixtures.picture(flat, "jpg"), "test");
        assertThat(jpeg.get(1, 3, 3)).isBetween(88, 92);
        assertThat(ImageFile.read(Fixtures.webp(), "test").shape()).isEqualTo(new Shape(3, 1, 1));
    }

    @Test
    void takesSubFoldersAsClassesInAlphabeticalOrder() throws IOException {
        Image cat = Fixtures.image(new Shape(3, 6, 6), 1);
        Image dog = Fixtures.image(new Shape(3, 6, 6), 2);
        file("pets/dog/b.png", Fixtures.picture(dog, "png"));
        file("pets/cat/deep/a.PNG", Fixtures.picture(cat, "png"));
        file("pets/cat/notes.txt", new byte[3]);
        file("pets/empty/readme.md", new byte[3]);
        ImageFolder pets = ImageFolder.open(folder.resolve("pets"), null);
        assertThat(pets.classes()).containsExactly("cat", "dog");
        assertThat(pets.get(0)).isEqualTo(new Sample(cat, 0));
        assertThat(pets.get(1)).isEqualTo(new Sample(dog, 1));
        assertThat(ArrayDataset.copyOf(pets).hash()).isEqualTo(pets.hash());
    }

    @Test
    void takesAFlatFolderAsUnlabelledAndFitsItsPictures() throws IOException {
        file("flat/a.png", Fixtures.picture(Fixtures.image(new Shape(3, 6, 9), 1), "png"));
        file("flat/b.bmp", Fixtures.picture(Fixtures.image(new Shape(3, 40, 20), 2), "bmp"));
        ImageFolder flat = ImageFolder.open(folder.resolve("flat"), new Shape(1, 8, 8));
        assertThat(flat.classes()).isEmpty();
        assertThat(flat.get(0).image().shape()).isEqualTo(new Shape(1, 8, 8));
        assertThat(flat.get(1).label()).isEqualTo(Sample.UNLABELLED);
    }

    @Test
    void readsTinyImageNetsThreeSplits() throws IOException {
        byte[] picture = Fixtures.picture(Fixtures.image(new Shape(3, 64, 64), 1), "jpg");
        file("tiny/wnids.txt", "n2\nn1\n".getBytes(StandardCharsets.UTF_8));
        file("tiny/words.txt", "n1\tcat, true cat\nn2\tdog\nn3\tcow\n".getBytes(StandardCharsets.UTF_8));
        file("tiny/train/n1/images/n1_0.JPEG", picture);
        file("tiny/train/n2/images/n2_0.JPEG", picture);
        file("tiny/train/n2/images/n2_1.JPEG", picture);
        file("tiny/val/images/val_0.JPEG", picture);
        file("tiny/val/val_annotations.txt", "val_0.JPEG\tn1\t0\t0\t5\t5\n".getBytes(StandardCharsets.UTF_8));
        file("tiny/test/images/test_0.JPEG", picture);
        Dataset train = TinyImageNet.open(folder.resolve("tiny"), Split.TRAIN);
        assertThat(train.classes()).containsExactly("dog", "cat");
        assertThat(labels(train)).containsExactly(0, 0, 1);
        assertThat(train.get(2).image().shape()).isEqualTo(TinyImageNet.SHAPE);
        assertThat(labels(TinyImageNet.open(folder.resolve("tiny"), Split.VALIDATION)))
                .containsExactly(1);
        assertThat(labels(TinyImageNet.open(folder.resolve("tiny"), Split.TEST)))
                .containsExactly(Sample.UNLABELLED);
    }

    @Test
    void readsZippedPicturesOnceEach() throws IOException {
        Image a = Fixtures.image(new Shape(3, 4, 4), 1);
        Image b = Fixtures.image(new Shape(3, 4, 4), 2);
        Path one = file(
                "1.zip",
                Fixtures.zip("one/y/b.png", Fixtures.picture(b, "png"), "one/x/a.png", Fixtures.picture(a, "png")));
        Path two = file("2.zip", Fixtures.zip("two/x/a.png", Fixtures.picture(a, "png")));
        Dataset dataset = ImageZip.read(List.of(one, two), a.shape(), ai.wood.data.transform.Transform.of());
        assertThat(dataset.classes()).containsExactly("x", "y");
        assertThat(dataset.get(0)).isEqualTo(new Sample(a, 0));
        assertThat(dataset.get(1)).isEqualTo(new Sample(b, 1));
    }

    @ParameterizedTest
    @CsvSource({"u1, 200, 200", "b1, 1, 1", "u2, 40000, 40000", "u4, 70000, 70000", "i2, 300, 300"})
    void labelsAreReadByTheirType(String type, int label, int expected) throws IOException {
        int width = type.charAt(1) - '0';
        byte[] bytes = {(byte) label, (byte) (label >> 8), (byte) (label >> 16), (byte) (label >> 24)};
        Dataset dataset = NpyImages.read(file("set.npz", archive(type, Arrays.copyOf(bytes, width))));
        assertThat(labels(dataset)).containsExactly(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"i1", "i2", "i4", "i8"})
    void negativeLabelsAreRefused(String type) {
        byte[] minusOne = new byte[type.charAt(1) - '0'];
        Arrays.fill(minusOne, (byte) -1);
        assertThatThrownBy(() -> NpyImages.read(file("set.npz", archive(type, minusOne))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("-1");
    }

    private static byte[] archive(String type, byte[] label) throws IOException {
        return Fixtures.zip("y.npy", Fixtures.npy(type, label, 1), "x.npy", Fixtures.npy("u1", new byte[9], 1, 3, 3));
    }
}
