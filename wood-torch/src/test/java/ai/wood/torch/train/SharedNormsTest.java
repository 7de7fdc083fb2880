package ai.wood.torch.train;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.torch.Architecture;
import ai.wood.torch.Devices;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Pass;
import ai.wood.torch.Tensors;
import ai.wood.torch.Weights;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts of a batch, each with a rank of its own, against the batch in one piece and libtorch's own normalisation. */
class SharedNormsTest {

    private static final int BATCH = 12;
    private static final int SIDE = 8;
    private static final int CLASSES = 3;
    private static final int SEEDS = 5;

    /** Plain arrays: they outlive the native scope. */
    private record Learnt(List<Double> gradient, List<Double> statistics) {}

    /**
     * Gradients are compared by the least distance over seeds: with many a seed an input of a ReLU is zero up to rounding,
     * and opens in one of the two only. A wrong formula is wrong with every seed.
     */
    @ParameterizedTest
    @CsvSource({"small-cnn, 2", "small-cnn, 4", "resnet-20, 2", "densenet-bc-22-12, 2"})
    void partsHaveTheGradientAndTheStatisticsOfTheWholeBatch(String network, int parts)
            throws InterruptedException, ExecutionException {
        Architecture architecture = Networks.byId(network).with(NetworkOptions.of(1, CLASSES));
        double least = Double.POSITIVE_INFINITY;
        for (int seed = 0; seed < SEEDS; seed++) {
            least = Math.min(least, distance(architecture, parts, seed));
        }
        assertThat(least).isLessThan(1e-5);
    }

    /** How far the gradient of the parts is from that of the whole; all ranks must have the same, and the statistics of the whole. */
    private static double distance(Architecture architecture, int parts, long seed)
            throws InterruptedException, ExecutionException {
        Learnt whole = learn(architecture, Pass::training, Ranks.ALONE, seed);
        List<Learnt> learnt = ThreadRanks.run(parts, ranks -> {
            try (SharedNorms norms = new SharedNorms(ranks)) {
                return learn(architecture, weights -> Pass.training(weights, norms), ranks, seed);
            }
        });
        for (Learnt part : learnt) {
            assertThat(part).isEqualTo(learnt.get(0));
            assertThat(distance(part.statistics(), whole.statistics())).isLessThan(1e-6);
        }
        return distance(learnt.get(0).gradient(), whole.gradient());
    }

    private interface Passes {
        Pass over(Weights weights);
    }

    /** A pass forward and back over a rank's part, with gradients summed over the ranks. */
    private static Learnt learn(Architecture architecture, Passes passes, Ranks ranks, long seed) {
        int count = BATCH / ranks.size();
        return NativeScope.call(() -> {
            Weights weights = Weights.initial(architecture.layout(), 5, Devices.cpu());
            Tensor images = random(seed, SIDE * SIDE).view(BATCH, 1, SIDE, SIDE);
            Tensor slopes = random(2, CLASSES).view(BATCH, CLASSES);
            for (int pass = 0; pass < 2; pass++) { // the second starts from what the first has left
                weights.takeGradients();
                architecture
                        .forward(passes.over(weights), images.narrow(0, (long) count * ranks.rank(), count))
                        .logits()
                        .mul(slopes.narrow(0, (long) count * ranks.rank(), count))
                        .sum()
                        .backward();
            }
            Tensor gradient = weights.takeGradients();
            ranks.sum(gradient);
            return new Learnt(list(gradient), list(weights.statistics()));
        });
    }

    private static Tensor random(long seed, int perImage) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] values = new float[BATCH * perImage];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) (random.nextGaussian() + i / (4.0 * perImage)); // parts differ in their means
        }
        return Tensors.of(values, Devices.cpu(), values.length);
    }

    private static List<Double> list(Tensor tensor) {
        float[] values = Tensors.floats(tensor);
        return IntStream.range(0, values.length)
                .mapToObj(i -> (double) values[i])
                .toList();
    }

    /** The norm of the difference, relative to that of the second. */
    private static double distance(List<Double> a, List<Double> b) {
        double square = 0;
        for (int i = 0; i < a.size(); i++) {
            square += Math.pow(a.get(i) - b.get(i), 2);
        }
        double norm = b.stream().mapToDouble(v -> v * v).sum();
        return Math.sqrt(square / norm);
    }
}
