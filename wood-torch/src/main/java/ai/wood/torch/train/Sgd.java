package ai.wood.torch.train;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;

/**
 * Stochastic gradient descent with Nesterov momentum: {@code b = 0.9 b + g; w -= rate * (g + 0.9 b)}, with decay added
 * to the gradient first. Results follow PyTorch's optimiser of the same name.
 */
record Sgd() implements Optimiser {

    private static final double MOMENTUM = 0.9;

    @Override
    public List<String> slots() {
        return List.of("momentum");
    }

    @Override
    public double[] dials(long step, double rate) {
        return new double[] {rate};
    }

    @Override
    public void update(Tensor parameters, Tensor gradient, Map<String, Tensor> slots, Moment moment) {
        Tensor momentum = Objects.requireNonNull(slots.get("momentum"));
        gradient.addcmul_(parameters, moment.decay(), new Scalar(1));
        momentum.mul_(new Scalar(MOMENTUM)).add_(gradient);
        parameters.sub_(gradient.add_(momentum, new Scalar(MOMENTUM)).mul_(moment.dial(0)));
    }
}
