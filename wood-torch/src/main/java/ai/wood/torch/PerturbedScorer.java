package ai.wood.torch;

import ai.wood.Matrix;
import ai.wood.Scorer;
import ai.wood.data.Dataset;
import ai.wood.metric.RankedScores;
import ai.wood.score.MahalanobisScorer;
import ai.wood.score.WoodScorer;
import ai.wood.transport.GroundCost;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;

/**
 * Moves every image a small step that makes the network more certain, {@code x' = x - e sign(dc/dx)}, and scores what
 * the network says then: InD images gain more by the step than OOD images do.
 *
 * <p>The magnitude {@code e} is in units of the image before normalisation (1 = from black to white), so it is divided
 * by each channel's deviation. Where the derivative is zero, the image stays as it is; the original programs add the
 * step there. Like theirs, values may leave the range of an image by the step.
 */
final class PerturbedScorer implements ImageScorer {

    private static final List<Double> ODIN_TEMPERATURES = List.of(1.0, 10.0, 100.0, 1000.0);
    private static final List<Double> ODIN_MAGNITUDES =
            IntStream.rangeClosed(0, 20).mapToObj(i -> i / 5000.0).toList();
    private static final List<Double> MAHALANOBIS_MAGNITUDES = List.of(0.0, 0.01, 0.005, 0.002, 0.0014, 0.001, 0.0005);

    private static final double TNR = 0.95;

    private final TorchNetwork network;
    private final Criterion criterion;
    private final Scorer scorer;
    private final String kind;
    private final double magnitude;

    private PerturbedScorer(TorchNetwork network, Criterion criterion, Scorer scorer, String kind, double magnitude) {
        if (!(magnitude >= 0 && magnitude <= 1)) {
            throw new IllegalArgumentException("the magnitude must lie in [0, 1] but is " + magnitude);
        }
        this.network = network;
        this.criterion = criterion;
        this.scorer = scorer;
        this.kind = kind;
        this.magnitude = magnitude;
    }

    /**
     * ODIN: {@code 1 - max softmax(z(x') / T)}, with the step against the gradient of {@code -log max softmax(z(x) /
     * T)}. Temperature 1 and magnitude 0 make it MSP.
     *
     * @see <a href="https://arxiv.org/abs/1706.02690">Liang et al. 2018, Enhancing the Reliability of
     *     Out-of-distribution Image Detection in Neural Networks</a>
     */
    public static PerturbedScorer odin(TorchNetwork network, double temperature, double magnitude) {
        if (!(temperature > 0 && temperature < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("the temperature must be positive and finite but is " + temperature);
        }
        Scorer msp = new WoodScorer(GroundCost.binary());
        return new PerturbedScorer(
                network,
                Criterion.surprise(temperature),
                outputs -> msp.score(outputs.withTemperature(temperature)),
                "T = " + temperature + ", ",
                magnitude);
    }

    /** ODIN with temperature and magnitude from the paper's grid, chosen on validation data. */
    public static PerturbedScorer tunedOdin(TorchNetwork network, Dataset ind, Dataset ood) {
        List<PerturbedScorer> kinds = ODIN_TEMPERATURES.stream()
                .map(temperature -> odin(network, temperature, 0))
                .toList();
        return tune(kinds, ODIN_MAGNITUDES, ind, ood);
    }

    /**
     * The Mahalanobis distance of the features from the nearest class mean, with a step towards that mean.
     *
     * @param fitted to this network's outputs
     * @see <a href="https://arxiv.org/abs/1807.03888">Lee et al. 2018, A Simple Unified Framework for Detecting
     *     Out-of-Distribution Samples and Adversarial Attacks</a>
     */
    public static PerturbedScorer mahalanobis(TorchNetwork network, MahalanobisScorer fitted, double magnitude) {
        return new PerturbedScorer(network, Criterion.distance(fitted), fitted, "", magnitude);
    }

    /** The Mahalanobis distance with a magnitude from the paper's list, chosen on validation data. */
    public static PerturbedScorer tunedMahalanobis(
            TorchNetwork network, MahalanobisScorer fitted, Dataset ind, Dataset ood) {
        return tune(List.of(mahalanobis(network, fitted, 0)), MAHALANOBIS_MAGNITUDES, ind, ood);
    }

    @Override
    public double[] score(Dataset images) {
        return scores(images, List.of(magnitude)).row(0);
    }

    @Override
    public String settings() {
        return kind + "epsilon = " + magnitude;
    }

    /** The kind and magnitude with the least FNR@95TNR; of several, the largest AUROC; of several, the first. */
    private static PerturbedScorer tune(
            List<PerturbedScorer> kinds, List<Double> magnitudes, Dataset ind, Dataset ood) {
        ind.split().require("tuning scorers", false);
        ood.split().require("tuning scorers", false);
        PerturbedScorer best = kinds.get(0);
        double leastFnr = Double.POSITIVE_INFINITY;
        double largestAuroc = 0;
        for (PerturbedScorer kind : kinds) {
            Matrix indScores = kind.scores(ind, magnitudes);
            Matrix oodScores = kind.scores(ood, magnitudes);
            for (int m = 0; m < magnitudes.size(); m++) {
                RankedScores ranked = RankedScores.of(indScores.row(m), oodScores.row(m));
                double fnr = ranked.fnrAtTnr(TNR);
                double auroc = ranked.auroc();
                if (fnr < leastFnr || (fnr == leastFnr && auroc > largestAuroc)) {
                    best = kind.withMagnitude(magnitudes.get(m));
                    leastFnr = fnr;
                    largestAuroc = auroc;
                }
            }
        }
        return best;
    }

    private PerturbedScorer withMagnitude(double newMagnitude) {
        return new PerturbedScorer(network, criterion, scorer, kind, newMagnitude);
    }

    /** The scores at several magnitudes, one row each; the gradient, which is the same for all, is computed once. */
    private Matrix scores(Dataset images, List<Double> magnitudes) {
        List<List<double[]>> parts = network.onParts(images.images(), input -> {
            Tensor direction = direction(input);
            List<double[]> rows = new ArrayList<>();
            for (double step : magnitudes) {
                rows.add(NativeScope.callWithoutGradients(
                        () -> scorer.score(network.outputs(input.sub(direction, new Scalar(step))))));
            }
            return rows;
        });
        return Matrix.of(IntStream.range(0, magnitudes.size())
                .mapToObj(m -> parts.stream()
                        .flatMapToDouble(part -> DoubleStream.of(part.get(m)))
                        .toArray())
                .toArray(double[][]::new));
    }

    /** The sign of the criterion's derivative by the images, a deviation long in every channel. */
    Tensor direction(Tensor input) {
        return NativeScope.tensor(() -> gradient(input).sign().div(deviation(input)));
    }

    /** The derivative of the sum of the criterion over all images; each depends on its own image only. */
    Tensor gradient(Tensor input) {
        return NativeScope.tensor(() -> {
            Tensor leaf = input.detach().set_requires_grad(true);
            Tensor value =
                    criterion.of(network.activations(network.pass(), leaf)).sum();
            return torch.grad(new TensorVector(value), new TensorVector(leaf))
                    .get(0)
                    .detach(); // the vector owns what it gets
        });
    }

    private Tensor deviation(Tensor input) {
        List<Double> deviations = network.options().normalise().deviation();
        float[] values = new float[deviations.size()];
        for (int c = 0; c < values.length; c++) {
            values[c] = deviations.get(c).floatValue();
        }
        return Tensors.of(values, input.device(), 1, values.length, 1, 1);
    }
}
