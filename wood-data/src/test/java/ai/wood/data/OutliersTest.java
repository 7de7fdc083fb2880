package ai.wood.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.Seed;
import ai.wood.data.transform.Crop;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OutliersTest {

    private static final Shape SHAPE = new Shape(3, 16, 16);

    private static Dataset ind() {
        Dataset noise = Noise.BLOBS.dataset(SHAPE, 30, Split.TRAIN, new Seed(5));
        int[] labels = new int[30];
        for (int i = 0; i < labels.length; i++) {
            labels[i] = i % 3;
        }
        return ArrayDataset.copyOf(noise).withLabels(labels, List.of("a", "b", "c"));
    }

    @ParameterizedTest
    @EnumSource
    void makesUnlabelledImagesThatAreNotInd(Outliers outliers) {
        Dataset ind = ind();
        Dataset ood = outliers.of(ind, new Seed(1));
        assertThat(ood.size()).isEqualTo(ind.size());
        assertThat(ood.shape()).isEqualTo(SHAPE);
        assertThat(ood.split()).isEqualTo(Split.TRAIN);
        assertThat(ood.classes()).isEmpty();
        assertThat(ood.name()).isEqualTo(outliers.id() + ":blobs");
        for (int i = 0; i < ood.size(); i++) {
            assertThat(ood.get(i)).isEqualTo(ood.get(i));
            assertThat(ood.get(i).label()).isEqualTo(Sample.UNLABELLED);
            assertThat(ood.get(i).image()).isNotEqualTo(ind.get(i).image());
        }
    }

    @Test
    void mixesDifferentImagesWhereThereAreNoClasses() {
        byte[] values = {0, (byte) 200};
        int[] none = {Sample.UNLABELLED, Sample.UNLABELLED};
        Dataset mixed = Outliers.MIXED_UP.of(ArrayDataset.wrap(new Shape(1, 1, 1), values, none), new Seed(1));
        for (int seed = 0; seed < 50; seed++) {
            for (int i = 0; i < 2; i++) {
                assertThat(mixed.draw(i, new Seed(seed).at(i).random()).image().get(0))
                        .isBetween(79, 121);
            }
        }
    }

    @Test
    void mixesTwoClasses() {
        byte[] values = {0, 0, 0, (byte) 200};
        Dataset ind = ArrayDataset.wrap(new Shape(1, 1, 1), values, new int[] {0, 0, 0, 1});
        Dataset mixed = Outliers.MIXED_UP.of(ind, new Seed(1));
        for (int seed = 0; seed < 200; seed++) {
            for (int i = 0; i < 4; i++) {
                assertThat(mixed.draw(i, new Seed(seed).at(i).random()).image().get(0))
                        .isBetween(79, 121);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void noiseIsFixedInEvaluationAndNewInTraining(Noise noise) {
        Dataset set = noise.dataset(SHAPE, 10, Split.TEST, new Seed(0));
        assertThat(set.hash())
                .isEqualTo(noise.dataset(SHAPE, 10, Split.TEST, new Seed(0)).hash());
        assertThat(set.hash())
                .isNotEqualTo(noise.dataset(SHAPE, 10, Split.TRAIN, new Seed(0)).hash());
        SplittableRandom random = new SplittableRandom(1);
        assertThat(set.draw(0, random)).isNotEqualTo(set.draw(0, random));
        Set<Image> different = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            different.add(set.get(i).image());
        }
        assertThat(different).hasSize(10);
    }

    @Test
    void noiseHasTheDistributionItPromises() {
        Shape large = new Shape(1, 200, 200);
        assertThat(mean(Noise.UNIFORM_NOISE.image(large, new Seed(1).random()))).isBetween(126.0, 129.0);
        assertThat(mean(Noise.GAUSSIAN_NOISE.image(large, new Seed(1).random())))
                .isBetween(126.0, 129.0);
        // of a uniform value sqrt((256^2 - 1) / 12); a normal one of deviation 64 is cut off at two deviations
        assertThat(deviation(Noise.UNIFORM_NOISE.image(large, new Seed(1).random())))
                .isBetween(73.0, 74.8);
        assertThat(deviation(Noise.GAUSSIAN_NOISE.image(large, new Seed(1).random())))
                .isBetween(60.5, 62.3);
        Image blobs = Noise.BLOBS.image(large, new Seed(1).random());
        for (int i = 0; i < large.length(); i++) {
            assertThat(blobs.get(i) == 0 || blobs.get(i) >= 191).isTrue();
        }
        assertThat(mean(blobs)).isBetween(30.0, 120.0);
    }

    private static double deviation(Image image) {
        double mean = mean(image);
        double sum = 0;
        for (int i = 0; i < image.shape().length(); i++) {
            sum += (image.get(i) - mean) * (image.get(i) - mean);
        }
        return Math.sqrt(sum / image.shape().length());
    }

    private static double mean(Image image) {
        double sum = 0;
        for (int i = 0; i < image.shape().length(); i++) {
            sum += image.get(i);
        }
        return sum / image.shape().length();
    }

    @Test
    void cropsAreFixedInEvaluationAndRandomInTraining() {
        Dataset crops = new TransformedDataset("c", ind(), Crop.random(8, 8), new Seed(0));
        assertThat(crops.shape()).isEqualTo(new Shape(3, 8, 8));
        assertThat(crops.get(4)).isEqualTo(crops.get(4));
        SplittableRandom random = new SplittableRandom(1);
        Set<Image> drawn = new HashSet<>();
        for (int i = 0; i < 500; i++) {
            drawn.add(crops.draw(4, random).image());
        }
        assertThat(drawn).hasSizeGreaterThan(60).contains(crops.get(4).image());
    }

    @Test
    void mixtureKeepsItsWeights() {
        Dataset black = ArrayDataset.wrap(new Shape(1, 1, 1), new byte[] {0}, new int[1]);
        Dataset white = ArrayDataset.wrap(new Shape(1, 1, 1), new byte[] {-1, -1, -1}, new int[3]);
        Mixture mixture =
                new Mixture(List.of(new Mixture.Component(black, 3), new Mixture.Component(white, 1)), new Seed(0));
        SplittableRandom random = new SplittableRandom(1);
        int blacks = 0;
        for (int i = 0; i < 10_000; i++) {
            blacks += mixture.draw(0, random).image().get(0) == 0 ? 1 : 0;
        }
        assertThat(blacks).isBetween(7_300, 7_700);
        assertThat(mixture.size()).isEqualTo(4);
        assertThat(mixture.get(2)).isEqualTo(mixture.get(2));
        assertThat(mixture.label(0)).isEqualTo(Sample.UNLABELLED);
    }

    @Test
    void mixtureCountsAsTestAsSoonAsOnePartDoes() {
        Dataset train = Noise.BLOBS.dataset(SHAPE, 3, Split.TRAIN, new Seed(0));
        Dataset test = Noise.BLOBS.dataset(SHAPE, 3, Split.TEST, new Seed(0));
        Mixture.Component part = new Mixture.Component(train, 1);
        assertThat(new Mixture(List.of(part, new Mixture.Component(test, 1)), new Seed(0)).split())
                .isEqualTo(Split.TEST);
        assertThat(new Mixture(List.of(part, part), new Seed(0)).split()).isEqualTo(Split.TRAIN);
        assertThatThrownBy(() -> new Mixture.Component(train, 0)).hasMessageContaining("positive");
        Dataset other = Noise.BLOBS.dataset(new Shape(1, 4, 4), 3, Split.TRAIN, new Seed(0));
        assertThatThrownBy(() -> new Mixture(List.of(part, new Mixture.Component(other, 1)), new Seed(0)))
                .hasMessageContaining("one shape");
    }
}
