package ai.wood.torch.train;

import ai.wood.Dataset;
import ai.wood.Outputs;
import ai.wood.Scorer;
import ai.wood.loss.Loss;
import ai.wood.metric.RankedScores;
import ai.wood.torch.Architecture;
import ai.wood.torch.InferenceOptions;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.Weights;
import org.bytedeco.pytorch.Device;

/** Measures a network on the validation splits. */
record Validator(Architecture architecture, Loss loss, Scorer scorer, TrainData data, Device device) {

    private static final double TNR = 0.95;

    EpochMetrics.Validation measure(Weights weights) {
        try (TorchNetwork network =
                new TorchNetwork(architecture, weights.copy(), InferenceOptions.of(data.normalise(), device))) {
            Outputs ind = network.forward(data.indValidation());
            Dataset ood = data.oodValidation();
            if (ood == null) {
                return new EpochMetrics.Validation(meanLoss(ind), accuracy(ind), Double.NaN, Double.NaN);
            }
            RankedScores scores = RankedScores.of(scorer.score(ind), scorer.score(network.forward(ood)));
            return new EpochMetrics.Validation(meanLoss(ind), accuracy(ind), scores.auroc(), scores.fnrAtTnr(TNR));
        }
    }

    private double meanLoss(Outputs outputs) {
        double sum = 0;
        double[] gradient = new double[outputs.classes()];
        for (int i = 0; i < outputs.size(); i++) {
            sum += loss.ind(outputs.logits().row(i), data.indValidation().label(i), gradient);
        }
        return sum / outputs.size();
    }

    private double accuracy(Outputs outputs) {
        int right = 0;
        for (int i = 0; i < outputs.size(); i++) {
            right += outputs.label(i) == data.indValidation().label(i) ? 1 : 0;
        }
        return (double) right / outputs.size();
    }
}
