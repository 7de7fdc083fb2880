package ai.wood.score;

import ai.wood.Outputs;
import java.util.function.BiPredicate;

/** What a scorer cannot do without; who lacks it can say why the scorer is left out. */
public enum Need {
    /** Outputs as logits: probabilities are not enough. */
    LOGITS("logits", (options, outputs) -> outputs.hasLogits()),
    /** Outputs with the features of the last layer but one. */
    FEATURES("features", (options, outputs) -> outputs.hasFeatures()),
    /** Outputs with the features of layers before. */
    LAYERS(
            "features of intermediate layers",
            (options, outputs) -> !outputs.layers().isEmpty()),
    /** Outputs of a network that learnt to say how sure it is. */
    CONFIDENCE(
            "a network trained with --loss confidence",
            (options, outputs) -> outputs.branches().containsKey(Outputs.CONFIDENCE)),
    /** Outputs of a network with classes for what it rejects. */
    REJECT(
            "a network trained with --loss reject",
            (options, outputs) -> outputs.branches().containsKey(Outputs.REJECT)),
    /** InD outputs to fit to. */
    FIT("InD outputs to fit to", (options, outputs) -> options.ind() != null),
    /** The true labels of the outputs to fit to. */
    LABELS(
            "labels of the InD outputs to fit to",
            (options, outputs) -> !options.labels().isEmpty()),
    /** The network's last layer. */
    HEAD("the network's last layer", (options, outputs) -> options.head() != null),
    /** Validation outputs, InD and OOD. */
    TUNING("InD and OOD validation outputs", (options, outputs) -> options.tuning() != null);

    private final String description;
    private final BiPredicate<ScorerOptions, Outputs> met;

    Need(String description, BiPredicate<ScorerOptions, Outputs> met) {
        this.description = description;
        this.met = met;
    }

    /** Whether these options and outputs have it. */
    public boolean isMet(ScorerOptions options, Outputs outputs) {
        return met.test(options, outputs);
    }

    /** In words, to follow "needs". */
    public String description() {
        return description;
    }
}
