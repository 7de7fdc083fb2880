package ai.wood.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.wood.Dataset;
import ai.wood.Seed;
import ai.wood.Split;
import ai.wood.data.Catalogue;
import ai.wood.data.Subset;
import ai.wood.data.transform.Normalise;
import ai.wood.torch.Architecture;
import ai.wood.torch.Devices;
import ai.wood.torch.InferenceOptions;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.Weights;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import java.io.IOException;
import java.util.List;
import org.bytedeco.pytorch.Device;
import org.junit.jupiter.api.Test;

class NetworkOutputsTest {

    @Test
    void fittingAndCalibratingOnTheTestSplitIsRefusedUnlessInsistedOn() throws IOException {
        Catalogue catalogue = Catalogue.at(null);
        Dataset train = Subset.random(catalogue.open("mnist-small", Split.TRAIN), 20, new Seed(1));
        Dataset test = Subset.random(catalogue.open("mnist-small", Split.TEST), 20, new Seed(1));
        Dataset ood = Subset.random(catalogue.open("fashion-mnist-small", Split.TEST), 20, new Seed(1));
        List<NetworkOutputs.OodData> judged = List.of(new NetworkOutputs.OodData(ood, false, Distance.NEAR));
        NetworkOutputs.Data honest = new NetworkOutputs.Data(train, train, test, judged);
        NetworkOutputs.Data fitted = new NetworkOutputs.Data(test, train, test, judged);
        NetworkOutputs.Data calibrated = new NetworkOutputs.Data(train, test, test, judged);
        Device device = Devices.of("cpu");
        Architecture architecture = Networks.SMALL_CNN.with(NetworkOptions.of(1, 10));
        Weights weights = Weights.initial(architecture.layout(), 1, device);
        try (TorchNetwork network =
                new TorchNetwork(architecture, weights, InferenceOptions.of(Normalise.UNIT, device))) {
            assertThat(NetworkOutputs.of("n", network::forward, honest, false).leaky())
                    .isFalse();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> NetworkOutputs.of("n", network::forward, fitted, false))
                    .withMessageContaining("fitting scorers must not use the test split");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> NetworkOutputs.of("n", network::forward, calibrated, false))
                    .withMessageContaining("calibrating thresholds must not use the test split");
            assertThat(NetworkOutputs.of("n", network::forward, calibrated, true)
                            .leaky())
                    .isTrue();
        }
    }
}
