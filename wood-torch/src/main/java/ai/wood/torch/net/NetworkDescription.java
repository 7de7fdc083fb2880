package ai.wood.torch.net;

import ai.wood.Classifier;
import ai.wood.data.ClassifierFormat;
import ai.wood.data.Dataset;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.data.transform.Normalise;
import ai.wood.io.JsonFile;
import ai.wood.io.Parts;
import ai.wood.io.Safetensors;
import ai.wood.torch.Devices;
import ai.wood.torch.InferenceOptions;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.Weights;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.bytedeco.pytorch.Device;

/**
 * All one must know to run a network beside its weights: {@code network.json} of a run folder.
 *
 * @param network its name in the catalogue
 * @param classes names, in the order of the labels
 * @param shape of the images it was trained on
 * @param mean of each channel, or of all, for {@link Normalise}
 * @param deviation of each channel, or of all
 */
public record NetworkDescription(
        String network,
        NetworkOptions options,
        List<String> classes,
        Shape shape,
        List<Double> mean,
        List<Double> deviation) {

    /** The file of the description, in a run folder. */
    public static final String FILE = "network.json";

    /** The file of the weights, in a run folder. */
    public static final String WEIGHTS = "network.safetensors";

    public NetworkDescription {
        classes = List.copyOf(classes);
        mean = List.copyOf(mean);
        deviation = List.copyOf(deviation);
        Networks.byId(network).with(options).layout(); // refuses branches that no network can have
        new Normalise(mean, deviation).check(shape);
        if (classes.size() != options.classes() || shape.channels() != options.channels()) {
            throw new IllegalArgumentException("a network of " + options.classes() + " classes and "
                    + options.channels() + " channels cannot have " + classes.size() + " class names and images of "
                    + shape);
        }
    }

    /** A network of the catalogue that learns, or learnt, a dataset. */
    public static NetworkDescription of(String network, NetworkOptions options, Dataset ind, Normalise normalise) {
        return new NetworkDescription(
                network, options, ind.classes(), ind.shape(), normalise.mean(), normalise.deviation());
    }

    /** What images go through first. */
    public Normalise normalise() {
        return new Normalise(mean, deviation);
    }

    /** Replaces {@code network.json} of a run folder. */
    public void write(Path run) throws IOException {
        JsonFile.write(run.resolve(FILE), this);
    }

    /**
     * Reads {@code network.json} of a run folder.
     *
     * @throws IOException where there is none, or it does not describe a network
     */
    public static NetworkDescription read(Path run) throws IOException {
        Path file = run.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            throw new IOException(file + ": a description of a network is needed but there is no such file."
                    + " Maybe the folder is no run, or its training was not finished.");
        }
        return read(Parts.of(run));
    }

    static NetworkDescription read(Parts parts) throws IOException {
        try (InputStream in = parts.open(FILE)) {
            return JsonFile.read(
                    in, NetworkDescription.class, parts.path(FILE) + ": is not a description of a network");
        }
    }

    /** Opens the trained network of a run folder on a device. */
    public static TorchNetwork open(Path run, Device device) throws IOException {
        read(run); // says what a folder lacks that is not a run
        return open(Parts.of(run), device);
    }

    static TorchNetwork open(Parts parts, Device device) throws IOException {
        NetworkDescription description = read(parts);
        try (InputStream in = parts.open(WEIGHTS);
                Safetensors file = Safetensors.read(in, parts.path(WEIGHTS), Safetensors.NETWORK_HEADER)) {
            var architecture = Networks.byId(description.network).with(description.options);
            return new TorchNetwork(
                    architecture,
                    Weights.read(architecture.layout(), file, device),
                    InferenceOptions.of(description.normalise(), device));
        }
    }

    /** Networks of the catalogue in {@code network.json} and {@code network.safetensors}, run by libtorch. */
    public static final class Format implements ClassifierFormat {

        @Override
        public String name() {
            return "torch";
        }

        @Override
        public List<String> parts() {
            return List.of(FILE, WEIGHTS);
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
}
