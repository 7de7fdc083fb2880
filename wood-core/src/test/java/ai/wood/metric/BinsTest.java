package ai.wood.metric;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.metric.Bins.Range;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BinsTest {

    @Test
    void everyScoreIsCountedOnceWhereItBelongs() {
        Bins bins = new Bins(new Range(0, 1), 4);
        double[] scores = {0, 0.24, 0.25, 0.5, 0.99, 1, 7, -3, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
        assertThat(bins.counts(scores)).containsExactly(4, 1, 1, 4);
    }

    @Test
    void allScoresAreInSightUnlessOodLiesFarOff() {
        assertThat(Range.of(new double[] {1, 2, 3}, new double[] {0, 9})).isEqualTo(new Range(0, 9));
        Random random = new Random(1);
        double[] ind = random.doubles(1000).toArray();
        Range far = Range.of(ind, new double[] {1e6});
        assertThat(far.low()).isEqualTo(Arrays.stream(ind).min().orElseThrow());
        assertThat(far.high()).isBetween(15.0, 21.0);
    }

    @Test
    void equalAndInfiniteScoresHaveARangeToo() {
        assertThat(Range.of(new double[] {2, 2}, new double[] {2})).isEqualTo(new Range(2, 3));
        assertThat(Range.of(new double[] {1e300}, new double[] {1e300}).high()).isGreaterThan(1e300);
        assertThat(Range.of(new double[] {Double.POSITIVE_INFINITY})).isEqualTo(new Range(0, 1));
    }
}
