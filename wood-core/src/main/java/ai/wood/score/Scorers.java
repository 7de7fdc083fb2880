package ai.wood.score;

import ai.wood.Names;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import ai.wood.transport.GroundCost;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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
            options -> outputs -> msp().score(outputs.withTemperature(1000)),
            Need.LOGITS),
    MAX_LOGIT(
            "-max z (Hendrycks et al. 2022)",
            options -> outputs -> outputs.logits().mapRows(Scorers::minusMax),
            Need.LOGITS),
    ENERGY(
            "-log sum exp z (Liu et al. 2020)",
            options -> outputs -> outputs.logits().mapRows(logits -> -Probabilities.logSumExp(logits)),
            Need.LOGITS),
    ENTROPY("-sum f log f", options -> outputs -> outputs.mapProbabilities(Probabilities::entropy)),
    GEN(
            "sum of f^0.1 (1 - f)^0.1 over the 100 largest (Liu et al. 2023)",
            options -> outputs -> outputs.mapProbabilities(Scorers::generalisedEntropy)),
    KL_MATCHING(
            "min_k KL(f || typical f of class k), fitted to InD outputs (Hendrycks et al. 2022)",
            options -> KlMatchingScorer.fit(options.requireInd("kl-matching")),
            Need.FIT),
    MAHALANOBIS(
            "least Mahalanobis distance of the features from a class mean, fitted to labelled InD (Lee et al. 2018)",
            options -> MahalanobisScorer.fit(options.requireInd("mahalanobis"), options.labels()),
            Need.FEATURES,
            Need.FIT,
            Need.LABELS),
    RELATIVE_MAHALANOBIS(
            "Mahalanobis distance from a class mean less that from the mean of all (Ren et al. 2021)",
            options -> RelativeMahalanobisScorer.fit(options.requireInd("relative-mahalanobis"), options.labels()),
            Need.FEATURES,
            Need.FIT,
            Need.LABELS),
    MAHALANOBIS_ENSEMBLE(
            "Mahalanobis distances of all layers, weighted by validation InD and OOD (Lee et al. 2018)",
            options -> MahalanobisEnsembleScorer.fit(
                    options.requireInd("mahalanobis-ensemble"),
                    options.labels(),
                    options.requireTuning("mahalanobis-ensemble")),
            Need.FEATURES,
            Need.LAYERS,
            Need.FIT,
            Need.LABELS,
            Need.TUNING),
    KNN(
            "distance from the 50th nearest direction of features (Sun et al. 2022)",
            options -> KnnScorer.fit(options.requireInd("knn")),
            Need.FEATURES,
            Need.FIT),
    VIM(
            "features outside their principal directions as a virtual logit (Wang et al. 2022)",
            options -> VimScorer.fit(options.requireInd("vim"), options.requireHead("vim")),
            Need.FEATURES,
            Need.FIT,
            Need.HEAD),
    REACT(
            "energy with features cut off at their 90th percentile (Sun et al. 2021)",
            options -> ShapedEnergyScorer.react(options.requireInd("react"), options.requireHead("react"), 90),
            Need.FEATURES,
            Need.FIT,
            Need.HEAD),
    ASH(
            "energy with all but the largest 10% of features dropped and the rest sharpened, ASH-S (Djurisic et al."
                    + " 2023)",
            options -> ShapedEnergyScorer.ash(options.requireHead("ash"), 90), Need.FEATURES, Need.HEAD),
    SCALE(
            "energy with features scaled by the weight of their largest 15% (Xu et al. 2024)",
            options -> ShapedEnergyScorer.scale(options.requireHead("scale"), 85), Need.FEATURES, Need.HEAD),
    DICE(
            "energy through the 10% of weights that contribute most (Sun and Li 2022)",
            options -> ShapedEnergyScorer.dice(options.requireInd("dice"), options.requireHead("dice"), 90),
            Need.FEATURES,
            Need.FIT,
            Need.HEAD),
    SHE(
            "-<h, mean features of the predicted class> (Zhang et al. 2023)",
            options -> SheScorer.fit(options.requireInd("she"), options.labels()),
            Need.FEATURES,
            Need.FIT,
            Need.LABELS),
    NNGUIDE(
            "energy times the guidance of the 10 nearest confident samples (Park et al. 2023)",
            options -> NnGuideScorer.fit(options.requireInd("nnguide")),
            Need.LOGITS,
            Need.FEATURES,
            Need.FIT),
    TRUST(
            "distance from the predicted class over that from the nearest other (Jiang et al. 2018)",
            options -> TrustScorer.fit(options.requireInd("trust"), options.labels()),
            Need.FEATURES,
            Need.FIT,
            Need.LABELS),
    GRADNORM(
            "-|h|_1 sum |f - 1/K|: gradient of the divergence from uniform by the last layer (Huang et al. 2021)",
            options -> GradientScorer.UNIFORM,
            Need.FEATURES),
    NLL_GRADIENT(
            "|h|_2 |f - e_argmax|_2: gradient of the prediction's own likelihood by the last layer (Oberdiek et al. 2018)",
            options -> GradientScorer.PREDICTED,
            Need.FEATURES),
    CONFIDENCE(
            "1 - c, the confidence c that the network learnt beside its classes (DeVries and Taylor 2018)",
            options -> outputs -> outputs.branch("confidence").mapRows(row -> sigmoid(-row[0])),
            Need.CONFIDENCE),
    REJECT(
            "probability of all classes that the network learnt to reject (Mohseni et al. 2020; Chen et al. 2021)",
            options -> Scorers::rejected,
            Need.LOGITS,
            Need.REJECT),
    WOOD_AUTHORS_BINARY("as the WOOD paper's code computes it, binary cost", options -> AuthorsScorer.BINARY),
    WOOD_AUTHORS_DYNAMIC("as the WOOD paper's code computes it, dynamic cost", options -> AuthorsScorer.DYNAMIC);

    private static final double GEN_GAMMA = 0.1;
    private static final int GEN_LARGEST = 100;

    private final String description;
    private final Function<ScorerOptions, Scorer> constructor;
    private final Set<Need> needs;

    Scorers(String description, Function<ScorerOptions, Scorer> constructor, Need... needs) {
        this.description = description;
        this.constructor = constructor;
        EnumSet<Need> set = EnumSet.noneOf(Need.class);
        set.addAll(List.of(needs));
        this.needs = Collections.unmodifiableSet(set);
    }

    /** Builds the scorer; a temperature other than 1 is applied to the logits first. */
    public Scorer create(ScorerOptions options) {
        double temperature = options.temperature();
        if (temperature == 1) {
            return constructor.apply(options);
        }
        Scorer scorer = constructor.apply(options.tempered());
        return outputs -> scorer.score(outputs.withTemperature(temperature));
    }

    /** What it cannot do without, beyond probabilities. */
    public Set<Need> needs() {
        return needs;
    }

    /** What it needs that these options and outputs do not have; empty where it can be used. */
    public Set<Need> missing(ScorerOptions options, Outputs outputs) {
        EnumSet<Need> missing = EnumSet.noneOf(Need.class);
        needs.stream().filter(need -> !need.isMet(options, outputs)).forEach(missing::add);
        return missing;
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
        return Names.find("scorer", id, values(), Scorers::id);
    }

    private static Scorer msp() {
        return new WoodScorer(GroundCost.binary());
    }

    private static double minusMax(double[] logits) {
        return -logits[Probabilities.argmax(logits)];
    }

    /** {@code sum_r exp z_r / sum exp z} over the classes and the reject classes {@code r}. */
    private static double[] rejected(Outputs outputs) {
        double[] accept = outputs.logits().mapRows(Probabilities::logSumExp);
        double[] reject = outputs.branch("reject").mapRows(Probabilities::logSumExp);
        Arrays.setAll(reject, i -> sigmoid(reject[i] - accept[i]));
        return reject;
    }

    private static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
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
