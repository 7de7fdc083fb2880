package ai.wood.cli;

import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.Split;
import ai.wood.data.transform.Normalise;
import ai.wood.evaluate.DataOptions;
import ai.wood.io.AtomicFile;
import ai.wood.io.Safetensors;
import ai.wood.torch.Devices;
import ai.wood.torch.Weights;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import ai.wood.torch.train.RunFolder;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Weights or an ONNX file from elsewhere in, a run folder out. */
@Command(
        name = "adopt",
        description = "Makes a run folder of a network that was trained elsewhere, to evaluate and calibrate it.",
        footer = {
            "",
            "Weights are named as in PyTorch; an ONNX file is any classifier of images, and docs/onnx.md tells more. Which",
            "samples the network was trained on is not known: a tenth of the training split serves as validation data all the",
            "same, and evaluations say so.",
            "",
            "Examples:",
            "  wood adopt cifar10-vs-svhn-binary.safetensors --network densenet-bc-100-12 --legacy-pool \\",
            "    --ind cifar10 --ood svhn --out run",
            "  wood adopt classifier.onnx --ind folder:photos --normalise 0.485,0.456,0.406/0.229,0.224,0.225 --out run"
        })
final class AdoptCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "Weights in a safetensors file, or a classifier in an ONNX file.")
    private Path file;

    @Option(
            names = "--network",
            paramLabel = "NETWORK",
            completionCandidates = NetworkNames.class,
            description = "For weights: one of ${COMPLETION-CANDIDATES}.")
    private @Nullable String network;

    @Option(
            names = "--ind",
            paramLabel = "NAME",
            completionCandidates = DatasetNames.class,
            required = true,
            description = "The dataset it has learnt.")
    private String ind;

    @Option(
            names = "--ood",
            paramLabel = "NAME",
            completionCandidates = DatasetNames.class,
            parameterConsumer = DatasetListConsumer.class,
            description = "OOD sets that its training saw. Default: none.")
    private List<String> ood = List.of();

    @Option(names = "--legacy-pool", description = "A DenseNet that ends in the paper's code's 7 x 7 window.")
    private boolean legacyPool;

    @Option(
            names = "--normalise",
            paramLabel = "HOW",
            converter = NormaliseConverter.class,
            description = NormaliseConverter.SYNTAX
                    + " Default: unit for grey images, half for colour; for ONNX what the file says, else unit.")
    private @Nullable Normalise normalise;

    @Option(names = "--out", paramLabel = "RUN", required = true, description = "The folder of the run.")
    private Path out;

    @Mixin
    private OnnxMixin onnx;

    @Mixin
    private DataFolder data;

    @Override
    public Integer call() throws IOException {
        if (new RunFolder(out).exists()) {
            throw new IOException(out + ": there is a run already. Maybe choose another folder.");
        }
        Catalogue.refuse(out, List.of(ind));
        Catalogue.refuse(out, ood);
        boolean isOnnx = file.toString().endsWith(".onnx");
        check(isOnnx);
        ood.forEach(this::checkSeen);
        if (isOnnx) {
            onnx.adopt(file, DataOptions.of(ind, ood), normalise, data.catalogue(), out);
        } else if (network != null) {
            adoptWeights(network);
        } else {
            throw new ParameterException(spec.commandLine(), "weights need --network NAME, to know what they are of");
        }
        spec.commandLine().getOut().printf("Run: %s%n", out);
        return 0;
    }

    private void check(boolean isOnnx) {
        boolean dense = network == null || NetworkMixin.isDenseNet(network);
        new OptionRules(spec)
                .onlyFor("ONNX files", isOnnx, "these are weights", OnnxMixin.ALONE)
                .onlyFor("weights", !isOnnx, "this is an ONNX file", "--network --legacy-pool")
                .onlyFor("DenseNets", dense, "the network is " + network, "--legacy-pool");
    }

    /** Refuses a name that is none. A set that is not here may have been seen all the same. */
    private void checkSeen(String name) {
        try {
            data.catalogue().open(name, Split.TEST);
        } catch (IOException e) {
            Main.warn(spec, "the OOD set " + name + " cannot be opened: " + e.getMessage());
        }
    }

    private void adoptWeights(String name) throws IOException {
        DataOptions samples = DataOptions.of(ind, ood)
                .withAdopted(true)
                .withShape(onnx.shape())
                .withUsualShape(data.catalogue());
        Dataset learnt = data.catalogue().open(ind, Split.TEST, samples.fitted());
        int channels = learnt.shape().channels();
        NetworkOptions options =
                NetworkOptions.of(channels, learnt.classes().size()).withLegacyPool(legacyPool);
        Normalise usual = Normalise.authors(channels);
        NetworkDescription description =
                NetworkDescription.of(name, options, learnt, normalise == null ? usual : normalise);
        check(name, options);
        Files.createDirectories(out);
        samples.write(out);
        description.write(out);
        copy(new RunFolder(out).network());
    }

    /** Refuses weights that are not those of the network. */
    private void check(String name, NetworkOptions options) throws IOException {
        try (Safetensors weights = Safetensors.open(file)) {
            Weights.read(Networks.byId(name).with(options).layout(), weights, Devices.cpu())
                    .close();
        }
    }

    private void copy(Path to) throws IOException {
        try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ)) {
            AtomicFile.replace(to, channel -> {
                for (long done = 0; done < from.size(); ) {
                    done += from.transferTo(done, from.size() - done, channel);
                }
            });
        }
    }
}
