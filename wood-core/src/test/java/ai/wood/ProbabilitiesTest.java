package ai.wood;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ProbabilitiesTest {

    @Test
    void fastExponentialEqualsTheLibrarys() {
        double[] row = new double[80_001];
        for (int i = 0; i < row.length; i++) {
            row[i] = -i / 1000.0;
        }
        double[] x = row.clone();
        Probabilities.exp(row);
        for (int i = 0; i < row.length; i++) {
            assertThat(Math.abs(row[i] / Math.exp(x[i]) - 1))
                    .as("exp(%s)", x[i])
                    .isLessThan(1e-12);
        }
    }

    @Test
    void fastExponentialOfVerySmallNumbersIsTinyAndNeverNegative() {
        for (int length : new int[] {6, 60}) {
            double[] row = Arrays.copyOf(new double[] {-500, -700, -709, -800, -1e9, Double.NEGATIVE_INFINITY}, length);
            Probabilities.exp(row);
            for (int i = 0; i < 6; i++) {
                assertThat(row[i]).isBetween(0.0, 1e-216);
            }
            Arrays.fill(row, Double.NaN);
            Probabilities.exp(row);
            assertThat(row).containsOnly(Double.NaN);
        }
    }

    @Test
    void softmaxOfHugeLogitsIsADistribution() {
        double[] row = {1e4, -1e4, 1e4, 0};
        Probabilities.softmax(row);
        assertThat(row).containsExactly(new double[] {0.5, 0, 0.5, 0}, within(1e-300));
    }

    @Test
    void logSumExpOfHugeLogitsIsFinite() {
        assertThat(Probabilities.logSumExp(new double[] {1e4, 1e4})).isEqualTo(1e4 + Math.log(2));
        assertThat(Probabilities.logSumExp(new double[] {-1e4, -1e4})).isEqualTo(-1e4 + Math.log(2));
    }

    @Test
    void logSumExpOfNanOrPlusInfinityIsNan() {
        double infinity = Double.POSITIVE_INFINITY;
        for (double[] row : new double[][] {
            {infinity, 0}, {0, infinity}, {infinity, Double.NaN, 0}, {Double.NaN, infinity, 0}, {0, Double.NaN}
        }) {
            assertThat(Probabilities.logSumExp(row)).as(Arrays.toString(row)).isNaN();
        }
    }

    @Test
    void minusInfinityIsAClassWithoutMass() {
        double none = Double.NEGATIVE_INFINITY;
        assertThat(Probabilities.logSumExp(new double[] {none, 1, none})).isEqualTo(1);
        assertThat(Probabilities.logSumExp(new double[] {none, none})).isNaN();
        double[] row = {none, 3, none, 3};
        Probabilities.softmax(row);
        assertThat(row).containsExactly(0, 0.5, 0, 0.5);
    }

    @Test
    void entropyIsLargestWhereAllClassesAreEqual() {
        assertThat(Probabilities.entropy(new double[] {0.25, 0.25, 0.25, 0.25})).isCloseTo(Math.log(4), within(1e-15));
        assertThat(Probabilities.entropy(new double[] {0, 1, 0})).isZero();
    }

    @Test
    void checkNamesTheOffendingColumn() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Probabilities.check(new double[] {0.5, -0.5, 1}))
                .withMessageStartingWith("column 2: a probability must not be negative but is -0.5");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Probabilities.check(new double[] {0.5, Double.NaN}))
                .withMessageContaining("column 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Probabilities.check(new double[] {0.5, 0.6}))
                .withMessageContaining("sum to 1 but sum to 1.1");
    }

    @Test
    void rowsThatSumToOneAreProbabilitiesAndLogitsAreNot() {
        assertThat(Probabilities.looksLikeProbabilities(Matrix.of(new double[][] {{0.2, 0.8}, {1, 0.0005}})))
                .isTrue();
        assertThat(Probabilities.looksLikeProbabilities(Matrix.of(new double[][] {{0.2, 0.8}})))
                .isFalse(); // one row may be a coincidence
        assertThat(Probabilities.looksLikeProbabilities(Matrix.of(new double[][] {{0.2, 0.8}, {0.2, 0.81}})))
                .isFalse();
        assertThat(Probabilities.looksLikeProbabilities(Matrix.of(new double[][] {{0.2, 0.8}, {-1, 2}})))
                .isFalse();
        double nan = Double.NaN;
        double infinity = Double.POSITIVE_INFINITY;
        assertThat(Probabilities.looksLikeProbabilities(Matrix.of(new double[][] {{0.2, 0.8}, {nan, 1}})))
                .isFalse();
        assertThat(Probabilities.looksLikeProbabilities(Matrix.of(new double[][] {{0.2, 0.8}, {infinity, 1}})))
                .isFalse();
    }
}
