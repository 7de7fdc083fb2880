package ai.wood.lab;

import ai.wood.Classifier;
import ai.wood.cli.CheckedExport;
import ai.wood.cli.DeviceName;
import ai.wood.cli.EngineChoice;
import ai.wood.cli.NetworkNames;
import ai.wood.cli.OptionRules;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.data.transform.Normalise;
import ai.wood.loss.CrossEntropy;
import ai.wood.loss.Loss;
import ai.wood.loss.WoodLoss;
import ai.wood.onnx.OnnxFile;
import ai.wood.onnx.OnnxNetwork;
import ai.wood.onnx.export.OnnxExport;
import ai.wood.torch.Architecture;
import ai.wood.torch.Devices;
import ai.wood.torch.InferenceOptions;
import ai.wood.torch.Precision;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.Weights;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import ai.wood.torch.train.Throughput;
import ai.wood.torch.train.TrainOptions;
import ai.wood.torch.train.Trainer;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How fast a network runs on this machine. */
@Command(
        name = "bench",
        description = "Measures images a second on random images.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {BenchCommand.Train.class, BenchCommand.Infer.class, BenchServeCommand.class},
        footer = {"", "Examples:", "  wood bench train", "  wood bench infer --network resnet-18", "  wood bench serve"
        })
final class BenchCommand implements Runnable {

    static final Shape SHAPE = new Shape(3, 32, 32);
    static final int CLASSES = 10;

    @Spec
    private CommandSpec spec;

    /** Names for the classes of random networks. */
    static List<String> classes() {
        return IntStream.range(0, CLASSES).mapToObj(String::valueOf).toList();
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** What is measured. */
    static final class Subject {
        @Option(
                names = "--network",
                paramLabel = "NAME",
                defaultValue = "densenet-bc-100-12",
                completionCandidates = NetworkNames.class,
                description = "One of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
        private String network;

        @Option(names = "--precision", paramLabel = "P", defaultValue = "fp32", description = "fp32 or bf16.")
        private Precision precision;

        @Mixin
        private DeviceName device;

        @Option(
                names = "--rounds",
                paramLabel = "N",
                description = "Batches in each of 5 rounds. Default: 3 on a CPU, 50 on a GPU.")
        private @Nullable Integer rounds;

        /** Refuses options of the engine that is not measured, and measuring nothing. */
        void check(CommandSpec command, EngineChoice engine) {
            new OptionRules(command)
                    .onlyFor("libtorch", engine != EngineChoice.ONNX, "the engine is onnx", "--device --precision")
                    .positive("--rounds");
        }

        /** The network with random weights, on libtorch. */
        Classifier<Image> torch() {
            InferenceOptions options = InferenceOptions.of(Normalise.HALF, Devices.of(device.name()))
                    .withPrecision(precision);
            return new TorchNetwork(
                    architecture(), Weights.initial(architecture().layout(), 0, options.device()), options);
        }

        /** The same on ONNX Runtime. */
        Classifier<Image> onnx() throws IOException {
            NetworkDescription description = new NetworkDescription(
                    network,
                    NetworkOptions.of(SHAPE.channels(), CLASSES),
                    classes(),
                    SHAPE,
                    Normalise.HALF.mean(),
                    Normalise.HALF.deviation());
            try (Weights weights = Weights.initial(architecture().layout(), 0, Devices.cpu())) {
                OnnxFile file = OnnxExport.of(CheckedExport.describe(description), weights::floats, null);
                return OnnxNetwork.of(file, file.options(null));
            }
        }

        private Architecture architecture() {
            return Networks.byId(network).with(NetworkOptions.of(SHAPE.channels(), CLASSES));
        }

        int rounds() {
            return rounds != null ? rounds : device.resolved().equals("cpu") ? 3 : 2 * Trainer.GPU_STEPS;
        }
    }

    @Command(
            name = "train",
            description = "Images a second in training, loader included, on 3 x 32 x 32 images.",
            footer = {"", "Example:", "  wood bench train --network resnet-18 --ind-batch 250 --ood-batch 125"})
    static final class Train implements Callable<Integer> {

        @Spec
        private CommandSpec spec;

        @Mixin
        private Subject subject;

        @Option(names = "--ind-batch", paramLabel = "N", defaultValue = "50", description = "Default: 50.")
        private int indBatch;

        @Option(names = "--ood-batch", paramLabel = "N", defaultValue = "10", description = "Default: 10.")
        private int oodBatch;

        @Option(names = "--plain", description = "Cross-entropy instead of the WOOD loss.")
        private boolean plain;

        @Override
        public Integer call() throws IOException {
            subject.check(spec, EngineChoice.TORCH);
            TrainOptions options = TrainOptions.paper()
                    .withBatch(indBatch, oodBatch)
                    .withPrecision(subject.precision)
                    .withDevice(subject.device.resolved());
            Loss loss = plain ? new CrossEntropy() : WoodLoss.of(GroundCost.dynamic(), 0.1);
            double rate = Throughput.train(
                    Networks.byId(subject.network).with(NetworkOptions.of(3, CLASSES)),
                    SHAPE,
                    loss,
                    options,
                    subject.rounds());
            spec.commandLine().getOut().printf("%.1f images/s%n", rate);
            return 0;
        }
    }

    @Command(
            name = "infer",
            description = "Images a second from 8-bit 3 x 32 x 32 images to logits.",
            footer = {
                "",
                "With --engine auto libtorch and ONNX Runtime take turns, and the faster one is named.",
                "",
                "Examples:",
                "  wood bench infer --network resnet-18 --batch 200",
                "  wood bench infer --engine auto --batch 1,20,100"
            })
    static final class Infer implements Callable<Integer> {

        @Spec
        private CommandSpec spec;

        @Mixin
        private Subject subject;

        @Option(
                names = "--engine",
                paramLabel = "E",
                defaultValue = "torch",
                description = "torch, onnx (on the CPU), or auto. Default: ${DEFAULT-VALUE}.")
        private EngineChoice engine;

        @Option(
                names = "--batch",
                paramLabel = "N",
                split = ",",
                defaultValue = "100",
                description = "Images in a call; several are measured one after another. Default: ${DEFAULT-VALUE}.")
        private List<Integer> batches;

        @Override
        public Integer call() throws IOException {
            Map<String, Classifier<Image>> networks = new LinkedHashMap<>();
            subject.check(spec, engine);
            new OptionRules(spec).positive("--batch");
            try {
                if (engine != EngineChoice.ONNX) {
                    networks.put("torch", subject.torch());
                }
                if (engine != EngineChoice.TORCH) {
                    networks.put("onnx", subject.onnx());
                }
                batches.forEach(batch -> print(batch, networks));
            } finally {
                networks.values().forEach(Classifier::close);
            }
            return 0;
        }

        private void print(int batch, Map<String, Classifier<Image>> networks) {
            List<Double> rates = Throughput.infer(List.copyOf(networks.values()), SHAPE, batch, subject.rounds());
            List<String> names = List.copyOf(networks.keySet());
            PrintWriter out = spec.commandLine().getOut();
            out.print(batches.size() == 1 ? "" : String.format("batch %3d  ", batch));
            if (names.size() == 1) {
                out.printf("%.1f images/s%n", rates.get(0));
            } else {
                double ratio = rates.get(1) / rates.get(0);
                out.printf(
                        "torch %.1f images/s, onnx %.1f images/s, onnx / torch %.2f: auto takes %s%n",
                        rates.get(0), rates.get(1), ratio, names.get(ratio > 1 ? 1 : 0));
            }
            out.flush();
        }
    }
}
