package ai.wood.torch.train;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;

/**
 * Adam: {@code w -= rate * m / (sqrt(v) + eps)} with bias-corrected running means {@code m} of the gradient and
 * {@code v} of its square.
 *
 * <p>Decay is added to the gradient, or, decoupled (AdamW), taken off the weights directly. Sources: Kingma and Ba, ICLR
 * 2015; Loshchilov and Hutter, ICLR 2019. Results follow PyTorch's optimisers of the same names.
 */
record Adam(boolean decoupled) implements Optimiser {

    private static final double BETA1 = 0.9;
    private static final double BETA2 = 0.999;
    private static final double EPSILON = 1e-8;

    @Override
    public List<String> slots() {
        return List.of("mean", "square");
    }

    /** The rate, the rate over the bias of the mean, and one over the root of the square's bias. */
    @Override
    public double[] dials(long step, double rate) {
        double meanBias = 1 - Math.pow(BETA1, (double) step);
        double squareBias = 1 - Math.pow(BETA2, (double) step);
        return new double[] {rate, rate / meanBias, 1 / Math.sqrt(squareBias)};
    }

    @Override
    public void update(Tensor parameters, Tensor gradient, Map<String, Tensor> slots, Moment moment) {
        Tensor mean = Objects.requireNonNull(slots.get("mean"));
        Tensor square = Objects.requireNonNull(slots.get("square"));
        if (decoupled) {
            parameters.sub_(parameters.mul(moment.decay()).mul_(moment.dial(0)));
        } else {
            gradient.addcmul_(parameters, moment.decay(), new Scalar(1));
        }
        mean.lerp_(gradient, new Scalar(1 - BETA1));
        square.mul_(new Scalar(BETA2)).addcmul_(gradient, gradient, new Scalar(1 - BETA2));
        Tensor scale = square.sqrt().mul_(moment.dial(2)).add_(new Scalar(EPSILON));
        parameters.sub_(mean.mul(moment.dial(1)).div_(scale));
    }
}
