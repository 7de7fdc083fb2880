package ai.wood.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Matrix;
import org.junit.jupiter.api.Test;

class RiskBoundTest {

    @Test
    void valueIsTheTheorems() {
        RiskBound bound = new RiskBound(50_000, 10_000, 0.01, 0.02, 0.5, 1, 0.1, 0.05);
        double log = Math.log(20);
        double ind = 4 * Math.sqrt(2) / 0.5 * 0.01 + 2 * Math.sqrt(0.25 * log / (2 * 50_000 * 0.25));
        double ood = 0.1 * (16 * 0.02 + 2 * Math.sqrt(log / 20_000));
        assertThat(bound.value()).isCloseTo(ind + ood, within(1e-15));
    }

    @Test
    void itHoldsWithWhatFourBoundsLeave() {
        assertThat(new RiskBound(1, 1, 0, 0, 0.5, 1, 0.1, 0.05).probability()).isCloseTo(0.8, within(1e-12));
        assertThat(new RiskBound(1, 1, 0, 0, 0.5, 1, 0.1, 0.5).probability()).isZero();
    }

    @Test
    void moreSamplesTightenTheBound() {
        double previous = Double.POSITIVE_INFINITY;
        for (int n : new int[] {10, 100, 1000, 2_000_000_000}) {
            double value = new RiskBound(n, n, 0, 0, 0.5, 1, 0.1, 0.05).value();
            assertThat(value).isPositive().isLessThan(previous);
            previous = value;
        }
        assertThat(previous).isLessThan(1e-3);
    }

    @Test
    void absurdInputsAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new RiskBound(0, 1, 0, 0, 0.5, 1, 0.1, 0.05));
        assertThatIllegalArgumentException().isThrownBy(() -> new RiskBound(1, 1, 0, 0, 0, 1, 0.1, 0.05));
        assertThatIllegalArgumentException().isThrownBy(() -> new RiskBound(1, 1, 0, 0, 0.5, 1, 0.1, 1));
        assertThatIllegalArgumentException().isThrownBy(() -> new RiskBound(1, 1, Double.NaN, 0, 0.5, 1, 0.1, 0.5));
    }

    @Test
    void oneHypothesisFitsNoNoise() {
        Rademacher one = Rademacher.estimate(Matrix.of(new double[] {1, 1, 1, 1}), 20_000, 1);
        assertThat(one.value()).isCloseTo(0, within(4 * one.standardError()));
    }

    @Test
    void allSignPatternsFitEveryNoise() {
        Matrix all = Matrix.of(new double[] {1, 1}, new double[] {1, -1}, new double[] {-1, 1}, new double[] {-1, -1});
        assertThat(Rademacher.estimate(all, 100, 1)).isEqualTo(new Rademacher(1, 0));
    }

    /** With +g and -g the supremum is |sum sigma_i g_i| / N; for two ones its mean is 1/2. */
    @Test
    void estimateEqualsTheExactMeanOfASmallCase() {
        Rademacher pair = Rademacher.estimate(Matrix.of(new double[] {1, 1}, new double[] {-1, -1}), 20_000, 2);
        assertThat(pair.value()).isCloseTo(0.5, within(4 * pair.standardError()));
        assertThat(pair)
                .isEqualTo(Rademacher.estimate(Matrix.of(new double[] {1, 1}, new double[] {-1, -1}), 20_000, 2));
    }
}
