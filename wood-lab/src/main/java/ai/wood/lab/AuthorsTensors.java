package ai.wood.lab;

import ai.wood.loss.Loss;
import ai.wood.torch.train.TensorLoss;
import java.util.Optional;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** The tensor version of the {@link AuthorsLoss}. */
public final class AuthorsTensors implements TensorLoss.Kind {

    @Override
    public Optional<TensorLoss> of(Loss loss, Device device) {
        return loss instanceof AuthorsLoss authors
                ? Optional.of((ind, labels, ood) -> parts(authors, ind, labels, ood))
                : Optional.empty();
    }

    /** Differentiates the cross-entropy as if it were {@code -f[label]}, and the mean score as if it were the sum. */
    private static TensorLoss.Parts parts(AuthorsLoss loss, Tensor ind, Tensor labels, Tensor ood) {
        Tensor likelihood = torch.softmax(ind, 1).gather(1, labels.unsqueeze(1)).mean();
        Tensor indTerm = carried(likelihood.neg(), torch.cross_entropy(ind, labels));
        if (ood.numel() == 0) {
            return new TensorLoss.Parts(indTerm, torch.zeros_like(indTerm.detach()));
        }
        Tensor scores = scores(loss.score(), ood);
        Scalar weight = new Scalar(-loss.beta());
        return new TensorLoss.Parts(
                indTerm, carried(scores.sum().mul(weight), scores.mean().mul(weight)));
    }

    /** The value of one expression with the gradient of another. */
    private static Tensor carried(Tensor derived, Tensor value) {
        return derived.sub(derived.detach()).add(value.detach());
    }

    private static Tensor scores(AuthorsScorer scorer, Tensor logits) {
        Tensor f = torch.softmax(logits, 1);
        return switch (scorer) {
            case BINARY ->
                complement(f.max(1).get0()).sub(f.mul(selfPotential(f.detach())).sum(1));
            case DYNAMIC -> complement(f.mul(f).sum(1)).square().div(new Scalar(2));
        };
    }

    /** The potential {@code ln w} of the binary score, at the root that bisection finds to the last bit of a float. */
    private static Tensor selfPotential(Tensor f) {
        Tensor low = torch.zeros_like(f.narrow(1, 0, 1));
        for (double step = Math.E / 2; step > Math.E / (1 << 24); step /= 2) {
            Tensor middle = low.add(new Scalar(step));
            Tensor below = f.mul(selfWeight(f, middle)).sum(1).unsqueeze(1).gt(middle);
            low = low.add(below.to(f.scalar_type()).mul(new Scalar(step)));
        }
        return selfWeight(f, low).log();
    }

    private static Tensor selfWeight(Tensor f, Tensor s) {
        Tensor a = s.mul(new Scalar(AuthorsScorer.INVERSE_E));
        Tensor root = a.square()
                .add(f.mul(new Scalar(4 * (1 - AuthorsScorer.INVERSE_E))))
                .sqrt();
        return a.add(root).reciprocal().mul(new Scalar(2));
    }

    private static Tensor complement(Tensor x) {
        return x.neg().add(new Scalar(1));
    }
}
