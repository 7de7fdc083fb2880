package ai.wood.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Scorer;
import ai.wood.Seeded;
import ai.wood.transport.GroundCost;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A scorer is made again from its statistics alone. */
class RestoredScorersTest {

    private static final int CLASSES = 3;
    private static final int WIDTH = 6;
    private static final Outputs QUERIES = outputs(3, 30, 2);

    private static final ScorerOptions OPTIONS = ScorerOptions.DEFAULTS
            .withInd(outputs(1, 80, 0))
            .withLabels(IntStream.range(0, 80).map(i -> i % CLASSES).boxed().toList())
            .withHead(new Head(matrix(new Seeded(9), CLASSES, WIDTH, 0), matrix(new Seeded(8), 1, CLASSES, 0)))
            .withTuning(new Tuning(outputs(4, 40, 0), outputs(5, 40, 3)));

    private static Matrix matrix(Seeded seeded, int rows, int columns, double mean) {
        return Matrix.of(IntStream.range(0, rows)
                .mapToObj(r -> seeded.normals(columns, mean + r % CLASSES, 1))
                .toArray(double[][]::new));
    }

    private static Outputs outputs(long seed, int samples, double mean) {
        Seeded seeded = new Seeded(seed);
        return Outputs.ofLogits(matrix(seeded, samples, CLASSES, 0))
                .withFeatures(matrix(seeded, samples, WIDTH, mean))
                .withLayers(new LinkedHashMap<>(
                        Map.of("late", matrix(seeded, samples, 4, mean), "early", matrix(seeded, samples, 5, mean))))
                .withBranches(
                        Map.of("confidence", matrix(seeded, samples, 1, 0), "reject", matrix(seeded, samples, 2, 0)));
    }

    @ParameterizedTest
    @EnumSource
    void scoresAreTheSameToTheBit(Scorers name) {
        for (double temperature : new double[] {1, 2.5}) {
            ScorerOptions options = OPTIONS.withTemperature(temperature);
            Scorer built = name.create(options);
            Scorer restored = name.restore(ScorerOptions.DEFAULTS.withTemperature(temperature), built.statistics());
            assertThat(restored.score(QUERIES)).containsExactly(built.score(QUERIES));
            assertThat(restored.statistics()).isEqualTo(built.statistics());
            assertThat(List.copyOf(restored.statistics().keySet()))
                    .isEqualTo(List.copyOf(built.statistics().keySet()));
        }
    }

    /** Samples of NNGuide had one more coordinate, which made all equally long. */
    @Test
    void earlierStatisticsOfNnGuideAreTaken() {
        Scorer built = Scorers.NNGUIDE.create(OPTIONS);
        Map<String, Matrix> earlier = new LinkedHashMap<>(built.statistics());
        Matrix samples = Objects.requireNonNull(built.statistics().get("samples"));
        earlier.put(
                "samples",
                Matrix.of(IntStream.range(0, 80)
                        .mapToObj(r -> Arrays.copyOf(samples.row(r), WIDTH + 1))
                        .peek(row -> row[WIDTH] = 7)
                        .toArray(double[][]::new)));
        earlier.put("square", Matrix.of(new double[] {100}));
        Scorer restored = Scorers.NNGUIDE.restore(ScorerOptions.DEFAULTS, earlier);
        assertThat(restored.score(QUERIES)).containsExactly(built.score(QUERIES));
    }

    @Test
    void aCustomCostIsToldAsItsMatrix() {
        Matrix costs = new Seeded(2).costs(CLASSES);
        Scorer built = Scorers.WOOD.create(OPTIONS.withCost(GroundCost.custom(costs)));
        assertThat(built.statistics()).isEqualTo(Map.of("cost", costs));
    }

    static Stream<Scorers> withStatistics() {
        return Arrays.stream(Scorers.values())
                .filter(name -> !name.create(OPTIONS).statistics().isEmpty());
    }

    @ParameterizedTest
    @MethodSource("withStatistics")
    void missingOrTornStatisticsAreRefused(Scorers name) {
        Map<String, Matrix> statistics = name.create(OPTIONS).statistics();
        for (String lost : statistics.keySet()) {
            Map<String, Matrix> rest = new LinkedHashMap<>(statistics);
            rest.remove(lost);
            if (name != Scorers.TRUST) { // which may lack a class
                assertThatIllegalArgumentException()
                        .as("%s without %s", name, lost)
                        .isThrownBy(() -> name.restore(ScorerOptions.DEFAULTS, rest));
            }
            rest.put(lost, wider(statistics.get(lost)));
            assertThatIllegalArgumentException()
                    .as("%s with a wider %s", name, lost)
                    .isThrownBy(() -> name.restore(ScorerOptions.DEFAULTS, rest).score(QUERIES));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> name.restore(ScorerOptions.DEFAULTS, Map.of()));
    }

    private static Matrix wider(Matrix matrix) {
        return Matrix.of(IntStream.range(0, matrix.rows())
                .mapToObj(r -> Arrays.copyOf(matrix.row(r), matrix.columns() + 1))
                .toArray(double[][]::new));
    }
}
