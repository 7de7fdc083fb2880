package ai.wood.score;

import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Probabilities;
import ai.wood.Quantiles;
import ai.wood.Scorer;
import ai.wood.Settings;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * The energy {@code -log sum exp (W g(h) + b)} of the logits that come of changed features: how {@code g} shapes them, or
 * which weights are left, is what tells these methods apart. They mean features after ReLU, which are not negative. The
 * default percentiles are those of OpenOOD 1.5: 90 for ReAct, ASH and DICE, 85 for SCALE.
 */
final class ShapedEnergyScorer implements Scorer {

    /** More training features than these are sampled, whole rows at equal steps. */
    private static final int MOST_SORTED = 1 << 25;

    static final String PERCENTILE = "percentile";

    private static final String MOST = "most";

    private final Head head;
    private final Consumer<double[]> shape;
    private final Map<String, Matrix> parameters;

    @SafeVarargs
    private ShapedEnergyScorer(Head head, Consumer<double[]> shape, Map.Entry<String, Matrix>... more) {
        this.head = head;
        this.shape = shape;
        this.parameters = Parameters.of(head, more);
    }

    /** The energy of the head's logits, as they are. */
    ShapedEnergyScorer(Head head) {
        this(head, h -> {});
    }

    /**
     * ReAct: features are cut off at a percentile of all training features; OOD samples tend to have a few very large
     * ones.
     *
     * @see <a href="https://arxiv.org/abs/2111.12797">Sun et al. 2021, ReAct: Out-of-distribution Detection With
     *     Rectified Activations</a>
     */
    static ShapedEnergyScorer react(Outputs ind, Head head, double percentile) {
        Matrix features = Features.requireFinite(Features.requireWidth(ind.features(), head.features()));
        int step = (int) ((long) features.rows() * features.columns() / MOST_SORTED) + 1;
        double[] all = IntStream.range(0, (features.rows() + step - 1) / step)
                .mapToObj(r -> features.row(r * step))
                .flatMapToDouble(Arrays::stream)
                .toArray();
        return cut(head, percentile(all, percentile));
    }

    static ShapedEnergyScorer react(Parameters parameters) {
        return cut(parameters.head(), parameters.number(MOST));
    }

    private static ShapedEnergyScorer cut(Head head, double most) {
        Consumer<double[]> shape = h -> {
            for (int i = 0; i < h.length; i++) {
                h[i] = Math.min(h[i], most);
            }
        };
        return new ShapedEnergyScorer(head, shape, Map.entry(MOST, Matrix.of(new double[] {most})));
    }

    /**
     * ASH-S: of each sample's features those below its own percentile become zero, and the others grow by
     * {@code exp(s1 / s2)}, with the sums {@code s1} before and {@code s2} after. Where {@code s2} is not positive
     * nothing changes.
     *
     * @see <a href="https://arxiv.org/abs/2209.09858">Djurisic et al. 2023, Extremely Simple Activation Shaping for
     *     Out-of-Distribution Detection</a>
     */
    static ShapedEnergyScorer ash(Head head, Settings settings) {
        double percentile = settings.number(PERCENTILE);
        requirePercentile(percentile);
        return new ShapedEnergyScorer(head, h -> grow(h, percentile, true));
    }

    /**
     * SCALE: all of a sample's features grow by the factor of {@link #ash}, and none is dropped.
     *
     * @see <a href="https://arxiv.org/abs/2310.00227">Xu et al. 2024, Scaling for Training Time and Post-hoc
     *     Out-of-distribution Detection Enhancement</a>
     */
    static ShapedEnergyScorer scale(Head head, Settings settings) {
        double percentile = settings.number(PERCENTILE);
        requirePercentile(percentile);
        return new ShapedEnergyScorer(head, h -> grow(h, percentile, false));
    }

    private static void grow(double[] h, double percentile, boolean prune) {
        double[] sorted = h.clone();
        Arrays.sort(sorted);
        int first = Math.min(h.length - 1, (int) Math.rint(h.length * percentile / 100));
        double kept = sum(sorted, first);
        if (kept <= 0) {
            return;
        }
        double factor = Math.exp(sum(sorted, 0) / kept);
        double least = sorted[first];
        long ties = h.length - first - Arrays.stream(h).filter(x -> x > least).count();
        for (int i = 0; i < h.length; i++) {
            boolean dropped = h[i] < least || (h[i] == least && ties-- <= 0); // of equal ones the first stay
            h[i] = prune && dropped ? 0 : h[i] * factor;
        }
    }

    /**
     * DICE: only the weights stay that contribute most, by {@code W[k][i]} times the mean of feature {@code i} over
     * training samples: those above a percentile. Noise through the others is cut off.
     *
     * @see <a href="https://arxiv.org/abs/2111.09805">Sun and Li 2022, DICE: Leveraging Sparsification for
     *     Out-of-Distribution Detection</a>
     */
    static ShapedEnergyScorer dice(Outputs ind, Head head, double percentile) {
        Matrix features = Features.requireWidth(ind.features(), head.features());
        double[] means = new Features(features, Collections.nCopies(features.rows(), 0), 1).means(r -> true)[0];
        double[] weights = new double[Math.multiplyExact(head.classes(), head.features())];
        double[] contributions = new double[weights.length];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = head.weights().get(i / means.length, i % means.length);
            contributions[i] = weights[i] * means[i % means.length];
        }
        double least = percentile(contributions.clone(), percentile);
        for (int i = 0; i < weights.length; i++) {
            weights[i] = contributions[i] > least ? weights[i] : 0;
        }
        return new ShapedEnergyScorer(new Head(Matrix.wrap(weights, means.length), head.bias()));
    }

    @Override
    public double[] score(Outputs outputs) {
        return Features.requireWidth(outputs.features(), head.features()).mapRows(h -> {
            shape.accept(h);
            return -Probabilities.logSumExp(head.logits(h));
        });
    }

    @Override
    public Map<String, Matrix> parameters() {
        return Collections.unmodifiableMap(parameters);
    }

    private static double sum(double[] values, int from) {
        double sum = 0;
        for (int i = from; i < values.length; i++) {
            sum += values[i];
        }
        return sum;
    }

    /** Sorts the values, too. */
    private static double percentile(double[] values, double percentile) {
        requirePercentile(percentile);
        Arrays.parallelSort(values);
        return Quantiles.linear(values, percentile / 100);
    }

    private static void requirePercentile(double percentile) {
        if (!(percentile >= 0 && percentile <= 100)) {
            throw new IllegalArgumentException("a percentile must lie in [0, 100] but is " + percentile);
        }
    }
}
