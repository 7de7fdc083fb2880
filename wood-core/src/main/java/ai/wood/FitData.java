package ai.wood;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The data a scorer is fitted to. Each scorer uses the part it requires.
 *
 * @param training outputs of samples the network was trained on
 * @param labels their true labels; empty if unknown
 * @param head the network's last layer
 * @param tuning validation outputs, for scorers that are tuned on OOD samples too
 * @param samples for scorers that need the samples themselves
 */
public record FitData(
        @Nullable Outputs training,
        List<Integer> labels,
        @Nullable Head head,
        @Nullable Tuning tuning,
        @Nullable Samples<?> samples) {

    /** Nothing. Enough for a scorer that is a formula. */
    public static final FitData NONE = new FitData(null, List.of(), null, null, null);

    /**
     * Validation outputs of both kinds. A scorer tuned on one kind of OOD has seen it. Its result on that kind says little
     * about others.
     *
     * @param ind outputs of InD samples that training did not see
     * @param ood outputs of OOD samples, also from a validation split
     */
    public record Tuning(Outputs ind, Outputs ood) {

        public Tuning {
            if (ind.size() == 0 || ood.size() == 0) {
                throw new CannotRunException(
                        "tuning needs InD and OOD samples but has " + ind.size() + " and " + ood.size());
            }
        }
    }

    /**
     * For scorers that need the samples themselves: the classifier, and validation samples to tune on.
     *
     * @param ind InD samples that training did not see; may be empty
     * @param ood OOD samples, also from a validation split; may be empty
     */
    public record Samples<T>(Classifier<T> classifier, List<T> ind, List<T> ood) {}

    public FitData {
        labels = List.copyOf(labels);
    }

    /** Training outputs of unknown labels. */
    public static FitData of(Outputs training) {
        return new FitData(training, List.of(), null, null, null);
    }

    public FitData withLabels(List<Integer> newLabels) {
        return new FitData(training, newLabels, head, tuning, samples);
    }

    public FitData withHead(Head newHead) {
        return new FitData(training, labels, newHead, tuning, samples);
    }

    public FitData withTuning(Outputs ind, Outputs ood) {
        return new FitData(training, labels, head, new Tuning(ind, ood), samples);
    }

    public FitData withSamples(Samples<?> newSamples) {
        return new FitData(training, labels, head, tuning, newSamples);
    }

    /** The same data with all logits divided by a temperature. */
    public FitData withTemperature(double temperature) {
        if (temperature == 1) {
            return this;
        }
        return new FitData(
                training == null ? null : training.withTemperature(temperature),
                labels,
                head == null ? null : head.withTemperature(temperature),
                tuning == null
                        ? null
                        : new Tuning(tuning.ind.withTemperature(temperature), tuning.ood.withTemperature(temperature)),
                samples);
    }

    /** What is here. */
    public Set<Requirement> provides() {
        Set<Requirement> provided = EnumSet.noneOf(Requirement.class);
        if (training != null) {
            provided.addAll(training.provides());
            provided.add(Requirement.TRAINING);
        }
        if (!labels.isEmpty()) {
            provided.add(Requirement.LABELS);
        }
        if (head != null) {
            provided.add(Requirement.HEAD);
        }
        if (tuning != null) {
            provided.add(Requirement.TUNING);
        }
        if (samples != null) {
            provided.add(Requirement.SAMPLES);
            if (samples.classifier().hasInputGradient()) {
                provided.add(Requirement.INPUT_GRADIENT);
            }
        }
        return provided;
    }

    /**
     * Refuses a kind of scorer that cannot be fitted to these data. Without training outputs the outputs to score decide
     * whether they have what the scorer requires: see {@link Outputs#require}.
     *
     * @throws CannotRunException naming everything that is missing
     */
    public void require(ScorerKind kind) {
        Set<Requirement> provided = provides();
        Requirement.requireAll(kind, needed -> provided.contains(needed) || (training == null && needed.ofOutputs()));
    }

    /**
     * The training outputs.
     *
     * @throws CannotRunException if there are none
     */
    public Outputs requireTraining() {
        return required(training, Requirement.TRAINING);
    }

    /**
     * The last layer.
     *
     * @throws CannotRunException if it is unknown
     */
    public Head requireHead() {
        return required(head, Requirement.HEAD);
    }

    /**
     * The validation outputs to tune on.
     *
     * @throws CannotRunException if there are none
     */
    public Tuning requireTuning() {
        return required(tuning, Requirement.TUNING);
    }

    private static <T> T required(@Nullable T value, Requirement requirement) {
        if (value == null) {
            throw new CannotRunException("the scorer needs " + requirement.description());
        }
        return value;
    }
}
