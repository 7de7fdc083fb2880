package ai.wood.torch.train;

import ai.wood.Matrix;
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
