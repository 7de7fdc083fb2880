package ai.wood.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import ai.wood.Seeded;
import ai.wood.score.WoodScorer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransportTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void plansHaveTheGivenMarginals(long seed) {
        Seeded seeded = new Seeded(seed);
        int classes = seeded.between(2, 9);
        double[] p = seeded.distribution(classes);
        double[] q = seeded.distribution(classes);
        Matrix costs = seeded.costs(classes);
        assertMarginals(ExactTransport.solve(p, q, costs).plan(), p, q, 1e-9);
        Transport entropic = Sinkhorn.of(20).solve(p, q, costs);
        assertThat(entropic.converged()).isTrue();
        assertMarginals(entropic.plan(), p, q, 1e-9);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void aMetricCostMakesTheDistanceAMetric(long seed) {
        Seeded seeded = new Seeded(seed);
        int classes = seeded.between(2, 7);
        Matrix costs = seeded.metricCosts(classes);
        double[] p = seeded.distribution(classes);
        double[] q = seeded.distribution(classes);
        double[] r = seeded.distribution(classes);
        double pq = ExactTransport.solve(p, q, costs).value();
        assertThat(ExactTransport.solve(p, p, costs).value()).isCloseTo(0, within(1e-9));
        assertThat(ExactTransport.solve(q, p, costs).value()).isCloseTo(pq, within(1e-9));
        double detour = ExactTransport.solve(p, r, costs).value()
                + ExactTransport.solve(r, q, costs).value();
        assertThat(pq).isLessThanOrEqualTo(detour + 1e-9);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void potentialsCertifyTheExactOptimum(long seed) {
        Seeded seeded = new Seeded(seed);
        int classes = seeded.between(2, 9);
        double[] p = seeded.distribution(classes);
        double[] q = seeded.distribution(classes);
        Matrix costs = seeded.costs(classes);
        Transport exact = ExactTransport.solve(p, q, costs);
        double dual = 0;
        for (int i = 0; i < classes; i++) {
            dual += p[i] * exact.potentials().get(0, i)
                    + q[i] * exact.potentials().get(1, i);
            for (int j = 0; j < classes; j++) {
                assertThat(exact.potentials().get(0, i) + exact.potentials().get(1, j))
                        .isLessThanOrEqualTo(costs.get(i, j) + 1e-9);
            }
        }
        assertThat(dual).isCloseTo(exact.value(), within(1e-9));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void sinkhornApproachesTheExactDistanceAsLambdaGrows(long seed) {
        Seeded seeded = new Seeded(seed);
        int classes = seeded.between(3, 6);
        double[] p = seeded.distribution(classes);
        double[] q = seeded.distribution(classes);
        Matrix costs = seeded.costs(classes);
        double exact = ExactTransport.solve(p, q, costs).value();
        double previous = Double.POSITIVE_INFINITY;
        for (double lambda : new double[] {5, 50, 500}) {
            Transport entropic = new Sinkhorn(lambda, 1e-8, 200_000).solve(p, q, costs);
            double gap = entropic.cost(costs) - exact;
            // <P, M> exceeds the optimum by at most the entropy the regularisation can pay for, log(K^2) / lambda.
            assertThat(gap).isBetween(-1e-6, 2 * Math.log(classes) / lambda + 1e-6);
            assertThat(gap).isLessThanOrEqualTo(previous + 1e-6);
            previous = gap;
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 1, 10, 1000, 1e6})
    void entropicClosedFormEqualsSinkhornToAOneHotVector(double lambda) {
        Seeded seeded = new Seeded(7);
        int classes = 6;
        double[] f = seeded.distribution(classes);
        CustomCost cost = GroundCost.custom(seeded.costs(classes));
        int nearest = cost.nearest(f);
        Transport sinkhorn = Sinkhorn.of(lambda).solve(f, Seeded.oneHot(classes, nearest), cost.matrix());
        assertThat(sinkhorn.value()).isCloseTo(new WoodScorer(cost, lambda).score(f), within(1e-10));
        assertThat(sinkhorn.cost(cost.matrix())).isCloseTo(cost.score(f), within(1e-10));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void potentialsAreTheDerivativeOfTheEntropicValue(long seed) {
        Seeded seeded = new Seeded(seed);
        int classes = 5;
        double[] p = seeded.logits(classes);
        Probabilities.softmax(p);
        double[] q = seeded.distribution(classes);
        Matrix costs = seeded.costs(classes);
        Sinkhorn sinkhorn = new Sinkhorn(8, 1e-13, 100_000);
        Matrix potentials = sinkhorn.solve(p, q, costs).potentials();
        double h = 1e-5 * p[Probabilities.argmax(p)];
        int top = Probabilities.argmax(p);
        for (int i = 0; i < classes; i++) {
            if (p[i] < 2 * h || i == top) {
                continue;
            }
            double[] up = p.clone();
            double[] down = p.clone();
            up[i] += h;
            up[top] -= h;
            down[i] -= h;
            down[top] += h;
            double difference = (sinkhorn.solve(up, q, costs).value()
                            - sinkhorn.solve(down, q, costs).value())
                    / (2 * h);
            assertThat(potentials.get(0, i) - potentials.get(0, top)).isCloseTo(difference, within(1e-4));
        }
    }

    @Test
    void rectangularProblemsAndDegenerateMassesAreSolved() {
        Matrix costs = Matrix.of(new double[] {1, 0, 2}, new double[] {3, 1, 0});
        Transport exact = ExactTransport.solve(new double[] {0.5, 0.5}, new double[] {0, 0.5, 0.5}, costs);
        assertThat(exact.value()).isCloseTo(0, within(1e-12));
        Transport entropic = Sinkhorn.of(100).solve(new double[] {1, 0}, new double[] {0, 0, 1}, costs);
        assertThat(entropic.cost(costs)).isCloseTo(2, within(1e-12));
        assertThat(entropic.potentials().get(0, 1)).isEqualTo(Double.NEGATIVE_INFINITY);
    }

    @Test
    void givingUpIsSaid() {
        Seeded seeded = new Seeded(3);
        Transport transport = Sinkhorn.of(1000)
                .withMaxIterations(2)
                .solve(seeded.distribution(6), seeded.distribution(6), seeded.metricCosts(6));
        assertThat(transport.converged()).isFalse();
        assertThat(transport.iterations()).isEqualTo(2);
    }

    @Test
    void whatIsNoDistributionIsRefused() {
        Matrix costs = Matrix.of(new double[] {0, 1}, new double[] {1, 0});
        double[] good = {0.5, 0.5};
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExactTransport.solve(good, new double[] {0.7, 0.7}, costs));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Sinkhorn.of(1).solve(good, new double[] {0.2, 0.3, 0.5}, costs));
        Matrix open = Matrix.of(new double[] {0, 1}, new double[] {Double.POSITIVE_INFINITY, 0});
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ExactTransport.solve(good, good, open))
                .withMessageContaining("row 2 holds Infinity");
        assertThatIllegalArgumentException().isThrownBy(() -> Sinkhorn.of(1).solve(good, good, open));
        assertThatIllegalArgumentException().isThrownBy(() -> Sinkhorn.of(Double.NaN));
        assertThatIllegalArgumentException().isThrownBy(() -> new Sinkhorn(1, Double.NaN, 5));
        assertThatIllegalArgumentException().isThrownBy(() -> new Sinkhorn(1, 1e-6, 0));
    }

    private static void assertMarginals(Matrix plan, double[] p, double[] q, double tolerance) {
        for (int i = 0; i < p.length; i++) {
            double row = 0;
            double column = 0;
            for (int j = 0; j < p.length; j++) {
                assertThat(plan.get(i, j)).isNotNegative();
                row += plan.get(i, j);
                column += plan.get(j, i);
            }
            assertThat(row).isCloseTo(p[i], within(tolerance));
            assertThat(column).isCloseTo(q[i], within(tolerance));
        }
    }
}
