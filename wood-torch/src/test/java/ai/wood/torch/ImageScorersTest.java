package ai.wood.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.wood.CannotRunException;
import ai.wood.Detector;
import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.SampleDetector;
import ai.wood.SampleScorer;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.data.ArrayDataset;
import ai.wood.data.Dataset;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.data.Subset;
import ai.wood.metric.RankedScores;
import ai.wood.score.MahalanobisScorer;
import ai.wood.score.ScorerKinds;
import ai.wood.torch.LinearNetwork.ByHand;
import ai.wood.torch.net.DenseNet;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.ResNet;
import ai.wood.torch.net.SmallCnn;
import ai.wood.torch.net.WideResNet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageScorersTest {

    @TempDir
    private Path folder;

    private static final LinearNetwork LINEAR = new LinearNetwork(LinearNetwork.SHAPE, 5);
    private static final NetworkOptions OPTIONS = NetworkOptions.of(2, 4);

    static Stream<Architecture> networks() {
        return Stream.of(
                new SmallCnn(4, OPTIONS),
                DenseNet.bc(10, 4, OPTIONS),
                new ResNet(4, 2, 1, OPTIONS),
                new WideResNet(10, 1, OPTIONS));
    }

    @ParameterizedTest
    @MethodSource("networks")
    void gradientsAreThoseOfFiniteDifferences(Architecture architecture) {
        Dataset images = images(new Shape(2, 8, 8), 30, 4, 1);
        try (TorchNetwork network = open(architecture, 2)) {
            MahalanobisScorer fitted = MahalanobisScorer.fit(network.classify(images.images()), labels(images));
            check(PerturbedScorer.odin(1, 0), Criterion.surprise(1), network, images);
            check(PerturbedScorer.odin(10, 0), Criterion.surprise(10), network, images);
            check(PerturbedScorer.mahalanobis(fitted, 0), Criterion.distance(fitted), network, images);
        }
    }

    /** Along the gradient itself, where a step changes the most, for each of a few images on its own. */
    private static void check(PerturbedScorer scorer, Criterion criterion, TorchNetwork network, Dataset images) {
        int agreements = 0;
        for (int i = 0; i < 10; i++) {
            double[] slopes = network.onParts(Subset.of(images, i).images(), input -> {
                        Tensor gradient = scorer.gradient(network, input);
                        double slope = gradient.norm().item_double();
                        Tensor step = gradient.div(new Scalar(slope / 2e-3));
                        double up = value(criterion, network, input.add(step));
                        double down = value(criterion, network, input.sub(step));
                        return new double[] {slope, (up - down) / 4e-3};
                    })
                    .get(0);
            agreements += Math.abs(slopes[0] - slopes[1]) < 0.02 * slopes[0] + 1e-4 ? 1 : 0;
        }
        assertThat(agreements)
                .as("images whose slope agrees; a step may cross the kink of a ReLU")
                .isGreaterThanOrEqualTo(8);
    }

    private static double value(Criterion criterion, TorchNetwork network, Tensor input) {
        return criterion.of(network.activations(network.pass(), input)).sum().item_double();
    }

    /** At the low temperature all but a millionth of a millionth of a prediction is on one class. */
    @ParameterizedTest
    @ValueSource(doubles = {10, 0.01})
    void odinMovesImagesAndScoresThemAsByHand(double temperature) {
        Dataset images = images(LINEAR.shape(), 20, 5, 3);
        double magnitude = 0.05;
        try (TorchNetwork network = open(LINEAR, 4)) {
            ByHand byHand = ByHand.of(LINEAR.weights(4));
            double[] scores = scores(network, PerturbedScorer.odin(temperature, magnitude), images);
            for (int i = 0; i < images.size(); i++) {
                double[] x = LinearNetwork.normalised(images.get(i).image());
                double[] f = tempered(byHand.logits(x), temperature);
                int top = Probabilities.argmax(f);
                for (int p = 0; p < x.length; p++) {
                    double derivative = 0; // of -log f_top
                    for (int k = 0; k < f.length; k++) {
                        derivative += f[k] * (byHand.weight(k, p) - byHand.weight(top, p)) / temperature;
                    }
                    double deviation = p < LINEAR.shape().area() ? 0.2 : 0.7;
                    x[p] -= magnitude * Math.signum(derivative) / deviation;
                }
                double[] moved = tempered(byHand.logits(x), temperature);
                double expected = Probabilities.others(moved, Probabilities.argmax(moved));
                assertThat(scores[i]).isCloseTo(expected, withinPercentage(0.1));
            }
        }
    }

    @Test
    void odinWithoutNoiseAndTemperatureIsMsp() {
        Dataset images = images(LINEAR.shape(), 20, 5, 5);
        try (TorchNetwork network = open(LINEAR, 6)) {
            double[] msp = ScorerKinds.formula("msp").score(network.classify(images.images()));
            assertThat(scores(network, PerturbedScorer.odin(1, 0), images)).isEqualTo(msp);
        }
    }

    @Test
    void mahalanobisNoiseMovesImagesTowardsTheNearestMean() {
        Dataset fit = images(LINEAR.shape(), 200, 5, 7);
        Dataset images = images(LINEAR.shape(), 20, 5, 8);
        double magnitude = 0.02;
        try (TorchNetwork network = open(LINEAR, 9)) {
            MahalanobisScorer fitted = MahalanobisScorer.fit(network.classify(fit.images()), labels(fit));
            double[] scores = scores(network, PerturbedScorer.mahalanobis(fitted, magnitude), images);
            double[] still = scores(network, PerturbedScorer.mahalanobis(fitted, 0), images);
            assertThat(still).containsExactly(fitted.score(network.classify(images.images())), within(1e-9));
            for (int i = 0; i < images.size(); i++) {
                double[] x = LinearNetwork.normalised(images.get(i).image());
                double[] slope = new double[x.length];
                for (int p = 0; p < x.length; p++) {
                    slope[p] = (distance(fitted, x, p, 1e-5) - distance(fitted, x, p, -1e-5)) / 2e-5;
                }
                for (int p = 0; p < x.length; p++) {
                    x[p] -= magnitude
                            * Math.signum(slope[p])
                            / (p < LINEAR.shape().area() ? 0.2 : 0.7);
                }
                assertThat(scores[i]).isCloseTo(distance(fitted, x, 0, 0), within(1e-3));
                assertThat(scores[i]).isLessThan(still[i]);
            }
        }
    }

    @Test
    void tuningTakesTheBestOfTheGridOnValidation() {
        Dataset ind = images(LINEAR.shape(), 60, 5, 10);
        Dataset ood = images(LINEAR.shape(), 60, 5, 11);
        try (TorchNetwork network = open(LINEAR, 12)) {
            PerturbedScorer tuned = PerturbedScorer.tunedOdin(validation(network, ind, ood));
            double least = Double.POSITIVE_INFINITY;
            double largest = 0;
            for (double temperature : new double[] {1, 10, 100, 1000}) {
                for (int i = 0; i <= 20; i++) {
                    PerturbedScorer scorer = PerturbedScorer.odin(temperature, i / 5000.0);
                    RankedScores ranked = RankedScores.of(scores(network, scorer, ind), scores(network, scorer, ood));
                    if (ranked.fnrAtTnr(0.95) < least) {
                        least = ranked.fnrAtTnr(0.95);
                        largest = ranked.auroc();
                    } else if (ranked.fnrAtTnr(0.95) == least) {
                        largest = Math.max(largest, ranked.auroc());
                    }
                }
            }
            RankedScores chosen = RankedScores.of(scores(network, tuned, ind), scores(network, tuned, ood));
            assertThat(chosen.fnrAtTnr(0.95)).isEqualTo(least);
            assertThat(chosen.auroc()).isEqualTo(largest);
            assertThat(tuned.tuned()).matches("T = 10*\\.0, epsilon = 0\\.\\d+");
        }
    }

    @Test
    void tuningMahalanobisTakesTheBestMagnitudeOfThePapersList() {
        Dataset ind = images(LINEAR.shape(), 60, 5, 10);
        Dataset ood = images(LINEAR.shape(), 60, 5, 11);
        try (TorchNetwork network = open(LINEAR, 12)) {
            Dataset train = images(LINEAR.shape(), 60, 5, 9);
            MahalanobisScorer fitted = MahalanobisScorer.fit(network.classify(train.images()), labels(train));
            PerturbedScorer tuned = PerturbedScorer.tunedMahalanobis(fitted, validation(network, ind, ood));
            record Trial(double fnr, double auroc) {}
            Trial best = DoubleStream.of(0, 0.0005, 0.001, 0.0014, 0.002, 0.005, 0.01)
                    .mapToObj(magnitude -> PerturbedScorer.mahalanobis(fitted, magnitude))
                    .map(scorer -> RankedScores.of(scores(network, scorer, ind), scores(network, scorer, ood)))
                    .map(ranked -> new Trial(ranked.fnrAtTnr(0.95), ranked.auroc()))
                    .min(Comparator.comparingDouble(Trial::fnr)
                            .thenComparing(
                                    Comparator.comparingDouble(Trial::auroc).reversed()))
                    .orElseThrow();
            RankedScores chosen = RankedScores.of(scores(network, tuned, ind), scores(network, tuned, ood));
            assertThat(new Trial(chosen.fnrAtTnr(0.95), chosen.auroc())).isEqualTo(best);
        }
    }

    @Test
    void invarianceIsTheMeanDivergenceOfShiftedAndMirroredPredictions() {
        Dataset images = images(LINEAR.shape(), 20, 5, 13);
        try (TorchNetwork network = open(LINEAR, 14)) {
            ByHand byHand = ByHand.of(LINEAR.weights(14));
            double[] scores = scores(network, new InvarianceScorer(true), images);
            for (int i = 0; i < images.size(); i++) {
                double[] x = LinearNetwork.normalised(images.get(i).image());
                double[] f = tempered(byHand.logits(x), 1);
                double sum = 0;
                for (int[] way : new int[][] {{0, 2, 0}, {0, -2, 0}, {2, 0, 0}, {-2, 0, 0}, {0, 0, 1}}) {
                    double[] g = tempered(byHand.logits(moved(x, way[0], way[1], way[2] == 1)), 1);
                    sum += IntStream.range(0, f.length)
                            .mapToDouble(k -> f[k] * Math.log(f[k] / g[k]))
                            .sum();
                }
                assertThat(scores[i]).isCloseTo(sum / 5, within(1e-5));
            }
        }
    }

    /** By a logit of minus infinity. */
    @Test
    void aClassThatIsRuledOutIsAsGoodAsNone() {
        Dataset images = images(LINEAR.shape(), 20, 5, 24);
        try (TorchNetwork out = open(new Raised(LINEAR, Double.NEGATIVE_INFINITY), 25);
                TorchNetwork nearly = open(new Raised(LINEAR, -300), 25)) {
            assertThat(scores(out, new InvarianceScorer(true), images))
                    .containsExactly(scores(nearly, new InvarianceScorer(true), images), within(1e-9));
            assertThat(scores(out, PerturbedScorer.odin(1, 0.01), images))
                    .containsExactly(scores(nearly, PerturbedScorer.odin(1, 0.01), images), within(1e-9));
        }
    }

    @Test
    void mirroringIsLeftOutWhereInDPredictionsDoNotSurviveIt() {
        Dataset images = images(LINEAR.shape(), 50, 5, 15);
        try (TorchNetwork fickle = open(LINEAR, 16);
                TorchNetwork steady = open(new Constant(LINEAR), 16)) {
            assertThat(InvarianceScorer.fit(fickle, images.images()).tuned()).isEqualTo("shifts");
            assertThat(InvarianceScorer.fit(steady, images.images()).tuned()).isEqualTo("shifts and mirror");
            assertThat(scores(steady, InvarianceScorer.fit(steady, images.images()), images))
                    .containsOnly(0);
        }
    }

    @Test
    void gradientNormsAreThoseOfTheEngine() {
        Dataset images = images(LINEAR.shape(), 12, 5, 17);
        try (TorchNetwork network = open(LINEAR, 18);
                Weights weights = LINEAR.weights(18)) {
            Outputs outputs = network.classify(images.images());
            double[] uniform = ScorerKinds.formula("gradnorm").score(outputs);
            double[] predicted = ScorerKinds.formula("nll-gradient").score(outputs);
            for (int i = 0; i < images.size(); i++) {
                int sample = i;
                NativeScope.run(() -> {
                    Tensor ofUniform = last(logF(weights, images, sample).mean().neg(), weights);
                    Tensor ofPredicted =
                            last(logF(weights, images, sample).max().neg(), weights);
                    assertThat(uniform[sample]).isCloseTo(-ofUniform.abs().sum().item_double(), within(1e-4));
                    assertThat(predicted[sample]).isCloseTo(ofPredicted.norm().item_double(), within(1e-4));
                });
            }
        }
    }

    static Stream<ScorerKind> kinds() {
        return Stream.of("odin", "mahalanobis-noise", "invariance").map(ScorerKinds::byId);
    }

    /** Fitted to images, with nothing to tune on. */
    private static Scorer fitted(ScorerKind kind, TorchNetwork network, Dataset images) {
        FitData data = FitData.of(network.classify(images.images()))
                .withLabels(labels(images))
                .withSamples(new FitData.Samples<>(network, List.of(), List.of()));
        data.require(kind);
        return kind.fit(data, kind.settings());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aDetectorIsRestoredToTheLastBit(ScorerKind kind) throws IOException {
        Dataset images = images(new Shape(2, 8, 8), 40, 4, 31);
        Dataset heldOut = images(new Shape(2, 8, 8), 40, 4, 32);
        Dataset ood = images(new Shape(2, 8, 8), 20, 4, 33);
        try (TorchNetwork network = open(new SmallCnn(4, OPTIONS), 34)) {
            FitData data = FitData.of(network.classify(images.images()))
                    .withLabels(labels(images))
                    .withSamples(validation(network, heldOut, ood));
            Detector.Builder fitted = Detector.of(kind).fit(data);
            Outputs outputs = network.classify(heldOut.images());
            Detector detector = fitted.calibrate(fitted.complete(network, heldOut.images(), outputs));
            Path file = folder.resolve(kind.id() + ".wood");
            detector.save(file);
            Detector loaded = Detector.load(file);
            assertThat(new SampleDetector<>(loaded, network).detect(ood.images()))
                    .isEqualTo(new SampleDetector<>(detector, network).detect(ood.images()));
            assertThatThrownBy(() -> loaded.detect(network.classify(ood.images())))
                    .isInstanceOf(CannotRunException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void arraysAreRefused(ScorerKind kind) {
        Outputs outputs = Outputs.ofLogits(Matrix.of(new double[] {1, 2}, new double[] {2, 1}));
        assertThatThrownBy(() -> Detector.of(kind).fit(outputs))
                .isInstanceOf(CannotRunException.class)
                .hasMessageContaining("the samples themselves");
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void scoresDoNotDependOnTheBatch(ScorerKind kind) {
        Architecture architecture = new SmallCnn(4, OPTIONS);
        Dataset images = images(new Shape(2, 8, 8), 23, 4, 19);
        InferenceOptions inference = InferenceOptions.of(LinearNetwork.NORMALISE, Devices.cpu());
        try (TorchNetwork one = new TorchNetwork(
                        architecture,
                        weights(architecture, 20),
                        inference.withThreads(1).withMicroBatch(23));
                TorchNetwork many = new TorchNetwork(
                        architecture,
                        weights(architecture, 20),
                        inference.withThreads(2).withMicroBatch(4))) {
            double[] expected = scores(one, fitted(kind, one, images), images);
            assertThat(scores(many, fitted(kind, many, images), images))
                    .hasSize(23)
                    .containsExactly(expected, within(1e-2));
            assertThat(Arrays.stream(expected).distinct().count()).isGreaterThan(20);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void nativeMemoryIsFreed(ScorerKind kind) {
        assumeTrue(Pointer.physicalBytes() > 0, "this system does not tell how much memory is used");
        Architecture architecture = new SmallCnn(32, OPTIONS);
        Dataset images = images(new Shape(2, 32, 32), 40, 4, 21); // about 50 MB of activations
        try (TorchNetwork network = open(architecture, 22)) {
            Scorer scorer = fitted(kind, network, images);
            for (int i = 0; i < 5; i++) {
                scores(network, scorer, images);
            }
            long before = Pointer.physicalBytes();
            for (int i = 0; i < 20; i++) {
                scores(network, scorer, images);
            }
            assertThat(Pointer.physicalBytes() - before).isLessThan(200 << 20);
        }
    }

    private static FitData.Samples<Image> validation(TorchNetwork network, Dataset ind, Dataset ood) {
        return new FitData.Samples<>(network, ind.images(), ood.images());
    }

    private static double[] scores(TorchNetwork network, Scorer scorer, Dataset images) {
        Outputs outputs = network.classify(images.images());
        return scorer.score(SampleScorer.complete(scorer, network, images.images(), outputs));
    }

    /** Says the same about every image. */
    private record Constant(LinearNetwork network) implements Architecture {

        @Override
        public Layout layout() {
            return network.layout();
        }

        @Override
        public Activations forward(Pass pass, Tensor images) {
            return network.forward(pass, torch.zeros_like(images));
        }
    }

    /** Another network with its first logit raised by a number. */
    private record Raised(LinearNetwork network, double by) implements Architecture {

        @Override
        public Layout layout() {
            return network.layout();
        }

        @Override
        public Activations forward(Pass pass, Tensor images) {
            Activations said = network.forward(pass, images);
            Tensor raise = Tensors.of(new float[] {(float) by, 0, 0, 0, 0}, Devices.cpu(), 5);
            return new Activations(said.logits().add(raise), said.features());
        }
    }

    private static Tensor last(Tensor loss, Weights weights) {
        return torch.grad(new TensorVector(loss), new TensorVector(weights.view("fc.weight")))
                .get(0)
                .clone();
    }

    private static Tensor logF(Weights weights, Dataset images, int sample) {
        return torch.log_softmax(
                LINEAR.forward(Pass.evaluation(weights), input(images, sample)).logits(), 1);
    }

    private static Tensor input(Dataset images, int sample) {
        float[] values = new float[images.shape().length()];
        LinearNetwork.NORMALISE.write(images.get(sample).image(), values, 0);
        return Tensors.of(values, Devices.cpu(), 1, 2, 4, 3);
    }

    private static double distance(MahalanobisScorer fitted, double[] x, int place, double by) {
        double[] moved = x.clone();
        moved[place] += by;
        Outputs outputs = Outputs.ofLogits(Matrix.of(new double[5])).withFeatures(Matrix.of(moved));
        return fitted.score(outputs)[0];
    }

    private static double[] tempered(double[] logits, double temperature) {
        double[] f = Arrays.stream(logits).map(z -> z / temperature).toArray();
        Probabilities.softmax(f);
        return f;
    }

    /** The pixel that stands at each place after a shift, or in the mirror. */
    private static double[] moved(double[] x, int down, int right, boolean mirror) {
        Shape shape = LINEAR.shape();
        double[] result = new double[x.length];
        for (int c = 0; c < shape.channels(); c++) {
            for (int row = 0; row < shape.height(); row++) {
                for (int column = 0; column < shape.width(); column++) {
                    int fromRow = Math.min(Math.max(row - down, 0), shape.height() - 1);
                    int fromColumn = mirror
                            ? shape.width() - 1 - column
                            : Math.min(Math.max(column - right, 0), shape.width() - 1);
                    result[c * shape.area() + row * shape.width() + column] =
                            x[c * shape.area() + fromRow * shape.width() + fromColumn];
                }
            }
        }
        return result;
    }

    private static TorchNetwork open(Architecture architecture, long seed) {
        return new TorchNetwork(
                architecture,
                weights(architecture, seed),
                InferenceOptions.of(LinearNetwork.NORMALISE, Devices.cpu()).withMicroBatch(8));
    }

    private static Weights weights(Architecture architecture, long seed) {
        return Weights.initial(architecture.layout(), seed, Devices.cpu());
    }

    private static ArrayDataset images(Shape shape, int size, int classes, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] values = new byte[size * shape.length()];
        random.nextBytes(values);
        int[] labels = IntStream.range(0, size).map(i -> i % classes).toArray();
        return ArrayDataset.wrap(shape, values, labels);
    }

    private static List<Integer> labels(Dataset images) {
        return IntStream.range(0, images.size()).mapToObj(images::label).toList();
    }
}
