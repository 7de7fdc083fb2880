package ai.wood.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Quantiles;
import ai.wood.Seeded;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoublePredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RankedScoresTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyFigureEqualsItsPlainDefinition(long seed) {
        Seeded seeded = new Seeded(seed);
        double[] ind = seeded.tiedScores(seeded.between(1, 60), 12);
        double[] ood = seeded.tiedScores(seeded.between(1, 60), 12);
        RankedScores scores = RankedScores.of(ind, ood);
        assertThat(scores.auroc()).isCloseTo(pairCount(ind, ood), within(1e-12));
        assertThat(scores.auprOut()).isCloseTo(averagePrecision(ood, ind), within(1e-12));
        assertThat(scores.auprIn()).isCloseTo(averagePrecision(negated(ind), negated(ood)), within(1e-12));
        assertThat(scores.detectionError()).isCloseTo(leastError(ind, ood), within(1e-12));
        assertThat(scores.fprAtTpr(0.95)).isCloseTo(fprAtTpr(ind, ood, 0.95), within(1e-12));
        double threshold = scores.thresholdAtTnr(0.95);
        assertThat(scores.fnrAtTnr(0.95)).isEqualTo(share(ood, s -> s <= threshold));
    }

    @Test
    void aQuantileOfNothingIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Quantiles.linear(new double[0], 0.5))
                .withMessage("a quantile needs at least one value but there are none");
    }

    @Test
    void tinyInputsAreExact() {
        RankedScores one = RankedScores.of(new double[] {1}, new double[] {1});
        assertThat(one.auroc()).isEqualTo(0.5);
        assertThat(one.fnrAtTnr(0.95)).isEqualTo(1);
        assertThat(one.detectionError()).isEqualTo(0.5);
        RankedScores apart = RankedScores.of(new double[] {1}, new double[] {2});
        assertThat(apart.auroc()).isEqualTo(1);
        assertThat(apart.fnrAtTnr(0.95)).isZero();
        assertThat(apart.fprAtTpr(0.95)).isZero();
        assertThat(apart.auprIn()).isEqualTo(1);
        assertThat(apart.auprOut()).isEqualTo(1);
        assertThat(apart.detectionError()).isZero();
    }

    @Test
    void infinitiesAndSignedZerosAreOrdinaryScores() {
        double infinity = Double.POSITIVE_INFINITY;
        RankedScores scores = RankedScores.of(new double[] {-infinity, -0.0}, new double[] {0.0, infinity});
        assertThat(scores.auroc()).isEqualTo((2 + 1 + 0.5) / 4);
        assertThat(RankedScores.of(new double[] {-infinity}, new double[] {-infinity})
                        .auroc())
                .isEqualTo(0.5);
    }

    @Test
    void thresholdsBesideInfiniteScoresAreNumbers() {
        double infinity = Double.POSITIVE_INFINITY;
        double[] ood = {5, 6};
        RankedScores mostlyLow = RankedScores.of(new double[] {-infinity, -infinity, 1}, ood);
        assertThat(mostlyLow.thresholdAtTnr(0.75)).isEqualTo(-infinity);
        assertThat(mostlyLow.thresholdAtTnr(0.25)).isEqualTo(-infinity);
        assertThat(RankedScores.of(new double[] {1, infinity}, ood).thresholdAtTnr(0.1))
                .isEqualTo(infinity);
        RankedScores both = RankedScores.of(new double[] {-infinity, infinity}, ood);
        assertThat(both.thresholdAtTnr(0.95)).isEqualTo(infinity);
        assertThat(both.fnrAtTnr(0.95)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Metric.class)
    void monotoneMapsThatKeepQuantilesChangeNothing(Metric metric) {
        Seeded seeded = new Seeded(21);
        double[] ind = seeded.normals(500, 0, 1);
        double[] ood = seeded.normals(300, 1, 1);
        double before = RankedScores.of(ind, ood).value(metric);
        double after = RankedScores.of(mapped(ind), mapped(ood)).value(metric);
        assertThat(after).isEqualTo(before);
    }

    private static double[] mapped(double[] scores) {
        return Arrays.stream(scores).map(s -> 8 * s - 16).toArray();
    }

    @Test
    void thresholdIsTheInterpolatedQuantileAndEqualScoresAreKept() {
        double[] ind = {1, 2, 3, 4, 5};
        RankedScores scores = RankedScores.of(ind, new double[] {4, 4.8, 4.9});
        assertThat(scores.thresholdAtTnr(0.95)).isCloseTo(4.8, within(1e-15));
        assertThat(RankedScores.of(new double[] {7, 7, 7}, new double[] {7}).fnrAtTnr(0.95))
                .isEqualTo(1);
    }

    @Test
    void curveRunsFromNothingAlarmedToEverything() {
        Seeded seeded = new Seeded(22);
        List<RankedScores.Point> curve = RankedScores.of(seeded.normals(1000, 0, 1), seeded.normals(1000, 1, 1))
                .curve(100);
        assertThat(curve).hasSizeBetween(50, 120);
        assertThat(curve.get(0)).isEqualTo(new RankedScores.Point(Double.POSITIVE_INFINITY, 0, 0, 1));
        assertThat(curve.get(curve.size() - 1).indShare()).isEqualTo(1);
        assertThat(curve.get(curve.size() - 1).oodShare()).isEqualTo(1);
        for (int i = 1; i < curve.size(); i++) {
            assertThat(curve.get(i).oodShare())
                    .isGreaterThanOrEqualTo(curve.get(i - 1).oodShare());
            assertThat(curve.get(i).threshold()).isLessThan(curve.get(i - 1).threshold());
        }
    }

    @Test
    void emptyAndNanAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RankedScores.of(new double[0], new double[] {1}))
                .withMessageContaining("InD");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RankedScores.of(new double[] {1}, new double[] {1, Double.NaN}))
                .withMessageContaining("OOD score must be a number");
    }

    /** A bootstrap replicate must score as if the drawn samples had been written out. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void resampledScoresEqualTheWrittenOutSample(long seed) {
        Seeded seeded = new Seeded(seed);
        double[] ind = seeded.tiedScores(seeded.between(2, 40), 9);
        double[] ood = seeded.tiedScores(seeded.between(2, 40), 9);
        Arrays.sort(ind);
        Arrays.sort(ood);
        int[] indCounts = counts(seeded, ind.length);
        int[] oodCounts = counts(seeded, ood.length);
        RankedScores drawn = RankedScores.of(ind, ood).resampled(indCounts, oodCounts);
        RankedScores written = RankedScores.of(writtenOut(ind, indCounts), writtenOut(ood, oodCounts));
        for (Metric metric : Metric.values()) {
            assertThat(drawn.value(metric)).as("%s", metric).isCloseTo(written.value(metric), within(1e-12));
        }
    }

    private static int[] counts(Seeded seeded, int size) {
        int[] counts = new int[size];
        for (int i = 0; i < size; i++) {
            counts[seeded.between(0, size - 1)]++;
        }
        return counts;
    }

    private static double[] writtenOut(double[] sorted, int[] counts) {
        double[] out = new double[sorted.length];
        int at = 0;
        for (int i = 0; i < sorted.length; i++) {
            for (int c = 0; c < counts[i]; c++) {
                out[at++] = sorted[i];
            }
        }
        return out;
    }

    private static double share(double[] values, DoublePredicate predicate) {
        return (double) Arrays.stream(values).filter(predicate).count() / values.length;
    }

    private static double[] negated(double[] values) {
        return Arrays.stream(values).map(v -> -v).toArray();
    }

    private static double pairCount(double[] ind, double[] ood) {
        double wins = 0;
        for (double i : ind) {
            for (double o : ood) {
                wins += o > i ? 1 : o == i ? 0.5 : 0;
            }
        }
        return wins / ind.length / ood.length;
    }

    private static double averagePrecision(double[] positives, double[] negatives) {
        double[] thresholds = Arrays.stream(positives).distinct().sorted().toArray();
        double area = 0;
        double recall = 0;
        for (int t = thresholds.length - 1; t >= 0; t--) {
            double cut = thresholds[t];
            double caught = share(positives, s -> s >= cut) * positives.length;
            double alarmed = caught + share(negatives, s -> s >= cut) * negatives.length;
            area += (caught / positives.length - recall) * caught / alarmed;
            recall = caught / positives.length;
        }
        return area;
    }

    private static double leastError(double[] ind, double[] ood) {
        double least = 0.5;
        for (double cut : concatenated(ind, ood)) {
            least = Math.min(least, (share(ood, s -> s < cut) + share(ind, s -> s >= cut)) / 2);
        }
        return least;
    }

    private static double fprAtTpr(double[] ind, double[] ood, double tpr) {
        double highest = Arrays.stream(ood)
                .filter(cut -> share(ood, s -> s >= cut) >= tpr)
                .max()
                .orElseThrow();
        return share(ind, s -> s >= highest);
    }

    private static double[] concatenated(double[] a, double[] b) {
        double[] all = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        return all;
    }
}
