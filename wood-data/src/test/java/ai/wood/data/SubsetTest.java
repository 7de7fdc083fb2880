package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.Seed;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SubsetTest {

    private static final Map<Split, Double> SHARES = Map.of(Split.TRAIN, 0.7, Split.VALIDATION, 0.2, Split.TEST, 0.1);

    /** Label k occurs 10 (k + 1) times. */
    private static Dataset unbalanced() {
        int[] labels = IntStream.range(0, 5)
                .flatMap(k -> IntStream.generate(() -> k).limit(10L * (k + 1)))
                .toArray();
        byte[] values = new byte[labels.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) i;
        }
        return ArrayDataset.wrap(new Shape(1, 1, 1), values, labels).withSplit(Split.TRAIN);
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MAX_VALUE, Integer.MAX_VALUE - 1, 100_000, -2, Integer.MIN_VALUE})
    void labelsThatNoDatasetHasAreRefused(int label) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ArrayDataset.wrap(new Shape(1, 1, 1), new byte[2], new int[] {0, label}))
                .withMessage("labels must lie in -1 to 99999 but one is " + label);
    }

    private static long count(Dataset dataset, int label) {
        return IntStream.range(0, dataset.size())
                .filter(i -> dataset.label(i) == label)
                .count();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2026})
    void partsWithoutOverlapOrLossAndEveryClassInProportion(long seed) {
        Dataset whole = unbalanced();
        Map<Split, Subset> parts = Subset.stratified(whole, SHARES, new Seed(seed));
        TreeSet<Integer> seen = new TreeSet<>();
        parts.forEach((split, part) -> {
            assertThat(part.split()).isEqualTo(split);
            for (int k = 0; k < 5; k++) {
                assertThat((double) count(part, k))
                        .isCloseTo(
                                SHARES.getOrDefault(split, 0.0) * 10 * (k + 1),
                                org.assertj.core.data.Offset.offset(0.51));
            }
            for (int i = 0; i < part.size(); i++) {
                assertThat(seen.add(part.indexInWhole(i))).isTrue();
                assertThat(part.get(i)).isEqualTo(whole.get(part.indexInWhole(i)));
            }
        });
        assertThat(seen).hasSize(whole.size());
    }

    @Test
    void everyPartGetsItsShareWhereClassesAreTooSmallToBeShared() {
        int[] labels = IntStream.range(0, 400).map(i -> i / 2).toArray();
        Dataset whole = ArrayDataset.wrap(new Shape(1, 1, 1), new byte[400], labels);
        Map<Split, Double> shares = Map.of(Split.TRAIN, 0.9, Split.VALIDATION, 0.1);
        Map<Split, Subset> parts = Subset.stratified(whole, shares, new Seed(1));
        assertThat(parts.values().stream().map(Dataset::size)).containsExactly(360, 40);
        assertThat(parts.values().stream()
                        .flatMapToInt(part -> IntStream.range(0, part.size()).map(part::indexInWhole))
                        .distinct()
                        .count())
                .isEqualTo(400);
    }

    /** Half of the samples are of classes with four each: a threshold chosen on a part without them would not know them. */
    @Test
    void smallClassesHaveTheirShareBesideLargeOnes() {
        Dataset whole = largeAndSmall();
        Map<Split, Double> shares = Map.of(Split.TRAIN, 0.9, Split.VALIDATION, 0.1);
        Subset.stratified(whole, shares, new Seed(1))
                .forEach((split, part) -> assertThat((double) count(part, 0)).isEqualTo(part.size() / 2.0));
        Subset drawn = Subset.proportional(whole, 80, new Seed(1));
        assertThat(drawn.size()).isEqualTo(80);
        assertThat(count(drawn, 0)).isEqualTo(40);
    }

    /** Whichever is drawn of classes that are too many for one sample each, their order does not tell. */
    @Test
    void everySmallClassMayBeDrawn() {
        Subset drawn = Subset.proportional(largeAndSmall(), 80, new Seed(2));
        assertThat(IntStream.range(0, 80).map(drawn::label).filter(label -> label > 50))
                .hasSizeBetween(10, 30); // 20 expected
    }

    /** 400 samples of class 0, four of each class from 1 to 100. */
    private static Dataset largeAndSmall() {
        int[] labels =
                IntStream.range(0, 800).map(i -> i < 400 ? 0 : i / 4 - 99).toArray();
        return ArrayDataset.wrap(new Shape(1, 1, 1), new byte[800], labels);
    }

    @Test
    void partsAlikeForTheSameSeedAndOtherwiseForAnother() {
        String one = Subset.stratified(unbalanced(), SHARES, new Seed(1)).toString();
        assertThat(hash(1)).isEqualTo(hash(1)).isNotEqualTo(hash(2));
        assertThat(one).isNotEmpty();
    }

    private static String hash(long seed) {
        Subset part = Subset.stratified(unbalanced(), SHARES, new Seed(seed)).get(Split.TRAIN);
        return part == null ? "" : part.hash();
    }

    @Test
    void drawsEveryClassEquallyOften() {
        Subset subset = Subset.random(unbalanced(), 50, new Seed(3));
        for (int k = 0; k < 5; k++) {
            assertThat(count(subset, k)).isEqualTo(10);
        }
        assertThat(Subset.random(unbalanced(), 1000, new Seed(3)).size()).isEqualTo(150);
        assertThat(subset.split()).isEqualTo(Split.TRAIN);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15, 50, 149, 150, 1000})
    void drawsEveryClassInProportion(int size) {
        Subset subset = Subset.proportional(unbalanced(), size, new Seed(3));
        int drawn = Math.min(size, 150);
        assertThat(subset.size()).isEqualTo(drawn);
        for (int k = 0; k < 5; k++) {
            assertThat((double) count(subset, k))
                    .isCloseTo(drawn * (k + 1) / 15.0, org.assertj.core.data.Offset.offset(1.0));
        }
        assertThat(subset.split()).isEqualTo(Split.TRAIN);
    }

    @Test
    void drawsTheSameInProportionAsEquallyWhereClassesAreEquallyOften() {
        int[] labels = IntStream.range(0, 60).map(i -> i % 3).toArray();
        byte[] values = new byte[60];
        for (int i = 0; i < 60; i++) {
            values[i] = (byte) i;
        }
        Dataset balanced = ArrayDataset.wrap(new Shape(1, 1, 1), values, labels);
        for (int size : new int[] {3, 7, 30}) {
            assertThat(Subset.proportional(balanced, size, new Seed(5)).hash())
                    .isEqualTo(Subset.random(balanced, size, new Seed(5)).hash());
        }
    }

    @Test
    void refusesSharesThatDoNotAddUp() {
        assertThatThrownBy(() -> Subset.stratified(unbalanced(), Map.of(Split.TRAIN, 0.5), new Seed(0)))
                .hasMessageContaining("sum to 1");
        assertThatThrownBy(() ->
                        Subset.stratified(unbalanced(), Map.of(Split.TRAIN, Double.NaN, Split.TEST, 0.5), new Seed(0)))
                .hasMessageContaining("NaN");
        assertThatThrownBy(() -> Subset.of(unbalanced(), 3, 150)).hasMessageContaining("150");
    }

    @Test
    void refusesToFitOnATestSplitUnlessToldTo() {
        assertThatThrownBy(() -> Split.TEST.require("calibrating a threshold", false))
                .hasMessageContaining("calibrating a threshold must not use the test split");
        Split.TEST.require("calibrating a threshold", true);
        Split.VALIDATION.require("calibrating a threshold", false);
        Split.NONE.require("calibrating a threshold", false);
    }

    @Test
    void hashesContentsOnly() {
        Dataset one = unbalanced();
        Dataset renamed = ((ArrayDataset) unbalanced()).withName("other").withSplit(Split.TEST);
        assertThat(renamed.hash()).isEqualTo(one.hash()).hasSize(64);
        assertThat(Subset.of(one, 0, 1).hash())
                .isNotEqualTo(Subset.of(one, 1, 0).hash());
        Dataset relabelled = ArrayDataset.wrap(new Shape(1, 1, 1), new byte[] {0}, new int[] {1});
        assertThat(relabelled.hash()).isNotEqualTo(Subset.of(one, 0).hash());
        assertThat(new Sample(one.get(0).image(), Sample.UNLABELLED).label()).isEqualTo(-1);
    }
}
