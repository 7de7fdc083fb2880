package ai.wood.onnx;

import ai.wood.bundle.DetectorDescription.Classifier;
import ai.wood.bundle.NetworkFormat;
import ai.wood.data.Network;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Networks in {@value #FILE}, whose metadata contain all options, run by ONNX Runtime. */
public final class OnnxFormat implements NetworkFormat {

    /** The only part. */
    public static final String FILE = "network.onnx";

    @Override
    public String name() {
        return "onnx";
    }

    @Override
    public List<String> parts() {
        return List.of(FILE);
    }

    @Override
    public Classifier classifier(Path folder) throws IOException {
        OnnxOptions options = OnnxFile.read(folder.resolve(FILE)).options(null);
        try {
            return Classifier.of(options.classes(), options.shape(), options.normalise());
        } catch (IllegalArgumentException e) {
            throw new IOException(folder.resolve(FILE) + ": " + e.getMessage(), e);
        }
    }

    /** Opens the network on the CPU, the only device that this build of ONNX Runtime supports. */
    @Override
    public Network open(Path folder, String device) throws IOException {
        if (device.startsWith("cuda")) {
            throw new IllegalArgumentException(
                    "networks in ONNX files run only on the CPU but the device is " + device + ". Use the device cpu.");
        }
        return OnnxNetwork.open(folder.resolve(FILE));
    }
}
