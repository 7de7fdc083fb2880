package ai.wood.evaluate;

import ai.wood.Outputs;
import ai.wood.data.Dataset;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a network says about everything it is to be judged by.
 *
 * @param network its name
 * @param setup what scorers are fitted to, and the settings of the WOOD score
 * @param tuning the samples they are tuned on; null for none
 * @param validation InD samples that training did not see, to choose thresholds on
 * @param test InD samples to evaluate on
 * @param ood OOD sets to evaluate on
 * @param leaky whether scorers are fitted or thresholds chosen on a test split, against the rule; reports say so
 * @param notes what else a reader of the figures must know, in sentences
 */
public record NetworkOutputs(
        String network,
        ScorerSetup setup,
        @Nullable Tuning tuning,
        Part validation,
        Part test,
        List<Ood> ood,
        boolean leaky,
        List<String> notes) {

    public NetworkOutputs {
        validation.dataset().split().require("calibrating thresholds", leaky);
        ood = List.copyOf(ood);
        notes = List.copyOf(notes);
    }

    /** Name of the InD set. */
    public String ind() {
        return test.dataset().name();
    }

    /** Share of the test samples that the network classifies rightly. */
    public double accuracy() {
        return test.outputs().accuracy(test.labels());
    }

    /** Runs a network over a dataset, or remembers what it said. */
    @FunctionalInterface
    public interface Source {
        Outputs forward(Dataset dataset) throws IOException;
    }

    /** Samples, and what the network says about each. */
    public record Part(Dataset dataset, Outputs outputs) {

        public Part {
            if (dataset.size() != outputs.size()) {
                throw new IllegalArgumentException(dataset.name() + " has " + dataset.size()
                        + " samples but there are outputs of " + outputs.size());
            }
        }

        static Part of(Dataset dataset, Source source) throws IOException {
            return new Part(dataset, source.forward(dataset));
        }

        /** The true label of each sample. */
        public int[] labels() {
            return dataset.labels();
        }
    }

    /**
     * What scorers are tuned on; no test sample is among it.
     *
     * @param ind InD samples that training did not see, none of them in {@link #validation}
     * @param ood OOD samples
     * @param source where the OOD samples come from, for people
     */
    public record Tuning(Part ind, Part ood, String source) {}

    /**
     * An OOD set.
     *
     * @param part its samples
     * @param seen whether training saw its kind
     * @param distance how much it looks like the InD set
     */
    public record Ood(Part part, boolean seen, Distance distance) {

        public String name() {
            return part.dataset().name();
        }

        public Dataset dataset() {
            return part.dataset();
        }

        public Outputs outputs() {
            return part.outputs();
        }

        /** Name and kind, for people. */
        public String title() {
            return name() + (seen ? " (seen)" : " (unseen)");
        }
    }
}
