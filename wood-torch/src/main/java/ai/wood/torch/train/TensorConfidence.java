package ai.wood.torch.train;

import ai.wood.loss.ConfidenceLoss;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Tensors;
import java.util.Map;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** The {@link ConfidenceLoss} as a tensor expression; it remembers the price of doubt, which follows the budget. */
final class TensorConfidence implements TensorLoss {

    private static final double LOWER = 1 / 1.01;
    private static final double RAISE = 1 / 0.99;

    private final double budget;
    private final Tensor lambda; // a single number

    TensorConfidence(ConfidenceLoss loss, Device device) {
        this.budget = loss.budget();
        this.lambda = NativeScope.kept(() -> Tensors.of(new float[] {(float) loss.lambda()}, device, 1));
    }

    @Override
    public Parts on(Tensor ind, Tensor labels, Tensor ood) {
        long classes = ind.size(1) - 1;
        Tensor a = ind.select(1, classes);
        Tensor logC = torch.log_sigmoid(a);
        Tensor logP = torch.log_softmax(ind.narrow(1, 0, classes), 1)
                .gather(1, labels.unsqueeze(1))
                .squeeze(1);
        Tensor hinted = torch.logaddexp(logC.add(logP), torch.log_sigmoid(a.neg()));
        Tensor doubt = logC.mean().neg();
        Tensor price = lambda.clone().squeeze(); // the one of this step, before it changes
        adjust(doubt);
        Tensor learnt = torch.where(even(labels), hinted, logP).mean().neg();
        return new Parts(learnt.add(doubt.mul(price)), torch.zeros_like(doubt.detach()));
    }

    private static Tensor even(Tensor labels) {
        return torch.arange(new Scalar(labels.size(0)), labels.options())
                .remainder(new Scalar(2))
                .eq(new Scalar(0));
    }

    private void adjust(Tensor doubt) {
        NativeScope.runWithoutGradients(() -> {
            Tensor below = doubt.detach().lt(new Scalar(budget)).to(ScalarType.Float);
            lambda.mul_(below.mul(new Scalar(LOWER - RAISE)).add(new Scalar(RAISE)));
        });
    }

    @Override
    public Map<String, Tensor> memory() {
        return Map.of("lambda", lambda);
    }

    @Override
    public void close() {
        lambda.releaseReference();
    }
}
