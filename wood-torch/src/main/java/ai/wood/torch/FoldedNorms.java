package ai.wood.torch;

import java.util.HashMap;
import java.util.Map;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * Normalisations worked out for evaluation: with scale {@code a = weight / sqrt(var + eps)}, a normalisation is {@code a
 * x + (bias - a mean)}, and behind a convolution {@code W} it is the convolution {@code a W} with that bias.
 *
 * <p>Before a ReLU and a convolution of single points it is less still: {@code max(0, a x + b)} is {@code a max(x, -b/a) +
 * b} where a is positive and {@code a min(x, -b/a) + b} where it is negative; factor and summand go into the convolution, and
 * what is left is to clamp x between two bounds a channel, one pass over memory instead of two. Only in 32-bit floats: bounds
 * and bias must cancel.
 *
 * <p>Each is worked out when it is first met, so an architecture need not list them.
 */
final class FoldedNorms implements AutoCloseable {

    private static final double MAX_BOUND = 1e30;

    /** Folds nothing. */
    static final FoldedNorms NONE = new FoldedNorms(null, Precision.FP32);

    private final @Nullable Weights weights;
    private final Precision precision;
    private final boolean direct;
    private final Map<Layers, Folded> known = new HashMap<>();
    private final Map<Layers, Clamped> clamped = new HashMap<>();

    /** What was folded into one: a convolution may stand between several pairs of normalisations. */
    private record Layers(
            @Nullable String before,
            @Nullable String convolution,
            @Nullable String after) {}

    /** A factor, which a convolution's weight may be part of, and what is added. */
    record Folded(Tensor weight, Tensor bias) {}

    /** Bounds of the input, broadcast over count, height and width, and the convolution behind them. */
    record Clamped(Tensor low, Tensor high, Folded convolution) {}

    private FoldedNorms(@Nullable Weights weights, Precision precision) {
        this.weights = weights;
        this.precision = precision;
        this.direct = weights != null && precision == Precision.FP32 && torch.hasMKLDNN();
    }

    /** Folds normalisations of these weights, which must not change any more. */
    static FoldedNorms of(Weights weights, Precision precision) {
        return new FoldedNorms(weights, precision);
    }

    /** Whether oneDNN may be called past libtorch's own choice. */
    boolean direct() {
        return direct;
    }

    /** A normalisation on its own, broadcast over count, height and width; null where nothing is folded. */
    synchronized @Nullable Folded norm(String norm) {
        return weights == null
                ? null
                : known.computeIfAbsent(new Layers(null, null, norm), layers -> fold(weights, null, norm));
    }

    /** A convolution with the normalisation behind it; null where nothing is folded. */
    synchronized @Nullable Folded convolution(String convolution, String norm) {
        return weights == null
                ? null
                : known.computeIfAbsent(
                        new Layers(null, convolution, norm), layers -> fold(weights, convolution, norm));
    }

    /**
     * A normalisation, a ReLU, a convolution of single points and, where one is named, the normalisation behind it; null
     * where nothing is folded.
     */
    synchronized @Nullable Clamped clamped(String norm, String convolution, @Nullable String after) {
        return weights == null || precision != Precision.FP32
                ? null
                : clamped.computeIfAbsent(
                        new Layers(norm, convolution, after), layers -> clamp(weights, norm, convolution, after));
    }

    private static Clamped clamp(Weights weights, String norm, String convolution, @Nullable String after) {
        return NativeScope.callWithoutGradients(() -> {
            Folded affine = affine(weights, norm);
            Tensor bound = affine.bias().neg().div(affine.weight());
            Tensor bounded =
                    bound.abs().lt(new Scalar(MAX_BOUND)); // else the input does not count: not NaN, nor infinite
            Tensor none = torch.full_like(bound, new Scalar(Double.POSITIVE_INFINITY));
            Tensor scale = affine.weight().mul(bounded);
            Tensor shift = torch.where(bounded, affine.bias(), affine.bias().relu());
            Tensor low = torch.where(scale.gt(new Scalar(0)), bound, none.neg());
            Tensor high = torch.where(scale.lt(new Scalar(0)), bound, none);
            Tensor matrix = weights.view(convolution + ".weight");
            Tensor weight = matrix.mul(scale.view(1, -1, 1, 1));
            Tensor bias = matrix.mul(shift.view(1, -1, 1, 1)).sum(1, 2, 3);
            if (after != null) {
                Folded behind = affine(weights, after);
                weight = weight.mul(behind.weight().view(-1, 1, 1, 1));
                bias = bias.mul(behind.weight()).add(behind.bias());
            }
            return new Clamped(
                    NativeScope.retain(low.view(1, -1, 1, 1).detach()),
                    NativeScope.retain(high.view(1, -1, 1, 1).detach()),
                    retained(weight, bias));
        });
    }

    private static Folded fold(Weights weights, @Nullable String convolution, String norm) {
        return NativeScope.callWithoutGradients(() -> {
            Folded affine = affine(weights, norm);
            return convolution == null
                    ? retained(affine.weight().view(1, -1, 1, 1), affine.bias().view(1, -1, 1, 1))
                    : retained(
                            weights.view(convolution + ".weight")
                                    .mul(affine.weight().view(-1, 1, 1, 1)),
                            affine.bias());
        });
    }

    /** A normalisation as a factor and a summand a channel. */
    private static Folded affine(Weights weights, String norm) {
        Tensor scale = weights.view(norm + ".running_var")
                .add(new Scalar(Pass.EPSILON))
                .rsqrt_()
                .mul_(weights.view(norm + ".weight"));
        Tensor shift = weights.view(norm + ".bias").sub(scale.mul(weights.view(norm + ".running_mean")));
        return new Folded(scale, shift);
    }

    private static Folded retained(Tensor weight, Tensor bias) {
        return new Folded(NativeScope.retain(weight.detach()), NativeScope.retain(bias.detach()));
    }

    @Override
    public synchronized void close() {
        known.values().forEach(FoldedNorms::release);
        known.clear();
        clamped.values().forEach(folded -> {
            folded.low().releaseReference();
            folded.high().releaseReference();
            release(folded.convolution());
        });
        clamped.clear();
    }

    private static void release(Folded folded) {
        folded.weight().releaseReference();
        folded.bias().releaseReference();
    }
}
