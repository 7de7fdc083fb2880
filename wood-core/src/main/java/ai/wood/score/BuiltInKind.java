package ai.wood.score;

import static ai.wood.Requirement.CONFIDENCE;
import static ai.wood.Requirement.FEATURES;
import static ai.wood.Requirement.HEAD;
import static ai.wood.Requirement.LABELS;
import static ai.wood.Requirement.LAYERS;
import static ai.wood.Requirement.LOGITS;
import static ai.wood.Requirement.PREDICTIONS;
import static ai.wood.Requirement.REJECT;
import static ai.wood.Requirement.TRAINING;
import static ai.wood.Requirement.TUNING;

import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Names;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Probabilities;
import ai.wood.Requirement;
import ai.wood.RowFunction;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.transport.GroundCost;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The built-in kinds: a description, default settings, how to fit, how to restore, and the requirements of each. Some
 * well-known quantities have their sign turned here, because a larger score always means more OOD.
 */
enum BuiltInKind implements ScorerKind {
    WOOD(
            "min_k W(f, y^k) under a ground cost (Wang et al. 2021)",
            Settings.NONE.with("cost", "dynamic").with("lambda", Double.POSITIVE_INFINITY),
            WoodScorer::of,
            PREDICTIONS),
    MSP("1 - max f (Hendrycks and Gimpel 2017); equals WOOD with binary cost", settings -> msp(), PREDICTIONS),
    TEMPERATURE_MSP(
            "1 - max softmax(z / 1000), ODIN without input noise (Liang et al. 2018)",
            Settings.NONE.with(Tempered.SETTING, 1000), // what ODIN's paper found for most of its OOD sets on CIFAR-10
            settings -> msp(),
            LOGITS),
    MAX_LOGIT("-max z (Hendrycks et al. 2022)", settings -> ofLogits(BuiltInKind::minusMax), LOGITS),
    ENERGY(
            "-log sum exp z (Liu et al. 2020)",
            settings -> ofLogits(logits -> -Probabilities.logSumExp(logits)),
            LOGITS),
    ENTROPY("-sum f log f", settings -> ofProbabilities(Probabilities::entropy), PREDICTIONS),
    GEN(
            "sum of f^0.1 (1 - f)^0.1 over the 100 largest (Liu et al. 2023)",
            Settings.NONE.with("gamma", 0.1).with("largest", 100),
            BuiltInKind::generalisedEntropy,
            PREDICTIONS),
    KL_MATCHING(
            "min_k KL(f || typical f of class k), fitted to training outputs (Hendrycks et al. 2022)",
            Settings.NONE,
            (data, settings) -> KlMatchingScorer.fit(data.requireTraining()),
            KlMatchingScorer::of,
            PREDICTIONS,
            TRAINING),
    MAHALANOBIS(
            "least Mahalanobis distance of the features from a class mean (Lee et al. 2018)",
            Settings.NONE,
            (data, settings) -> MahalanobisScorer.fit(data.requireTraining(), data.labels(), false),
            saved -> MahalanobisScorer.of(saved, false),
            FEATURES,
            TRAINING,
            LABELS),
    MAHALANOBIS_UNIT(
            "the same with features divided by their lengths, Mahalanobis++ (Mueller and Hein 2025)",
            Settings.NONE,
            (data, settings) -> MahalanobisScorer.fit(data.requireTraining(), data.labels(), true),
            saved -> MahalanobisScorer.of(saved, true),
            FEATURES,
            TRAINING,
            LABELS),
    RELATIVE_MAHALANOBIS(
            "Mahalanobis distance from a class mean minus that from the mean of all (Ren et al. 2021)",
            Settings.NONE,
            (data, settings) -> RelativeMahalanobisScorer.fit(data.requireTraining(), data.labels()),
            RelativeMahalanobisScorer::of,
            FEATURES,
            TRAINING,
            LABELS),
    MAHALANOBIS_ENSEMBLE(
            "Mahalanobis distances of all layers, weighted on validation InD and OOD (Lee et al. 2018)",
            Settings.NONE,
            (data, settings) ->
                    MahalanobisEnsembleScorer.fit(data.requireTraining(), data.labels(), data.requireTuning(), false),
            saved -> MahalanobisEnsembleScorer.of(saved, false),
            FEATURES,
            LAYERS,
            TRAINING,
            LABELS,
            TUNING),
    MAHALANOBIS_ENSEMBLE_UNIT(
            "the same with the features of every layer divided by their lengths",
            Settings.NONE,
            (data, settings) ->
                    MahalanobisEnsembleScorer.fit(data.requireTraining(), data.labels(), data.requireTuning(), true),
            saved -> MahalanobisEnsembleScorer.of(saved, true),
            FEATURES,
            LAYERS,
            TRAINING,
            LABELS,
            TUNING),
    KNN(
            "distance from the 50th nearest direction of features (Sun et al. 2022)",
            Settings.NONE.with("k", KnnScorer.DEFAULT_K),
            (data, settings) -> KnnScorer.fit(data.requireTraining(), settings.count("k")),
            KnnScorer::of,
            FEATURES,
            TRAINING),
    VIM(
            "features outside their principal directions as a virtual logit (Wang et al. 2022)",
            Settings.NONE.with("principal", 0),
            (data, settings) -> VimScorer.fit(data.requireTraining(), data.requireHead(), settings.count("principal")),
            VimScorer::of,
            FEATURES,
            TRAINING,
            HEAD),
    REACT(
            "energy with features cut off at their 90th percentile (Sun et al. 2021)",
            Settings.NONE.with(ShapedEnergyScorer.PERCENTILE, 90),
            (data, settings) -> ShapedEnergyScorer.react(
                    data.requireTraining(), data.requireHead(), settings.number(ShapedEnergyScorer.PERCENTILE)),
            ShapedEnergyScorer::react,
            FEATURES,
            TRAINING,
            HEAD),
    ASH(
            "energy with all but the largest 10% of features dropped and the rest sharpened, ASH-S (Djurisic et al."
                    + " 2023)",
            Settings.NONE.with(ShapedEnergyScorer.PERCENTILE, 90),
            (data, settings) -> ShapedEnergyScorer.ash(data.requireHead(), settings),
            saved -> ShapedEnergyScorer.ash(saved.head(), saved.settings()),
            FEATURES,
            HEAD),
    SCALE(
            "energy with features scaled by the weight of their largest 15% (Xu et al. 2024)",
            Settings.NONE.with(ShapedEnergyScorer.PERCENTILE, 85),
            (data, settings) -> ShapedEnergyScorer.scale(data.requireHead(), settings),
            saved -> ShapedEnergyScorer.scale(saved.head(), saved.settings()),
            FEATURES,
            HEAD),
    DICE(
            "energy through the 10% of weights that contribute most (Sun and Li 2022)",
            Settings.NONE.with(ShapedEnergyScorer.PERCENTILE, 90),
            (data, settings) -> ShapedEnergyScorer.dice(
                    data.requireTraining(), data.requireHead(), settings.number(ShapedEnergyScorer.PERCENTILE)),
            saved -> new ShapedEnergyScorer(saved.head()),
            FEATURES,
            TRAINING,
            HEAD),
    SHE(
            "-<h, mean features of the predicted class> (Zhang et al. 2023)",
            Settings.NONE,
            (data, settings) -> SheScorer.fit(data.requireTraining(), data.labels()),
            SheScorer::of,
            PREDICTIONS,
            FEATURES,
            TRAINING,
            LABELS),
    NNGUIDE(
            "energy times the guidance of the 10 nearest confident samples (Park et al. 2023)",
            Settings.NONE.with("k", NnGuideScorer.DEFAULT_K),
            (data, settings) -> NnGuideScorer.fit(data.requireTraining(), settings.count("k")),
            NnGuideScorer::of,
            LOGITS,
            FEATURES,
            TRAINING),
    TRUST(
            "distance from the predicted class over that from the nearest other class (Jiang et al. 2018)",
            TrustScorer.DEFAULTS,
            (data, settings) -> TrustScorer.fit(data.requireTraining(), data.labels(), settings),
            TrustScorer::of,
            PREDICTIONS,
            FEATURES,
            TRAINING,
            LABELS),
    GRADNORM(
            "-|h|_1 sum |f - 1/K|: gradient of the divergence from uniform by the last layer (Huang et al. 2021)",
            settings -> GradientScorer.UNIFORM,
            PREDICTIONS,
            FEATURES),
    NLL_GRADIENT(
            "|h|_2 |f - e_argmax|_2: gradient of the prediction's own likelihood by the last layer (Oberdiek et al. 2018)",
            settings -> GradientScorer.PREDICTED,
            PREDICTIONS,
            FEATURES),
    CONFIDENCE_BRANCH(
            "1 - c, the confidence that the network learned next to its classes (DeVries and Taylor 2018)",
            settings -> outputs -> outputs.branch(Outputs.CONFIDENCE).mapRows(row -> sigmoid(-row[0])),
            CONFIDENCE) {
        @Override
        public String id() {
            return "confidence";
        }
    },
    REJECT_CLASSES(
            "probability of all classes that the network learned to reject (Mohseni et al. 2020; Chen et al. 2021)",
            settings -> BuiltInKind::rejected,
            LOGITS,
            REJECT) {
        @Override
        public String id() {
            return "reject";
        }
    };

    private final String description;
    private final Settings settings;
    private final BiFunction<FitData, Settings, Scorer> fit;
    private final Function<Parameters, Scorer> restore;
    private final Set<Requirement> requires;

    /** A kind that is a formula. */
    BuiltInKind(String description, Function<Settings, Scorer> formula, Requirement... requires) {
        this(description, Settings.NONE, formula, requires);
    }

    /** A kind that is a formula with settings. */
    BuiltInKind(String description, Settings settings, Function<Settings, Scorer> formula, Requirement... requires) {
        this(
                description,
                settings,
                (data, values) -> formula.apply(values),
                saved -> formula.apply(saved.settings()),
                requires);
    }

    BuiltInKind(
            String description,
            Settings settings,
            BiFunction<FitData, Settings, Scorer> fit,
            Function<Parameters, Scorer> restore,
            Requirement... requires) {
        EnumSet<Requirement> set = EnumSet.noneOf(Requirement.class);
        set.addAll(List.of(requires));
        boolean tempered = !Collections.disjoint(set, Set.of(LOGITS, PREDICTIONS, HEAD));
        this.description = description;
        this.settings = tempered && !settings.has(Tempered.SETTING) ? settings.with(Tempered.SETTING, 1) : settings;
        this.fit = fit;
        this.restore = restore;
        this.requires = Collections.unmodifiableSet(set);
    }

    @Override
    public String id() {
        return Names.of(this);
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public Set<Requirement> requires() {
        return requires;
    }

    @Override
    public Settings settings() {
        return settings;
    }

    @Override
    public Scorer fit(FitData data, Settings values) {
        double temperature = Tempered.temperature(values);
        return Tempered.of(fit.apply(data.withTemperature(temperature), values), temperature);
    }

    @Override
    public Scorer restore(Parameters saved) {
        return Tempered.of(restore.apply(saved), Tempered.temperature(saved.settings()));
    }

    /** A scorer that sees logits divided by a temperature. */
    private record Tempered(Scorer scorer, double temperature) implements Scorer {

        static final String SETTING = "temperature";

        static double temperature(Settings settings) {
            double temperature = settings.has(SETTING) ? settings.number(SETTING) : 1;
            Probabilities.requireTemperature(temperature);
            return temperature;
        }

        static Scorer of(Scorer scorer, double temperature) {
            return temperature == 1 ? scorer : new Tempered(scorer, temperature);
        }

        @Override
        public double[] score(Outputs outputs) {
            return scorer.score(outputs.withTemperature(temperature));
        }

        @Override
        public Map<String, Matrix> parameters() {
            return scorer.parameters();
        }
    }

    private static Scorer msp() {
        return new WoodScorer(GroundCost.binary());
    }

    private static Scorer ofLogits(RowFunction function) {
        return outputs -> outputs.logits().mapRows(function);
    }

    private static Scorer ofProbabilities(RowFunction function) {
        return outputs -> outputs.mapProbabilities(function);
    }

    /** NaN if a logit is NaN or +Infinity. */
    private static double minusMax(double[] logits) {
        double max = Probabilities.max(logits);
        return max < Double.POSITIVE_INFINITY ? -max : Double.NaN;
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

    private static Scorer generalisedEntropy(Settings settings) {
        double gamma = settings.number("gamma");
        int largest = settings.count("largest");
        if (!(gamma > 0) || largest < 1) {
            throw new IllegalArgumentException(
                    "gamma and largest must be positive but they are " + gamma + " and " + largest);
        }
        return ofProbabilities(f -> generalisedEntropy(f, gamma, largest));
    }

    private static double generalisedEntropy(double[] f, double gamma, int largest) {
        if (f.length > largest) {
            Arrays.sort(f);
        }
        int top = Probabilities.argmax(f);
        double sum = 0;
        for (int i = Math.max(0, f.length - largest); i < f.length; i++) {
            double others = i == top ? Probabilities.others(f, top) : 1 - f[i];
            sum += Math.pow(f[i] * Math.max(0, others), gamma); // a probability may exceed 1 by rounding
        }
        return sum;
    }
}
