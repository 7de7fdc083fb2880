package ai.wood;

import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Something a scorer cannot work without. It comes with the outputs to score, or with the data to fit to. */
public enum Requirement {
    /** Logits or probabilities. */
    PREDICTIONS("logits or probabilities", true),
    /** Logits. Probabilities are not enough. */
    LOGITS("logits", true),
    /** The input of the network's last layer. */
    FEATURES("features", true),
    /** The features of earlier layers. */
    LAYERS("features of intermediate layers", true),
    /** The confidence branch of a network that was trained to have one. */
    CONFIDENCE("a network trained with the loss 'confidence'", true),
    /** The reject classes of a network that was trained to have them. */
    REJECT("a network trained with the loss 'reject'", true),
    /** Training outputs to fit to. */
    TRAINING("training outputs to fit to", false),
    /** The true labels of the training outputs. */
    LABELS("labels of the training outputs", false),
    /** The network's last layer. */
    HEAD("the network's last layer, which must be linear", false),
    /** Validation outputs of InD and OOD samples to tune on. */
    TUNING("InD and OOD validation outputs to tune on", false),
    /** The samples themselves and the classifier that made the outputs. */
    SAMPLES("the samples themselves, not only outputs", false),
    /** The gradient of the classifier by its input. */
    INPUT_GRADIENT("a network that runs on libtorch, for the gradient by its input", false);

    private final String description;
    private final boolean ofOutputs;

    Requirement(String description, boolean ofOutputs) {
        this.description = description;
        this.ofOutputs = ofOutputs;
    }

    /**
     * Refuses a kind of scorer that lacks something.
     *
     * @throws CannotRunException naming everything that is missing
     */
    static void requireAll(ScorerKind kind, Predicate<Requirement> met) {
        String missing = kind.requires().stream()
                .filter(met.negate())
                .sorted() // a set of a user's kind has no order
                .map(Requirement::description)
                .collect(Collectors.joining(" and "));
        if (!missing.isEmpty()) {
            throw new CannotRunException("needs " + missing);
        }
    }

    /** A noun phrase that follows "needs". */
    public String description() {
        return description;
    }

    /** Whether every scored sample must have it, not only the data the scorer is fitted to. */
    public boolean ofOutputs() {
        return ofOutputs;
    }
}
