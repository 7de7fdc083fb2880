package ai.wood.cli;

import ai.wood.Classifier;
import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.evaluate.Run;
import ai.wood.io.Safetensors;
import ai.wood.onnx.OnnxFile;
import ai.wood.onnx.OnnxFormat;
import ai.wood.onnx.OnnxNetwork;
import ai.wood.onnx.export.OnnxExport;
import ai.wood.torch.Devices;
import ai.wood.torch.Layout.Slot;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import ai.wood.torch.train.RunFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A run's network as an ONNX file that was run beside it.
 *
 * @param file not yet written
 * @param difference how far logits of random images lie apart, at most, as a fraction of the largest one if that is above 1
 */
public record CheckedExport(OnnxFile file, double difference) {

    static final int IMAGES = 8;
    private static final double CLOSE = 1e-4;

    /**
     * Exports the network of a run folder.
     *
     * @param detector puts score and threshold into the graph; null for none
     */
    static CheckedExport of(Path run, @Nullable Detector detector) throws IOException {
        if (Run.format(run) instanceof OnnxFormat) {
            throw new IOException(run.resolve(OnnxFormat.FILE)
                    + ": a network that was trained here can be exported but this one is an ONNX file already."
                    + " Maybe pack it with its detector: wood bundle " + run + " -o detector.wood.");
        }
        NetworkDescription description = NetworkDescription.read(run);
        OnnxFile made;
        try (Safetensors weights = Safetensors.open(new RunFolder(run).network())) {
            made = OnnxExport.of(describe(description), weights::floats, detector);
        }
        return new CheckedExport(made, difference(run, made, description.shape()));
    }

    /** The same network in the exporter's terms, which need no libtorch. */
    public static OnnxExport.Description describe(NetworkDescription network) {
        NetworkOptions options = network.options();
        return new OnnxExport.Description(
                network.network(),
                options.legacyPool(),
                network.shape(),
                network.normalise(),
                network.classes(),
                List.copyOf(options.branches().keySet()),
                Networks.byId(network.network()).with(options).layout().slots().stream()
                        .collect(Collectors.toMap(Slot::name, Slot::shape)));
    }

    private static double difference(Path run, OnnxFile made, Shape shape) throws IOException {
        byte[] noise = new byte[IMAGES * shape.length()];
        new SplittableRandom(0).nextBytes(noise);
        List<Image> images = IntStream.range(0, IMAGES)
                .mapToObj(i -> Image.wrap(shape, noise, i * shape.length()))
                .toList();
        try (Classifier<Image> own = NetworkDescription.open(run, Devices.cpu());
                OnnxNetwork exported = OnnxNetwork.of(made, made.options(null))) {
            double apart = difference(
                    own.classify(images).logits(), exported.classify(images).logits());
            if (!(apart <= CLOSE)) {
                throw new IllegalStateException("the ONNX file's logits must be within " + CLOSE
                        + " of the network's but are " + apart + " apart");
            }
            return apart;
        }
    }

    private static double difference(Matrix own, Matrix exported) {
        double largest = 1;
        double apart = 0;
        for (int i = 0; i < own.rows(); i++) {
            for (int k = 0; k < own.columns(); k++) {
                largest = Math.max(largest, Math.abs(own.get(i, k)));
                apart = Math.max(apart, Math.abs(own.get(i, k) - exported.get(i, k)));
            }
        }
        return apart / largest;
    }
}
