package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.wood.Seed;
import ai.wood.data.transform.Cutout;
import ai.wood.data.transform.Flip;
import ai.wood.data.transform.Normalise;
import ai.wood.data.transform.PadCrop;
import ai.wood.data.transform.Transform;
import ai.wood.data.transform.Turn;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoadPlanTest {

    private static final Shape SHAPE = new Shape(2, 5, 7);
    private static final Transform MOVED = Transform.of(new PadCrop(2), new Flip(), new Cutout(3));
    private static final LoaderOptions OPTIONS =
            LoaderOptions.training(4, 3).withTransform(MOVED).withSeed(new Seed(5));

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7})
    void plansWhatTheLoaderLoads(int epoch) {
        Dataset ood = new Mixture(
                List.of(new Mixture.Component(set(9, 2), 1), new Mixture.Component(set(6, 3), 2)), new Seed(1));
        requireSameBatches(set(14, 1), set(9, 2), epoch);
        requireSameBatches(set(14, 1), ood, epoch);
        requireSameBatches(set(14, 1), set(9, 2), epoch, 7, 0, 3);
        requireSameBatches(set(14, 1), new FrozenDataset(ood), epoch, 7, 0, 14);
    }

    @Test
    void refusesWhatTheLoaderRefuses() {
        Dataset other = ArrayDataset.wrap(new Shape(2, 5, 8), new byte[10 * 80], new int[10]);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoadPlan.of(set(3, 1), set(9, 2), OPTIONS))
                .withMessageContaining("3 samples but a batch needs 4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoadPlan.of(set(14, 1), other, OPTIONS))
                .withMessageContaining("must have one shape");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoadPlan.of(set(14, 1), null, OPTIONS))
                .withMessageContaining("no OOD dataset to draw from");
    }

    private static void requireSameBatches(Dataset ind, Dataset ood, int epoch, int... choice) {
        requireSameBatches(ind, ood, OPTIONS, epoch, choice);
        requireSameBatches(ind, ood, LoaderOptions.training(4, 6).withShard(new BatchShard(1, 2)), epoch, choice);
    }

    private static void requireSameBatches(Dataset ind, Dataset ood, LoaderOptions options, int epoch, int... choice) {
        LoadPlan plan = LoadPlan.of(ind, ood, options).orElseThrow();
        int[] numbers = plan.epoch(epoch, choice);
        try (Loader loader = new Loader(ind, ood, options)) {
            if (choice.length > 0) {
                loader.epoch(epoch).iterator().next();
                loader.drawOodFrom(choice);
            }
            assertThat(plan.steps()).isEqualTo(loader.steps());
            for (Batch batch : loader.epoch(epoch)) {
                for (int place = 0; place < batch.size(); place++) {
                    int at = (batch.step() * plan.batch() + place) * LoadPlan.FIELDS;
                    float[] expected = new float[SHAPE.length()];
                    batch.values().position(place * SHAPE.length()).get(expected);
                    assertThat(moved(plan, numbers, at)).containsExactly(expected);
                }
            }
        }
    }

    /** What the numbers of a place say, done pixel by pixel. */
    private static float[] moved(LoadPlan plan, int[] numbers, int at) {
        Image image = image(plan, numbers[at]);
        byte[] values = new byte[SHAPE.length()];
        for (int c = 0, i = 0; c < SHAPE.channels(); c++) {
            for (int y = 0; y < SHAPE.height(); y++) {
                for (int x = 0; x < SHAPE.width(); x++, i++) {
                    int fromY = y - numbers[at + 1];
                    int fromX = (numbers[at + 3] == 1 ? SHAPE.width() - 1 - x : x) - numbers[at + 2];
                    boolean inside = fromY >= 0 && fromY < SHAPE.height() && fromX >= 0 && fromX < SHAPE.width();
                    boolean hidden = y >= numbers[at + 4]
                            && y < numbers[at + 4] + numbers[at + 6]
                            && x >= numbers[at + 5]
                            && x < numbers[at + 5] + numbers[at + 6];
                    values[i] = hidden ? Cutout.GREY : inside ? (byte) image.get(c, fromY, fromX) : 0;
                }
            }
        }
        float[] floats = new float[values.length];
        Normalise.UNIT.write(Image.wrap(SHAPE, values), floats, 0);
        return floats;
    }

    private static Image image(LoadPlan plan, int number) {
        int left = number;
        for (Dataset source : plan.sources()) {
            if (left < source.size()) {
                return source.get(left).image();
            }
            left -= source.size();
        }
        throw new AssertionError("there is no image " + number);
    }

    @Test
    void thereIsNoneForImagesMadeByChanceOrOtherTransforms() {
        Dataset noise = Noise.BLOBS.dataset(SHAPE, 9, Split.TRAIN, new Seed(1));
        Dataset cut = new TransformedDataset("cut", set(9, 2), new Cutout(2), new Seed(1));
        assertThat(LoadPlan.of(set(14, 1), noise, OPTIONS)).isEqualTo(Optional.empty());
        assertThat(LoadPlan.of(set(14, 1), cut, OPTIONS)).isEqualTo(Optional.empty());
        for (Transform other : List.of(new Turn(), Transform.of(new Flip(), new PadCrop(1)))) {
            assertThat(LoadPlan.of(set(14, 1), null, OPTIONS.withTransform(other)))
                    .isEqualTo(Optional.empty());
        }
    }

    private static Dataset set(int size, long seed) {
        byte[] values = new byte[size * SHAPE.length()];
        new SplittableRandom(seed).nextBytes(values);
        int[] labels = new int[size];
        labels[0] = Sample.UNLABELLED + 2;
        return ArrayDataset.wrap(SHAPE, values, labels).withName("set" + seed).withSplit(Split.TRAIN);
    }
}
