package ai.wood.data.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.Seed;
import ai.wood.data.Image;
import ai.wood.data.Noise;
import ai.wood.data.Shape;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TransformTest {

    @Test
    void moreMeansThanAnImageHasChannelsAreRefused() {
        List<Double> many = Collections.nCopies(100_000, 1.0);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Normalise(many, many))
                .withMessageContaining("100000 means");
    }

    private static final Shape SHAPE = new Shape(3, 12, 10);
    private static final Image IMAGE = Noise.UNIFORM_NOISE.image(SHAPE, new Seed(1).random());

    static Stream<Transform> all() {
        return Stream.of(
                Transform.of(),
                Transform.of(new Pad(2), Crop.random(12, 10), new Flip()),
                new PadCrop(4),
                new PadCrop(40),
                new Flip(),
                new Cutout(5),
                Crop.random(8, 9),
                Crop.centre(8, 9),
                Channels.GREY,
                new Fit(new Shape(1, 28, 28)),
                new Fit(new Shape(3, 5, 40)),
                new Invert(),
                new Transpose(),
                new Blur(2),
                new Jigsaw(3, false),
                new Jigsaw(4, true),
                new Resize(7, 5));
    }

    @ParameterizedTest
    @MethodSource("all")
    void givesTheShapeItPromisesAndTheSameImageForTheSameSeed(Transform transform) {
        for (int seed = 0; seed < 20; seed++) {
            Image once = transform.apply(IMAGE, new SplittableRandom(seed));
            assertThat(once.shape()).isEqualTo(transform.shape(SHAPE));
            assertThat(transform.apply(IMAGE, new SplittableRandom(seed))).isEqualTo(once);
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void leavesItsInputAlone(Transform transform) {
        byte[] before = IMAGE.toArray();
        transform.apply(IMAGE, new SplittableRandom(3));
        assertThat(IMAGE.toArray()).isEqualTo(before);
    }

    @RepeatedTest(20)
    void padCropIsPaddingThenRandomCropping(RepetitionInfo repetition) {
        int seed = repetition.getCurrentRepetition();
        Image fast = new PadCrop(4).apply(IMAGE, new SplittableRandom(seed));
        Set<Image> plain = new HashSet<>();
        Image padded = new Pad(4).apply(IMAGE, new SplittableRandom(seed));
        for (int other = 0; other < 2000; other++) {
            plain.add(Crop.random(12, 10).apply(padded, new SplittableRandom(other)));
        }
        assertThat(plain).hasSize(81).contains(fast);
    }

    @Test
    void padCropReachesEveryShift() {
        Set<Image> seen = new HashSet<>();
        for (int seed = 0; seed < 2000; seed++) {
            seen.add(new PadCrop(4).apply(IMAGE, new Seed(seed).random()));
        }
        assertThat(seen).hasSize(81).contains(IMAGE);
    }

    @Test
    void flipMirrorsHalfOfAllImages() {
        int mirrored = 0;
        for (int seed = 0; seed < 1000; seed++) {
            Image flipped = new Flip().apply(IMAGE, new Seed(seed).random());
            if (!flipped.equals(IMAGE)) {
                mirrored++;
                assertThat(flipped.get(1, 4, 2)).isEqualTo(IMAGE.get(1, 4, 7));
            }
        }
        assertThat(mirrored).isBetween(430, 570);
    }

    @Test
    void cutoutChangesAtMostASquare() {
        for (int seed = 0; seed < 50; seed++) {
            Image cut = new Cutout(5).apply(IMAGE, new Seed(seed).random());
            int changed = 0;
            for (int i = 0; i < SHAPE.area(); i++) {
                changed += cut.get(i) == 128 && IMAGE.get(i) != 128 ? 1 : 0;
                assertThat(cut.get(i)).isIn(128, IMAGE.get(i));
            }
            assertThat(changed).isBetween(5, 25);
        }
    }

    @Test
    void greyIsPillowsLuma() {
        Image red = Image.of(new Shape(3, 1, 1), new byte[] {(byte) 255, 0, 0});
        Image white = Image.of(new Shape(3, 1, 1), new byte[] {(byte) 255, (byte) 255, (byte) 255});
        assertThat(Channels.GREY.apply(red, new SplittableRandom(0)).get(0)).isEqualTo(76);
        assertThat(Channels.GREY.apply(white, new SplittableRandom(0)).get(0)).isEqualTo(255);
    }

    @Test
    void colourOfGreyTurnedGreyIsTheSameGrey() {
        Image grey = Channels.GREY.apply(IMAGE, new SplittableRandom(0));
        Image back = Channels.GREY.apply(Channels.COLOUR.apply(grey, new SplittableRandom(0)), new SplittableRandom(0));
        assertThat(back).isEqualTo(grey);
    }

    @Test
    void transposingAndInvertingTwiceChangesNothing() {
        SplittableRandom random = new SplittableRandom(0);
        assertThat(Transform.of(new Transpose(), new Transpose()).apply(IMAGE, random))
                .isEqualTo(IMAGE);
        assertThat(Transform.of(new Invert(), new Invert()).apply(IMAGE, random))
                .isEqualTo(IMAGE);
        assertThat(new Transpose().apply(IMAGE, random).get(2, 3, 7)).isEqualTo(IMAGE.get(2, 7, 3));
    }

    @ParameterizedTest
    @MethodSource("jigsaws")
    void jigsawKeepsEveryPixelAndNeverTheImage(Jigsaw jigsaw) {
        Image square = Noise.UNIFORM_NOISE.image(new Shape(3, 12, 12), new Seed(2).random());
        for (int seed = 0; seed < 50; seed++) {
            Image mixed = jigsaw.apply(square, new Seed(seed).random());
            assertThat(mixed).isNotEqualTo(square);
            byte[] before = square.toArray();
            byte[] after = mixed.toArray();
            Arrays.sort(before);
            Arrays.sort(after);
            assertThat(after).isEqualTo(before);
        }
    }

    static List<Jigsaw> jigsaws() {
        return List.of(new Jigsaw(2, false), new Jigsaw(3, true), new Jigsaw(4, false));
    }

    @Test
    void turnsByAQuarterToEitherSide() {
        Image image = Image.of(new Shape(1, 2, 2), new byte[] {1, 2, 3, 4});
        Image left = Image.of(new Shape(1, 2, 2), new byte[] {2, 4, 1, 3});
        Image right = Image.of(new Shape(1, 2, 2), new byte[] {3, 1, 4, 2});
        SplittableRandom random = new SplittableRandom(1);
        assertThat(Stream.generate(() -> new Turn().apply(image, random)).limit(50))
                .contains(left, right)
                .allMatch(turned -> turned.equals(left) || turned.equals(right));
        assertThatThrownBy(() -> new Turn().shape(new Shape(1, 2, 3))).hasMessageContaining("1x2x3");
    }

    @Test
    void blurKeepsAFlatImageAndSpreadsADot() {
        byte[] flat = new byte[SHAPE.length()];
        Arrays.fill(flat, (byte) 77);
        Image image = Image.wrap(SHAPE, flat);
        assertThat(new Blur(3).apply(image, new SplittableRandom(0))).isEqualTo(image);
        byte[] dot = new byte[21 * 21];
        dot[10 * 21 + 10] = (byte) 255;
        Image spread = new Blur(1).apply(Image.wrap(new Shape(1, 21, 21), dot), new SplittableRandom(0));
        assertThat(spread.get(0, 10, 10)).isBetween(39, 42);
        assertThat(spread.get(0, 10, 12)).isEqualTo(spread.get(0, 8, 10)).isPositive();
        assertThat(spread.get(0, 0, 0)).isZero();
    }

    @Test
    void normaliseAgreesWithTorchvisionsFloatArithmetic() {
        float[] floats = new float[SHAPE.length()];
        Normalise.CIFAR10.write(IMAGE, floats, 0);
        int i = 2 * SHAPE.area() + 17;
        assertThat(floats[i]).isEqualTo((IMAGE.get(i) / 255f - 0.4465f) / 0.2616f);
        Normalise.HALF.write(IMAGE, floats, 0);
        assertThat(floats[i]).isEqualTo((IMAGE.get(i) / 255f - 0.5f) / 0.5f);
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertThatThrownBy(() -> new Resize(0, 3)).hasMessageContaining("0 x 3");
        assertThatThrownBy(() -> new Blur(Double.NaN)).hasMessageContaining("NaN");
        assertThatThrownBy(() -> Normalise.of(0.5, 0)).hasMessageContaining("0.0");
        assertThatThrownBy(() -> Crop.centre(13, 3).shape(SHAPE)).hasMessageContaining("13 x 3");
        assertThatThrownBy(() -> new Jigsaw(1, true)).hasMessageContaining("grid");
        assertThatThrownBy(() -> Normalise.CIFAR10.check(new Shape(1, 2, 2))).hasMessageContaining("3 channels");
        assertThatThrownBy(() -> new Channels(2)).hasMessageContaining("2");
    }
}
