package ai.wood.onnx;

import ai.wood.Classifier;
import ai.wood.data.ClassifierFormat;
import ai.wood.data.Image;
import ai.wood.io.Parts;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/** Networks in {@value #FILE}, whose metadata contain all options, run by ONNX Runtime. */
public final class OnnxFormat implements ClassifierFormat {

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
    public Description describe(Parts parts) throws IOException {
        OnnxOptions options = read(parts).options(null);
        return new Description(options.classes(), options.shape(), options.normalise());
    }

    /** Opens the network on the CPU, the only device that this build of ONNX Runtime supports. */
    @Override
    public Classifier<Image> open(Parts parts, String device) throws IOException {
        if (device.startsWith("cuda")) {
            throw new IllegalArgumentException(
                    "networks in ONNX files run on the CPU but the device is " + device + ". Use the device cpu.");
        }
        OnnxFile file = read(parts);
        return OnnxNetwork.of(file, file.options(null));
    }

    private static OnnxFile read(Parts parts) throws IOException {
        try (InputStream in = parts.open(FILE)) {
            return OnnxFile.read(in, parts.path(FILE));
        }
    }
}
