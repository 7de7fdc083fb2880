package ai.wood.torch;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.global.torch;
import org.jspecify.annotations.Nullable;

/**
 * One forward pass: the layers of a network, by the names of its {@link Layout}, and the intermediate features it wants
 * to show.
 *
 * <p>A training pass normalises by the batch's own statistics and updates the running ones; an evaluation pass uses the
 * running ones, so that an image's outputs do not depend on its batch. Either can be derived.
 */
public final class Pass {

    private static final double MOMENTUM = 0.1;

    /** What a normalisation adds to a variance before it divides by its root. */
    public static final double EPSILON = 1e-5;

    private static final long[] ONE = {1, 1};

    private final Weights weights;
    private final boolean training;
    private final FoldedNorms folded;
    private final @Nullable BatchNorms shared;
    private final Map<String, Tensor> intermediates = new LinkedHashMap<>();

    /** Another way to normalise the batches of a training. */
    public interface BatchNorms {

        /** Forgets what an earlier pass has left. */
        void begin();

        /** Normalises the channels of count x channels x height x width values, and updates the running statistics. */
        Tensor norm(Weights weights, String name, Tensor x, double momentum);
    }

    private Pass(Weights weights, boolean training, FoldedNorms folded, @Nullable BatchNorms shared) {
        this.weights = weights;
        this.training = training;
        this.folded = folded;
        this.shared = shared;
    }

    /** A pass that learns: batch statistics, dropout, running statistics updated. */
    public static Pass training(Weights weights) {
        return new Pass(weights, true, FoldedNorms.NONE, null);
    }

    /** The same on a part of a batch, normalised by the statistics of the whole batch. */
    public static Pass training(Weights weights, BatchNorms shared) {
        shared.begin();
        return new Pass(weights, true, FoldedNorms.NONE, shared);
    }

    /** A pass that evaluates: running statistics, no dropout. */
    public static Pass evaluation(Weights weights) {
        return new Pass(weights, false, FoldedNorms.NONE, null);
    }

    /** An evaluation pass that takes a convolution and its normalisation as one layer where they were folded. */
    static Pass evaluation(Weights weights, FoldedNorms folded) {
        return new Pass(weights, false, folded, null);
    }

    /** Square convolution without bias. */
    public Tensor convolution(String name, Tensor x, int stride, int padding) {
        return convolution(x, weights.view(name + ".weight"), new TensorOptional(), stride, padding);
    }

    /** Convolution followed by normalisation; the pair an evaluation may run as one. */
    public Tensor convolutionNorm(String convolution, String norm, Tensor x, int stride, int padding) {
        FoldedNorms.Folded pair = training ? null : folded.convolution(convolution, norm);
        return pair == null
                ? norm(norm, convolution(convolution, x, stride, padding))
                : convolution(x, pair.weight(), new TensorOptional(pair.bias()), stride, padding);
    }

    /** Batch normalisation over the channels. */
    public Tensor norm(String name, Tensor x) {
        FoldedNorms.Folded affine = training ? null : folded.norm(name);
        if (affine != null) {
            return torch.addcmul(affine.bias(), x, affine.weight());
        }
        if (shared != null) {
            return shared.norm(weights, name, x, MOMENTUM);
        }
        return torch.batch_norm(
                x,
                new TensorOptional(weights.view(name + ".weight")),
                new TensorOptional(weights.view(name + ".bias")),
                new TensorOptional(weights.view(name + ".running_mean")),
                new TensorOptional(weights.view(name + ".running_var")),
                training,
                MOMENTUM,
                EPSILON,
                true);
    }

    /** Batch normalisation and ReLU. */
    public Tensor normRelu(String name, Tensor x) {
        return norm(name, x).relu_();
    }

    /**
     * Batch normalisation, ReLU and a convolution of single points, followed by a normalisation where one is named; an
     * evaluation may run all of it as one layer.
     */
    public Tensor normReluConvolution(String norm, String convolution, @Nullable String after, Tensor x) {
        FoldedNorms.Clamped whole = training ? null : folded.clamped(norm, convolution, after);
        if (whole != null) {
            Tensor clamped = torch.clamp(x, new TensorOptional(whole.low()), new TensorOptional(whole.high()));
            FoldedNorms.Folded pair = whole.convolution();
            return convolution(clamped, pair.weight(), new TensorOptional(pair.bias()), 1, 0);
        }
        Tensor activated = normRelu(norm, x);
        return after == null
                ? convolution(convolution, activated, 1, 0)
                : convolutionNorm(convolution, after, activated, 1, 0);
    }

    /** Fully connected layer. */
    public Tensor linear(String name, Tensor x) {
        return torch.linear(x, weights.view(name + ".weight"), new TensorOptional(weights.view(name + ".bias")));
    }

    /** Drops elements with probability {@code rate} while training. */
    public Tensor dropout(Tensor x, double rate) {
        return rate > 0 && training ? torch.dropout(x, rate, true) : x;
    }

    /** The mean over each channel's map: count x channels. */
    public Tensor globalPool(Tensor x) {
        return x.mean(2, 3);
    }

    /** Runs one layer in a native scope of its own: what only it needed is freed at once. */
    public Tensor layer(Supplier<Tensor> layer) {
        return NativeScope.tensor(layer);
    }

    /** Shows an intermediate feature map, under the name of its block. */
    public Tensor show(String name, Tensor x) {
        intermediates.put(name, x);
        return x;
    }

    /** The feature maps shown so far, in their order. */
    public Map<String, Tensor> intermediates() {
        return intermediates;
    }

    /** The numbers the pass runs on, for a network that does not run layer by layer. */
    public Weights weights() {
        return weights;
    }

    /** Whether this is a training pass. */
    public boolean training() {
        return training;
    }

    /**
     * On a processor folded layers always take oneDNN: libtorch would leave some of a small batch to OpenBLAS, which makes
     * threads wait for each other.
     */
    private Tensor convolution(Tensor x, Tensor weight, TensorOptional bias, int stride, int padding) {
        long[] strides = {stride, stride};
        long[] paddings = {padding, padding};
        return folded.direct() && x.is_cpu() && !x.requires_grad()
                ? torch.mkldnn_convolution(x, weight, bias, paddings, strides, ONE, 1)
                : torch.conv2d(x, weight, bias, strides, paddings, ONE, 1);
    }
}
