package ai.wood.torch;

import ai.wood.Names;
import ai.wood.data.Dataset;
import ai.wood.score.MahalanobisScorer;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * The catalogue of scorers that look at images more than once: a name, a word of explanation and a constructor each.
 * Those that need only one look are in {@code ai.wood.score.ScorerKinds}.
 */
public enum ImageScorers {
    ODIN(
            "1 - max softmax(z(x') / T), x' a step from x towards certainty (Liang et al. 2018)",
            true,
            ImageScorers::odin),
    MAHALANOBIS_NOISE(
            "Mahalanobis distance after a step towards the nearest class mean (Lee et al. 2018)",
            true,
            ImageScorers::mahalanobis),
    INVARIANCE(
            "mean KL(f(x) || f(t(x))) over shifts and mirroring t (after Bahat and Shakhnarovich 2018)",
            false,
            ImageScorers::invariance);

    /** What ODIN's paper found for most of its OOD sets on CIFAR-10, used where there is nothing to tune on. */
    private static final double USUAL_TEMPERATURE = 1000;

    private static final double USUAL_MAGNITUDE = 0.0014;

    private final String description;
    private final boolean tunedOnOod;

    @SuppressWarnings("ImmutableEnumChecker") // a function without state
    private final BiFunction<TorchNetwork, ImageScorerOptions, ImageScorer> constructor;

    ImageScorers(
            String description,
            boolean tunedOnOod,
            BiFunction<TorchNetwork, ImageScorerOptions, ImageScorer> constructor) {
        this.description = description;
        this.tunedOnOod = tunedOnOod;
        this.constructor = constructor;
    }

    /**
     * Builds the scorer, fitted and tuned as the options allow. The network must stay open as long as it is used.
     *
     * @throws IllegalArgumentException where the options lack what it cannot do without
     */
    public ImageScorer create(TorchNetwork network, ImageScorerOptions options) {
        return constructor.apply(network, options);
    }

    /** Formula and source, in one line. */
    public String description() {
        return description;
    }

    /** Whether its settings are chosen on OOD samples too, not on InD samples alone. */
    public boolean tunedOnOod() {
        return tunedOnOod;
    }

    /** The name used on the command line and in files: {@code mahalanobis-noise}. */
    public String id() {
        return Names.of(this);
    }

    /**
     * The scorer of that name.
     *
     * @throws IllegalArgumentException listing the known names
     */
    public static ImageScorers byId(String id) {
        return Names.find("image scorer", id, values(), ImageScorers::id);
    }

    private static ImageScorer odin(TorchNetwork network, ImageScorerOptions options) {
        Dataset ind = options.ind();
        Dataset ood = options.ood();
        return ind == null || ood == null
                ? PerturbedScorer.odin(network, USUAL_TEMPERATURE, USUAL_MAGNITUDE)
                : PerturbedScorer.tunedOdin(network, ind, ood);
    }

    private static ImageScorer mahalanobis(TorchNetwork network, ImageScorerOptions options) {
        Dataset fit = options.fit();
        if (fit == null) {
            throw new IllegalArgumentException("mahalanobis-noise needs labelled InD samples to fit to but got none");
        }
        List<Integer> labels = IntStream.of(fit.labels()).boxed().toList();
        MahalanobisScorer fitted = MahalanobisScorer.fit(network.classify(fit.images()), labels);
        Dataset ind = options.ind();
        Dataset ood = options.ood();
        return ind == null || ood == null
                ? PerturbedScorer.mahalanobis(network, fitted, USUAL_MAGNITUDE)
                : PerturbedScorer.tunedMahalanobis(network, fitted, ind, ood);
    }

    private static ImageScorer invariance(TorchNetwork network, ImageScorerOptions options) {
        Dataset ind = options.ind();
        return ind == null ? InvarianceScorer.of(network, true) : InvarianceScorer.fit(network, ind);
    }
}
