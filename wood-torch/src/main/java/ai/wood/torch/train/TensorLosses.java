package ai.wood.torch.train;

import ai.wood.loss.ConfidenceLoss;
import ai.wood.loss.CrossEntropy;
import ai.wood.loss.EnergyMargin;
import ai.wood.loss.Loss;
import ai.wood.loss.OutlierExposure;
import ai.wood.loss.RejectionLoss;
import ai.wood.loss.WoodLoss;
import ai.wood.torch.train.TensorLoss.Parts;
import java.util.Optional;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** The tensor versions of our own losses. */
final class TensorLosses {

    private TensorLosses() {}

    static Optional<TensorLoss> of(Loss loss, Device device) {
        if (loss instanceof CrossEntropy) {
            return Optional.of((ind, labels, ood) -> new Parts(crossEntropy(ind, labels), zero(ind)));
        }
        if (loss instanceof WoodLoss wood) {
            return Optional.of(new Wood(wood, TensorScore.of(wood.score(), wood.total(), device)));
        }
        if (loss instanceof OutlierExposure exposure) {
            return Optional.of((ind, labels, ood) ->
                    new Parts(crossEntropy(ind, labels), weightedMean(uniformCrossEntropy(ood), exposure.weight())));
        }
        if (loss instanceof EnergyMargin margin) {
            return Optional.of((ind, labels, ood) -> energyMargin(margin, ind, labels, ood));
        }
        if (loss instanceof RejectionLoss rejection) {
            return Optional.of((ind, labels, ood) -> new Parts(
                    crossEntropy(ind, labels), weightedMean(rejectionEntropy(ood, rejection), rejection.weight())));
        }
        if (loss instanceof ConfidenceLoss confidence) {
            return Optional.of(new TensorConfidence(confidence, device));
        }
        return Optional.empty();
    }

    /** The WOOD loss. */
    record Wood(WoodLoss loss, TensorScore score) implements TensorLoss {

        @Override
        public Parts on(Tensor ind, Tensor labels, Tensor ood) {
            Tensor soft = loss.temperature() == 1 ? ood : ood.div(new Scalar(loss.temperature()));
            return new Parts(crossEntropy(ind, labels), weightedMean(score.of(soft), -loss.beta()));
        }

        @Override
        public void close() {
            score.close();
        }
    }

    private static Tensor crossEntropy(Tensor logits, Tensor labels) {
        return torch.cross_entropy(logits, labels);
    }

    /** Cross-entropy to the uniform distribution, {@code log sum exp z - mean z}, of each sample. */
    private static Tensor uniformCrossEntropy(Tensor logits) {
        return torch.logsumexp(logits, 1).sub(logits.mean(1));
    }

    /** Cross-entropy to the likeliest of the reject classes, the last ones, of each sample. */
    private static Tensor rejectionEntropy(Tensor logits, RejectionLoss loss) {
        Tensor rejects = logits.narrow(1, logits.size(1) - loss.rejects(), loss.rejects());
        return torch.logsumexp(logits, 1).sub(rejects.max(1).get0());
    }

    private static Parts energyMargin(EnergyMargin margin, Tensor ind, Tensor labels, Tensor ood) {
        Tensor excess = torch.logsumexp(ind, 1)
                .add(new Scalar(margin.indMargin()))
                .neg()
                .relu();
        Tensor lack =
                torch.logsumexp(ood, 1).add(new Scalar(margin.oodMargin())).relu();
        return new Parts(
                crossEntropy(ind, labels).add(weightedMean(excess.mul(excess), margin.weight())),
                weightedMean(lack.mul(lack), margin.weight()));
    }

    private static Tensor weightedMean(Tensor terms, double weight) {
        return terms.numel() == 0 ? zero(terms) : terms.mean().mul(new Scalar(weight));
    }

    /** A zero of the same type and device, without gradient. */
    static Tensor zero(Tensor like) {
        return torch.zeros_like(like.detach().sum());
    }

    /** The value of one expression with the gradient of another. */
    static Tensor carried(Tensor derived, Tensor value) {
        return derived.sub(derived.detach()).add(value.detach());
    }
}
