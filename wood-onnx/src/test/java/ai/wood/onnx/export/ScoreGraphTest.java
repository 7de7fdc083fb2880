package ai.wood.onnx.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.onnx.proto.OnnxMl.TensorProto.DataType;
import ai.onnxruntime.OrtException;
import ai.wood.FitData;
import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.onnx.export.NetworkGraph.Said;
import ai.wood.score.ScorerKinds;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every score in the graph against the scorer itself, in double, on logits mild and extreme. */
class ScoreGraphTest {

    private static final int ROWS = 60;
    private static final int WIDTH = 5;
    private static final int REJECTED = 2;

    static Stream<Arguments> scorers() {
        Settings plain = Settings.NONE;
        FitData none = FitData.NONE;
        FitData fitted = FitData.of(outputs(rows(10), 10))
                .withLabels(IntStream.range(0, ROWS).mapToObj(i -> i % 10).toList())
                .withHead(new Head(part(rows(10), 3, WIDTH, 10), Matrix.of(new double[10])));
        return Stream.of(
                Arguments.of("wood", plain, none, 10),
                Arguments.of("wood", plain.with("cost", "binary"), none, 10),
                Arguments.of("wood", plain.with("cost", "binary"), none, 2),
                Arguments.of("wood", plain.with("cost", costs(10)), none, 10),
                Arguments.of("wood", plain.with("lambda", 20), none, 10),
                Arguments.of("wood", plain.with("temperature", 3), none, 10),
                Arguments.of("msp", plain, none, 10),
                Arguments.of("temperature-msp", plain, none, 10),
                Arguments.of("max-logit", plain, none, 10),
                Arguments.of("energy", plain, none, 10),
                Arguments.of("energy", plain.with("temperature", 7), none, 200),
                Arguments.of("entropy", plain, none, 10),
                Arguments.of("gen", plain, none, 10),
                Arguments.of("gen", plain, none, 200),
                Arguments.of("kl-matching", plain, fitted, 10),
                Arguments.of("mahalanobis", plain, fitted, 10),
                Arguments.of("relative-mahalanobis", plain, fitted, 10),
                Arguments.of("vim", plain, fitted, 10),
                Arguments.of("react", plain, fitted, 10),
                Arguments.of("react", plain.with("percentile", 70), fitted, 10),
                Arguments.of("dice", plain, fitted, 10),
                Arguments.of("she", plain, fitted, 10),
                Arguments.of("gradnorm", plain, none, 10),
                Arguments.of("nll-gradient", plain, none, 10),
                Arguments.of("confidence", plain, none, 10),
                Arguments.of("reject", plain, none, 10),
                Arguments.of("reject", plain.with("temperature", 3), none, 10));
    }

    @ParameterizedTest
    @MethodSource("scorers")
    void theGraphScoresAsTheScorerDoes(String id, Settings changed, FitData data, int classes) throws OrtException {
        float[] rows = rows(classes);
        ScorerKind kind = ScorerKinds.byId(id);
        Settings settings = changed.over(kind.settings());
        Scorer scorer = kind.fit(data, settings);
        double[] expected = scorer.score(outputs(rows, classes));
        float[] found = scores(rows, id, settings, scorer.parameters(), classes);
        for (int i = 0; i < ROWS; i++) {
            double close = 2e-5 * Math.abs(expected[i]) + 1e-30;
            assertThat((double) found[i]).as("row %d", i).isCloseTo(expected[i], within(close));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"wood", "msp", "energy", "entropy", "gen", "nll-gradient"})
    void theGraphIsAsPreciseWhereOneClassIsFarAhead(String id) throws OrtException {
        float[] rows = rows(10);
        int width = rows.length / ROWS;
        for (int i = 0; i < ROWS; i++) {
            Arrays.fill(rows, i * width, i * width + 10, 0);
            rows[i * width + i % 10] = 1.35f * i;
        }
        double[] expected = ScorerKinds.formula(id).score(outputs(rows, 10));
        float[] found = scores(rows, id, ScorerKinds.byId(id).settings(), Map.of(), 10);
        for (int i = 0; i < ROWS; i++) {
            double close = 1e-3 * Math.abs(expected[i]);
            assertThat((double) found[i]).as("row %d", i).isCloseTo(expected[i], within(close));
        }
    }

    /** Classes that the network rules out altogether: some in every row, all others in every third. */
    @ParameterizedTest
    @MethodSource("scorers")
    void aClassRuledOutScoresAsTheScorerSays(String id, Settings changed, FitData data, int classes)
            throws OrtException {
        float[] rows = rows(classes);
        int width = rows.length / ROWS;
        for (int i = 0; i < ROWS; i++) {
            int from = i * width + (i % 3 == 0 ? 1 : classes - 1);
            Arrays.fill(rows, from, i * width + classes, Float.NEGATIVE_INFINITY);
        }
        ScorerKind kind = ScorerKinds.byId(id);
        Settings settings = changed.over(kind.settings());
        Scorer scorer = kind.fit(data, settings);
        double[] expected = scorer.score(outputs(rows, classes));
        float[] found = scores(rows, id, settings, scorer.parameters(), classes);
        for (int i = 0; i < ROWS; i++) {
            double close = 2e-5 * Math.abs(expected[i]) + 1e-28; // exponentials of many classes are never zero
            assertThat((double) found[i]).as("row %d", i).isCloseTo(expected[i], within(close));
        }
    }

    @Test
    void anAlarmIsAboveTheThresholdOfThePredictedClass() throws OrtException {
        GraphBuilder graph = new GraphBuilder();
        Said said = new Said(graph.input("logits", 2), "none", Map.of());
        ScoreGraph scores = new ScoreGraph(graph, said, 2);
        Value score = scores.of("max-logit", Settings.NONE, Map.of());
        graph.output(
                "ood",
                scores.alarm(score, List.of(-3.0, Double.POSITIVE_INFINITY)).name(),
                DataType.BOOL,
                1);
        float infinite = Float.POSITIVE_INFINITY; // which makes probabilities that are no numbers, and those are OOD
        float[] logits = {3, 1, 2.5f, 1, 1, 2, Float.NaN, Float.NaN, infinite, 1, 4, Float.NaN, 4, -infinite};
        boolean[][] ood = (boolean[][]) Objects.requireNonNull(
                Runs.run(Tiny.model(graph), "logits", logits, 7, 2).get("ood"));
        assertThat(ood).isDeepEqualTo(new boolean[][] {{false}, {true}, {false}, {true}, {true}, {true}, {false}});
    }

    @Test
    void aScorerThatCannotBeWrittenIsRefusedWithThoseThatCan() {
        ScoreGraph scores = new ScoreGraph(new GraphBuilder(), new Said("logits", "features", Map.of()), 2);
        assertThatThrownBy(() -> scores.of("knn", Settings.NONE, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("knn cannot be written")
                .hasMessageContaining("energy");
    }

    /** One input holds logits, features, and both branches side by side. */
    private static float[] scores(float[] rows, String id, Settings settings, Map<String, Matrix> fitted, int classes)
            throws OrtException {
        GraphBuilder graph = new GraphBuilder();
        int width = rows.length / ROWS;
        String all = graph.input("all", width);
        Said said = new Said(
                part(graph, all, 0, classes),
                part(graph, all, classes, WIDTH),
                Map.of(
                        "confidence", part(graph, all, classes + WIDTH, 1),
                        "reject", part(graph, all, classes + WIDTH + 1, REJECTED)));
        Value score = new ScoreGraph(graph, said, classes).of(id, settings, fitted);
        graph.output("score", score.name(), DataType.FLOAT, 1);
        float[][] column = (float[][]) Objects.requireNonNull(
                Runs.run(Tiny.model(graph), "all", rows, ROWS, width).get("score"));
        float[] found = new float[ROWS];
        for (int i = 0; i < ROWS; i++) {
            found[i] = column[i][0];
        }
        return found;
    }

    private static String part(GraphBuilder graph, String all, int from, int width) {
        return graph.add("Slice", all, graph.integers(from), graph.integers(from + width), graph.integers(1));
    }

    private static Outputs outputs(float[] rows, int classes) {
        return Outputs.ofLogits(part(rows, 0, classes))
                .withFeatures(part(rows, classes, WIDTH))
                .withBranches(Map.of(
                        "confidence", part(rows, classes + WIDTH, 1),
                        "reject", part(rows, classes + WIDTH + 1, REJECTED)));
    }

    private static Matrix part(float[] rows, int from, int width) {
        return part(rows, from, width, ROWS);
    }

    private static Matrix part(float[] rows, int from, int width, int count) {
        int all = rows.length / ROWS;
        double[] part = new double[count * width];
        for (int i = 0; i < part.length; i++) {
            part[i] = rows[i / width * all + from + i % width];
        }
        return Matrix.wrap(part, width);
    }

    /** From nearly uniform logits to a leader some 30 ahead, and ties. */
    private static float[] rows(int classes) {
        SplittableRandom random = new SplittableRandom(classes);
        int width = classes + WIDTH + 1 + REJECTED;
        float[] rows = new float[ROWS * width];
        for (int i = 0; i < rows.length; i++) {
            int row = i / width;
            double spread = 0.5 + 6.0 * row / ROWS;
            rows[i] = row == 7 ? 1.5f : (float) (random.nextGaussian() * spread);
        }
        return rows;
    }

    private static Matrix costs(int classes) {
        SplittableRandom random = new SplittableRandom(3);
        double[] costs = new double[classes * classes];
        for (int i = 0; i < costs.length; i++) {
            costs[i] = i % (classes + 1) == 0 ? 0 : random.nextDouble();
        }
        return Matrix.wrap(costs, classes);
    }
}
