package ai.wood.torch;

import ai.wood.Classifier;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.SampleScorer;
import ai.wood.data.Image;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * How much a prediction changes when the image is shifted or mirrored: the mean of {@code KL(f(x) || f(t(x)))} over the
 * transforms {@code t}. A network learns to ignore such changes where it has learnt at all.
 *
 * <p>Shifts are by two pixels up, down, left and right, with the edge repeated. The source lets another network learn
 * from the transformed predictions; the divergence needs no OOD samples.
 *
 * @see <a href="https://arxiv.org/abs/1804.00657">Bahat and Shakhnarovich 2018, Confidence from Invariance to Image
 *     Transformations</a>
 */
final class InvarianceScorer implements SampleScorer<Image> {

    /** The mirrored image counts where at least this share of InD predictions survives it: not for digits, say. */
    private static final double INVARIANT = 0.9;

    private static final int SHIFT = 2;

    private static final String ID = "invariance";

    private final boolean mirror;

    /** Looks at four shifts and, if asked to, at the mirrored image. */
    InvarianceScorer(boolean mirror) {
        this.mirror = mirror;
    }

    /** Looks at four shifts, and at the mirrored image where nine of ten held-out InD predictions survive it. */
    static InvarianceScorer fit(TorchNetwork network, List<Image> ind) {
        double survivors =
                network
                        .onParts(ind, input -> agreements(network.outputs(input), network.outputs(mirrored(input))))
                        .stream()
                        .mapToLong(Long::longValue)
                        .sum();
        return new InvarianceScorer(survivors >= INVARIANT * ind.size());
    }

    @Override
    public Map<String, Matrix> measure(Classifier<Image> classifier, List<Image> images) {
        TorchNetwork network = PerturbedScorer.network(classifier);
        double[] all = network.onParts(images, input -> score(network, input)).stream()
                .flatMapToDouble(DoubleStream::of)
                .toArray();
        return Map.of(ID, Matrix.wrap(all, 1));
    }

    @Override
    public double[] score(Outputs outputs) {
        return outputs.branch(ID).mapRows(row -> row[0]);
    }

    @Override
    public Map<String, Matrix> parameters() {
        return Map.of("mirror", Matrix.of(new double[] {mirror ? 1 : 0}));
    }

    @Override
    public String tuned() {
        return mirror ? "shifts and mirror" : "shifts";
    }

    private double[] score(TorchNetwork network, Tensor input) {
        Outputs before = network.outputs(input);
        List<Outputs> after = views(input).stream().map(network::outputs).toList();
        return IntStream.range(0, before.size())
                .mapToDouble(i -> after.stream()
                        .mapToDouble(outputs -> divergence(
                                before.logits().row(i), outputs.logits().row(i)))
                        .average()
                        .orElseThrow())
                .toArray();
    }

    private List<Tensor> views(Tensor input) {
        List<Tensor> views = new ArrayList<>(List.of(
                shifted(input, 0, SHIFT),
                shifted(input, 0, -SHIFT),
                shifted(input, SHIFT, 0),
                shifted(input, -SHIFT, 0)));
        if (mirror) {
            views.add(mirrored(input));
        }
        return views;
    }

    static Tensor mirrored(Tensor input) {
        return input.flip(3);
    }

    /** The content moved down and right, the edge repeated. */
    static Tensor shifted(Tensor input, int down, int right) {
        return torch.replication_pad2d(input, SHIFT, SHIFT, SHIFT, SHIFT)
                .narrow(2, SHIFT - down, input.size(2))
                .narrow(3, SHIFT - right, input.size(3));
    }

    /** {@code KL(softmax a || softmax b)}; a class without mass adds nothing. */
    private static double divergence(double[] a, double[] b) {
        double shift = Probabilities.logSumExp(b) - Probabilities.logSumExp(a);
        double[] f = a.clone();
        Probabilities.softmax(f);
        double sum = 0;
        for (int k = 0; k < f.length; k++) {
            sum += f[k] == 0 ? 0 : f[k] * (a[k] - b[k] + shift);
        }
        return Math.max(0, sum);
    }

    private static long agreements(Outputs a, Outputs b) {
        return IntStream.range(0, a.size())
                .filter(i -> a.label(i) == b.label(i))
                .count();
    }
}
