package ai.wood.cli;

import ai.wood.Dataset;
import ai.wood.Split;
import ai.wood.bundle.safetensors.Safetensors;
import ai.wood.data.AtomicFile;
import ai.wood.data.transform.Normalise;
import ai.wood.experiment.DataOptions;
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
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Weights trained elsewhere in, a run folder out. */
@Command(
        name = "adopt",
        description = "Makes a run folder of weights that were trained elsewhere, to evaluate and calibrate them.",
        footer = {
            "",
            "Tensors are named as in PyTorch. Which samples the weights were trained on is not known: a tenth of the",
            "training split serves as validation data all the same, and evaluations say so.",
            "",
            "Example:",
            "  wood adopt cifar10-vs-svhn-binary.safetensors --network densenet-bc-100-12 --legacy-pool \\",
            "    --ind cifar10 --ood svhn --out run"
        })
final class AdoptCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "WEIGHTS", description = "A safetensors file.")
    private Path weights;

    @Option(
            names = "--network",
            paramLabel = "NAME",
            required = true,
            completionCandidates = TrainingMixin.NetworkIds.class,
            description = "One of ${COMPLETION-CANDIDATES}.")
    private String network;

    @Option(names = "--ind", paramLabel = "NAME", required = true, description = "The dataset it has learnt.")
    private String ind;

    @Option(
            names = "--ood",
            paramLabel = "NAME",
            split = ",",
            description = "OOD sets that its training saw. Default: none.")
    private List<String> ood = List.of();

    @Option(names = "--legacy-pool", description = "A DenseNet that ends in the paper's code's 7 x 7 window.")
    private boolean legacyPool;

    @Option(
            names = "--normalise",
            paramLabel = "HOW",
            description = "unit (value / 255), half (to -1..1), or MEAN/DEVIATION, one or one a channel, as in"
                    + " 0.49,0.48,0.45/0.25,0.24,0.26. Default: unit for grey images, half for colour.")
    private @Nullable String normalise;

    @Option(names = "--out", paramLabel = "RUN", required = true, description = "The folder of the run.")
    private Path out;

    @Mixin
    private DataFolder data;

    @Override
    public Integer call() throws IOException {
        Dataset learnt = data.catalogue().open(ind, Split.TEST);
        NetworkOptions options = NetworkOptions.of(
                        learnt.shape().channels(), learnt.classes().size())
                .withLegacyPool(legacyPool);
        NetworkDescription description = NetworkDescription.of(
                network, options, learnt, normalise(learnt.shape().channels()));
        check(options);
        RunFolder run = new RunFolder(out);
        if (Files.exists(run.network())) {
            throw new IOException(out + ": there is a run already. Maybe choose another folder.");
        }
        Files.createDirectories(out);
        DataOptions.of(ind, ood).withAdopted(true).write(out);
        description.write(out);
        copy(run.network());
        spec.commandLine().getOut().printf("Run: %s%n", out);
        return 0;
    }

    /** Refuses weights that are not those of the network. */
    private void check(NetworkOptions options) throws IOException {
        try (Safetensors file = Safetensors.open(weights)) {
            Weights.read(Networks.byId(network).with(options).layout(), file, Devices.cpu())
                    .close();
        }
    }

    private void copy(Path to) throws IOException {
        try (FileChannel from = FileChannel.open(weights, StandardOpenOption.READ)) {
            AtomicFile.replace(to, channel -> {
                for (long done = 0; done < from.size(); ) {
                    done += from.transferTo(done, from.size() - done, channel);
                }
            });
        }
    }

    private Normalise normalise(int channels) {
        String how = normalise == null ? (channels == 1 ? "unit" : "half") : normalise;
        String[] parts = how.split("/", -1);
        try {
            return switch (how) {
                case "unit" -> Normalise.UNIT;
                case "half" -> Normalise.HALF;
                default -> new Normalise(numbers(parts[0]), numbers(parts[1]));
            };
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException(
                    "--normalise is unit, half or MEAN/DEVIATION, as in 0.5/0.25, but is '" + how + "'", e);
        }
    }

    private static List<Double> numbers(String list) {
        return Arrays.stream(list.split(",", -1)).map(Double::valueOf).toList();
    }
}
