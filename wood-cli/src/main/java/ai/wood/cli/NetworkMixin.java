package ai.wood.cli;

import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.evaluate.DataOptions;
import ai.wood.loss.Loss;
import ai.wood.onnx.OnnxFormat;
import ai.wood.torch.Architecture;
import ai.wood.torch.Devices;
import ai.wood.torch.InferenceOptions;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.Weights;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import ai.wood.torch.net.ScriptNetwork;
import ai.wood.torch.train.RunFolder;
import ai.wood.torch.train.TrainData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The network of a training and its first weights, as options of a command. */
final class NetworkMixin {

    @Option(
            names = "--network",
            paramLabel = "NETWORK",
            defaultValue = "densenet-bc-100-12",
            completionCandidates = NetworkNames.class,
            description = "One of ${COMPLETION-CANDIDATES}, or a TorchScript file (*.pt). Default: ${DEFAULT-VALUE}.")
    private String network;

    @Option(
            names = "--from",
            paramLabel = "RUN",
            description = "Start from the weights of a trained network: a run folder or a safetensors file.")
    private @Nullable Path from;

    @Option(
            names = "--dropout",
            paramLabel = "P",
            defaultValue = "0",
            description = "Dropout probability. Default: ${DEFAULT-VALUE}.")
    private double dropout;

    @Option(names = "--legacy-pool", description = "End a DenseNet in the 7 x 7 window of the paper's code.")
    private boolean legacyPool;

    /** Whether a name of the catalogue is that of a DenseNet. */
    static boolean isDenseNet(String network) {
        return network.startsWith("densenet");
    }

    /** Returns the file of the first weights; null for random weights. */
    @Nullable
    Path start() {
        return from != null && Files.isDirectory(from) ? new RunFolder(from).network() : from;
    }

    private boolean isScript() {
        return network.endsWith(".pt");
    }

    /** Refuses options without effect, and a first network or a loss that does not fit. */
    void check(OptionRules rules, Loss loss, String lossName) throws IOException {
        requireSameNetwork();
        if (isScript() && !loss.branches().isEmpty()) {
            throw new IllegalArgumentException("--loss " + lossName + " adds outputs to a network of the catalogue but "
                    + network + " is a script. Choose another loss.");
        }
        rules.onlyFor("networks of the catalogue", !isScript(), "a script has its own", "--dropout")
                .onlyFor("DenseNets", isDenseNet(network), "the network is " + network, "--legacy-pool");
    }

    private void requireSameNetwork() throws IOException {
        if (from != null && Files.exists(from.resolve(OnnxFormat.FILE))) {
            throw new IOException(from + ": training starts from weights but the network of this run is an ONNX file,"
                    + " which cannot be trained. Maybe adopt the weights themselves, as safetensors with --network.");
        }
        NetworkDescription first = startDescription();
        if (first == null) {
            return;
        }
        if (!first.network().equals(network)) {
            throw new IllegalArgumentException("--from must be a network of the same kind, but " + from + " is a "
                    + first.network() + " and --network is " + network + ". Maybe give --network " + first.network()
                    + ".");
        }
        boolean pooled = first.options().legacyPool();
        if (pooled != legacyPool) {
            throw new IllegalArgumentException("--from must be a network of the same kind, but " + from
                    + (pooled ? " ends in the paper's code's 7 x 7 window" : " does not end in a 7 x 7 window")
                    + ". Maybe "
                    + (pooled ? "give" : "leave out") + " --legacy-pool.");
        }
    }

    private @Nullable NetworkDescription startDescription() throws IOException {
        Path start = start();
        Path run = start == null ? null : start.resolveSibling("");
        return run == null || isScript() || !Files.exists(run.resolve(NetworkDescription.FILE))
                ? null
                : NetworkDescription.read(run);
    }

    /** Refuses to replace the first network by the trained one, because an interruption would leave neither. */
    void requireElsewhere(Path run) throws IOException {
        Path start = start();
        Path replaced = new RunFolder(run).network();
        if (start != null && Files.exists(start) && Files.exists(replaced) && Files.isSameFile(start, replaced)) {
            throw new IllegalArgumentException("--out must be another folder than --from, but both are " + run);
        }
    }

    /** Returns the samples of a training that starts from the first network. */
    DataOptions after(DataOptions wanted, Catalogue catalogue) throws IOException {
        Path start = start();
        if (start == null) {
            return wanted;
        }
        Path run = start.resolveSibling("");
        DataOptions unknown = DataOptions.of(wanted.ind(), List.of()).withAdopted(true);
        return Files.exists(new RunFolder(run).data()) ? wanted.after(run, catalogue) : wanted.after(unknown);
    }

    /**
     * Normalises the samples as the first network requires.
     *
     * @param overlaps whether the first network may have learnt samples that are held out now
     * @param warnings where warnings go
     */
    TrainData normalised(TrainData data, boolean overlaps, Consumer<String> warnings) throws IOException {
        Path start = start();
        boolean isThere = start != null && Files.exists(start);
        if (overlaps && isThere) {
            warnings.accept(from + " may have been trained on InD samples that are held out now. Maybe give both the"
                    + " same --seed and the same files, where it was trained here.");
        }
        NetworkDescription first = startDescription();
        if (first == null && isThere && !isScript()) {
            warnings.accept(from + " does not tell how its network saw images: they are normalised with mean "
                    + data.normalise().mean() + " and deviation "
                    + data.normalise().deviation()
                    + " now. Maybe adopt it first, with wood adopt --normalise.");
        }
        return first == null ? data : data.withNormalise(first.normalise());
    }

    Architecture architecture(TrainData data, Loss loss) throws IOException {
        return isScript() ? script(data) : Networks.byId(network).with(options(data.ind(), loss));
    }

    /** Loads a script and checks its number of classes. */
    private ScriptNetwork script(TrainData data) throws IOException {
        ScriptNetwork script = ScriptNetwork.load(Path.of(network));
        InferenceOptions once = InferenceOptions.of(data.normalise(), Devices.cpu());
        Dataset learnt = data.ind();
        try (TorchNetwork trial = new TorchNetwork(script, Weights.initial(script.layout(), 0, once.device()), once)) {
            int found = trial.classify(List.of(learnt.get(0).image())).classes();
            int classes = learnt.classes().size();
            if (found != classes) {
                throw new IOException(network + ": the script must tell " + classes + " classes, as " + learnt.name()
                        + " has, but tells " + found);
            }
        }
        return script;
    }

    private NetworkOptions options(Dataset learnt, Loss loss) {
        return NetworkOptions.of(learnt.shape().channels(), learnt.classes().size())
                .withDropout(dropout)
                .withLegacyPool(legacyPool)
                .withBranches(loss.branches());
    }

    /** Writes the description of the network into a run folder. A script needs none. */
    void describe(Path run, TrainData data, Loss loss) throws IOException {
        if (!isScript()) {
            Dataset learnt = data.ind();
            NetworkDescription.of(network, options(learnt, loss), learnt, data.normalise())
                    .write(run);
        }
    }
}
