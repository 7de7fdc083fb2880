package ai.wood.torch;

import java.util.HashMap;
import java.util.Map;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Convolutions merged with the normalisation behind them, for evaluation: with scale {@code a = weight / sqrt(var +
 * eps)}, {@code a (W x - mean) + bias = (a W) x + (bias - a mean)}.
 *
 * <p>Pairs are folded when they are first met, so an architecture need not list them.
 */
final class FoldedNorms implements AutoCloseable {

    /** Folds nothing. */
    static final FoldedNorms NONE = new FoldedNorms(null);

    private final @Nullable Weights weights;
    private final Map<String, Folded> pairs = new HashMap<>();

    /** One merged layer. */
    record Folded(Tensor weight, Tensor bias) {}

    private FoldedNorms(@Nullable Weights weights) {
        this.weights = weights;
    }

    /** Folds pairs of these weights, which must not change any more. */
    static FoldedNorms of(Weights weights) {
        return new FoldedNorms(weights);
    }

    synchronized @Nullable Folded find(String convolution, String norm) {
        return weights == null ? null : pairs.computeIfAbsent(convolution, c -> fold(weights, c, norm));
    }

    private static Folded fold(Weights weights, String convolution, String norm) {
        return NativeScope.callWithoutGradients(() -> {
            Tensor scale = weights.view(norm + ".running_var")
                    .add(new Scalar(Pass.epsilon()))
                    .rsqrt_()
                    .mul_(weights.view(norm + ".weight"));
            Tensor weight = weights.view(convolution + ".weight").mul(scale.view(-1, 1, 1, 1));
            Tensor bias = weights.view(norm + ".bias").sub(scale.mul(weights.view(norm + ".running_mean")));
            return new Folded(NativeScope.retain(weight.detach()), NativeScope.retain(bias.detach()));
        });
    }

    @Override
    public synchronized void close() {
        pairs.values().forEach(pair -> {
            pair.weight().releaseReference();
            pair.bias().releaseReference();
        });
        pairs.clear();
    }
}
