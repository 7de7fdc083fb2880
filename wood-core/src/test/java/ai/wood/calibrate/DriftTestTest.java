package ai.wood.calibrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Calibration;
import ai.wood.Seed;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DriftTestTest {

    private static final double ALPHA = 0.05;

    private static double[] normal(int count, SplittableRandom random) {
        return IntStream.range(0, count).mapToDouble(i -> random.nextGaussian()).toArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 300})
    void firesInFewerStreamsThanPromisedWhereNothingChanges(int calibration) {
        int streams = 1000;
        long fired = IntStream.range(0, streams)
                .parallel()
                .filter(i -> {
                    SplittableRandom random = new Seed(1).at(calibration).at(i).random();
                    DriftTest test = new DriftTest(normal(calibration, random), ALPHA, new Seed(2).at(i));
                    Arrays.stream(normal(3000, random)).forEach(test::add);
                    return test.firedAt() > 0;
                })
                .count();
        double error = 3 * Math.sqrt(ALPHA * (1 - ALPHA) / streams);
        assertThat((double) fired / streams).isLessThanOrEqualTo(ALPHA + error);
        assertThat(fired).as("the test is not asleep").isPositive();
    }

    /** Why scores are not simply compared with the calibration sample: its accidents look like drift in the end. */
    @Test
    void pValuesAgainstAFixedSampleWouldBreakThePromise() {
        int streams = 100;
        long fired = IntStream.range(0, streams)
                .parallel()
                .filter(i -> {
                    SplittableRandom random = new Seed(3).at(i).random();
                    Calibration calibration = Calibration.of(normal(50, random));
                    Bets bets = new Bets();
                    return Arrays.stream(normal(5000, random)).anyMatch(score -> {
                        double p = calibration.pValue(score);
                        bets.play(p - random.nextDouble() / 51);
                        return bets.capital() >= 1 / ALPHA;
                    });
                })
                .count();
        assertThat((double) fired / streams).isGreaterThan(5 * ALPHA);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10_000})
    void findsAChangeWheneverItComes(int before) {
        int[] delays = IntStream.range(0, 50)
                .parallel()
                .map(i -> {
                    SplittableRandom random = new Seed(4).at(before).at(i).random();
                    DriftTest test = new DriftTest(normal(500, random), 0.01, new Seed(5).at(i));
                    Arrays.stream(normal(before, random)).forEach(test::add);
                    while (test.firedAt() == 0 && test.samples() < before + 2000) {
                        test.add(2 + random.nextGaussian());
                    }
                    return (int) test.firedAt() - before;
                })
                .filter(delay -> delay > 0) // a false alarm in 100 streams is promised, not none
                .sorted()
                .toArray();
        assertThat(delays).hasSizeGreaterThanOrEqualTo(47);
        assertThat(delays[delays.length / 2]).isLessThan(before == 0 ? 20 : 40);
        assertThat(delays[delays.length - 1]).isLessThan(100);
    }

    @Test
    void findsAFewOutliersAmongMany() {
        SplittableRandom random = new Seed(6).random();
        DriftTest test = new DriftTest(normal(1000, random), 0.01, new Seed(7));
        for (int i = 0; i < 1000; i++) {
            test.add(random.nextDouble() < 0.1 ? 6 : random.nextGaussian());
        }
        assertThat(test.firedAt()).isBetween(1L, 500L);
    }

    /** Strange pictures now and then are what the detector is for. */
    @ParameterizedTest
    @ValueSource(ints = {100, 750, 100_000})
    void aPictureOrTwoAreNoDrift(int calibration) {
        DriftTest test = new DriftTest(normal(calibration, new Seed(14).random()), 0.01, new Seed(15));
        test.add(50);
        assertThat(test.evidence()).isLessThan(3);
        test.add(Double.POSITIVE_INFINITY);
        assertThat(test.firedAt()).isZero();
        IntStream.range(0, 3).forEach(i -> test.add(60 + i));
        assertThat(test.firedAt()).as("five in a row are").isPositive();
    }

    @Test
    void findsScoresThatFall() {
        SplittableRandom random = new Seed(8).random();
        DriftTest test = new DriftTest(normal(1000, random), 0.01, new Seed(9));
        Arrays.stream(normal(200, random)).forEach(score -> test.add(score - 2));
        assertThat(test.firedAt()).isPositive();
    }

    @Test
    void findsSmallDifferencesBetweenLargeScores() {
        SplittableRandom random = new Seed(12).random();
        double[] calibration =
                Arrays.stream(normal(500, random)).map(score -> 1000 + score).toArray();
        DriftTest test = new DriftTest(calibration, 0.01, new Seed(13));
        Arrays.stream(normal(100, random)).forEach(score -> test.add(1003 + score));
        assertThat(test.firedAt()).isBetween(1L, 20L);
    }

    /** As those of a scorer with a high temperature do; some calibration scores are far off all the same. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void findsSmallDifferencesBetweenScoresThatLieCloseTogether(long seed) {
        SplittableRandom random = new Seed(16).at(seed).random();
        double[] calibration = Arrays.stream(normal(500, random))
                .map(score -> random.nextInt(10) == 0 ? 0.5 + 0.1 * score : 0.99898 + 1e-6 * score)
                .toArray();
        DriftTest test = new DriftTest(calibration, 0.01, new Seed(seed));
        Arrays.stream(normal(100, random)).forEach(score -> test.add(0.99898 + 1e-6 * (score + 3)));
        assertThat(test.firedAt()).isBetween(1L, 20L);
    }

    @Test
    void whatTakesNoPartIsDrawnSoThatTheOrderOfCalibrationScoresDoesNotMatter() {
        int streams = 1000;
        long fired = IntStream.range(0, streams)
                .parallel()
                .filter(i -> {
                    SplittableRandom random = new Seed(17).at(i).random();
                    double[] calibration = normal(12, random);
                    Arrays.sort(calibration);
                    DriftTest test = new DriftTest(calibration, ALPHA, new Seed(18).at(i));
                    Arrays.stream(normal(1000, random)).forEach(test::add);
                    return test.firedAt() > 0;
                })
                .count();
        double error = 3 * Math.sqrt(ALPHA * (1 - ALPHA) / streams);
        assertThat((double) fired / streams).isLessThanOrEqualTo(ALPHA + error);
    }

    @Test
    void firesOnceAndStaysFired() {
        DriftTest test = new DriftTest(new double[100], 0.01, new Seed(0));
        long fired = IntStream.range(0, 200).filter(i -> test.add(1 + i)).count();
        assertThat(fired).isOne();
        assertThat(test.samples()).isEqualTo(200);
        assertThat(test.evidence()).isGreaterThanOrEqualTo(100);
    }

    @Test
    void equalScoresAreNoEvidence() {
        DriftTest test = new DriftTest(new double[100], ALPHA, new Seed(10));
        IntStream.range(0, 10_000).forEach(i -> test.add(0));
        assertThat(test.firedAt()).isZero();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 3, -1000, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.NaN})
    void ranksAreThoseOfABruteForceCount(double typical) {
        SplittableRandom random = new Seed(11).random();
        double[] scores = IntStream.range(0, 500)
                .mapToDouble(i -> (random.nextInt(200) - 100) * Math.pow(2, random.nextInt(5)))
                .toArray();
        ScoreRanks ranks = new ScoreRanks(typical, 17);
        for (int t = 0; t < scores.length; t++) {
            double score = scores[t];
            double draw = random.nextDouble();
            long larger = Arrays.stream(scores, 0, t + 1).filter(s -> s > score).count();
            long equal = Arrays.stream(scores, 0, t + 1).filter(s -> s == score).count();
            assertThat(ranks.pValue(score, draw)).isCloseTo((larger + draw * equal) / (t + 1), within(1e-12));
        }
        assertThat(ranks.pValue(Double.NaN, 0.5)).as("NaN is the largest").isCloseTo(0.5 / 501, within(1e-12));
        assertThat(ranks.pValue(Double.NEGATIVE_INFINITY, 0.5)).isCloseTo(501.5 / 502, within(1e-12));
    }

    @Test
    void aBetPaysOneOnAverage() {
        int steps = 2_000_000;
        double mean = IntStream.range(0, steps)
                .mapToDouble(i -> {
                    Bets bets = new Bets();
                    bets.play((i + 0.5) / steps);
                    return bets.capital();
                })
                .average()
                .orElseThrow();
        assertThat(mean).isCloseTo(1, within(1e-6));
    }

    @Test
    void refusesWhatIsNoChance() {
        for (double alpha : new double[] {0, 1, Double.NaN}) {
            assertThatIllegalArgumentException().isThrownBy(() -> new DriftTest(new double[1], alpha, new Seed(0)));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> new DriftTest(new double[0], ALPHA, new Seed(0)));
    }
}
