package ai.wood.torch.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Seed;
import ai.wood.data.Dataset;
import ai.wood.data.FrozenDataset;
import ai.wood.data.Split;
import ai.wood.io.Safetensors;
import ai.wood.loss.ConfidenceLoss;
import ai.wood.loss.Loss;
import ai.wood.loss.LossValue;
import ai.wood.loss.RejectionLoss;
import ai.wood.loss.WoodLoss;
import ai.wood.score.ScorerKinds;
import ai.wood.score.WoodScorer;
import ai.wood.torch.Architecture;
import ai.wood.torch.Devices;
import ai.wood.torch.InferenceOptions;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Tensors;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.Weights;
import ai.wood.torch.net.Branched;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.SmallCnn;
import ai.wood.torch.train.RunFolder.Existing;
import ai.wood.torch.train.TrainOptions.Mining;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LearnedDetectorsTest {

    private static final int CLASSES = 5;
    private static final TrainOptions OPTIONS = TrainerTest.OPTIONS;

    @TempDir
    Path folder;

    static Stream<Loss> losses() {
        return Stream.of(
                ConfidenceLoss.DEFAULTS,
                new ConfidenceLoss(3, 0.3),
                new RejectionLoss(1, 0.7),
                new RejectionLoss(3, 1));
    }

    @ParameterizedTest
    @MethodSource("losses")
    void valuesAndGradientsAreThoseOfTheReference(Loss loss) {
        SplittableRandom random = new SplittableRandom(1);
        int width = CLASSES + loss.branches().values().iterator().next();
        for (int trial = 0; trial < 20; trial++) {
            int ind = 1 + random.nextInt(12);
            int ood = random.nextInt(9);
            float[] rows = new float[(ind + ood) * width];
            for (int i = 0; i < rows.length; i++) {
                rows[i] = (float) (2 * random.nextGaussian());
            }
            int[] labels = random.ints(ind, 0, CLASSES).toArray();
            LossValue expected = loss.on(
                    Matrix.wrap(Arrays.copyOf(rows, ind * width), width),
                    labels,
                    Matrix.wrap(Arrays.copyOfRange(rows, ind * width, rows.length), width));
            NativeScope.run(() -> {
                Tensor z = Tensors.of(rows, Devices.cpu(), ind + ood, width).set_requires_grad(true);
                try (TensorLoss tensors = TensorLoss.of(loss, Devices.cpu())) {
                    TensorLoss.Parts parts =
                            tensors.on(z.narrow(0, 0, ind), Tensors.of(labels, Devices.cpu()), z.narrow(0, ind, ood));
                    parts.total().backward();
                    assertThat(parts.total().item_double()).isCloseTo(expected.value(), within(1e-5));
                    float[] gradient = Tensors.floats(z.grad());
                    for (int i = 0; i < gradient.length; i++) {
                        Matrix part = i < ind * width ? expected.ind() : expected.ood();
                        int row = i / width - (i < ind * width ? 0 : ind);
                        assertThat(gradient[i]).isCloseTo((float) part.get(row, i % width), within(1e-5f));
                    }
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {-3, 3})
    void thePriceOfDoubtFollowsTheBudget(double confidence) {
        float[] row = {1, 0, 0, 0, 0, (float) confidence};
        NativeScope.run(() -> {
            try (TensorLoss loss = TensorLoss.of(ConfidenceLoss.DEFAULTS, Devices.cpu())) {
                for (int i = 0; i < 10; i++) {
                    Tensor z = Tensors.of(row, Devices.cpu(), 1, 6);
                    loss.on(z, Tensors.of(new int[] {0}, Devices.cpu()), z.narrow(0, 0, 0));
                }
                double factor = confidence > 0 ? 1 / 1.01 : 1 / 0.99; // much doubt is made dearer
                assertThat(Tensors.floats(loss.memory().values().iterator().next())[0])
                        .isCloseTo((float) (0.1 * Math.pow(factor, 10)), within(1e-6f));
            }
        });
    }

    @Test
    void rejectClassesLearnToCatchOod() throws IOException {
        EpochMetrics last = train(OPTIONS, "run", new RejectionLoss(2, 1), "reject");
        assertThat(last.validation().accuracy()).isGreaterThan(0.95);
        assertThat(last.validation().auroc()).isGreaterThan(0.95);
    }

    @Test
    void confidenceIsLearntWithoutOod() throws IOException {
        EpochMetrics last = train(OPTIONS.withBatch(10, 0), "run", ConfidenceLoss.DEFAULTS, "confidence");
        assertThat(last.validation().accuracy()).isGreaterThan(0.95);
        assertThat(last.oodLoss()).isZero();
        assertThat(state("run", "loss/lambda")[0]).isNotEqualTo(0.1f);
    }

    @ParameterizedTest
    @MethodSource("resumable")
    void aRunThatWasInterruptedEndsInTheSameBits(Loss loss, String scorer, TrainOptions options) throws IOException {
        train(options, "whole", loss, scorer);
        RunFolder parts = new RunFolder(folder.resolve("parts"));
        for (int stop : new int[] {7, 9, 30, 41}) {
            assertThatThrownBy(() -> trainer(options, loss, scorer).train(parts, Existing.RESUME, stopAt(stop)))
                    .hasMessage("pulled the plug");
        }
        trainer(options, loss, scorer).train(parts, Existing.RESUME, TrainListener.NONE);
        assertThat(Files.readAllBytes(parts.network()))
                .isEqualTo(Files.readAllBytes(folder.resolve("whole/network.safetensors")));
        for (String tensor : List.of("parameters", "statistics", "mined")) {
            assertThat(state("parts", tensor)).as(tensor).isEqualTo(state("whole", tensor));
        }
        if (loss instanceof ConfidenceLoss) {
            assertThat(state("parts", "loss/lambda")).isEqualTo(state("whole", "loss/lambda"));
        }
    }

    static Stream<Arguments> resumable() {
        return Stream.of(
                Arguments.of(ConfidenceLoss.DEFAULTS, "confidence", OPTIONS),
                Arguments.of(new RejectionLoss(1, 1), "reject", OPTIONS.withMining(new Mining(0.125, 40))),
                Arguments.of(TrainerTest.LOSS, "wood", OPTIONS.withMining(new Mining(0, 0))));
    }

    @Test
    void miningTakesTheQuarterOfThePoolFromTheQuantileUp() {
        Dataset outliers = new FrozenDataset(ToyData.ood(60, 2, Split.TRAIN));
        WoodScorer scorer = new WoodScorer(GroundCost.dynamic());
        try (TorchNetwork network = new TorchNetwork(
                TrainerTest.NETWORK,
                Weights.initial(TrainerTest.NETWORK.layout(), 5, Devices.cpu()),
                InferenceOptions.of(ToyData.data().normalise(), Devices.cpu()))) {
            double[] scores = scorer.score(network.classify(outliers.images()));
            double[] sorted = Arrays.stream(scores).sorted().toArray();
            int[] hardest = new Miner(new Mining(0, 0), outliers, scorer, new Seed(1)).choose(network, 0);
            int[] next = new Miner(new Mining(0.5, 0), outliers, scorer, new Seed(1)).choose(network, 0);
            assertThat(scoresOf(hardest, scores)).containsExactly(Arrays.copyOf(sorted, 15), within(1e-6));
            assertThat(scoresOf(next, scores)).containsExactly(Arrays.copyOfRange(sorted, 30, 45), within(1e-6));
            Miner small = new Miner(new Mining(0, 20), outliers, scorer, new Seed(1));
            assertThat(small.choose(network, 0)).hasSize(5).isEqualTo(small.choose(network, 0));
            assertThat(small.choose(network, 1)).isNotEqualTo(small.choose(network, 0));
        }
    }

    private static double[] scoresOf(int[] indices, double[] scores) {
        return Arrays.stream(indices).mapToDouble(i -> scores[i]).toArray();
    }

    @Test
    void miningChangesWhatIsLearnt() throws IOException {
        train(OPTIONS.withEpochs(1), "all", TrainerTest.LOSS, "wood");
        train(OPTIONS.withEpochs(1).withMining(new Mining(0, 0)), "hard", TrainerTest.LOSS, "wood");
        train(OPTIONS.withEpochs(1).withMining(new Mining(0.75, 0)), "easy", TrainerTest.LOSS, "wood");
        assertThat(state("hard", "parameters")).isNotEqualTo(state("all", "parameters"));
        assertThat(state("easy", "parameters")).isNotEqualTo(state("hard", "parameters"));
    }

    @Test
    void whatIsMissingIsSaid() {
        assertThatThrownBy(() -> TrainerTest.trainer(OPTIONS, new RejectionLoss(1, 1))
                        .train(new RunFolder(folder.resolve("run")), Existing.REFUSE, TrainListener.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("branch 'reject'");
        TrainOptions withoutOod = OPTIONS.withBatch(10, 0).withMining(new Mining(0, 0));
        assertThatThrownBy(() -> TrainerTest.trainer(withoutOod, WoodLoss.of(GroundCost.binary(), 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("OOD samples to mine");
        assertThatThrownBy(() -> new Mining(0.9, 0)).hasMessageContaining("0.75");
    }

    @Test
    void branchesComeWithTheOutputs() {
        Branched network = new Branched(new SmallCnn(4, NetworkOptions.of(1, 3)), "reject", 2);
        try (TorchNetwork open = new TorchNetwork(
                network,
                Weights.initial(network.layout(), 1, Devices.cpu()),
                InferenceOptions.of(ToyData.data().normalise(), Devices.cpu()))) {
            Outputs outputs = open.classify(ToyData.ind(7, 1, Split.TRAIN).images());
            assertThat(outputs.classes()).isEqualTo(3);
            assertThat(outputs.branches()).containsOnlyKeys("reject");
            assertThat(outputs.branch("reject").columns()).isEqualTo(2);
            assertThat(ScorerKinds.formula("reject").score(outputs)).hasSize(7);
        }
    }

    private EpochMetrics train(TrainOptions options, String name, Loss loss, String scorer) throws IOException {
        List<EpochMetrics> epochs = new ArrayList<>();
        trainer(options, loss, scorer).train(new RunFolder(folder.resolve(name)), Existing.REFUSE, new TrainListener() {
            @Override
            public void epoch(EpochMetrics metrics) {
                epochs.add(metrics);
            }
        });
        return epochs.get(epochs.size() - 1);
    }

    private static Trainer trainer(TrainOptions options, Loss loss, String scorer) {
        Architecture network =
                new SmallCnn(8, NetworkOptions.of(1, ToyData.CLASSES).withDropout(0.1));
        for (Map.Entry<String, Integer> branch : loss.branches().entrySet()) {
            network = new Branched(network, branch.getKey(), branch.getValue());
        }
        return new Trainer(network, loss, ScorerKinds.formula(scorer), ToyData.data(), options);
    }

    private float[] state(String name, String tensor) throws IOException {
        try (Safetensors file = Safetensors.open(new RunFolder(folder.resolve(name)).state())) {
            return file.floats(tensor);
        }
    }

    private static TrainListener stopAt(long step) {
        return new TrainListener() {
            @Override
            public void step(long done, long total, double loss) {
                if (done == step) {
                    throw new IllegalStateException("pulled the plug");
                }
            }
        };
    }
}
