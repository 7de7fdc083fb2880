package ai.wood.torch.train;

import ai.wood.Matrix;
import ai.wood.score.AuthorsScorer;
import ai.wood.score.WoodScorer;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Tensors;
import ai.wood.transport.BinaryCost;
import ai.wood.transport.CustomCost;
import ai.wood.transport.DynamicCost;
import ai.wood.transport.GroundCost;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** The WOOD score of a batch as a tensor expression: count x classes logits in, count scores out. */
@FunctionalInterface
interface TensorScore {

    Tensor of(Tensor logits);

    /** Whether the derivative sees a dynamic cost matrix' own dependence on the prediction is up to {@code total}. */
    static TensorScore of(WoodScorer scorer, boolean total) {
        return logits -> {
            Tensor logF = torch.log_softmax(logits, 1);
            Tensor f = logF.exp();
            Tensor exact = exact(scorer.cost(), f, total);
            return scorer.lambda() == Double.POSITIVE_INFINITY
                    ? exact
                    : exact.add(f.mul(logF).sum(1).div(new Scalar(scorer.lambda())));
        };
    }

    /** The score of the paper's published code. */
    static TensorScore of(AuthorsScorer scorer) {
        return logits -> {
            Tensor f = torch.softmax(logits, 1);
            return switch (scorer) {
                case BINARY ->
                    complement(f.max(1).get0())
                            .sub(f.mul(selfPotential(f.detach())).sum(1));
                case DYNAMIC -> complement(f.mul(f).sum(1)).square().div(new Scalar(2));
            };
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

    private static Tensor exact(GroundCost cost, Tensor f, boolean total) {
        if (cost instanceof BinaryCost) {
            return complement(f.max(1).get0());
        } else if (cost instanceof DynamicCost) {
            return complement(f.mul(total ? f : f.detach()).sum(1));
        } else if (cost instanceof CustomCost custom) {
            return f.matmul(matrix(custom, f)).min(1).get0();
        }
        throw new IllegalArgumentException("there is no tensor version of " + cost);
    }

    private static Tensor complement(Tensor x) {
        return x.neg().add(new Scalar(1));
    }

    private static Tensor matrix(CustomCost cost, Tensor like) {
        int classes = cost.classes();
        Matrix costs = cost.matrix(new double[classes], 0);
        return NativeScope.tensor(() -> Tensors.of(costs.toFloats(), like.device(), classes, classes));
    }
}
