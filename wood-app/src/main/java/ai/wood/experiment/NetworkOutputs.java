package ai.wood.experiment;

import ai.wood.Outputs;
import java.util.List;

/**
 * What a network says about everything it is to be judged by.
 *
 * @param network its name
 * @param ind name of the InD set
 * @param fit InD training outputs, to fit scorers to
 * @param fitLabels their labels
 * @param validation InD outputs that training did not see, to choose thresholds on
 * @param test InD outputs to evaluate on
 * @param accuracy share of the test samples that the network classifies rightly
 * @param ood OOD sets to evaluate on
 */
public record NetworkOutputs(
        String network,
        String ind,
        Outputs fit,
        List<Integer> fitLabels,
        Outputs validation,
        Outputs test,
        double accuracy,
        List<Ood> ood) {

    /** An OOD set: its name, whether training saw its kind, and the network's outputs. */
    public record Ood(String name, boolean seen, Outputs outputs) {

        /** Name and kind, for people. */
        public String title() {
            return name + (seen ? " (seen)" : " (unseen)");
        }
    }
}
