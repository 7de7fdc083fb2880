package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.Seed;
import ai.wood.data.transform.Transform;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import us.hebi.matlab.mat.types.MatlabType;

/**
 * Damages sound files at random, 17,000 times in all: every reader either reads the result or says with an IOException
 * that names the file why it does not, and sets aside no more memory than the file's size can justify.
 */
class MutationTest {

    private static final int MUTANTS = 1_000;
    private static final long MAX_ALLOCATION = 128 << 20;

    @TempDir
    Path folder;

    /** A reader and a file that it reads. */
    enum Format {
        IDX {
            @Override
            byte[] sound() throws IOException {
                return Fixtures.idxImages(3, 8, 8);
            }

            @Override
            void read(Path file) throws IOException {
                Idx.read(file);
            }
        },
        IDX_COLOUR_PACKED {
            @Override
            byte[] sound() throws IOException {
                return Fixtures.gzip(Fixtures.idxImages(2, 3, 8, 8));
            }

            @Override
            void read(Path file) throws IOException {
                Idx.read(file);
            }
        },
        IDX_LABELS {
            @Override
            byte[] sound() throws IOException {
                return Fixtures.idxLabels(1, 2, 3, 4);
            }

            @Override
            void read(Path file) throws IOException {
                Path images = file.resolveSibling("images");
                if (!Files.exists(images)) {
                    Files.write(images, Fixtures.idxImages(4, 2, 2));
                }
                Idx.read(images, file, Labels.of(KnownClasses.DIGITS));
            }
        },
        CIFAR {
            @Override
            byte[] sound() {
                return Fixtures.cifar(1, 3, 4);
            }

            @Override
            void read(Path file) throws IOException {
                CifarBinary.read10(List.of(file), KnownClasses.CIFAR10);
            }
        },
        MAT {
            @Override
            byte[] sound() throws IOException {
                return Fixtures.mat(4, false, MatlabType.Double);
            }

            @Override
            void read(Path file) throws IOException {
                Mat5.read(file, Labels.svhn());
            }
        },
        MAT_PACKED {
            @Override
            byte[] sound() throws IOException {
                return Fixtures.mat(4, true, MatlabType.UInt8);
            }

            @Override
            void read(Path file) throws IOException {
                Mat5.read(file, Labels.svhn());
            }
        },
        NPY {
            @Override
            byte[] sound() {
                return Fixtures.npy("u1", new byte[96], 2, 4, 4, 3);
            }

            @Override
            void read(Path file) throws IOException {
                NpyImages.read(file);
            }
        },
        NPZ {
            @Override
            byte[] sound() throws IOException {
                return Fixtures.zip(
                        "x.npy",
                        Fixtures.npy("u1", new byte[32], 2, 4, 4),
                        "y.npy",
                        Fixtures.npy("i4", new byte[8], 2));
            }

            @Override
            void read(Path file) throws IOException {
                NpyImages.read(file);
            }
        },
        USPS {
            @Override
            byte[] sound() {
                return Fixtures.usps(3, 4).getBytes(StandardCharsets.US_ASCII);
            }

            @Override
            void read(Path file) throws IOException {
                Usps.read(file);
            }
        },
        PNG {
            @Override
            byte[] sound() throws IOException {
                return Fixtures.picture(Fixtures.image(new Shape(3, 8, 8), 1), "png");
            }
        },
        JPEG {
            @Override
            byte[] sound() throws IOException {
                return Fixtures.picture(Fixtures.image(new Shape(3, 8, 8), 1), "jpg");
            }
        },
        BMP {
            @Override
            byte[] sound() throws IOException {
                return Fixtures.picture(Fixtures.image(new Shape(3, 8, 8), 1), "bmp");
            }
        },
        GIF {
            @Override
            byte[] sound() throws IOException {
                return Fixtures.picture(Fixtures.image(new Shape(1, 8, 8), 1), "gif");
            }
        },
        WEBP {
            @Override
            byte[] sound() {
                return Fixtures.webp();
            }
        },
        ZIP_ARCHIVE {
            @Override
            byte[] sound() throws IOException {
                return Fixtures.zip("a/b/c.txt", new byte[100], "a/d.txt", new byte[3]);
            }

            @Override
            void read(Path file) throws IOException {
                Archive.unpack(file, file.resolveSibling(file.getFileName() + "-out"), ".txt");
            }
        },
        TAR_ARCHIVE {
            @Override
            byte[] sound() throws IOException {
                return FetcherTest.tar("a/b.txt", TarConstants.LF_NORMAL);
            }

            @Override
            void read(Path file) throws IOException {
                Archive.unpack(file, file.resolveSibling(file.getFileName() + "-out"), "");
            }
        },
        ZIPPED_PICTURES {
            @Override
            byte[] sound() throws IOException {
                byte[] picture = Fixtures.picture(Fixtures.image(new Shape(3, 8, 8), 1), "png");
                return Fixtures.zip("a/b/c.png", picture, "a/d/e.png", picture);
            }

            @Override
            void read(Path file) throws IOException {
                ImageZip.read(
                        List.of(file),
                        new Shape(3, 8, 8),
                        Transform.of(new ai.wood.data.transform.Fit(new Shape(3, 8, 8))));
            }
        };

        abstract byte[] sound() throws IOException;

        void read(Path file) throws IOException {
            ImageFile.read(file);
        }
    }

    @ParameterizedTest
    @EnumSource
    void readsOrExplainsEveryDamagedFile(Format format) throws IOException {
        byte[] sound = format.sound();
        format.read(Files.write(folder.resolve("sound"), sound));
        int refused = 0;
        for (int i = 0; i < MUTANTS; i++) {
            byte[] mutant =
                    mutate(sound, new Seed(format.name().hashCode()).at(i).random());
            Path file = Files.write(folder.resolve("mutant-" + i), mutant);
            long before = allocated();
            try {
                format.read(file);
            } catch (IOException e) {
                refused++;
                if (!String.valueOf(e.getMessage()).contains(folder.toString())) {
                    throw new AssertionError("mutant " + i + " is refused without its name", e);
                }
            } catch (RuntimeException | Error e) {
                throw new AssertionError("mutant " + i + " is not refused with an IOException", e);
            }
            Files.delete(file);
            long setAside = allocated() - before;
            if (setAside > MAX_ALLOCATION) {
                throw new AssertionError("mutant " + i + " took " + setAside + " bytes");
            }
        }
        assertThat(refused).as("refused mutants").isBetween(MUTANTS / 50, MUTANTS);
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    /** One to four damages: a changed byte, an extreme number, a piece cut out, doubled or cut off. */
    private static byte[] mutate(byte[] sound, SplittableRandom random) {
        byte[] bytes = sound.clone();
        for (int damages = 1 + random.nextInt(4); damages > 0 && bytes.length > 8; damages--) {
            int at = random.nextInt(random.nextBoolean() ? bytes.length : Math.min(bytes.length, 160));
            switch (random.nextInt(6)) {
                case 0, 1 -> bytes[at] = (byte) random.nextInt(256);
                case 2 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 3 -> {
                    byte extreme = (byte) (random.nextBoolean() ? 0xff : 0x7f);
                    Arrays.fill(bytes, at, Math.min(bytes.length, at + 4), extreme);
                }
                case 4 -> bytes = Arrays.copyOf(bytes, at);
                default -> {
                    int length = Math.min(bytes.length - at, 1 + random.nextInt(16));
                    byte[] longer = Arrays.copyOf(bytes, bytes.length + length);
                    System.arraycopy(bytes, at, longer, at + length, bytes.length - at);
                    bytes = longer;
                }
            }
        }
        return bytes;
    }
}
