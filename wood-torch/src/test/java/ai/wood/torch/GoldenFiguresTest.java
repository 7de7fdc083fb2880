package ai.wood.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Outputs;
import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.Split;
import ai.wood.data.transform.Normalise;
import ai.wood.io.Safetensors;
import ai.wood.metric.RankedScores;
import ai.wood.score.WoodScorer;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The paper's authors' networks on the full test sets, to the digits PyTorch gives. Needs WOOD_DATA (the datasets) and
 * WOOD_GOLDEN (the folder of the networks).
 */
class GoldenFiguresTest {

    @Test
    void mnistAgainstFashionMnist() throws IOException {
        Figures figures = figures("mnist-vs-fashion-dynamic", "mnist", "fashion-mnist");
        assertThat(figures.accuracy).isEqualTo(0.9901);
        RankedScores scores = figures.scores(GroundCost.dynamic());
        // the reference took 1 - sum f^2 in float, which near 1 knows multiples of 2^-24 only
        assertThat(scores.thresholdAtTnr(0.95)).isCloseTo(0.00110344, within(2 * 0x1p-24));
        assertThat(scores.fnrAtTnr(0.95)).isZero();
        assertThat(scores.auroc()).isCloseTo(1, within(5e-7));
    }

    @Test
    void cifar10AgainstSvhn() throws IOException {
        Figures figures = figures("cifar10-vs-svhn-binary", "cifar10", "svhn");
        assertThat(figures.accuracy).isEqualTo(0.8729);
        RankedScores binary = figures.scores(GroundCost.binary());
        assertThat(binary.thresholdAtTnr(0.95)).isCloseTo(0.104977, within(5e-6));
        assertThat(binary.fnrAtTnr(0.95)).isCloseTo(0.000538, within(5e-7));
        assertThat(binary.auroc()).isCloseTo(0.999894, within(5e-7));
        RankedScores dynamic = figures.scores(GroundCost.dynamic());
        assertThat(dynamic.thresholdAtTnr(0.95)).isCloseTo(0.189524, within(5e-6));
        assertThat(dynamic.fnrAtTnr(0.95)).isCloseTo(0.000538, within(5e-7));
        assertThat(dynamic.auroc()).isCloseTo(0.999897, within(5e-7));
    }

    private record Figures(double accuracy, Outputs ind, Outputs ood) {

        RankedScores scores(GroundCost cost) {
            WoodScorer scorer = new WoodScorer(cost);
            return RankedScores.of(scorer.score(ind), scorer.score(ood));
        }
    }

    private static Figures figures(String name, String ind, String ood) throws IOException {
        Path file = Golden.external("WOOD_GOLDEN", name + ".safetensors");
        Catalogue catalogue = new Catalogue(Golden.external("WOOD_DATA", ""));
        Dataset indTest = catalogue.open(ind, Split.TEST);
        Architecture architecture = Networks.DENSENET_BC_100_12.with(
                NetworkOptions.of(indTest.shape().channels(), 10).withLegacyPool(true));
        Normalise normalise = indTest.shape().channels() == 1 ? Normalise.UNIT : Normalise.HALF;
        try (Safetensors weights = Safetensors.open(file);
                TorchNetwork network = new TorchNetwork(
                        architecture,
                        Weights.read(architecture.layout(), weights, Devices.cpu()),
                        InferenceOptions.of(normalise, Devices.cpu()))) {
            Outputs outputs = network.classify(indTest.images());
            int right = 0;
            for (int i = 0; i < outputs.size(); i++) {
                right += outputs.label(i) == indTest.label(i) ? 1 : 0;
            }
            return new Figures(
                    (double) right / outputs.size(),
                    outputs,
                    network.classify(catalogue.open(ood, Split.TEST).images()));
        }
    }
}
