package ai.wood.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Interval;
import ai.wood.Seeded;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.commons.statistics.distribution.NormalDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EvaluationTest {

    /** For two normal laws one deviation apart the true AUROC is Phi(1 / sqrt 2). */
    @Test
    void bootstrapIntervalsCoverTheTruthAboutAsOftenAsTheySay() {
        double truth = NormalDistribution.of(0, 1).cumulativeProbability(1 / Math.sqrt(2));
        int covered = 0;
        for (int trial = 0; trial < 200; trial++) {
            Seeded seeded = new Seeded(100 + trial);
            Evaluation evaluation = Evaluation.of(
                    seeded.normals(120, 0, 1), seeded.normals(120, 1, 1), Bootstrap.DEFAULTS.withReplicates(300));
            if (evaluation.interval(Metric.AUROC).orElseThrow().contains(truth)) {
                covered++;
            }
        }
        // 190 expected; four deviations of a binomial count are 12.
        assertThat(covered).isBetween(178, 200);
    }

    /** One OOD sample in 500 is missed: most sets of 200 show none, and drawing from these shows none either. */
    @Test
    void intervalsCoverRareMissesToo() {
        NormalDistribution normal = NormalDistribution.of(0, 1);
        double shift = normal.inverseCumulativeProbability(0.95) - normal.inverseCumulativeProbability(0.002);
        int covered = 0;
        for (int trial = 0; trial < 200; trial++) {
            Seeded seeded = new Seeded(5000 + trial);
            Evaluation evaluation = Evaluation.of(
                    seeded.normals(200, 0, 1), seeded.normals(200, shift, 1), Bootstrap.DEFAULTS.withReplicates(200));
            if (evaluation.interval(Metric.FNR95).orElseThrow().contains(0.002)) {
                covered++;
            }
        }
        assertThat(covered).isGreaterThan(178);
    }

    /** Ten pairs in the right order have a chance of 2.5% where each has one of 0.025^(1/10). */
    @Test
    void fewSamplesWithoutErrorDoNotProveThatThereIsNone() {
        double[] low = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
        double[] high = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
        Evaluation right = Evaluation.of(low, high, Bootstrap.DEFAULTS);
        assertThat(right.interval(Metric.AUROC))
                .contains(new Interval(Interval.ofShare(10, 10, 0.95).low(), 1));
        assertThat(right.interval(Metric.AUROC).orElseThrow().low()).isCloseTo(Math.pow(0.025, 0.1), within(1e-9));
        assertThat(right.interval(Metric.DETECTION_ERROR).orElseThrow().high())
                .isCloseTo((1 - Math.pow(0.025, 1.0 / 10) + 1 - Math.pow(0.025, 1.0 / 11)) / 2, within(1e-9));
        Evaluation wrong = Evaluation.of(high, low, Bootstrap.DEFAULTS);
        assertThat(wrong.interval(Metric.AUROC)).contains(Interval.ofShare(0, 10, 0.95));
    }

    /** Five samples say little, however many there are of the other kind. */
    @Test
    void intervalsCoverTheTruthWhereOneKindHasFewSamples() {
        NormalDistribution normal = NormalDistribution.of(0, 1);
        double auroc = normal.cumulativeProbability(2.5 / Math.sqrt(2));
        double missed = normal.cumulativeProbability(normal.inverseCumulativeProbability(0.95) - 2.5);
        double error = normal.cumulativeProbability(-1.25);
        int[] covered = new int[6];
        for (int trial = 0; trial < 200; trial++) {
            Seeded seeded = new Seeded(7000 + trial);
            Bootstrap bootstrap = Bootstrap.DEFAULTS.withReplicates(100);
            Evaluation fewOod = Evaluation.of(seeded.normals(300, 0, 1), seeded.normals(5, 2.5, 1), bootstrap);
            Evaluation fewInd = Evaluation.of(seeded.normals(5, 0, 1), seeded.normals(300, 2.5, 1), bootstrap);
            covered[0] += covers(fewOod, Metric.AUROC, auroc);
            covered[1] += covers(fewInd, Metric.AUROC, auroc);
            covered[2] += covers(fewOod, Metric.FPR95_OPENOOD, missed);
            covered[3] += covers(fewInd, Metric.FNR95, missed);
            covered[4] += covers(fewOod, Metric.DETECTION_ERROR, error);
            covered[5] += covers(fewInd, Metric.DETECTION_ERROR, error);
        }
        assertThat(Arrays.stream(covered).min().orElseThrow()).isGreaterThan(178); // of 200; 190 expected at least
    }

    /** The best threshold of the samples looks better than it is. */
    @Test
    void intervalsOfTheDetectionErrorAllowForTheChoiceOfItsThreshold() {
        double truth = NormalDistribution.of(0, 1).cumulativeProbability(-0.5);
        int covered = 0;
        for (int trial = 0; trial < 200; trial++) {
            Seeded seeded = new Seeded(8000 + trial);
            covered += covers(
                    Evaluation.of(
                            seeded.normals(100, 0, 1),
                            seeded.normals(100, 1, 1),
                            Bootstrap.DEFAULTS.withReplicates(100)),
                    Metric.DETECTION_ERROR,
                    truth);
        }
        assertThat(covered).isGreaterThan(178);
    }

    /** The 95% quantile lies where one tied score ends and the next begins, and the samples may take either for it. */
    @Test
    void intervalsCoverTheTruthWhereScoresAreTied() {
        NormalDistribution normal = NormalDistribution.of(0, 1);
        double missed = normal.cumulativeProbability((2.5 - 1.3) / 0.912); // at 2, because 94.998% of InD lie up to 1
        double alarmed = normal.survivalProbability(-0.5 / 1.7); // at 0, because 94.99% of OOD lie from 1 on
        int[] covered = new int[2];
        for (int trial = 0; trial < 400; trial++) {
            Seeded seeded = new Seeded(9000 + trial);
            Bootstrap bootstrap = Bootstrap.DEFAULTS.withReplicates(100);
            covered[0] += covers(
                    Evaluation.of(
                            rounded(seeded.normals(200, 0, 0.912)),
                            rounded(seeded.normals(200, 1.3, 0.912)),
                            bootstrap),
                    Metric.FNR95,
                    missed);
            covered[1] += covers(
                    Evaluation.of(
                            rounded(seeded.normals(200, 0, 1.7)), rounded(seeded.normals(200, 3.296, 1.7)), bootstrap),
                    Metric.FPR95_OPENOOD,
                    alarmed);
        }
        assertThat(Arrays.stream(covered).min().orElseThrow()).isGreaterThan(364); // of 400; 376 expected at least
    }

    private static double[] rounded(double[] scores) {
        return Arrays.stream(scores).map(Math::rint).toArray();
    }

    private static int covers(Evaluation evaluation, Metric metric, double truth) {
        return evaluation.interval(metric).orElseThrow().contains(truth) ? 1 : 0;
    }

    /** 0.95^72 is less than 2.5%: of 72 InD samples one at least lies beyond the 95% quantile, of 71 perhaps none. */
    @Test
    void theThresholdMayLieBeyondFewIndSamples() {
        Seeded seeded = new Seeded(12);
        double[] far = seeded.normals(50, 100, 1);
        assertThat(Evaluation.of(seeded.normals(71, 0, 1), far, Bootstrap.DEFAULTS)
                        .interval(Metric.FNR95))
                .contains(new Interval(0, 1));
        assertThat(Evaluation.of(seeded.normals(72, 0, 1), far, Bootstrap.DEFAULTS)
                        .interval(Metric.FNR95))
                .contains(Interval.ofShare(0, 50, 0.95));
    }

    /** Against a scorer that cannot tell anything, DeLong's standard error is that of the AUROC itself. */
    @Test
    void bootstrapIntervalsAreAsWideAsTheStandardErrorSays() {
        Seeded seeded = new Seeded(4);
        double[] ind = seeded.normals(2000, 0, 1);
        double[] ood = seeded.normals(2000, 1, 1);
        double error =
                DeLong.compare(ind, ood, new double[2000], new double[2000]).standardError();
        Interval interval = Evaluation.of(ind, ood, Bootstrap.DEFAULTS.withReplicates(2000))
                .interval(Metric.AUROC)
                .orElseThrow();
        assertThat((interval.high() - interval.low()) / (2 * 1.96 * error)).isCloseTo(1, within(0.1));
    }

    /** Samples that are drawn twice make an AUPR larger than it is, most of all where every rank is wrong. */
    @Test
    void intervalsHoldTheFigureWhereEveryRankIsWrong() {
        double[] ind = IntStream.range(0, 600).mapToDouble(i -> 1000 + i).toArray();
        double[] ood = IntStream.range(0, 600).mapToDouble(i -> i).toArray();
        Evaluation evaluation = Evaluation.of(ind, ood, Bootstrap.DEFAULTS);
        assertThat(Metric.values())
                .allMatch(metric -> evaluation.interval(metric).orElseThrow().contains(evaluation.value(metric)));
    }

    @Test
    void intervalsHoldTheFigureAndDependOnTheSeedAlone() {
        Seeded seeded = new Seeded(5);
        double[] ind = seeded.normals(400, 0, 1);
        double[] ood = seeded.normals(300, 1.5, 1);
        Evaluation once = Evaluation.of(ind, ood, Bootstrap.DEFAULTS);
        Evaluation again = Evaluation.of(ind, ood, Bootstrap.DEFAULTS);
        assertThat(again).isEqualTo(once);
        assertThat(Evaluation.of(ind, ood, Bootstrap.DEFAULTS.withSeed(2))).isNotEqualTo(once);
        for (Metric metric : Metric.values()) {
            Interval interval = once.interval(metric).orElseThrow();
            assertThat(interval.contains(once.value(metric))).as("%s", metric).isTrue();
            assertThat(interval.high() - interval.low()).isBetween(1e-6, 0.3);
        }
        assertThat(Evaluation.of(ind, ood, Bootstrap.NONE).interval(Metric.AUROC))
                .isEmpty();
    }

    @Test
    void deLongFindsARealDifferenceAndNoneWhereThereIsNone() {
        Seeded seeded = new Seeded(6);
        double[] ind = seeded.normals(500, 0, 1);
        double[] ood = seeded.normals(500, 2, 1);
        double[] noisyInd = added(ind, seeded.normals(500, 0, 2));
        double[] noisyOod = added(ood, seeded.normals(500, 0, 2));
        DeLong same = DeLong.compare(ind, ood, ind, ood);
        assertThat(same.pValue()).isEqualTo(1);
        DeLong worse = DeLong.compare(ind, ood, noisyInd, noisyOod);
        assertThat(worse.first()).isCloseTo(RankedScores.of(ind, ood).auroc(), within(1e-12));
        assertThat(worse.pValue()).isLessThan(1e-6);
    }

    /** Under the null hypothesis p-values are uniform: of 400 tests at a level, level * 400 are expected to reject. */
    @ParameterizedTest
    @CsvSource({"80, 80, 1, 0.1, 16, 64", "200, 8, 0, 0.05, 5, 29"})
    void deLongIsRightAboutItsErrorRate(int inds, int oods, double shift, double level, int atLeast, int atMost) {
        long rejected = IntStream.range(0, 400)
                .mapToObj(trial -> {
                    Seeded seeded = new Seeded(1000 + trial);
                    double[] ind = seeded.normals(inds, 0, 1);
                    double[] ood = seeded.normals(oods, shift, 1);
                    return DeLong.compare(
                            added(ind, seeded.normals(inds, 0, 1)),
                            added(ood, seeded.normals(oods, 0, 1)),
                            added(ind, seeded.normals(inds, 0, 1)),
                            added(ood, seeded.normals(oods, 0, 1)));
                })
                .filter(test -> test.pValue() < level)
                .count();
        assertThat(rejected).isBetween((long) atLeast, (long) atMost);
    }

    @Test
    void deLongRefusesWhatIsNoNumber() {
        double[] good = {1, 2};
        double[] bad = {1, Double.NaN};
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeLong.compare(bad, good, good, good))
                .withMessage("every InD score must be a number but one is NaN");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeLong.compare(good, good, good, bad))
                .withMessage("every OOD score must be a number but one is NaN");
    }

    /** Nothing contradicts the first scorer, but two pairs are as likely in the right order as heads twice. */
    @Test
    void deLongOfTwoSamplesProvesNothing() {
        double[] low = {1, 2};
        double[] high = {3, 4};
        DeLong opposite = DeLong.compare(low, high, high, low);
        assertThat(opposite.standardError()).isZero();
        assertThat(opposite.pValue()).isEqualTo(0.5);
        assertThat(DeLong.compare(low, high, new double[2], new double[2]).pValue())
                .isEqualTo(0.5);
    }

    /** Worked by hand: placements on OOD {1, 1/2} and {1/2, 1/2}, on InD {1, 1/2} and {1, 0}. */
    @Test
    void deLongOfASmallCaseEqualsTheHandCalculation() {
        DeLong test =
                DeLong.compare(new double[] {1, 3}, new double[] {4, 2}, new double[] {1, 5}, new double[] {4, 2});
        assertThat(test.first()).isEqualTo(0.75);
        assertThat(test.second()).isEqualTo(0.5);
        double onOod = 0.125; // variance of {1/2, 0}
        double onInd = 0.125; // variance of {0, 1/2}
        assertThat(test.standardError()).isCloseTo(Math.sqrt(onOod / 2 + onInd / 2), within(1e-15));
    }

    @Test
    void mismatchedSamplesAreRefused() {
        double[] two = {1, 2};
        double[] three = {1, 2, 3};
        assertThatIllegalArgumentException().isThrownBy(() -> DeLong.compare(two, two, three, two));
        assertThatIllegalArgumentException().isThrownBy(() -> DeLong.compare(new double[1], two, new double[1], two));
        assertThatIllegalArgumentException().isThrownBy(() -> new Bootstrap(-1, 0.95, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Bootstrap(99, 0.95, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new Bootstrap(100, Double.NaN, 1));
    }

    private static double[] added(double[] a, double[] b) {
        double[] sum = new double[a.length];
        for (int i = 0; i < a.length; i++) {
            sum[i] = a[i] + b[i];
        }
        return sum;
    }
}
