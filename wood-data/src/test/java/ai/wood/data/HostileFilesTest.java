package ai.wood.data;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import us.hebi.matlab.mat.types.MatlabType;

/** Every complaint names the file, and none comes from running out of memory. */
class HostileFilesTest {

    @TempDir
    Path folder;

    private Path file(String name, byte[] bytes) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.resolveSibling(".").normalize());
        return Files.write(file, bytes);
    }

    private static AbstractThrowableAssert<?, ?> assertFails(ThrowingCallable reading) {
        return assertThatThrownBy(reading).isInstanceOf(IOException.class);
    }

    @Test
    void tellsALabelFileFromAnImageFile() throws IOException {
        Path labels = file("train-images.gz", Fixtures.gzip(Fixtures.idxLabels(1, 2)));
        assertFails(() -> Idx.read(labels))
                .hasMessage(
                        labels + ": IDX magic is 0x00000801 but images need 0x00000803. Maybe this is the label file.");
    }

    @Test
    void refusesTwoBillionImagesBeforeTakingMemory() throws IOException {
        byte[] bytes = Fixtures.idxImages(1, 28, 28);
        ByteBuffer.wrap(bytes).putInt(4, Integer.MAX_VALUE);
        assertFails(() -> Idx.read(file("a", bytes)))
                .hasMessageContaining("at byte 16: 2147483647 images of 1x28x28 must have 1683627179248 bytes");
        assertFails(() -> Idx.read(file("b.gz", Fixtures.gzip(bytes)))).hasMessageContaining("2147483647 images");
        ByteBuffer.wrap(bytes).putInt(4, 1 << 31);
        assertFails(() -> Idx.read(file("c", bytes))).hasMessageContaining("extent 0 is absurd: 2147483648");
        ByteBuffer.wrap(bytes).putInt(4, 1).putInt(8, Integer.MAX_VALUE).putInt(12, Integer.MAX_VALUE);
        assertFails(() -> Idx.read(file("d", bytes))).hasMessageContaining("an image may have at most");
    }

    @Test
    void saysWhereATruncatedFileEnds() throws IOException {
        byte[] bytes = Fixtures.idxImages(10, 28, 28);
        assertFails(() -> Idx.read(file("plain", Arrays.copyOf(bytes, 7000))))
                .hasMessageContaining("at most 6984 can follow");
        assertFails(() -> Idx.read(file("short", Arrays.copyOf(bytes, 9)))).hasMessageContaining("ends at byte 9");
        byte[] packed = Fixtures.gzip(bytes);
        assertFails(() -> Idx.read(file("cut.gz", Arrays.copyOf(packed, packed.length / 2))))
                .hasMessageContaining("cut.gz: at byte 16: 10 images of 1x28x28 cannot be read");
        assertFails(() -> Idx.read(file("long", Arrays.copyOf(bytes, bytes.length + 1))))
                .hasMessageContaining("at byte 7856: the file must end here");
    }

    @Test
    void saysWhichLabelIsOutOfRange() throws IOException {
        Path images = file("images", Fixtures.idxImages(2, 2, 2));
        Path labels = file("labels", Fixtures.idxLabels(9, 10));
        assertFails(() -> Idx.read(images, labels, Labels.of(KnownClasses.DIGITS)))
                .hasMessage(labels + ": at byte 9: there are 10 classes but the label is 10");
        Path cifar = file("cifar.bin", Fixtures.cifar(1, 3, 10));
        assertFails(() -> CifarBinary.read10(List.of(cifar), KnownClasses.CIFAR10))
                .hasMessage(cifar + ": at byte 3073: there are 10 classes but the label is 10");
        Path three = file("three", Fixtures.idxLabels(1, 2, 3));
        assertFails(() -> Idx.read(images, three)).hasMessageContaining("3 labels and 2 images");
    }

    @Test
    void saysThatACifarFileEndsWithinARecord() throws IOException {
        Path file = file("cut.bin", Arrays.copyOf(Fixtures.cifar(1, 3, 4), 6000));
        assertFails(() -> CifarBinary.read10(List.of(file), KnownClasses.CIFAR10))
                .hasMessageContaining("cut.bin")
                .hasMessageContaining("6000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"idx", "cifar", "mat", "npy", "usps", "picture", "zip", "wnids"})
    void refusesEmptyAndMissingFiles(String format) throws IOException {
        Path empty = file("empty", new byte[0]);
        assertFails(() -> read(format, empty)).hasMessageContaining("empty");
        assertFails(() -> read(format, folder.resolve("missing"))).hasMessageContaining("missing");
    }

    private static void read(String format, Path file) throws IOException {
        switch (format) {
            case "idx" -> Idx.read(file);
            case "cifar" -> CifarBinary.read10(List.of(file), KnownClasses.CIFAR10);
            case "mat" -> Mat5.read(file, Labels.svhn());
            case "npy" -> NpyImages.read(file);
            case "usps" -> Usps.read(file);
            case "picture" -> ImageFile.read(file);
            case "zip" -> ImageZip.read(List.of(file), Shape.GREY_28, ai.wood.data.transform.Transform.of());
            default -> TinyImageNet.open(file, Split.TEST);
        }
    }

    @Test
    void refusesAJpegOfSixtyThousandPixelsSquared() throws IOException {
        byte[] jpeg = Fixtures.picture(Fixtures.image(new Shape(3, 16, 16), 1), "jpg");
        int frame = 0;
        while ((jpeg[frame] & 0xff) != 0xff || (jpeg[frame + 1] & 0xff) != 0xc0) {
            frame++;
        }
        ByteBuffer.wrap(jpeg).putShort(frame + 5, (short) 60_000).putShort(frame + 7, (short) 60_000);
        assertFails(() -> ImageFile.read(file("bomb.jpg", jpeg)))
                .hasMessageContaining("bomb.jpg")
                .hasMessageContaining("claims 60000 x 60000");
    }

    @Test
    void refusesAJpegOfManyScans() throws IOException {
        byte[] jpeg = Fixtures.picture(Fixtures.image(new Shape(3, 16, 16), 1), "jpg");
        int scan = 0;
        while ((jpeg[scan] & 0xff) != 0xff || (jpeg[scan + 1] & 0xff) != 0xda) {
            scan++;
        }
        int length = jpeg.length - 2 - scan;
        ByteBuffer bomb = ByteBuffer.allocate(scan + 101 * length + 2).put(jpeg, 0, scan);
        for (int i = 0; i < 101; i++) {
            bomb.put(jpeg, scan, length);
        }
        assertFails(() -> ImageFile.read(file("bomb.jpg", bomb.array())))
                .hasMessageContaining("bomb.jpg: a JPEG may have at most 100 scans");
        ByteBuffer film = ByteBuffer.allocate(jpeg.length + 101 * length).put(jpeg); // as telephones append one
        for (int i = 0; i < 101; i++) {
            film.put(jpeg, scan, length);
        }
        assertThat(ImageFile.read(file("film.jpg", film.array())).shape()).isEqualTo(new Shape(3, 16, 16));
    }

    @Test
    void refusesAJpegOrPngWithinABmp() throws IOException {
        byte[] bmp = Fixtures.picture(Fixtures.image(new Shape(3, 16, 16), 1), "bmp");
        for (int compression : new int[] {4, 5}) {
            ByteBuffer.wrap(bmp).order(ByteOrder.LITTLE_ENDIAN).putInt(30, compression);
            assertFails(() -> ImageFile.read(file("bomb.bmp", bmp)))
                    .hasMessageContaining("bomb.bmp: a BMP must hold pixels");
        }
    }

    /** The frame is what is decoded, whatever the canvas around it. */
    @Test
    void refusesAWebpWhoseFrameIsLargerThanItsCanvas() throws IOException {
        byte[] lossy = {0, 0, 0, (byte) 0x9d, 1, 0x2a, (byte) 0xff, 0x3f, (byte) 0xff, 0x3f, 0, 0};
        byte[] lossless = {0x2f, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f, 0};
        byte[] canvas = new byte[10]; // one pixel
        byte[] animated = new byte[10];
        animated[0] = 2;
        assertFails(() -> ImageFile.read(file("a.webp", webp("VP8X", canvas, "VP8 ", lossy))))
                .hasMessageContaining("a.webp: a picture of this size in bytes may have at most")
                .hasMessageContaining("claims 16383 x 16383");
        assertFails(() -> ImageFile.read(file("b.webp", webp("VP8X", canvas, "VP8L", lossless))))
                .hasMessageContaining("claims 16384 x 16384");
        byte[] frame = ByteBuffer.allocate(16 + 8 + lossy.length)
                .put(16, webp("VP8 ", lossy), 12, 8 + lossy.length)
                .array();
        assertFails(() -> ImageFile.read(file("c.webp", webp("VP8X", animated, "ANMF", frame))))
                .hasMessageContaining("claims 16383 x 16383");
    }

    /** Pairs of names and contents. */
    private static byte[] webp(Object... chunks) {
        ByteBuffer file = ByteBuffer.allocate(1000).order(ByteOrder.LITTLE_ENDIAN);
        file.put("RIFF".getBytes(ISO_8859_1)).putInt(0).put("WEBP".getBytes(ISO_8859_1));
        for (int i = 0; i < chunks.length; i += 2) {
            byte[] content = (byte[]) chunks[i + 1];
            file.put(((String) chunks[i]).getBytes(ISO_8859_1))
                    .putInt(content.length)
                    .put(content);
        }
        file.putInt(4, file.position() - 8);
        return Arrays.copyOf(file.array(), file.position());
    }

    @Test
    void refusesALinkOutOfTheFolder() throws IOException {
        Path secret = file("secret.png", Fixtures.picture(Fixtures.image(new Shape(3, 4, 4), 1), "png"));
        file("set/cat/a.png", Files.readAllBytes(secret));
        Path link = Files.createSymbolicLink(folder.resolve("set/cat/b.png"), secret);
        assertFails(() -> ImageFolder.open(folder.resolve("set"), null))
                .hasMessageContaining(link.toString())
                .hasMessageContaining("must stay within");
        Files.delete(link);
        Files.createDirectories(folder.resolve("elsewhere/deep"));
        Files.createSymbolicLink(folder.resolve("set/dog"), folder.resolve("elsewhere"));
        assertFails(() -> ImageFolder.open(folder.resolve("set"), null)).hasMessageContaining("must stay within");
        Files.delete(folder.resolve("set/dog"));
        Files.createSymbolicLink(folder.resolve("set/cat/c.png"), folder.resolve("set/cat/a.png"));
        assertThat(ImageFolder.open(folder.resolve("set"), null).size()).isEqualTo(2);
    }

    @Test
    void aFolderThatIsALinkIsEntered() throws IOException {
        file("set/cat/a.png", Fixtures.picture(Fixtures.image(new Shape(3, 4, 4), 1), "png"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("set"));
        assertThat(ImageFolder.pictures(link)).containsExactly(link.resolve("cat/a.png"));
        Files.createSymbolicLink(folder.resolve("set/kitten"), folder.resolve("set/cat"));
        ImageFolder set = ImageFolder.open(link, null);
        assertThat(set.classes()).containsExactly("cat", "kitten");
        assertThat(set.size()).isEqualTo(2);
    }

    /** A TIFF of one pixel may lie in a tile of gigabytes. */
    @Test
    void refusesFormatsWhoseExtentsCannotBeChecked() throws IOException {
        Path file = file("a.png", Fixtures.picture(Fixtures.image(new Shape(3, 4, 4), 1), "tiff"));
        assertFails(() -> ImageFile.read(file)).hasMessageContainingAll(file.toString(), "none of these");
    }

    @Test
    void refusesTextThatIsNoPicture() throws IOException {
        Path file = file("set/cat/a.png", "no picture".getBytes(StandardCharsets.UTF_8));
        assertFails(() -> ImageFolder.open(folder.resolve("set"), null)).hasMessageContaining(file.toString());
        assertFails(() -> ImageFolder.open(folder.resolve("nothing"), null)).hasMessageContaining("does not exist");
    }

    @Test
    void namesTheDamagedPictureAmongMany() throws IOException {
        byte[] sound = Fixtures.picture(Fixtures.image(new Shape(3, 4, 4), 1), "png");
        for (int i = 0; i < 20; i++) {
            file("set/cat/" + i + ".png", sound);
        }
        Path damaged = file("set/cat/7.png", Arrays.copyOf(sound, 40));
        assertFails(() -> new Catalogue(folder).open("folder:" + folder.resolve("set"), Split.NONE))
                .hasMessageContaining(damaged.toString())
                .hasMessageContaining("is damaged around byte");
    }

    @Test
    void refusesAPictureThatWasCutShort() throws IOException {
        for (String format : List.of("jpg", "png", "bmp", "gif")) {
            byte[] sound = Fixtures.picture(Fixtures.image(new Shape(3, 64, 64), 1), format);
            assertThat(ImageFile.read(file("sound." + format, sound)).shape()).isEqualTo(new Shape(3, 64, 64));
            Path cut = file("cut." + format, Arrays.copyOf(sound, sound.length / 2));
            assertFails(() -> ImageFile.read(cut))
                    .hasMessageContaining(cut + ": is damaged around byte")
                    .hasMessageNotContaining("Exception");
        }
        byte[] jpeg = Fixtures.picture(Fixtures.image(new Shape(3, 64, 64), 1), "jpg");
        Path open = file("open.jpg", Arrays.copyOf(jpeg, jpeg.length - 2)); // all pixels, but no end mark
        assertThat(ImageFile.read(open).shape()).isEqualTo(new Shape(3, 64, 64));
    }

    @Test
    void refusesMatlabTagsThatClaimGigabytes() throws IOException {
        byte[] bytes = Fixtures.mat(3, false, MatlabType.UInt8);
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        int refused = 0;
        for (int at = 128; at + 8 <= bytes.length; at += 8) {
            int before = buffer.getInt(at + 4);
            buffer.putInt(at + 4, 0x7ffffff8);
            Path file = file("claim.mat", bytes);
            try {
                Mat5.read(file, Labels.svhn()); // where the number was a pixel's
            } catch (IOException e) {
                refused++;
                assertThat(e).hasMessageContaining("claim.mat").hasMessageContaining("byte");
            }
            buffer.putInt(at + 4, before);
        }
        assertThat(refused).isGreaterThan(10);
    }

    @Test
    void tellsHdf5FromMatlab5() throws IOException {
        assertFails(() -> Mat5.read(file("new.mat", new byte[600]), Labels.svhn()))
                .hasMessageContaining("-v7");
    }

    @Test
    void refusesNumpyArraysThatAreNoImages() throws IOException {
        assertFails(() -> NpyImages.read(file("f.npy", Fixtures.npy("f4", new byte[48], 1, 3, 4))))
                .hasMessageContaining("f4");
        assertFails(() -> NpyImages.read(file("r.npy", Fixtures.npy("u1", new byte[48], 1, 2, 4, 6))))
                .hasMessageContaining("N x 2 x 4 x 6");
        assertFails(() -> NpyImages.read(file("h.npy", Fixtures.npy("u1", new byte[48], 1L << 40, 1L << 40, 3))))
                .hasMessageContaining("absurd");
        assertFails(() -> NpyImages.read(file("l.npy", Fixtures.npy("u1", new byte[48], 1L << 31, 28, 28))))
                .hasMessageContaining("l.npy");
    }

    @ParameterizedTest
    @ValueSource(strings = {"7 1 2 3", "x", "7 nan", ""})
    void refusesUspsLinesThatAreNone(String line) throws IOException {
        Path file = file("usps", (line + "\n").getBytes(StandardCharsets.US_ASCII));
        assertFails(() -> Usps.read(file)).hasMessageContaining("usps: at byte");
    }

    @Test
    void refusesUspsNumbersOutOfRange() throws IOException {
        Path file = file("usps", Fixtures.usps(3).replace(" 1.000", " 1.001").getBytes(StandardCharsets.US_ASCII));
        assertFails(() -> Usps.read(file)).hasMessageContaining("1.001");
        Path endless = file("endless", new byte[100_000]);
        assertFails(() -> Usps.read(endless)).hasMessageContaining("at most 8192 characters");
    }

    @Test
    void refusesUspsLinesWithoutEnd() throws IOException {
        String line = "7" + " 0".repeat(256) + "\n";
        Path file = file("usps.gz", Fixtures.gzip(line.repeat(100_001).getBytes(StandardCharsets.US_ASCII)));
        assertThat(file)
                .as("a small file")
                .satisfies(small -> assertThat(Files.size(small)).isLessThan(1 << 20));
        assertFails(() -> Usps.read(file)).hasMessageContaining("may have 100000 lines but goes on");
    }
}
