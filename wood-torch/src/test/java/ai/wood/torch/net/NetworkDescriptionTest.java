package ai.wood.torch.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.data.Shape;
import ai.wood.io.SafetensorsWriter;
import ai.wood.torch.Devices;
import ai.wood.torch.Weights;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkDescriptionTest {

    private static final NetworkDescription DESCRIPTION = new NetworkDescription(
            "resnet-20",
            NetworkOptions.of(3, 2).withDropout(0.3),
            List.of("cat", "dog"),
            new Shape(3, 32, 32),
            List.of(0.5),
            List.of(0.25));

    @TempDir
    Path run;

    @Test
    void whatIsWrittenIsReadBack() throws IOException {
        DESCRIPTION.write(run);
        assertThat(NetworkDescription.read(run)).isEqualTo(DESCRIPTION);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{}", "{\"network\":\"no-such\"}", "{\"network\":17", "null"})
    void whatDescribesNoNetworkIsRefused(String json) throws IOException {
        Files.writeString(run.resolve("network.json"), json);
        assertThatThrownBy(() -> NetworkDescription.read(run))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("network.json");
    }

    /** The last one would take a terabyte, but the file has no such weights. */
    @ParameterizedTest
    @ValueSource(strings = {"{\"reject\":null}", "{\"reject\":0}", "{\"fc\":1}", "{\"reject\":2000000000}"})
    void aBranchThatNoNetworkHasIsRefused(String branches) throws IOException {
        SafetensorsWriter file = new SafetensorsWriter();
        try (Weights weights =
                Weights.initial(Networks.RESNET_20.with(DESCRIPTION.options()).layout(), 1, Devices.cpu())) {
            weights.write(file);
        }
        file.write(run.resolve("network.safetensors"));
        DESCRIPTION.write(run);
        NetworkDescription.open(run, Devices.cpu()).close();
        Path json = run.resolve("network.json");
        Files.writeString(
                json, Files.readString(json).replaceAll("\"branches\" : \\{ *}", "\"branches\" : " + branches));
        assertThat(json).content().contains(branches);
        assertThatThrownBy(() -> NetworkDescription.open(run, Devices.cpu()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(run + "/network.");
    }

    @Test
    void classNamesMustBeAsManyAsClasses() {
        assertThatThrownBy(() -> new NetworkDescription(
                        "resnet-20",
                        NetworkOptions.of(3, 5),
                        List.of("cat"),
                        new Shape(3, 8, 8),
                        List.of(0.0),
                        List.of(1.0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("5 classes");
    }
}
