package ai.wood.torch.train;

import ai.wood.torch.NativeScope;
import ai.wood.torch.Pass;
import ai.wood.torch.Weights;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.stream.Stream;
import org.bytedeco.javacpp.BoolPointer;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.T_TensorTensorTensor_T;
import org.bytedeco.pytorch.T_TensorTensor_T;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorBase;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorTensorHook;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;
import org.jspecify.annotations.Nullable;

/**
 * Batch normalisation by the statistics of all ranks' samples, so that a batch comes out as if one process had it whole.
 * Each layer sends two small messages: means and squares on the way forward, and on the way back the sums by which the
 * gradient reaches the samples through the statistics.
 *
 * <p>Going back, libtorch's own gradient takes the statistics for constants: {@code h = g w / deviation}. A hook on the
 * layer's input adds what flows through them:
 *
 * <pre>{@code h - mean(h) - x' mean(h x'),   x' = (x - mean) / deviation,   means over the samples of all ranks}</pre>
 *
 * <p>The binding has room for ten hooks at a time, hence one for all layers. libtorch goes back through layers strictly
 * in the reverse order of their making, so the hook takes the topmost of a stack.
 */
final class SharedNorms implements Pass.BatchNorms, AutoCloseable {

    private final Ranks ranks;
    private final Deque<Layer> layers = new ArrayDeque<>();
    private final TensorTensorHook hook;
    private @Nullable Tensor answer; // the hook's last, which libtorch has copied when the hook is called again

    /** What the way back needs of a layer: its input, and the statistics of all ranks. */
    private record Layer(Tensor x, Tensor mean, Tensor inverse) {

        Layer {
            Stream.of(x, mean, inverse).forEach(NativeScope::retain);
        }

        void release() {
            Stream.of(x, mean, inverse).forEach(Tensor::releaseReference);
        }
    }

    /** Normalisation over the samples of these ranks. */
    SharedNorms(Ranks ranks) {
        this.ranks = ranks;
        this.hook = NativeScope.retain(new TensorTensorHook() {
            @Override
            public TensorBase call(TensorBase gradient) {
                return corrected(new Tensor(gradient));
            }
        });
    }

    @Override
    public void begin() {
        layers.forEach(Layer::release);
        layers.clear();
        release(answer);
        answer = null;
    }

    @Override
    public Tensor norm(Weights weights, String name, Tensor x, double momentum) {
        Tensor input = x.alias();
        Tensor[] statistics = statistics(x.detach());
        Tensor mean = statistics[0];
        Tensor variance = statistics[1];
        NativeScope.runWithoutGradients(() -> {
            double all = (double) count(x) * ranks.size();
            Tensor unbiased = variance.mul(new Scalar(all / (all - 1)));
            weights.view(name + ".running_mean").lerp_(mean, new Scalar(momentum));
            weights.view(name + ".running_var").lerp_(unbiased, new Scalar(momentum));
            layers.push(new Layer(
                    x.detach(), mean, variance.add(new Scalar(Pass.EPSILON)).rsqrt()));
        });
        input.register_hook(hook);
        return torch.batch_norm(
                input,
                new TensorOptional(weights.view(name + ".weight")),
                new TensorOptional(weights.view(name + ".bias")),
                new TensorOptional(mean),
                new TensorOptional(variance),
                false,
                momentum,
                Pass.EPSILON,
                true);
    }

    /** Mean and variance of each channel over the samples of all ranks, which have equally many. */
    private Tensor[] statistics(Tensor x) {
        T_TensorTensor_T own =
                torch.batch_norm_update_stats(x.to(ScalarType.Float), new TensorOptional(), new TensorOptional(), 0);
        Tensor mean = own.get0().to(ScalarType.Double);
        Tensor square = own.get1().to(ScalarType.Double).add(mean.square());
        Tensor both = torch.cat(new TensorVector(mean, square), 0);
        ranks.sum(both);
        both.div_(new Scalar(ranks.size()));
        Tensor allMean = both.narrow(0, 0, mean.numel());
        Tensor allVariance = both.narrow(0, mean.numel(), mean.numel()).sub(allMean.square());
        return new Tensor[] {allMean.to(ScalarType.Float), allVariance.to(ScalarType.Float)};
    }

    private static long count(Tensor x) {
        return x.numel() / x.size(1);
    }

    private Tensor corrected(Tensor gradient) {
        Layer layer = layers.pop();
        Tensor corrected = NativeScope.callWithoutGradients(() -> NativeScope.retain(corrected(layer, gradient)));
        layer.release();
        release(answer);
        answer = corrected;
        return corrected;
    }

    private Tensor corrected(Layer layer, Tensor gradient) {
        long channels = layer.x().size(1);
        T_TensorTensorTensor_T own = torch.native_batch_norm_backward(
                gradient,
                layer.x(),
                new TensorOptional(),
                new TensorOptional(),
                new TensorOptional(),
                new TensorOptional(layer.mean()),
                new TensorOptional(layer.inverse()),
                true,
                Pass.EPSILON,
                new BoolPointer(3).put(0, false).put(1, true).put(2, true)); // only the sums, not the gradient itself
        Tensor sums = torch.cat(new TensorVector(own.get1(), own.get2()), 0).to(ScalarType.Float);
        ranks.sum(sums);
        sums.div_(new Scalar((double) count(layer.x()) * ranks.size()));
        Tensor slope = sums.narrow(0, 0, channels).mul(layer.inverse());
        Tensor shift = layer.mean().mul(slope).sub(sums.narrow(0, channels, channels));
        return torch.addcmul(gradient, layer.x(), column(slope.neg()))
                .add_(column(shift))
                .to(gradient.scalar_type());
    }

    private static Tensor column(Tensor channels) {
        return channels.view(1, channels.numel(), 1, 1);
    }

    private static void release(@Nullable Tensor tensor) {
        if (tensor != null) {
            tensor.releaseReference();
        }
    }

    @Override
    public void close() {
        begin();
        hook.releaseReference();
    }
}
