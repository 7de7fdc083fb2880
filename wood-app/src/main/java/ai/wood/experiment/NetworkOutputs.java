package ai.wood.experiment;

import ai.wood.Dataset;
import ai.wood.Outputs;
import ai.wood.torch.TorchNetwork;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * What a network says about everything it is to be judged by.
 *
 * @param network its name
 * @param ind name of the InD set
 * @param fit InD training outputs, to fit scorers to
 * @param fitLabels their labels
 * @param validation InD outputs that training did not see, to choose thresholds on
 * @param leaky whether scorers are fitted or thresholds chosen on a test split, against the rule; reports say so
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
        boolean leaky,
        Outputs test,
        double accuracy,
        List<Ood> ood) {

    /**
     * Runs a network over its data.
     *
     * @param insist whether fitting and choosing on a test split is wanted all the same
     * @throws IllegalArgumentException where it is not, but the data would do so
     */
    public static NetworkOutputs of(String name, TorchNetwork network, Data data, boolean insist) {
        data.fit().split().require("fitting scorers", insist);
        data.validation().split().require("calibrating thresholds", insist);
        Outputs test = network.forward(data.test());
        return new NetworkOutputs(
                name,
                data.test().name(),
                network.forward(data.fit()),
                IntStream.range(0, data.fit().size())
                        .mapToObj(data.fit()::label)
                        .toList(),
                network.forward(data.validation()),
                !data.fit().split().mayFit() || !data.validation().split().mayFit(),
                test,
                test.accuracy(IntStream.range(0, data.test().size())
                        .map(data.test()::label)
                        .toArray()),
                data.ood().stream()
                        .map(ood -> new Ood(ood.name(), data.seen().contains(ood.name()), network.forward(ood)))
                        .toList());
    }

    /**
     * What a network is judged by.
     *
     * @param fit InD samples to fit scorers to
     * @param validation InD samples to choose thresholds on
     * @param test InD samples to evaluate on
     * @param ood OOD sets to evaluate on
     * @param seen names of the OOD sets whose kind training saw
     */
    public record Data(Dataset fit, Dataset validation, Dataset test, List<Dataset> ood, Set<String> seen) {}

    /** An OOD set: its name, whether training saw its kind, and the network's outputs. */
    public record Ood(String name, boolean seen, Outputs outputs) {

        /** Name and kind, for people. */
        public String title() {
            return name + (seen ? " (seen)" : " (unseen)");
        }
    }
}
