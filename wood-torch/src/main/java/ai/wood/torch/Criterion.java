package ai.wood.torch;

import ai.wood.Matrix;
import ai.wood.score.MahalanobisScorer;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.ScalarType;

/** What a small step of the input is to make less: a value for each image, as a tensor expression. */
@FunctionalInterface
interface Criterion {

    Tensor of(Architecture.Activations said);

    /**
     * {@code log((1 - f) / f)} with {@code f = max softmax(z / T)}. Its derivative has the signs of that of {@code -log f}, and
     * keeps them where {@code f} rounds to 1.
     */
    static Criterion surprise(double temperature) {
        return said -> {
            Tensor logits = said.logits().to(ScalarType.Float).div(new Scalar(temperature));
            Tensor top = logits.max(1).get1().unsqueeze(1);
            Tensor others = logits.scatter(1, top, new Scalar(Double.NEGATIVE_INFINITY));
            return torch.logsumexp(others, 1).sub(logits.gather(1, top).squeeze(1));
        };
    }

    /** The squared distance from the nearest class mean that a fitted scorer measures. */
    static Criterion distance(MahalanobisScorer fitted) {
        return said -> {
            Tensor features = said.features().to(ScalarType.Float);
            Tensor whitened =
                    features.matmul(tensor(fitted.whitening(), features).t());
            Tensor means = tensor(fitted.whitenedMeans(), features);
            Tensor nearest = torch.cdist(whitened.detach(), means).min(1).get1();
            return whitened.sub(means.index_select(0, nearest)).square().sum(1);
        };
    }

    private static Tensor tensor(Matrix matrix, Tensor like) {
        return Tensors.of(matrix.toFloats(), like.device(), matrix.rows(), matrix.columns());
    }
}
