package ai.wood.torch.train;

/**
 * What an epoch came to: a line of {@code metrics.jsonl}.
 *
 * @param epoch counted from 0
 * @param steps done in the whole run
 * @param rate the last learning rate
 * @param indLoss mean InD term of the training loss
 * @param oodLoss mean OOD term of the training loss, weight included
 * @param imagesPerSecond trained
 * @param validation figures on samples that training does not see
 * @param best whether no earlier epoch was better by {@link Validation#quality()}
 */
public record EpochMetrics(
        int epoch,
        long steps,
        double rate,
        double indLoss,
        double oodLoss,
        double imagesPerSecond,
        Validation validation,
        boolean best) {

    /**
     * Figures on the validation splits.
     *
     * @param loss mean InD term of the loss
     * @param accuracy on InD samples
     * @param auroc of InD against OOD samples; NaN without OOD
     * @param fnr95 share of OOD samples missed at 95% TNR; NaN without OOD
     */
    public record Validation(double loss, double accuracy, double auroc, double fnr95) {

        /** What the best epoch is chosen by: the mean of accuracy and AUROC, or accuracy alone without OOD. */
        public double quality() {
            return Double.isNaN(auroc) ? accuracy : (accuracy + auroc) / 2;
        }
    }
}
