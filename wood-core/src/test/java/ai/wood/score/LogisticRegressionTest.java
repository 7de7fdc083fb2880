package ai.wood.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Seeded;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogisticRegressionTest {

    private static double[][] repeated(int zeros, int ones) {
        return IntStream.range(0, zeros + ones)
                .mapToObj(i -> new double[] {i < zeros ? 0 : 1})
                .toArray(double[][]::new);
    }

    /** With one input of two values, the log-odds are those of the counts. */
    @Test
    void logOddsOfACountedTable() {
        LogisticRegression regression = LogisticRegression.fit(repeated(30, 10), repeated(5, 20), 1e-9);
        assertThat(regression.logOdds(new double[] {0})).isCloseTo(Math.log(5 / 30.0), within(1e-6));
        assertThat(regression.logOdds(new double[] {1})).isCloseTo(Math.log(20 / 10.0), within(1e-6));
    }

    /** The sum of residuals vanishes at the minimum, for the intercept has no ridge. */
    @ParameterizedTest
    @ValueSource(doubles = {1e-6, 1, 100})
    void residualsSumToZero(double ridge) {
        double[][] negative = cloud(new Seeded(1), 40, 0);
        double[][] positive = cloud(new Seeded(2), 70, 1);
        LogisticRegression regression = LogisticRegression.fit(negative, positive, ridge);
        double sum = probability(regression, negative) + probability(regression, positive) - positive.length;
        assertThat(sum).isCloseTo(0, within(1e-4));
    }

    @Test
    void whatCanBeToldApartWithoutErrorGivesFiniteWeights() {
        LogisticRegression regression = LogisticRegression.fit(repeated(50, 0), repeated(0, 50), 1e-3);
        assertThat(regression.logOdds(new double[] {1})).isBetween(3.0, 30.0);
        assertThat(regression.logOdds(new double[] {0.5})).isCloseTo(0, within(1e-6));
    }

    @Test
    void hugeInputsOfOtherScalesChangeNothing() {
        double[][] negative = cloud(new Seeded(3), 40, 0);
        double[][] positive = cloud(new Seeded(4), 40, 1);
        double[] before = logOdds(LogisticRegression.fit(negative, positive, 1), positive);
        double[][] hugeNegative = scale(negative);
        double[][] hugePositive = scale(positive);
        double[] after = logOdds(LogisticRegression.fit(hugeNegative, hugePositive, 1), hugePositive);
        assertThat(after).containsExactly(before, within(1e-6));
    }

    @Test
    void anInputThatNeverVariesHasNoSay() {
        double[][] negative = {{7, 0}, {7, 1}, {7, 0}};
        double[][] positive = {{7, 1}, {7, 2}};
        LogisticRegression regression = LogisticRegression.fit(negative, positive, 1);
        assertThat(regression.logOdds(new double[] {9, 1})).isEqualTo(regression.logOdds(new double[] {7, 1}));
    }

    @Test
    void whatCannotBeFittedIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LogisticRegression.fit(new double[0][], repeated(1, 1), 1))
                .withMessageContaining("samples of both kinds");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LogisticRegression.fit(new double[][] {{Double.NaN}}, repeated(1, 1), 1))
                .withMessageContaining("must be finite");
    }

    private static double[][] cloud(Seeded seeded, int count, double mean) {
        return IntStream.range(0, count)
                .mapToObj(i -> seeded.normals(3, mean, 1))
                .toArray(double[][]::new);
    }

    private static double[][] scale(double[][] rows) {
        return Arrays.stream(rows)
                .map(x -> new double[] {1e9 * x[0] + 1e7, 1e-6 * x[1], -x[2]})
                .toArray(double[][]::new);
    }

    private static double[] logOdds(LogisticRegression regression, double[][] rows) {
        return Arrays.stream(rows).mapToDouble(regression::logOdds).toArray();
    }

    private static double probability(LogisticRegression regression, double[][] rows) {
        return Arrays.stream(logOdds(regression, rows))
                .map(z -> 1 / (1 + Math.exp(-z)))
                .sum();
    }
}
