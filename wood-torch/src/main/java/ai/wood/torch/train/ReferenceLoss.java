package ai.wood.torch.train;

import ai.wood.Matrix;
import ai.wood.loss.Loss;
import ai.wood.loss.LossValue;
import ai.wood.torch.Tensors;
import org.bytedeco.pytorch.Tensor;

/** A loss computed by its readable Java version, on logits that come from tensors. */
final class ReferenceLoss {

    private ReferenceLoss() {}

    @SuppressWarnings("ArrayRecordComponent") // handed straight to a tensor, never compared
    record Result(double ind, double ood, float[] indGradient, float[] oodGradient) {}

    static Result on(Loss loss, Tensor ind, Tensor labels, Tensor ood) {
        int classes = (int) ind.size(1);
        Matrix indLogits = Matrix.wrap(Tensors.floats(ind), classes);
        Matrix oodLogits = Matrix.wrap(Tensors.floats(ood), classes);
        int[] classOf = ints(Tensors.floats(labels));
        LossValue whole = loss.on(indLogits, classOf, oodLogits);
        double indPart =
                loss.on(indLogits, classOf, Matrix.wrap(new float[0], classes)).value();
        return new Result(
                indPart,
                whole.value() - indPart,
                whole.ind().toFloats(),
                whole.ood().toFloats());
    }

    private static int[] ints(float[] values) {
        int[] ints = new int[values.length];
        for (int i = 0; i < ints.length; i++) {
            ints[i] = (int) values[i];
        }
        return ints;
    }
}
