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

    private static Tensor complement(Tensor x) {
        return x.neg().add(new Scalar(1));
    }

    private static Tensor matrix(CustomCost cost, Device device) {
        int classes = cost.classes();
        Matrix costs = cost.matrix(new double[classes], 0);
        return NativeScope.kept(() -> Tensors.of(costs.toFloats(), device, classes, classes));
    }
}
