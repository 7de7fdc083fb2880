package ai.wood.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import ai.wood.Seeded;
import ai.wood.score.WoodScorer;
import java.util.Arrays;
import java.util.stream.IntStream;
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

    /** Masses of sevenths are seven equal parts, and the best plan is the best of all ways to pair them. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void theExactValueIsTheLeastOfAllPairings(long seed) {
        Seeded seeded = new Seeded(seed);
        int classes = seeded.between(2, 6);
        Matrix costs = seeded.costs(classes);
        int[] from =
                IntStream.range(0, 7).map(i -> seeded.between(1, classes) - 1).toArray();
        int[] to =
                IntStream.range(0, 7).map(i -> seeded.between(1, classes) - 1).toArray();
        Transport exact = ExactTransport.solve(sevenths(from, classes), sevenths(to, classes), costs);
        assertThat(exact.value()).isCloseTo(leastPairing(from, to, 0, costs) / 7, within(1e-14));
    }

    private static double[] sevenths(int[] parts, int classes) {
        double[] masses = new double[classes];
        Arrays.stream(parts).forEach(k -> masses[k] += 1.0 / 7);
        return masses;
    }

    private static double leastPairing(int[] from, int[] to, int start, Matrix costs) {
        if (start == from.length) {
            return 0;
        }
        double least = Double.POSITIVE_INFINITY;
        for (int k = start; k < to.length; k++) {
            int[] swapped = to.clone();
            swapped[start] = to[k];
            swapped[k] = to[start];
            least = Math.min(least, costs.get(from[start], to[k]) + leastPairing(from, swapped, start + 1, costs));
        }
        return least;
    }

    /** Predictions of a sure network: a class has its own mass and price however little it is. */
    @ParameterizedTest
    @ValueSource(doubles = {1e-6, 1e-9, 1e-12, 1e-20, 1e-300})
    void tinyMassesAreSentToo(double tiny) {
        for (int seed = 0; seed < 50; seed++) {
            Seeded seeded = new Seeded(seed);
            int classes = seeded.between(2, 9);
            double[] p = sure(seeded, classes, tiny);
            double[] q = sure(seeded, classes, tiny);
            Matrix costs = seeded.costs(classes);
            Transport exact = ExactTransport.solve(p, q, costs);
            double dual = 0;
            for (int i = 0; i < classes; i++) {
                double row = 0;
                double column = 0;
                for (int j = 0; j < classes; j++) {
                    row += exact.plan().get(i, j);
                    column += exact.plan().get(j, i);
                    assertThat(exact.potentials().get(0, i) + exact.potentials().get(1, j))
                            .isLessThanOrEqualTo(costs.get(i, j) + 1e-12);
                }
                assertThat(row).isCloseTo(p[i], within(1e-12 * p[i]));
                assertThat(column).isCloseTo(q[i], within(1e-12 * q[i]));
                dual += p[i] * exact.potentials().get(0, i)
                        + q[i] * exact.potentials().get(1, i);
            }
            assertThat(dual).isCloseTo(exact.value(), within(1e-12));
        }
    }

    private static double[] sure(Seeded seeded, int classes, double tiny) {
        double[] f = IntStream.range(0, classes)
                .mapToDouble(i -> seeded.uniform() < 0.5 ? tiny * seeded.uniform() : seeded.uniform())
                .toArray();
        f[seeded.between(1, classes) - 1] = 1;
        double sum = Arrays.stream(f).sum();
        return Arrays.stream(f).map(mass -> mass / sum).toArray();
    }

    @Test
    void valuesKeepTheirPrecisionHoweverSmallTheyAre() {
        Matrix costs = Matrix.of(new double[] {0, 1}, new double[] {1, 0});
        double[] p = {1 - 2.09e-9, 2.09e-9};
        double[] q = {1 - 4.1e-10, 4.1e-10};
        assertThat(ExactTransport.solve(p, q, costs).value()).isCloseTo(2.09e-9 - 4.1e-10, within(1e-16));
    }

    @Test
    void potentialsOfClassesWithoutMassTellWhatAFirstBitWouldCost() {
        Seeded seeded = new Seeded(9);
        Matrix costs = seeded.costs(4);
        double[] p = {0.5, 0, 0.3, 0.2};
        double[] q = {0, 0.1, 0.6, 0.3};
        Transport exact = ExactTransport.solve(p, q, costs);
        double bit = 1e-6;
        double more = ExactTransport.solve(new double[] {0.5 - bit, bit, 0.3, 0.2}, q, costs)
                .value();
        assertThat((more - exact.value()) / bit)
                .isCloseTo(exact.potentials().get(0, 1) - exact.potentials().get(0, 0), within(1e-9));
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
