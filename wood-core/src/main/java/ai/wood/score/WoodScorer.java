package ai.wood.score;

import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import ai.wood.Settings;
import ai.wood.transport.CustomCost;
import ai.wood.transport.GroundCost;

/**
 * The WOOD score {@code s(x) = min_k W(f(x), y^k)}: how far the prediction is from every certain one.
 *
 * <p>With a finite {@code lambda} it is the entropic (Sinkhorn) version, in closed form because only one plan is
 * feasible: {@code s + (1 / lambda) sum f log f}.
 *
 * @param cost the ground cost
 * @param lambda weight of the cost against the entropy; positive infinity for the exact distance
 * @see <a href="https://arxiv.org/abs/2112.06384">Wang et al., WOOD: Wasserstein-based Out-of-Distribution Detection</a>
 */
public record WoodScorer(GroundCost cost, double lambda) implements Scorer {

    public WoodScorer {
        if (!(lambda > 0)) {
            throw new IllegalArgumentException("lambda must be positive but is " + lambda);
        }
    }

    /** The score that settings describe: {@code cost} is binary, dynamic or a matrix; {@code lambda} is a number. */
    public static WoodScorer of(Settings settings) {
        GroundCost cost = settings.matrix("cost")
                .<GroundCost>map(GroundCost::custom)
                .orElseGet(() -> GroundCost.named(settings.word("cost")));
        return new WoodScorer(cost, settings.number("lambda"));
    }

    /** The settings that describe this score: the inverse of {@link #of}. */
    public Settings settings() {
        Settings lambdaOnly = Settings.NONE.with("lambda", lambda);
        return cost instanceof CustomCost custom
                ? lambdaOnly.with("cost", custom.matrix())
                : lambdaOnly.with("cost", cost.toString());
    }

    /** The exact score. */
    public WoodScorer(GroundCost cost) {
        this(cost, Double.POSITIVE_INFINITY);
    }

    @Override
    public double[] score(Outputs outputs) {
        cost.requireClasses(outputs.classes());
        return outputs.mapProbabilities(lambda == Double.POSITIVE_INFINITY ? cost : this::score);
    }

    /** The score of one row of probabilities. */
    public double score(double[] f) {
        double exact = cost.score(f);
        return lambda == Double.POSITIVE_INFINITY ? exact : entropic(exact, f);
    }

    private double entropic(double exact, double[] f) {
        return exact - Probabilities.entropy(f) / lambda;
    }

    /** Derivative of the score by the probabilities, with the cost matrix held fixed or not. */
    public void gradient(double[] f, boolean total, double[] into) {
        if (total) {
            cost.totalGradient(f, into);
        } else {
            cost.gradient(f, into);
        }
        if (lambda < Double.POSITIVE_INFINITY) {
            for (int i = 0; i < f.length; i++) {
                into[i] += (Math.log(Math.max(f[i], Double.MIN_NORMAL)) + 1) / lambda;
            }
        }
    }
}
