package ai.wood.evaluate;

import ai.wood.Detector;
import ai.wood.Outputs;
import ai.wood.data.Dataset;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a network says about everything it is to be judged by.
 *
 * @param network its name
 * @param detector the deployed detector of this network, which is compared with its own scorer and thresholds; null for
 *     none
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
        @Nullable Detector detector,
        ScorerSetup setup,
        @Nullable Tuning tuning,
        SampleSet validation,
        SampleSet test,
        List<Ood> ood,
        boolean leaky,
        List<String> notes) {

    public NetworkOutputs {
        if (validation.hasImages()) {
            validation.dataset().split().require("calibrating thresholds", leaky);
        }
        ood = List.copyOf(ood);
        notes = List.copyOf(notes);
    }

    /** Name of the InD set. */
    public String ind() {
        return test.name();
    }

    /** Fraction of the test samples that the network classifies correctly; NaN without labels. */
    public double accuracy() {
        return test.accuracy();
    }

    /** Runs a network over a dataset, or remembers what it said. */
    @FunctionalInterface
    public interface Source {
        Outputs forward(Dataset dataset) throws IOException;
    }

    /**
     * What scorers are tuned on; no test sample is among it.
     *
     * @param ind InD samples that training did not see, none of them in {@link #validation}
     * @param ood OOD samples
     * @param source where the OOD samples come from, for people
     */
    public record Tuning(SampleSet ind, SampleSet ood, String source) {}

    /**
     * An OOD set.
     *
     * @param part its samples
     * @param seen whether training saw its kind
     * @param distance how much it looks like the InD set
     */
    public record Ood(SampleSet part, boolean seen, Distance distance) {

        public String name() {
            return part.name();
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
