package ai.wood.torch;

import java.util.HashMap;
import java.util.Map;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Normalisations worked out for evaluation: with scale {@code a = weight / sqrt(var + eps)}, a normalisation is {@code a
 * x + (bias - a mean)}, and behind a convolution {@code W} it is the convolution {@code a W} with that bias.
 *
 * <p>Each is worked out when it is first met, so an architecture need not list them.
 */
final class FoldedNorms implements AutoCloseable {

    /** Folds nothing. */
    static final FoldedNorms NONE = new FoldedNorms(null);

    private final @Nullable Weights weights;
    private final Map<String, Folded> known = new HashMap<>();

    /** A factor, which a convolution's weight may be part of, and what is added. */
    record Folded(Tensor weight, Tensor bias) {}

    private FoldedNorms(@Nullable Weights weights) {
        this.weights = weights;
    }

    /** Folds normalisations of these weights, which must not change any more. */
    static FoldedNorms of(Weights weights) {
        return new FoldedNorms(weights);
    }

    /** A normalisation on its own, broadcast over count, height and width; null where nothing is folded. */
    synchronized @Nullable Folded norm(String norm) {
        return weights == null ? null : known.computeIfAbsent(norm, n -> fold(weights, null, n));
    }

    /** A convolution with the normalisation behind it; null where nothing is folded. */
    synchronized @Nullable Folded convolution(String convolution, String norm) {
        return weights == null ? null : known.computeIfAbsent(convolution, c -> fold(weights, c, norm));
    }

    private static Folded fold(Weights weights, @Nullable String convolution, String norm) {
        return NativeScope.callWithoutGradients(() -> {
            Tensor scale = weights.view(norm + ".running_var")
                    .add(new Scalar(Pass.EPSILON))
                    .rsqrt_()
                    .mul_(weights.view(norm + ".weight"));
            Tensor bias = weights.view(norm + ".bias").sub(scale.mul(weights.view(norm + ".running_mean")));
            return convolution == null
                    ? retained(scale.view(1, -1, 1, 1), bias.view(1, -1, 1, 1))
                    : retained(weights.view(convolution + ".weight").mul(scale.view(-1, 1, 1, 1)), bias);
        });
    }

    private static Folded retained(Tensor weight, Tensor bias) {
        return new Folded(NativeScope.retain(weight.detach()), NativeScope.retain(bias.detach()));
    }

    @Override
    public synchronized void close() {
        known.values().forEach(folded -> {
            folded.weight().releaseReference();
            folded.bias().releaseReference();
        });
        known.clear();
    }
}
