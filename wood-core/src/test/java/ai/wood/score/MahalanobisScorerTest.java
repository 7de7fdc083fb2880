package ai.wood.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Seeded;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MahalanobisScorerTest {

    private static Outputs outputs(Matrix features) {
        return Outputs.ofLogits(Matrix.wrap(new double[2 * features.rows()], 2)).withFeatures(features);
    }

    private static Outputs outputs(double[]... features) {
        return outputs(Matrix.of(features));
    }

    /** Two classes with means (0, 0) and (10, 0), shared variances 1 and 4, no covariance. */
    @Test
    void distancesEqualTheHandCalculation() {
        double d = Math.sqrt(2);
        Outputs ind = outputs(
                new double[] {d, 0},
                new double[] {-d, 0},
                new double[] {0, 2 * d},
                new double[] {0, -2 * d},
                new double[] {10 + d, 0},
                new double[] {10 - d, 0},
                new double[] {10, 2 * d},
                new double[] {10, -2 * d});
        MahalanobisScorer scorer = MahalanobisScorer.fit(ind, List.of(0, 0, 0, 0, 1, 1, 1, 1));
        double[] scores = scorer.score(outputs(new double[] {0, 0}, new double[] {3, 4}, new double[] {10, -6}));
        assertThat(scores).containsExactly(new double[] {0, 9 + 16 / 4.0, 36 / 4.0}, within(1e-9));
    }

    @Test
    void linearMapsOfTheFeaturesChangeNothing() {
        Seeded seeded = new Seeded(3);
        double[][] features = IntStream.range(0, 200)
                .mapToObj(i -> seeded.normals(4, i % 2, 1))
                .toArray(double[][]::new);
        List<Integer> labels = IntStream.range(0, 200).mapToObj(i -> i % 2).toList();
        double[][] mapped = IntStream.range(0, 200)
                .mapToObj(i -> {
                    double[] h = features[i];
                    return new double[] {2 * h[0] + h[1], h[1] - 3 * h[2], h[2] + h[3], 5 * h[3]};
                })
                .toArray(double[][]::new);
        double[] before = MahalanobisScorer.fit(outputs(features), labels).score(outputs(features));
        double[] after = MahalanobisScorer.fit(outputs(mapped), labels).score(outputs(mapped));
        assertThat(after).containsExactly(before, within(1e-8));
    }

    @ParameterizedTest
    @ValueSource(doubles = {1e-7, 1e-3, 2e5, 1e7})
    void theUnitOfAFeatureDoesNotMatter(double unit) {
        Seeded seeded = new Seeded(4);
        double[][] features = IntStream.range(0, 200)
                .mapToObj(i -> seeded.normals(4, i % 2, 1))
                .toArray(double[][]::new);
        List<Integer> labels = IntStream.range(0, 200).mapToObj(i -> i % 2).toList();
        double[][] scaled = Arrays.stream(features)
                .map(h -> new double[] {h[0], h[1], h[2] * unit, h[3]})
                .toArray(double[][]::new);
        double[] before = MahalanobisScorer.fit(outputs(features), labels).score(outputs(features));
        double[] after = MahalanobisScorer.fit(outputs(scaled), labels).score(outputs(scaled));
        assertThat(after).containsExactly(before, within(1e-8));
    }

    /** A unit that a smooth activation has silenced says next to nothing, and that at random. */
    @Test
    void silencedFeaturesAreLeftOut() {
        Seeded seeded = new Seeded(6);
        double[][] features = IntStream.range(0, 99)
                .mapToObj(i -> new double[] {seeded.uniform(), 1e-12 * seeded.uniform(), seeded.uniform()})
                .toArray(double[][]::new);
        List<Integer> labels = Collections.nCopies(99, 0);
        assertThat(MahalanobisScorer.fit(outputs(features), labels).whitening().rows())
                .isEqualTo(2);
    }

    /** 7.1 has no exact mean: what is left of it is rounding, not a direction. */
    @Test
    void roundingIsNoVariance() {
        Seeded seeded = new Seeded(5);
        double[][] features = IntStream.range(0, 99)
                .mapToObj(i -> new double[] {seeded.uniform(), 7.1, 1e-6 * seeded.uniform()})
                .toArray(double[][]::new);
        double[][] without =
                Arrays.stream(features).map(h -> new double[] {h[0], h[2]}).toArray(double[][]::new);
        List<Integer> labels = Collections.nCopies(99, 0);
        MahalanobisScorer scorer = MahalanobisScorer.fit(outputs(features), labels);
        assertThat(scorer.whitening().rows()).isEqualTo(2);
        assertThat(scorer.score(outputs(features)))
                .containsExactly(MahalanobisScorer.fit(outputs(without), labels).score(outputs(without)), within(1e-8));
    }

    @Test
    void featuresThatNeverVaryAreLeftOut() {
        Outputs ind = outputs(new double[] {1, 7}, new double[] {-1, 7}, new double[] {5, 7}, new double[] {3, 7});
        double[] scores = MahalanobisScorer.fit(ind, List.of(0, 0, 1, 1)).score(outputs(new double[] {2, 7}));
        assertThat(scores[0]).isCloseTo(4, within(1e-9));
    }

    @Test
    void whatDoesNotFitIsRefused() {
        Outputs ind = outputs(new double[] {1, 2}, new double[] {3, 4});
        assertThatIllegalArgumentException().isThrownBy(() -> MahalanobisScorer.fit(ind, List.of(0)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MahalanobisScorer.fit(outputs(new double[] {1}, new double[] {1}), List.of(0, 1)))
                .withMessageContaining("must vary");
        MahalanobisScorer scorer = MahalanobisScorer.fit(ind, List.of(0, 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scorer.score(outputs(new double[] {1, 2, 3})))
                .withMessageContaining("fitted to 2 features but the network gives 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> scorer.score(Outputs.ofLogits(Matrix.of(new double[] {1, 2}))))
                .withMessageContaining("needs features");
    }
}
