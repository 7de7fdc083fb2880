package ai.wood.torch.net;

import ai.wood.bundle.DetectorDescription.Classifier;
import ai.wood.bundle.NetworkFormat;
import ai.wood.data.Network;
import ai.wood.torch.Devices;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Networks of the catalogue in {@code network.json} and {@code network.safetensors}, run by libtorch. */
public final class TorchFormat implements NetworkFormat {

    @Override
    public String name() {
        return "torch";
    }

    @Override
    public List<String> parts() {
        return List.of(NetworkDescription.FILE, NetworkDescription.WEIGHTS);
    }

    @Override
    public Classifier classifier(Path folder) throws IOException {
        NetworkDescription description = NetworkDescription.read(folder);
        return new Classifier(
                description.classes(), description.shape().toString(), description.mean(), description.deviation());
    }

    @Override
    public Network open(Path folder, String device) throws IOException {
        return NetworkDescription.open(folder, Devices.of(device));
    }
}
