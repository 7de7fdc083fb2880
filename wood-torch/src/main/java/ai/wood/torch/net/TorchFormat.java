package ai.wood.torch.net;

import ai.wood.Classifier;
import ai.wood.data.ClassifierFormat;
import ai.wood.data.Image;
import ai.wood.io.Parts;
import ai.wood.torch.Devices;
import java.io.IOException;
import java.util.List;

/** Networks of the catalogue in {@code network.json} and {@code network.safetensors}, run by libtorch. */
public final class TorchFormat implements ClassifierFormat {

    @Override
    public String name() {
        return "torch";
    }

    @Override
    public List<String> parts() {
        return List.of(NetworkDescription.FILE, NetworkDescription.WEIGHTS);
    }

    @Override
    public Description describe(Parts parts) throws IOException {
        NetworkDescription description = NetworkDescription.read(parts);
        return new Description(description.classes(), description.shape(), description.normalise());
    }

    @Override
    public Classifier<Image> open(Parts parts, String device) throws IOException {
        return NetworkDescription.open(parts, Devices.of(device));
    }
}
