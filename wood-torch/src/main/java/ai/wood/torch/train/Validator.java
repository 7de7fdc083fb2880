package ai.wood.torch.train;

import ai.wood.Outputs;
import ai.wood.Scorer;
import ai.wood.data.Dataset;
import ai.wood.loss.Loss;
import ai.wood.metric.RankedScores;
import ai.wood.torch.Architecture;
import ai.wood.torch.InferenceOptions;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.Weights;
import java.util.List;
import java.util.stream.DoubleStream;
import org.bytedeco.pytorch.Device;

/** Measures a network on the validation splits. */
record Validator(Architecture architecture, Loss loss, Scorer scorer, TrainData data, Device device) {

    private static final double TNR = 0.95;

    /**
     * Tries the network on an image before training begins.
     *
     * @throws IllegalArgumentException where it cannot take images of this size
     */
    void tryOut(Weights weights) {
        try (TorchNetwork network = open(weights)) {
            network.classify(List.of(data.ind().get(0).image()));
        }
    }

    /** The network as it stands, to run over images. */
    TorchNetwork open(Weights weights) {
        return new TorchNetwork(architecture, weights.copy(), InferenceOptions.of(data.normalise(), device));
    }

    EpochMetrics.Validation measure(Weights weights) {
        try (TorchNetwork network = open(weights)) {
            Outputs ind = network.classify(data.indValidation().images());
            double accuracy = ind.accuracy(data.indValidation().labels());
            Dataset ood = data.oodValidation();
            if (ood == null) {
                return new EpochMetrics.Validation(meanLoss(ind), accuracy, Double.NaN, Double.NaN);
            }
            RankedScores scores = RankedScores.of(scorer.score(ind), scorer.score(network.classify(ood.images())));
            return new EpochMetrics.Validation(meanLoss(ind), accuracy, scores.auroc(), scores.fnrAtTnr(TNR));
        }
    }

    private double meanLoss(Outputs outputs) {
        double sum = 0;
        double[] gradient = new double[row(outputs, 0).length];
        for (int i = 0; i < outputs.size(); i++) {
            sum += loss.ind(row(outputs, i), data.indValidation().label(i), gradient);
        }
        return sum / outputs.size();
    }

    /** The logits, followed by the branches that the loss reads. */
    private double[] row(Outputs outputs, int sample) {
        return DoubleStream.concat(
                        DoubleStream.of(outputs.logits().row(sample)),
                        loss.branches().keySet().stream()
                                .flatMapToDouble(name ->
                                        DoubleStream.of(outputs.branch(name).row(sample))))
                .toArray();
    }
}
