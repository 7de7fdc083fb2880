package ai.wood.score;

import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import ai.wood.transport.GroundCost;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;

/**
 * The catalogue of scorers: a name, a word of explanation and a constructor each. A larger score always means more OOD,
 * so some well-known quantities stand here with their sign turned.
 */
public enum Scorers {
    WOOD(
            "min_k W(f, y^k) under a ground cost (Wang et al. 2021)",
            options -> new WoodScorer(options.cost(), options.lambda())),
    MSP("1 - max f (Hendrycks and Gimpel 2017); the same as WOOD with binary cost", options -> msp()),
    TEMPERATURE_MSP(
            "1 - max softmax(z / 1000), ODIN without input noise (Liang et al. 2018)",
            options -> outputs -> msp().score(outputs.withTemperature(1000))),
    MAX_LOGIT(
            "-max z (Hendrycks et al. 2022)",
            options -> outputs -> outputs.logits().mapRows(Scorers::minusMax)),
    ENERGY(
            "-log sum exp z (Liu et al. 2020)",
            options -> outputs -> outputs.logits().mapRows(logits -> -Probabilities.logSumExp(logits))),
    ENTROPY("-sum f log f", options -> outputs -> outputs.mapProbabilities(Probabilities::entropy)),
    GEN(
            "sum of f^0.1 (1 - f)^0.1 over the 100 largest (Liu et al. 2023)",
            options -> outputs -> outputs.mapProbabilities(Scorers::generalisedEntropy)),
    KL_MATCHING(
            "min_k KL(f || typical f of class k), fitted to InD outputs (Hendrycks et al. 2022)",
            options -> KlMatchingScorer.fit(options.requireInd("kl-matching"))),
    MAHALANOBIS(
            "least Mahalanobis distance of the features from a class mean, fitted to labelled InD (Lee et al. 2018)",
            options -> MahalanobisScorer.fit(options.requireInd("mahalanobis"), options.labels())),
    WOOD_AUTHORS_BINARY("as the WOOD paper's code computes it, binary cost", options -> AuthorsScorer.BINARY),
    WOOD_AUTHORS_DYNAMIC("as the WOOD paper's code computes it, dynamic cost", options -> AuthorsScorer.DYNAMIC);

    private static final double GEN_GAMMA = 0.1;
    private static final int GEN_LARGEST = 100;

    private final String description;
    private final Function<ScorerOptions, Scorer> constructor;

    Scorers(String description, Function<ScorerOptions, Scorer> constructor) {
        this.description = description;
        this.constructor = constructor;
    }

    /** Builds the scorer; a temperature other than 1 is applied to the logits first. */
    public Scorer create(ScorerOptions options) {
        double temperature = options.temperature();
        if (temperature == 1) {
            return constructor.apply(options);
        }
        Outputs ind = options.ind();
        Scorer scorer = constructor.apply(ind == null ? options : options.withInd(ind.withTemperature(temperature)));
        return outputs -> scorer.score(outputs.withTemperature(temperature));
    }

    /** Whether it looks at the network's features, not only at logits or probabilities. */
    public boolean needsFeatures() {
        return this == MAHALANOBIS;
    }

    /** Formula and source, in one line. */
    public String description() {
        return description;
    }

    /** The name used on the command line and in files: {@code max-logit}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The scorer of that name. */
    public static Scorers byId(String id) {
        return Arrays.stream(values())
                .filter(scorer -> scorer.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no scorer '" + id + "'. There are "
                        + String.join(
                                ", ", Arrays.stream(values()).map(Scorers::id).toList())));
    }

    private static Scorer msp() {
        return new WoodScorer(GroundCost.binary());
    }

    private static double minusMax(double[] logits) {
        return -logits[Probabilities.argmax(logits)];
    }

    private static double generalisedEntropy(double[] f) {
        if (f.length > GEN_LARGEST) {
            Arrays.sort(f);
        }
        double sum = 0;
        for (int i = Math.max(0, f.length - GEN_LARGEST); i < f.length; i++) {
            sum += Math.pow(f[i] * (1 - f[i]), GEN_GAMMA);
        }
        return sum;
    }
}
