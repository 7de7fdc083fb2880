package ai.wood.onnx.export;

import static ai.wood.onnx.export.GraphBuilder.setting;
import static ai.wood.onnx.export.GraphBuilder.settings;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.wood.Matrix;
import ai.wood.onnx.export.NetworkGraph.Said;
import ai.wood.score.ScorerOptions;
import ai.wood.score.Scorers;
import ai.wood.transport.CustomCost;
import ai.wood.transport.DynamicCost;
import ai.wood.transport.GroundCost;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Scores as graphs, one column: count x 1.
 *
 * <p>Everything is computed from the gaps {@code z_i - max z} of the classes that are not the predicted one, {@code e_i} being
 * their exponentials and {@code r} the sum of these, so that scores keep their relative precision in 32-bit floats however sure the
 * network is: {@code 1 - max f} is {@code r / (1 + r)}.
 */
final class ScoreGraph {

    /** The scorers that can be part of a graph. */
    static final Set<Scorers> KNOWN = EnumSet.of(
            Scorers.WOOD,
            Scorers.MSP,
            Scorers.TEMPERATURE_MSP,
            Scorers.MAX_LOGIT,
            Scorers.ENERGY,
            Scorers.ENTROPY,
            Scorers.GEN,
            Scorers.KL_MATCHING,
            Scorers.MAHALANOBIS,
            Scorers.GRADNORM,
            Scorers.NLL_GRADIENT,
            Scorers.CONFIDENCE,
            Scorers.REJECT);

    private static final double GEN_GAMMA = 0.1;
    private static final int GEN_LARGEST = 100;
    private static final double HOT = 1000;

    private final GraphBuilder graph;
    private final Said said;
    private final int classes;

    /**
     * @param said what the network says
     * @param classes how many classes it knows
     */
    ScoreGraph(GraphBuilder graph, Said said, int classes) {
        this.graph = graph;
        this.said = said;
        this.classes = classes;
    }

    /** Logits seen from the largest: itself, the gaps to all others in falling order, {@code e} and {@code r}. */
    private final class Gaps {
        private final String top;
        private final String gaps;
        private final String e;
        private final String r;

        Gaps(String logits, int count) {
            List<AttributeProto> sorting = List.of(setting("axis", 1));
            String sorted =
                    graph.add("TopK", 2, sorting, logits, graph.integers(count)).get(0);
            top = columns(sorted, 0, 1);
            gaps = graph.add("Sub", columns(sorted, 1, count), top);
            e = graph.add("Exp", gaps);
            r = sum(e);
        }

        /** {@code 1 + r}. */
        String all() {
            return graph.add("Add", r, graph.number(1));
        }

        /** {@code log(1 + r)}, exact for small {@code r} (Kahan). */
        String logAll() {
            String all = all();
            String rounded = graph.add("Sub", all, graph.number(1));
            String exact = graph.add("Div", graph.add("Mul", graph.add("Log", all), r), rounded);
            return graph.add("Where", graph.add("Equal", rounded, graph.number(0)), r, exact);
        }

        String logSumExp() {
            return graph.add("Add", top, logAll());
        }
    }

    /**
     * Adds a score.
     *
     * @param options cost, lambda and temperature
     * @param statistics what the scorer has learnt, see {@link ai.wood.Scorer}
     * @throws IllegalArgumentException where it cannot be written as a graph, listing those that can
     */
    String of(Scorers name, ScorerOptions options, Map<String, Matrix> statistics) {
        if (!KNOWN.contains(name)) {
            throw new IllegalArgumentException(name.id() + " cannot be written as ONNX. These can: "
                    + KNOWN.stream().map(Scorers::id).collect(Collectors.joining(", ")));
        }
        return switch (name) {
            case WOOD -> wood(options);
            case MSP -> binary(cooled(options.temperature()));
            case TEMPERATURE_MSP -> binary(cooled(options.temperature() * HOT));
            case MAX_LOGIT -> graph.add("Neg", gaps(options).top);
            case ENERGY -> graph.add("Neg", gaps(options).logSumExp());
            case ENTROPY -> entropy(gaps(options));
            case GEN -> generalisedEntropy(gaps(options));
            case KL_MATCHING -> divergence(options, matrix(statistics, "logTypical"));
            case MAHALANOBIS -> distance(matrix(statistics, "whitening"), matrix(statistics, "means"));
            case GRADNORM -> uniformGradient(options);
            case NLL_GRADIENT -> predictedGradient(gaps(options));
            case CONFIDENCE -> graph.add("Sigmoid", graph.add("Neg", said.branch("confidence")));
            case REJECT -> rejected(options);
            default -> throw new IllegalStateException(name + " is listed but not written");
        };
    }

    /** The probabilities of the classes. */
    String probabilities() {
        return softmax(said.logits());
    }

    /** Whether a score is above its threshold, which is one for all classes or one for each; true where it is no number. */
    String alarm(String score, List<Double> thresholds) {
        float[] values = new float[thresholds.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = thresholds.get(i).floatValue();
        }
        String known = graph.floats("thresholds", values, values.length);
        String own = values.length == 1
                ? known
                : graph.add(
                        "Gather",
                        known,
                        graph.add("ArgMax", List.of(setting("axis", 1), setting("keepdims", 1)), said.logits()));
        return graph.add("Not", graph.add("LessOrEqual", score, own));
    }

    private String wood(ScorerOptions options) {
        GroundCost cost = options.cost();
        Gaps gaps = gaps(options);
        String exact = cost instanceof CustomCost custom
                ? graph.add(
                        "ReduceMin",
                        List.of(settings("axes", 1)),
                        graph.add("MatMul", softmax(logits(options)), constant("cost", custom.matrix())))
                : cost instanceof DynamicCost ? dynamic(gaps) : binary(gaps);
        return options.lambda() == Double.POSITIVE_INFINITY
                ? exact
                : graph.add("Sub", exact, graph.add("Div", entropy(gaps), graph.number(options.lambda())));
    }

    private String binary(Gaps gaps) {
        return graph.add("Div", gaps.r, gaps.all());
    }

    /** {@code (2 r + r^2 - sum e^2) / (1 + r)^2}. */
    private String dynamic(Gaps gaps) {
        String pairs = graph.add("Sub", square(gaps.r), sum(square(gaps.e)));
        String double_ = graph.add("Mul", gaps.r, graph.number(2));
        return graph.add("Div", graph.add("Add", double_, pairs), square(gaps.all()));
    }

    /** {@code log(1 + r) - sum f (z - max z)}. */
    private String entropy(Gaps gaps) {
        String weighted = graph.add("Div", sum(graph.add("Mul", gaps.e, gaps.gaps)), gaps.all());
        return graph.add("Sub", gaps.logAll(), weighted);
    }

    /** The sum of {@code exp(gamma (log f + log(1 - f)))} over the largest. */
    private String generalisedEntropy(Gaps gaps) {
        int others = Math.min(GEN_LARGEST, classes) - 1;
        String logAll = gaps.logAll();
        String logs = graph.add("Sub", columns(gaps.gaps, 0, others), logAll);
        String rest = graph.add("Log", graph.add("Sub", graph.number(1), graph.add("Exp", logs)));
        String top = graph.add("Sub", graph.add("Sub", graph.add("Log", gaps.r), logAll), logAll);
        return graph.add("Add", power(top), sum(power(graph.add("Add", logs, rest))));
    }

    private String power(String logs) {
        return graph.add("Exp", graph.add("Mul", logs, graph.number(GEN_GAMMA)));
    }

    /** {@code min_k (-H(f) - sum f log d_k)}. */
    private String divergence(ScorerOptions options, Matrix logTypical) {
        String cross = graph.add(
                "Gemm", List.of(setting("transB", 1)), softmax(logits(options)), constant("logTypical", logTypical));
        String most = graph.add("ReduceMax", List.of(settings("axes", 1)), cross);
        return graph.add("Neg", graph.add("Add", entropy(gaps(options)), most));
    }

    /** {@code min_k |L h - L mu_k|^2}: the nearest of the whitened means. */
    private String distance(Matrix whitening, Matrix means) {
        String whitened =
                graph.add("Gemm", List.of(setting("transB", 1)), said.features(), constant("whitening", whitening));
        String apart = graph.add("Sub", graph.add("Unsqueeze", whitened, graph.integers(1)), constant("means", means));
        String squares = graph.add("ReduceSumSquare", List.of(settings("axes", 2), setting("keepdims", 0)), apart);
        return graph.add("ReduceMin", List.of(settings("axes", 1)), squares);
    }

    /** {@code -|h|_1 sum |f - 1/K|}. */
    private String uniformGradient(ScorerOptions options) {
        String apart = graph.add("Sub", softmax(logits(options)), graph.number(1.0 / classes));
        return graph.add("Neg", graph.add("Mul", sum(graph.add("Abs", said.features())), sum(graph.add("Abs", apart))));
    }

    /** {@code |h|_2 |f - e_argmax|_2}, the latter being {@code sqrt(r^2 + sum e^2) / (1 + r)}. */
    private String predictedGradient(Gaps gaps) {
        String squares = graph.add("Add", square(gaps.r), sum(square(gaps.e)));
        String factor = graph.add("Div", graph.add("Sqrt", squares), gaps.all());
        return graph.add("Mul", graph.add("Sqrt", sum(square(said.features()))), factor);
    }

    /** {@code sigmoid(log sum exp z_reject - log sum exp z)}. */
    private String rejected(ScorerOptions options) {
        String reject = graph.add("ReduceLogSumExp", List.of(settings("axes", 1)), said.branch("reject"));
        return graph.add("Sigmoid", graph.add("Sub", reject, gaps(options).logSumExp()));
    }

    private Gaps gaps(ScorerOptions options) {
        return cooled(options.temperature());
    }

    private Gaps cooled(double temperature) {
        return new Gaps(divided(temperature), classes);
    }

    private String logits(ScorerOptions options) {
        return divided(options.temperature());
    }

    private String divided(double temperature) {
        return temperature == 1 ? said.logits() : graph.add("Div", said.logits(), graph.number(temperature));
    }

    private String softmax(String logits) {
        return graph.add("Softmax", List.of(setting("axis", 1)), logits);
    }

    private String square(String x) {
        return graph.add("Mul", x, x);
    }

    /** The sum of each row. */
    private String sum(String x) {
        return graph.add("ReduceSum", x, graph.integers(1));
    }

    private String columns(String x, int from, int to) {
        return graph.add("Slice", x, graph.integers(from), graph.integers(to), graph.integers(1));
    }

    private String constant(String name, Matrix matrix) {
        float[] values = new float[Math.multiplyExact(matrix.rows(), matrix.columns())];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) matrix.get(i / matrix.columns(), i % matrix.columns());
        }
        return graph.floats(name, values, matrix.rows(), matrix.columns());
    }

    private static Matrix matrix(Map<String, Matrix> statistics, String name) {
        Matrix matrix = statistics.get(name);
        if (matrix == null) {
            throw new IllegalArgumentException(
                    "the scorer needs the statistics '" + name + "' but there are " + statistics.keySet());
        }
        return matrix;
    }
}
