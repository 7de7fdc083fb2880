package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The full datasets against the paper's Table 1, and against hashes of their pixels computed with NumPy. */
class FullDataTest {

    @BeforeAll
    static void needsTheData() {
        Assumptions.assumeTrue(
                System.getenv(Catalogue.VARIABLE) != null, "WOOD_DATA is not set: the full datasets are not read");
    }

    private static Dataset open(String name, Split split) throws IOException {
        Catalogue catalogue = Catalogue.at(null);
        Assumptions.assumeTrue(
                Catalogue.entry(name).isPresent(catalogue.data(), split), name + " " + split + " is not there");
        return catalogue.open(name, split);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            # name, split, samples, classes, smallest class, largest class, content hash
            mnist, TRAIN, 60000, 10, 5421, 6742, 5bd746476ae6d20d1225a0d733aa08bdc811957648de7d8fc340c9183f0fba25
            mnist, TEST, 10000, 10, 892, 1135, 77e25c6a889c266c27f40928a1996213271f5702ec8f0c0f7f132514695cfe59
            fashion-mnist, TRAIN, 60000, 10, 6000, 6000, 2a9a5c42f1294cf4143dddf25275ab354b7f9165dac84ca05d122303198436a9
            fashion-mnist, TEST, 10000, 10, 1000, 1000, 78955fa6ef714ecbc789718885f0ac053b71237dafc69c7040bd6133de35d8de
            cifar10, TRAIN, 50000, 10, 5000, 5000, bfc9b70a8fd9e7192a255db1053c9699552252b5e8964f01cd8930ad6ad3be5d
            cifar10, TEST, 10000, 10, 1000, 1000, a161636e0184b30a3b1a6655368c8b8c51e5c2c4c856aa10d0c363debd8049b5
            svhn, TRAIN, 20000, 10, 1314, 3784, ab705f229a99e49157140f4ed87b9b8d1bae9c8b05c779885a90598eb947dd43
            svhn, TEST, 26032, 10, 1595, 5099, c0ac9da833cb450929019ef8bd27aeec20108c791beb81c1c469e64d7d54b7c3
            emnist-letters, TEST, 20800, 26, 800, 800, ddd219707ce25a3acd948a2109b0fc5c9c826358691d01435f3ee5826ce24140
            notmnist, TEST, 10000, 10, 1000, 1000, a429059a19b6822a5d35404a51bed2e73c6eca71840d1e36c2a404ca88756a88
            usps, TEST, 2007, 10, 147, 359, 6e552803d6284e1aab8d70e74f3d8340ca9ac499db20e316ac00a5591339c36c
            omniglot, TEST, 4840, 242, 20, 20, -
            tiny-imagenet-r, TEST, 10000, 0, 0, 0, -
            """)
    void hasTheSizeBalanceAndPixelsOfTheOriginal(
            String name, Split split, int size, int classes, int smallest, int largest, String hash)
            throws IOException {
        Dataset dataset = open(name, split);
        assertThat(dataset.size()).isEqualTo(size);
        assertThat(dataset.shape()).isEqualTo(Catalogue.entry(name).shape());
        assertThat(dataset.classes()).hasSize(classes);
        int[] counts = new int[Math.max(1, classes)];
        IntStream.range(0, size).filter(i -> dataset.label(i) >= 0).forEach(i -> counts[dataset.label(i)]++);
        Arrays.sort(counts);
        assertThat(counts[0]).isEqualTo(smallest);
        assertThat(counts[counts.length - 1]).isEqualTo(largest);
        if (!hash.equals("-")) {
            assertThat(dataset.hash()).isEqualTo(hash);
        }
    }

    @ParameterizedTest
    @CsvSource({"mnist", "fashion-mnist", "cifar10"})
    void hasTheSizesOfTheFirstTableInThePaper(String name) throws IOException {
        for (Split split : new Split[] {Split.TRAIN, Split.TEST}) {
            assertThat(open(name, split).size())
                    .isEqualTo(Catalogue.entry(name).split(split).size());
        }
    }

    /** Equal where Java decodes with libjpeg-turbo, as Pillow does; builds of Java bring different libraries. */
    @Test
    void decodesJpegWithinTwoGreyLevelsOfPillow() throws IOException, URISyntaxException {
        Path folder = Catalogue.at(null).data().resolve("tiny-imagenet-200/test/images");
        Dataset pillow = NpyImages.read(
                Path.of(Objects.requireNonNull(FullDataTest.class.getResource("tiny-imagenet-test-0-19.decoded.npy"))
                        .toURI()));
        int different = 0;
        int values = 0;
        for (int i = 0; i < pillow.size(); i++) {
            Image ours = ai.wood.data.transform.Channels.COLOUR.apply(
                    ImageFile.read(folder.resolve("test_" + i + ".JPEG")), new java.util.SplittableRandom(0));
            Image theirs = pillow.get(i).image();
            for (int v = 0; v < theirs.shape().length(); v++) {
                assertThat(Math.abs(ours.get(v) - theirs.get(v))).isLessThanOrEqualTo(2);
                different += ours.get(v) == theirs.get(v) ? 0 : 1;
                values++;
            }
        }
        assertThat((double) different / values).isLessThan(0.05);
    }

    @Test
    void listsTinyImageNetsTrainingPicturesByClass() throws IOException {
        Dataset train = TinyImageNet.open(Catalogue.at(null).data().resolve("tiny-imagenet-200"), Split.TRAIN);
        assertThat(train.classes()).hasSize(200).contains("goldfish", "Egyptian cat", "school bus");
        int[] counts = new int[200];
        IntStream.range(0, train.size()).forEach(i -> counts[train.label(i)]++);
        assertThat(counts).containsOnly(train.size() / 200);
    }

    @Test
    void cropsAreWindowsOfTheWholePicture() throws IOException {
        Dataset crops = open("tiny-imagenet-c", Split.TEST);
        Dataset whole = TinyImageNet.open(Catalogue.at(null).data().resolve("tiny-imagenet-200"), Split.TEST);
        assertThat(crops.shape()).isEqualTo(new Shape(3, 32, 32));
        for (int i = 0; i < 10; i++) {
            Image crop = crops.get(i).image();
            Image picture = whole.get(i).image();
            assertThat(IntStream.range(0, 33 * 33).mapToObj(at -> window(picture, at / 33, at % 33)))
                    .contains(crop);
        }
    }

    private static Image window(Image picture, int top, int left) {
        byte[] values = new byte[3 * 32 * 32];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) picture.get(i / 1024, top + i / 32 % 32, left + i % 32);
        }
        return Image.wrap(new Shape(3, 32, 32), values);
    }
}
