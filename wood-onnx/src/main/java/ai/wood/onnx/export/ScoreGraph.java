package ai.wood.onnx.export;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Settings;
import ai.wood.onnx.export.NetworkGraph.Said;
import ai.wood.score.WoodScorer;
import ai.wood.transport.CustomCost;
import ai.wood.transport.DynamicCost;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Scores as graphs, one column: count x 1.
 *
 * <p>Scores of logits are computed from the gaps {@code z_i - max z} of all classes except the predicted one. {@code e_i} are their
 * exponentials and {@code r} is the sum of {@code e_i}. So {@code 1 - max f = r / (1 + r)}. This keeps the relative precision in
 * 32-bit floats even if the network is very sure.
 */
final class ScoreGraph {

    /** The ids of the scorers that can be part of a graph. */
    static final Set<String> KNOWN = new TreeSet<>(Set.of(
            "wood",
            "msp",
            "temperature-msp",
            "max-logit",
            "energy",
            "entropy",
            "gen",
            "kl-matching",
            "mahalanobis",
            "relative-mahalanobis",
            "vim",
            "react",
            "dice",
            "she",
            "gradnorm",
            "nll-gradient",
            "confidence",
            "reject"));

    private final Value logits;
    private final Value features;
    private final Said said;
    private final int classes;

    /**
     * @param said the outputs of the network
     * @param classes the number of classes
     */
    ScoreGraph(GraphBuilder graph, Said said, int classes) {
        this.logits = new Value(graph, said.logits());
        this.features = new Value(graph, said.features());
        this.said = said;
        this.classes = classes;
    }

    /** Logits seen from the largest, {@code top}: gaps in falling order, {@code e} and {@code r}. */
    private record Seen(Value top, Value gaps, Value e, Value r) {

        static Seen of(Value logits, int classes) {
            Value sorted = logits.sorted(classes);
            Value top = sorted.columns(0, 1);
            Value gaps = sorted.columns(1, classes).bounded().minus(top);
            Value e = gaps.exp();
            return new Seen(top, gaps, e, e.sum());
        }

        Value all() {
            return r.plus(1);
        }

        Value logSumExp() {
            return top.plus(r.logOfOnePlus());
        }
    }

    /**
     * Adds a score.
     *
     * @param id of the kind of scorer
     * @param fitted parameters by name, see {@link ai.wood.Scorer}
     * @throws IllegalArgumentException if it cannot be written as a graph, listing those that can
     */
    Value of(String id, Settings settings, Map<String, Matrix> fitted) {
        if (!KNOWN.contains(id)) {
            throw new IllegalArgumentException(
                    id + " cannot be written as ONNX. These can: " + String.join(", ", KNOWN));
        }
        Fitted constants = new Fitted(features, fitted);
        double temperature = settings.has("temperature") ? settings.number("temperature") : 1;
        Value cooled = cooled(logits, temperature);
        return switch (id) {
            case "wood" -> wood(cooled, WoodScorer.of(settings));
            case "msp", "temperature-msp" -> binary(seen(cooled));
            case "max-logit" -> seen(cooled).top.negative();
            case "energy" -> energy(cooled);
            case "entropy" -> entropy(seen(cooled));
            case "gen" -> generalisedEntropy(seen(cooled), settings.number("gamma"), settings.count("largest"));
            case "kl-matching" -> divergence(cooled, constants.of("logTypical"));
            case "mahalanobis" -> distance(constants, "");
            case "relative-mahalanobis" -> distance(constants, "classes.").minus(distance(constants, "all."));
            case "vim" -> energy(constants.logits(features)).plus(residual(constants));
            case "react" -> energy(constants.logits(features.least(constants.of("most"))));
            case "dice" -> energy(constants.logits(features));
            case "she" ->
                logits.pickedFrom(constants.of("patterns"))
                        .times(features)
                        .sum()
                        .negative();
            case "gradnorm" -> uniformGradient(cooled);
            case "nll-gradient" -> predictedGradient(seen(cooled));
            case "confidence" -> branch(Outputs.CONFIDENCE).negative().sigmoid();
            case "reject" -> {
                Value rejects = cooled(branch(Outputs.REJECT), temperature);
                yield energy(cooled).plus(logSumExp(rejects)).sigmoid();
            }
            default -> throw new IllegalStateException(id + " is listed but not written");
        };
    }

    /** The probabilities of the classes. */
    Value probabilities() {
        return logits.softmax();
    }

    /**
     * Whether a score is above its threshold. There is one threshold for all classes or one for each. A NaN score or probability
     * counts as above.
     */
    Value alarm(Value score, List<Double> thresholds) {
        double[][] column =
                thresholds.stream().map(value -> new double[] {value}).toArray(double[][]::new);
        Value known = score.constant("thresholds", Matrix.of(column));
        Value above = score.above(thresholds.size() == 1 ? known : logits.pickedFrom(known));
        return above.or(logits.minus(logits.largest()).sum().isNoNumber());
    }

    private Value wood(Value cooled, WoodScorer scorer) {
        Seen seen = seen(cooled);
        Value exact = scorer.cost() instanceof CustomCost custom
                ? cooled.softmax()
                        .timesMatrix(cooled.constant("cost", custom.matrix()))
                        .smallest()
                : scorer.cost() instanceof DynamicCost ? dynamic(seen) : binary(seen);
        return scorer.lambda() == Double.POSITIVE_INFINITY
                ? exact
                : exact.minus(entropy(seen).over(scorer.lambda()));
    }

    private static Value binary(Seen seen) {
        return seen.r.over(seen.all());
    }

    /** {@code (2 r + r^2 - sum e^2) / (1 + r)^2}. */
    private static Value dynamic(Seen seen) {
        Value pairs = seen.r.squared().minus(seen.e.squared().sum());
        return seen.r.times(2).plus(pairs).over(seen.all().squared());
    }

    private Value energy(Value someLogits) {
        return seen(someLogits).logSumExp().negative();
    }

    /** {@code log(1 + r) - sum f (z - max z)}. */
    private static Value entropy(Seen seen) {
        Value weighted = seen.e.times(seen.gaps).sum().over(seen.all());
        return seen.r.logOfOnePlus().minus(weighted);
    }

    /** The sum of {@code exp(gamma (log f + log(1 - f)))} over the largest. */
    private Value generalisedEntropy(Seen seen, double gamma, int largest) {
        Value logAll = seen.r.logOfOnePlus();
        Value logs = seen.gaps.columns(0, Math.min(largest, classes) - 1).minus(logAll);
        Value others = logs.plus(logs.exp().negative().plus(1).log());
        Value top = seen.r.log().minus(logAll).minus(logAll);
        return top.times(gamma).exp().plus(others.times(gamma).exp().sum());
    }

    /** {@code min_k (-H(f) - sum f log d_k)}. */
    private Value divergence(Value cooled, Value logTypical) {
        Value nearest = cooled.softmax().dot(logTypical).largest();
        return entropy(seen(cooled)).plus(nearest).negative();
    }

    /** {@code min_k |L h - L mu_k|^2}: the nearest of the whitened means. */
    private Value distance(Fitted fitted, String prefix) {
        Value whitened = features.dot(fitted.of(prefix + "whitening"));
        return whitened.apart()
                .minus(fitted.of(prefix + "means"))
                .squared()
                .innerSum()
                .smallest();
    }

    /** {@code a |R (h - u)|}. */
    private Value residual(Fitted fitted) {
        Value outside = features.minus(fitted.of("origin")).dot(fitted.of("residual"));
        return outside.squared().sum().root().times(fitted.of("scale"));
    }

    /** {@code -|h|_1 sum |f - 1/K|}. */
    private Value uniformGradient(Value cooled) {
        Value apart = cooled.softmax().plus(-1.0 / classes).absolute().sum();
        return features.absolute().sum().times(apart).negative();
    }

    /** {@code |h|_2 |f - e_argmax|_2}, the latter being {@code sqrt(r^2 + sum e^2) / (1 + r)}, squared in units of the largest e. */
    private Value predictedGradient(Seen seen) {
        Value nearest = seen.gaps.columns(0, 1);
        Value units = seen.gaps.minus(nearest).exp();
        Value root = units.sum().squared().plus(units.squared().sum()).root();
        return features.squared().sum().root().times(root.times(nearest.exp()).over(seen.all()));
    }

    private static Value logSumExp(Value few) {
        Value most = few.largest();
        return few.minus(most).exp().sum().log().plus(most);
    }

    private Value branch(String name) {
        return new Value(logits.graph(), said.branch(name));
    }

    private static Value cooled(Value logits, double temperature) {
        return temperature == 1 ? logits : logits.over(temperature);
    }

    private Seen seen(Value someLogits) {
        return Seen.of(someLogits, classes);
    }

    /** The fitted parameters of a scorer, as constants of the graph. */
    private record Fitted(Value features, Map<String, Matrix> fitted) {

        Value of(String name) {
            Matrix matrix = fitted.get(name);
            if (matrix == null) {
                throw new IllegalArgumentException(
                        "the scorer needs the fitted matrix '" + name + "' but there are " + fitted.keySet());
            }
            return features.constant(name, matrix);
        }

        /** The logits of features by the scorer's own last layer. */
        Value logits(Value shaped) {
            return shaped.dot(of("head.weights")).plus(of("head.bias"));
        }
    }
}
