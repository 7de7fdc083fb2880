package ai.wood.torch.train;

import ai.wood.Matrix;
import ai.wood.score.WoodScorer;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Tensors;
import ai.wood.transport.BinaryCost;
import ai.wood.transport.CustomCost;
import ai.wood.transport.DynamicCost;
import ai.wood.transport.GroundCost;
import java.util.function.UnaryOperator;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/** The WOOD score of a batch as a tensor expression: count x classes logits in, count scores out. */
@FunctionalInterface
interface TensorScore extends AutoCloseable {

    Tensor of(Tensor logits);

    /** Frees what it remembers. */
    @Override
    default void close() {}

    /** Whether the derivative sees a dynamic cost matrix' own dependence on the prediction is up to {@code total}. */
    static TensorScore of(WoodScorer scorer, boolean total, Device device) {
        GroundCost cost = scorer.cost();
        double lambda = scorer.lambda();
        if (cost instanceof BinaryCost) {
            return logits -> wood(logits, lambda, f -> complement(f.max(1).get0()));
        } else if (cost instanceof DynamicCost) {
            return logits -> wood(
                    logits,
                    lambda,
                    f -> complement(f.mul(total ? f : f.detach()).sum(1)));
        } else if (cost instanceof CustomCost custom) {
            return new Custom(matrix(custom, device), lambda);
        }
        throw new IllegalArgumentException("there is no tensor version of " + cost);
    }

    /**
     * The WOOD score under a cost matrix.
     *
     * @param matrix stays where it is, so that a GPU can record the step
     */
    record Custom(Tensor matrix, double lambda) implements TensorScore {

        @Override
        public Tensor of(Tensor logits) {
            return wood(logits, lambda, f -> f.matmul(matrix).min(1).get0());
        }

        @Override
        public void close() {
            matrix.releaseReference();
        }
    }

    private static Tensor wood(Tensor logits, double lambda, UnaryOperator<Tensor> exact) {
        Tensor logF = torch.log_softmax(logits, 1);
        Tensor f = logF.exp();
        Tensor score = exact.apply(f);
        return lambda == Double.POSITIVE_INFINITY
                ? score
                : score.add(f.mul(logF).sum(1).div(new Scalar(lambda)));
    }

    private static Tensor complement(Tensor x) {
        return x.neg().add(new Scalar(1));
    }

    private static Tensor matrix(CustomCost cost, Device device) {
        int classes = cost.classes();
        Matrix costs = cost.matrix(new double[classes], 0);
        return NativeScope.kept(() -> Tensors.of(costs.toFloats(), device, classes, classes));
    }
}
