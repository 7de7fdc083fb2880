package ai.wood.onnx.export;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.onnx.export.NetworkGraph.Said;
import ai.wood.score.ScorerOptions;
import ai.wood.score.Scorers;
import ai.wood.transport.CustomCost;
import ai.wood.transport.DynamicCost;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Scores as graphs, one column: count x 1.
 *
 * <p>Scores of logits are computed from the gaps {@code z_i - max z} of all classes except the predicted one. {@code e_i} are their
 * exponentials and {@code r} is the sum of {@code e_i}. So {@code 1 - max f = r / (1 + r)}. This keeps the relative precision in
 * 32-bit floats even if the network is very sure.
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
            Scorers.RELATIVE_MAHALANOBIS,
            Scorers.VIM,
            Scorers.REACT,
            Scorers.DICE,
            Scorers.SHE,
            Scorers.GRADNORM,
            Scorers.NLL_GRADIENT,
            Scorers.CONFIDENCE,
            Scorers.REJECT);

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
     * @param options cost, lambda and temperature
     * @param statistics the fitted parameters of the scorer, see {@link ai.wood.Scorer}
     * @throws IllegalArgumentException if it cannot be written as a graph, with a list of those that can
     */
    Value of(Scorers name, ScorerOptions options, Map<String, Matrix> statistics) {
        if (!KNOWN.contains(name)) {
            throw new IllegalArgumentException(name.id() + " cannot be written as ONNX. These can: "
                    + KNOWN.stream().map(Scorers::id).collect(Collectors.joining(", ")));
        }
        Fitted fitted = new Fitted(features, statistics);
        Value cooled = cooled(logits, options.temperature());
        return switch (name) {
            case WOOD -> wood(cooled, options);
            case MSP -> binary(seen(cooled));
            case TEMPERATURE_MSP -> binary(seen(cooled(logits, options.temperature() * Scorers.ODIN_TEMPERATURE)));
            case MAX_LOGIT -> seen(cooled).top.negative();
            case ENERGY -> energy(cooled);
            case ENTROPY -> entropy(seen(cooled));
            case GEN -> generalisedEntropy(seen(cooled));
            case KL_MATCHING -> divergence(cooled, fitted.of("logTypical"));
            case MAHALANOBIS -> distance(fitted, "");
            case RELATIVE_MAHALANOBIS -> distance(fitted, "classes.").minus(distance(fitted, "all."));
            case VIM -> energy(fitted.logits(features)).plus(residual(fitted));
            case REACT -> energy(fitted.logits(features.least(fitted.of("most"))));
            case DICE -> energy(fitted.logits(features));
            case SHE ->
                logits.pickedFrom(fitted.of("patterns")).times(features).sum().negative();
            case GRADNORM -> uniformGradient(cooled);
            case NLL_GRADIENT -> predictedGradient(seen(cooled));
            case CONFIDENCE -> branch(Outputs.CONFIDENCE).negative().sigmoid();
            case REJECT -> {
                Value rejects = cooled(branch(Outputs.REJECT), options.temperature());
                yield energy(cooled).plus(logSumExp(rejects)).sigmoid();
            }
            default -> throw new IllegalStateException(name + " is listed but not written");
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

    private Value wood(Value cooled, ScorerOptions options) {
        Seen seen = seen(cooled);
        Value exact = options.cost() instanceof CustomCost custom
                ? cooled.softmax()
                        .timesMatrix(cooled.constant("cost", custom.matrix()))
                        .smallest()
                : options.cost() instanceof DynamicCost ? dynamic(seen) : binary(seen);
        return options.lambda() == Double.POSITIVE_INFINITY
                ? exact
                : exact.minus(entropy(seen).over(options.lambda()));
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
    private Value generalisedEntropy(Seen seen) {
        Value logAll = seen.r.logOfOnePlus();
        Value logs =
                seen.gaps.columns(0, Math.min(Scorers.GEN_LARGEST, classes) - 1).minus(logAll);
        Value others = logs.plus(logs.exp().negative().plus(1).log());
        Value top = seen.r.log().minus(logAll).minus(logAll);
        return top.times(Scorers.GEN_GAMMA)
                .exp()
                .plus(others.times(Scorers.GEN_GAMMA).exp().sum());
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
    private record Fitted(Value features, Map<String, Matrix> statistics) {

        Value of(String name) {
            Matrix matrix = statistics.get(name);
            if (matrix == null) {
                throw new IllegalArgumentException(
                        "the scorer needs the parameters '" + name + "' but has " + statistics.keySet());
            }
            return features.constant(name, matrix);
        }

        /** The logits of features by the scorer's own last layer. */
        Value logits(Value shaped) {
            return shaped.dot(of("head.weights")).plus(of("head.bias"));
        }
    }
}
