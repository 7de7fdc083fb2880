package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.Seed;
import ai.wood.data.transform.Normalise;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageTest {

    private static final Shape SHAPE = new Shape(2, 3, 4);

    private static byte[] counting(int length) {
        byte[] values = new byte[length];
        for (int i = 0; i < length; i++) {
            values[i] = (byte) (i + 200);
        }
        return values;
    }

    @Test
    void ownsItsValues() {
        byte[] values = counting(24);
        Image image = Image.of(SHAPE, values);
        values[0] = 0;
        assertThat(image.get(0)).isEqualTo(200);
        image.toArray()[0] = 0;
        assertThat(image.get(0)).isEqualTo(200);
    }

    @Test
    void countsChannelsThenRowsThenColumnsWithoutSign() {
        Image image = Image.of(SHAPE, counting(24));
        assertThat(image.get(1, 2, 3)).isEqualTo((23 + 200) & 0xff);
        assertThat(image.get(0, 0, 1)).isEqualTo(201);
    }

    @Test
    void isEqualByShapeAndValuesWhereverTheyLie() {
        Image view = Image.wrap(SHAPE, counting(100), 40);
        Image copy = Image.of(SHAPE, Arrays.copyOfRange(counting(100), 40, 64));
        assertThat(view).isEqualTo(copy).hasSameHashCodeAs(copy);
        assertThat(Image.wrap(new Shape(2, 4, 3), counting(100), 40)).isNotEqualTo(copy);
        assertThat(Image.wrap(SHAPE, counting(100), 41)).isNotEqualTo(copy);
    }

    @Test
    void aNormalisedImageKeepsItsFloatsAndHasNoPixels() {
        float[] floats = new float[30];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = 0.1f * i - 1.5f;
        }
        Image image = Image.normalised(SHAPE, floats, 6);
        float[] written = new float[25];
        new Normalise(List.of(0.5, 0.4), List.of(0.2, 0.3)).write(image, written, 1);
        assertThat(Arrays.copyOfRange(written, 1, 25)).isEqualTo(Arrays.copyOfRange(floats, 6, 30));
        assertThat(image).isEqualTo(Image.normalised(SHAPE, Arrays.copyOfRange(floats, 6, 30), 0));
        assertThat(image).isNotEqualTo(Image.normalised(SHAPE, floats, 5)).isNotEqualTo(Image.of(SHAPE, counting(24)));
        assertThatThrownBy(() -> image.get(0)).hasMessageContaining("normalised already");
        assertThatThrownBy(image::toArray).hasMessageContaining("normalised already");
        assertThatThrownBy(() -> Image.normalised(SHAPE, floats, 7)).hasMessageContaining("needs 24 values");
    }

    @Test
    void refusesPlacesOutsideItsOwn() {
        Image view = Image.wrap(SHAPE, counting(100), 40);
        assertThatThrownBy(() -> view.get(24)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> view.get(0, 3, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> view.copy(20, new byte[50], 0, 5)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> Image.wrap(SHAPE, counting(100), 77)).hasMessageContaining("needs 24 values");
        assertThatThrownBy(() -> Image.of(SHAPE, counting(25))).hasMessageContaining("got 25");
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 1", "1, -1, 1", "46341, 46341, 1", "2147483647, 2147483647, 2147483647", "3, 65536, 65536"})
    void refusesShapesThatNoImageHas(int channels, int height, int width) {
        assertThatThrownBy(() -> new Shape(channels, height, width)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readsTheShapesItWrites() {
        assertThat(Shape.parse(SHAPE.toString())).isEqualTo(SHAPE);
        assertThatThrownBy(() -> Shape.parse("3x32")).hasMessageContaining("such as 3x32x32");
        assertThatThrownBy(() -> Shape.parse("3x-2x4")).hasMessageContaining("such as 3x32x32");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 1000})
    void permutesEveryNumberOnce(int size) {
        int[] sorted = new Seed(7).permutation(size);
        Arrays.sort(sorted);
        assertThat(sorted).isEqualTo(IntStream.range(0, size).toArray());
    }

    @Test
    void givesEveryPlaceItsOwnRandomNumbers() {
        Set<Long> first = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            for (int j = 0; j < 100; j++) {
                first.add(new Seed(3).at(i).at(j).random().nextLong());
            }
        }
        assertThat(first).hasSize(10_000);
        assertThat(new Seed(3).at(1).at(2))
                .isEqualTo(new Seed(3).at(1).at(2))
                .isNotEqualTo(new Seed(3).at(2).at(1));
        assertThat(new Seed(0).at(0)).isNotEqualTo(new Seed(0));
    }

    @Test
    void permutesEvenly() {
        int[] firstPlaces = new int[5];
        for (int i = 0; i < 10_000; i++) {
            firstPlaces[new Seed(i).permutation(5)[0]]++;
        }
        for (int count : firstPlaces) {
            assertThat(count).isBetween(1_850, 2_150);
        }
    }
}
