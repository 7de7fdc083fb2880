package ai.wood.score;

import ai.wood.Matrix;
import ai.wood.Names;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import ai.wood.transport.GroundCost;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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
            options -> Scorers::hotMsp,
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
            KlMatchingScorer::of,
            Need.FIT),
    MAHALANOBIS(
            "least Mahalanobis distance of the features from a class mean, fitted to labelled InD (Lee et al. 2018)",
            options -> MahalanobisScorer.fit(options.requireInd("mahalanobis"), options.labels()),
            MahalanobisScorer::of,
            Need.FEATURES,
            Need.FIT,
            Need.LABELS),
    RELATIVE_MAHALANOBIS(
            "Mahalanobis distance from a class mean less that from the mean of all (Ren et al. 2021)",
            options -> RelativeMahalanobisScorer.fit(options.requireInd("relative-mahalanobis"), options.labels()),
            RelativeMahalanobisScorer::of,
            Need.FEATURES,
            Need.FIT,
            Need.LABELS),
    MAHALANOBIS_ENSEMBLE(
            "Mahalanobis distances of all layers, weighted by validation InD and OOD (Lee et al. 2018)",
            options -> MahalanobisEnsembleScorer.fit(
                    options.requireInd("mahalanobis-ensemble"),
                    options.labels(),
                    options.requireTuning("mahalanobis-ensemble")),
            MahalanobisEnsembleScorer::of,
            Need.FEATURES,
            Need.LAYERS,
            Need.FIT,
            Need.LABELS,
            Need.TUNING),
    KNN(
            "distance from the 50th nearest direction of features (Sun et al. 2022)",
            options -> KnnScorer.fit(options.requireInd("knn")),
            KnnScorer::of,
            Need.FEATURES,
            Need.FIT),
    VIM(
            "features outside their principal directions as a virtual logit (Wang et al. 2022)",
            options -> VimScorer.fit(options.requireInd("vim"), options.requireHead("vim")),
            VimScorer::of,
            Need.FEATURES,
            Need.FIT,
            Need.HEAD),
    REACT(
            "energy with features cut off at their 90th percentile (Sun et al. 2021)",
            options -> ShapedEnergyScorer.react(options.requireInd("react"), options.requireHead("react"), 90),
            ShapedEnergyScorer::react,
            Need.FEATURES,
            Need.FIT,
            Need.HEAD),
    ASH(
            "energy with all but the largest 10% of features dropped and the rest sharpened, ASH-S (Djurisic et al."
                    + " 2023)",
            options -> ShapedEnergyScorer.ash(options.requireHead("ash"), 90),
            statistics -> ShapedEnergyScorer.ash(statistics.head(), 90),
            Need.FEATURES,
            Need.HEAD),
    SCALE(
            "energy with features scaled by the weight of their largest 15% (Xu et al. 2024)",
            options -> ShapedEnergyScorer.scale(options.requireHead("scale"), 85),
            statistics -> ShapedEnergyScorer.scale(statistics.head(), 85),
            Need.FEATURES,
            Need.HEAD),
    DICE(
            "energy through the 10% of weights that contribute most (Sun and Li 2022)",
            options -> ShapedEnergyScorer.dice(options.requireInd("dice"), options.requireHead("dice"), 90),
            statistics -> new ShapedEnergyScorer(statistics.head()),
            Need.FEATURES,
            Need.FIT,
            Need.HEAD),
    SHE(
            "-<h, mean features of the predicted class> (Zhang et al. 2023)",
            options -> SheScorer.fit(options.requireInd("she"), options.labels()),
            SheScorer::of,
            Need.FEATURES,
            Need.FIT,
            Need.LABELS),
    NNGUIDE(
            "energy times the guidance of the 10 nearest confident samples (Park et al. 2023)",
            options -> NnGuideScorer.fit(options.requireInd("nnguide")),
            NnGuideScorer::of,
            Need.LOGITS,
            Need.FEATURES,
            Need.FIT),
    TRUST(
            "distance from the predicted class over that from the nearest other (Jiang et al. 2018)",
            options -> TrustScorer.fit(options.requireInd("trust"), options.labels()),
            TrustScorer::of,
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
            options -> outputs -> outputs.branch(Outputs.CONFIDENCE).mapRows(row -> sigmoid(-row[0])),
            Need.CONFIDENCE),
    REJECT(
            "probability of all classes that the network learnt to reject (Mohseni et al. 2020; Chen et al. 2021)",
            options -> Scorers::rejected,
            Need.LOGITS,
            Need.REJECT),
    WOOD_AUTHORS_BINARY("as the WOOD paper's code computes it, binary cost", options -> AuthorsScorer.BINARY),
    WOOD_AUTHORS_DYNAMIC("as the WOOD paper's code computes it, dynamic cost", options -> AuthorsScorer.DYNAMIC);

    /** The temperature ODIN's paper found for most of its OOD sets on CIFAR-10. */
    public static final double ODIN_TEMPERATURE = 1000;

    /** The exponent of GEN. */
    public static final double GEN_GAMMA = 0.1;

    /** How many of the largest probabilities GEN looks at. */
    public static final int GEN_LARGEST = 100;

    private final String description;
    private final Function<ScorerOptions, Scorer> constructor;
    private final @Nullable Function<Statistics, Scorer> restorer;
    private final Set<Need> needs;

    Scorers(String description, Function<ScorerOptions, Scorer> constructor, Need... needs) {
        this(description, constructor, null, needs);
    }

    Scorers(
            String description,
            Function<ScorerOptions, Scorer> constructor,
            @Nullable Function<Statistics, Scorer> restorer,
            Need... needs) {
        this.description = description;
        this.constructor = constructor;
        this.restorer = restorer;
        EnumSet<Need> set = EnumSet.noneOf(Need.class);
        set.addAll(List.of(needs));
        this.needs = Collections.unmodifiableSet(set);
    }

    /** Builds the scorer; a temperature other than 1 is applied to the logits first. */
    public Scorer create(ScorerOptions options) {
        return tempered(constructor.apply(options.tempered()), options.temperature());
    }

    /**
     * Makes a scorer again that was built with the same cost, lambda and temperature: its scores are the same to the bit.
     *
     * @param options what else they say does not matter: nothing is fitted
     * @param statistics those of the scorer that was built
     * @throws IllegalArgumentException where the statistics are not those of this kind of scorer
     */
    public Scorer restore(ScorerOptions options, Map<String, Matrix> statistics) {
        Scorer scorer = restorer == null ? constructor.apply(options) : restorer.apply(new Statistics(statistics));
        return tempered(scorer, options.temperature());
    }

    private static Scorer tempered(Scorer scorer, double temperature) {
        return temperature == 1 ? scorer : new Tempered(scorer, temperature);
    }

    private record Tempered(Scorer scorer, double temperature) implements Scorer {

        @Override
        public double[] score(Outputs outputs) {
            return scorer.score(outputs.withTemperature(temperature));
        }

        @Override
        public Map<String, Matrix> statistics() {
            return scorer.statistics();
        }
    }

    /** What it cannot do without, beyond probabilities. */
    public Set<Need> needs() {
        return needs;
    }

    /** What it needs to judge an output besides logits; empty where they are enough. */
    public Optional<Need> beyondLogits() {
        Set<Need> beyond = EnumSet.of(Need.FEATURES, Need.LAYERS, Need.CONFIDENCE, Need.REJECT);
        return needs.stream().filter(beyond::contains).findFirst();
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
        return Names.of(this);
    }

    /** The scorer of that name. */
    public static Scorers byId(String id) {
        return Names.find("scorer", id, values(), Scorers::id);
    }

    private static Scorer msp() {
        return new WoodScorer(GroundCost.binary());
    }

    private static double[] hotMsp(Outputs outputs) {
        return msp().score(outputs.withTemperature(ODIN_TEMPERATURE));
    }

    private static double minusMax(double[] logits) {
        double max = logits[0];
        for (double logit : logits) {
            max = Math.max(max, logit); // NaN where one is
        }
        return -max;
    }

    /** {@code sum_r exp z_r / sum exp z} over the classes and the reject classes {@code r}. */
    private static double[] rejected(Outputs outputs) {
        double[] accept = outputs.logits().mapRows(Probabilities::logSumExp);
        double[] reject = outputs.branch(Outputs.REJECT).mapRows(Probabilities::logSumExp);
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
        int top = Probabilities.argmax(f);
        double sum = 0;
        for (int i = Math.max(0, f.length - GEN_LARGEST); i < f.length; i++) {
            double others = i == top ? Probabilities.others(f, top) : 1 - f[i];
            sum += Math.pow(f[i] * Math.max(0, others), GEN_GAMMA); // a probability may exceed 1 by rounding
        }
        return sum;
    }
}
