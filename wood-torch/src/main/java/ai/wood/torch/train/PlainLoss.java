package ai.wood.torch.train;

import ai.wood.Matrix;
import ai.wood.loss.Loss;
import ai.wood.loss.LossValue;
import ai.wood.torch.Tensors;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;

/** A loss that is computed by its plain Java version, on logits that come from tensors. */
record PlainLoss(Loss loss) implements TensorLoss {

    @Override
    public Parts on(Tensor ind, Tensor labels, Tensor ood) {
        int classes = (int) ind.size(1);
        Matrix indLogits = Matrix.wrap(Tensors.floats(ind), classes);
        int[] classOf = ints(Tensors.floats(labels));
        LossValue whole = loss.on(indLogits, classOf, Matrix.wrap(Tensors.floats(ood), classes));
        double indTerm =
                loss.on(indLogits, classOf, Matrix.wrap(new float[0], classes)).value();
        return new Parts(term(indTerm, ind, whole.ind()), term(whole.value() - indTerm, ood, whole.ood()));
    }

    /** A number whose derivative by the logits is the gradient g, as that of {@code <z, g>} is. */
    private static Tensor term(double value, Tensor logits, Matrix gradient) {
        Tensor slopes = Tensors.of(gradient.toFloats(), logits.device(), logits.size(0), logits.size(1));
        Tensor constant = TensorLosses.zero(logits).add(new Scalar(value));
        return TensorLosses.carried(logits.mul(slopes).sum(), constant);
    }

    private static int[] ints(float[] values) {
        int[] ints = new int[values.length];
        for (int i = 0; i < ints.length; i++) {
            ints[i] = (int) values[i];
        }
        return ints;
    }
}
