package ai.wood.torch;

import ai.wood.CannotRunException;
import ai.wood.Classifier;
import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Requirement;
import ai.wood.SampleScorer;
import ai.wood.Scorer;
import ai.wood.data.Image;
import ai.wood.metric.RankedScores;
import ai.wood.score.MahalanobisScorer;
import ai.wood.score.ScorerKinds;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
final class PerturbedScorer implements SampleScorer<Image> {

    private static final List<Double> ODIN_TEMPERATURES = List.of(1.0, 10.0, 100.0, 1000.0);
    private static final List<Double> ODIN_MAGNITUDES =
            IntStream.rangeClosed(0, 20).mapToObj(i -> i / 5000.0).toList();
    private static final List<Double> MAHALANOBIS_MAGNITUDES = List.of(0.0, 0.01, 0.005, 0.002, 0.0014, 0.001, 0.0005);

    private static final double TNR = 0.95;

    private final String id;
    private final Criterion criterion;
    private final Scorer scorer;
    private final Map<String, Matrix> parameters;
    private final double temperature;
    private final double magnitude;

    private PerturbedScorer(
            String id,
            Criterion criterion,
            Scorer scorer,
            Map<String, Matrix> parameters,
            double temperature,
            double magnitude) {
        if (!(magnitude >= 0 && magnitude <= 1)) {
            throw new IllegalArgumentException("the magnitude must lie in [0, 1] but is " + magnitude);
        }
        Probabilities.requireTemperature(temperature);
        this.id = id;
        this.criterion = criterion;
        this.scorer = scorer;
        this.parameters = parameters;
        this.temperature = temperature;
        this.magnitude = magnitude;
    }

    /**
     * ODIN: {@code 1 - max softmax(z(x') / T)}, with the step against the gradient of {@code -log max softmax(z(x) /
     * T)}. Temperature 1 and magnitude 0 make it MSP.
     *
     * @see <a href="https://arxiv.org/abs/1706.02690">Liang et al. 2018, Enhancing the Reliability of
     *     Out-of-distribution Image Detection in Neural Networks</a>
     */
    static PerturbedScorer odin(double temperature, double magnitude) {
        Scorer msp = ScorerKinds.formula("msp");
        return new PerturbedScorer(
                "odin",
                Criterion.surprise(temperature),
                outputs -> msp.score(outputs.withTemperature(temperature)),
                Map.of(),
                temperature,
                magnitude);
    }

    /** ODIN with temperature and magnitude from the paper's grid, chosen on validation data. */
    static PerturbedScorer tunedOdin(FitData.Samples<Image> validation) {
        List<PerturbedScorer> variants = ODIN_TEMPERATURES.stream()
                .map(temperature -> odin(temperature, 0))
                .toList();
        return tune(variants, ODIN_MAGNITUDES, validation);
    }

    /**
     * The Mahalanobis distance of the features from the nearest class mean, with a step towards that mean.
     *
     * @see <a href="https://arxiv.org/abs/1807.03888">Lee et al. 2018, A Simple Unified Framework for Detecting
     *     Out-of-Distribution Samples and Adversarial Attacks</a>
     */
    static PerturbedScorer mahalanobis(MahalanobisScorer fitted, double magnitude) {
        return new PerturbedScorer(
                "mahalanobis-noise", Criterion.distance(fitted), fitted, fitted.parameters(), 1, magnitude);
    }

    /** The Mahalanobis distance with a magnitude from the paper's list, chosen on validation data. */
    static PerturbedScorer tunedMahalanobis(MahalanobisScorer fitted, FitData.Samples<Image> validation) {
        return tune(List.of(mahalanobis(fitted, 0)), MAHALANOBIS_MAGNITUDES, validation);
    }

    @Override
    public Map<String, Matrix> measure(Classifier<Image> classifier, List<Image> images) {
        Matrix all = scores(network(classifier), images, List.of(magnitude));
        return Map.of(id, Matrix.wrap(all.row(0), 1));
    }

    /** The network of a classifier, which must compute gradients. */
    static TorchNetwork network(Classifier<Image> classifier) {
        if (classifier instanceof TorchNetwork network) {
            return network;
        }
        throw new CannotRunException("needs " + Requirement.INPUT_GRADIENT.description());
    }

    @Override
    public double[] score(Outputs outputs) {
        return outputs.branch(id).mapRows(row -> row[0]);
    }

    @Override
    public Map<String, Matrix> parameters() {
        Map<String, Matrix> all = new LinkedHashMap<>(parameters);
        all.put("temperature", Matrix.of(new double[] {temperature}));
        all.put("magnitude", Matrix.of(new double[] {magnitude}));
        return all;
    }

    @Override
    public String tuned() {
        return (parameters.isEmpty() ? "T = " + temperature + ", " : "") + "epsilon = " + magnitude;
    }

    /** The kind and magnitude with the least FNR@95TNR; of several, the largest AUROC; of several, the first. */
    private static PerturbedScorer tune(
            List<PerturbedScorer> variants, List<Double> magnitudes, FitData.Samples<Image> validation) {
        TorchNetwork network = network(validation.classifier());
        PerturbedScorer best = variants.get(0);
        double leastFnr = Double.POSITIVE_INFINITY;
        double largestAuroc = 0;
        for (PerturbedScorer variant : variants) {
            Matrix indScores = variant.scores(network, validation.ind(), magnitudes);
            Matrix oodScores = variant.scores(network, validation.ood(), magnitudes);
            for (int m = 0; m < magnitudes.size(); m++) {
                RankedScores ranked = RankedScores.of(indScores.row(m), oodScores.row(m));
                double fnr = ranked.fnrAtTnr(TNR);
                double auroc = ranked.auroc();
                if (fnr < leastFnr || (fnr == leastFnr && auroc > largestAuroc)) {
                    best = variant.withMagnitude(magnitudes.get(m));
                    leastFnr = fnr;
                    largestAuroc = auroc;
                }
            }
        }
        return best;
    }

    private PerturbedScorer withMagnitude(double newMagnitude) {
        return new PerturbedScorer(id, criterion, scorer, parameters, temperature, newMagnitude);
    }

    /** The scores at several magnitudes, one row each; the gradient, which is the same for all, is computed once. */
    private Matrix scores(TorchNetwork network, List<Image> images, List<Double> magnitudes) {
        List<List<double[]>> parts = network.onParts(images, input -> {
            Tensor direction = direction(network, input);
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
    private Tensor direction(TorchNetwork network, Tensor input) {
        return NativeScope.tensor(() -> gradient(network, input).sign().div(deviation(network, input)));
    }

    /** The derivative of the sum of the criterion over all images; each depends on its own image only. */
    Tensor gradient(TorchNetwork network, Tensor input) {
        return NativeScope.tensor(() -> {
            Tensor leaf = input.detach().set_requires_grad(true);
            Tensor value =
                    criterion.of(network.activations(network.pass(), leaf)).sum();
            return torch.grad(new TensorVector(value), new TensorVector(leaf))
                    .get(0)
                    .detach(); // the vector owns what it gets
        });
    }

    private static Tensor deviation(TorchNetwork network, Tensor input) {
        List<Double> deviations = network.options().normalise().deviation();
        float[] values = new float[deviations.size()];
        for (int c = 0; c < values.length; c++) {
            values[c] = deviations.get(c).floatValue();
        }
        return Tensors.of(values, input.device(), 1, values.length, 1, 1);
    }
}
