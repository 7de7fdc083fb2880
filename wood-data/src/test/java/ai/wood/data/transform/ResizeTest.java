package ai.wood.data.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.wood.Seed;
import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.Image;
import ai.wood.data.Noise;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResizeTest {

    private static Dataset golden(String name) throws IOException, URISyntaxException {
        Path file = Path.of(Objects.requireNonNull(
                        ResizeTest.class.getResource("/ai/wood/data/tiny-imagenet-test-0-19." + name + ".npy"))
                .toURI());
        return Catalogue.at(null).open("npy:" + file, Split.NONE);
    }

    @Test
    void agreesWithPillowOnEveryPixel() throws IOException, URISyntaxException {
        Dataset decoded = golden("decoded");
        Dataset resized = golden("resized32");
        assertThat(decoded.size()).isEqualTo(20);
        assertThat(decoded.shape()).isEqualTo(new Shape(3, 64, 64));
        for (int i = 0; i < decoded.size(); i++) {
            assertThat(new Resize(32, 32).apply(decoded.get(i).image()))
                    .isEqualTo(resized.get(i).image());
        }
    }

    @ParameterizedTest
    @CsvSource({"28, 28, 32, 32", "32, 32, 28, 28", "5, 7, 3, 11", "1, 1, 4, 4", "64, 48, 1, 1", "9, 9, 9, 4"})
    void staysCloseToTheExactTriangleFilter(int height, int width, int toHeight, int toWidth) {
        Image image = Noise.UNIFORM_NOISE.image(new Shape(3, height, width), new Seed(height).random());
        Image resized = new Resize(toHeight, toWidth).apply(image);
        for (int c = 0; c < 3; c++) {
            for (int y = 0; y < toHeight; y++) {
                for (int x = 0; x < toWidth; x++) {
                    assertThat((double) resized.get(c, y, x))
                            .isCloseTo(
                                    exact(image, c, y, x, toHeight, toWidth),
                                    org.assertj.core.data.Offset.offset(1.01));
                }
            }
        }
    }

    /** The filter's definition in two dimensions at once. */
    private static double exact(Image image, int c, int y, int x, int toHeight, int toWidth) {
        double sum = 0;
        double weights = 0;
        for (int v = 0; v < image.shape().height(); v++) {
            for (int u = 0; u < image.shape().width(); u++) {
                double w = weight(v, y, image.shape().height(), toHeight)
                        * weight(u, x, image.shape().width(), toWidth);
                sum += w * image.get(c, v, u);
                weights += w;
            }
        }
        return sum / weights;
    }

    private static double weight(int from, int to, int length, int toLength) {
        double scale = (double) length / toLength;
        return Math.max(0, 1 - Math.abs(from + 0.5 - (to + 0.5) * scale) / Math.max(1, scale));
    }

    /** In between there would be 30,000 rows of 80,000 values, although the result is small. */
    @Test
    void refusesAnImageThatIsTooLargeInBetween() {
        Image tall = Image.wrap(new Shape(1, 30_000, 2), new byte[60_000]);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Resize(1, 80_000).apply(tall))
                .withMessageContaining("needs an image of 2400000000 values but at most 2147483639 are possible");
    }

    @Test
    void leavesAFlatImageFlat() {
        byte[] values = new byte[3 * 13 * 7];
        java.util.Arrays.fill(values, (byte) 200);
        Image resized = new Resize(29, 31).apply(Image.wrap(new Shape(3, 13, 7), values));
        for (int i = 0; i < resized.shape().length(); i++) {
            assertThat(resized.get(i)).isEqualTo(200);
        }
    }
}
