package ai.wood.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Seeded;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NeighboursTest {

    @ParameterizedTest
    @CsvSource({"2000,64,1", "2000,64,50", "2000,64,2000", "257,3,7", "1,5,1", "256,4,256"})
    void distancesEqualThoseOfThePlainLoop(int size, int width, int k) {
        Seeded seeded = new Seeded(size + k);
        double[][] samples = rows(seeded, size, width);
        double[][] queries = rows(seeded, 45, width);
        double[] found = Neighbours.of(size, r -> samples[r])
                .mapNearest(queries.length, r -> queries[r], k, squares -> Math.sqrt(squares[0]));
        double[] means = Neighbours.of(size, r -> samples[r])
                .mapNearest(
                        queries.length,
                        r -> queries[r],
                        k,
                        squares -> Arrays.stream(squares).average().orElseThrow());
        for (int q = 0; q < queries.length; q++) {
            double[] squares = sortedSquares(queries[q], samples);
            assertThat(found[q]).isCloseTo(Math.sqrt(squares[k - 1]), within(1e-6 * width));
            assertThat(means[q])
                    .isCloseTo(Arrays.stream(squares, 0, k).average().orElseThrow(), within(1e-6 * width * width));
        }
    }

    @ParameterizedTest
    @CsvSource({"2000,64,1", "2000,64,50", "257,3,7", "1,5,1"})
    void productsEqualThoseOfThePlainLoop(int size, int width, int k) {
        Seeded seeded = new Seeded(size + k);
        double[][] samples = rows(seeded, size, width);
        double[][] queries = rows(seeded, 45, width);
        double[] found = Neighbours.of(size, r -> samples[r])
                .mapMostAlike(
                        queries.length,
                        r -> queries[r],
                        k,
                        negatives -> -Arrays.stream(negatives).average().orElseThrow());
        for (int q = 0; q < queries.length; q++) {
            double[] query = queries[q];
            double mean = Arrays.stream(samples)
                    .mapToDouble(sample -> IntStream.range(0, width)
                            .mapToDouble(i -> query[i] * sample[i])
                            .sum())
                    .sorted()
                    .skip(size - k)
                    .average()
                    .orElseThrow();
            assertThat(found[q]).isCloseTo(mean, within(1e-6));
        }
    }

    private static double[] sortedSquares(double[] query, double[][] samples) {
        return Arrays.stream(samples)
                .mapToDouble(sample -> {
                    double sum = 0;
                    for (int i = 0; i < query.length; i++) {
                        sum += (query[i] - sample[i]) * (query[i] - sample[i]);
                    }
                    return sum;
                })
                .sorted()
                .toArray();
    }

    private static double[][] rows(Seeded seeded, int count, int width) {
        return IntStream.range(0, count)
                .mapToObj(r -> Neighbours.unit(seeded.normals(width, 0, 1)))
                .toArray(double[][]::new);
    }
}
