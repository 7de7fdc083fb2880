package ai.wood.cli;

import ai.wood.Shape;
import ai.wood.data.transform.Normalise;
import ai.wood.loss.CrossEntropy;
import ai.wood.loss.Loss;
import ai.wood.loss.WoodLoss;
import ai.wood.torch.Devices;
import ai.wood.torch.InferenceOptions;
import ai.wood.torch.Precision;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import ai.wood.torch.train.Throughput;
import ai.wood.torch.train.TrainOptions;
import ai.wood.torch.train.Trainer;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.util.concurrent.Callable;
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
        subcommands = {BenchCommand.Train.class, BenchCommand.Infer.class},
        footer = {"", "Examples:", "  wood bench train", "  wood bench infer --network resnet-18"})
final class BenchCommand implements Runnable {

    private static final Shape CIFAR = new Shape(3, 32, 32);
    private static final int CLASSES = 10;

    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** What both measure. */
    static final class Subject {
        @Option(
                names = "--network",
                paramLabel = "NAME",
                defaultValue = "densenet-bc-100-12",
                completionCandidates = TrainingMixin.NetworkIds.class,
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

        private int rounds() {
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
            TrainOptions options = TrainOptions.paper()
                    .withBatch(indBatch, oodBatch)
                    .withPrecision(subject.precision)
                    .withDevice(subject.device.resolved());
            Loss loss = plain ? new CrossEntropy() : WoodLoss.of(GroundCost.dynamic(), 0.1);
            double rate = Throughput.train(
                    Networks.byId(subject.network).with(NetworkOptions.of(3, CLASSES)),
                    CIFAR,
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
            footer = {"", "Example:", "  wood bench infer --network resnet-18 --batch 200"})
    static final class Infer implements Callable<Integer> {

        @Spec
        private CommandSpec spec;

        @Mixin
        private Subject subject;

        @Option(names = "--batch", paramLabel = "N", defaultValue = "100", description = "Default: 100.")
        private int batch;

        @Override
        public Integer call() {
            InferenceOptions options = InferenceOptions.of(Normalise.HALF, Devices.of(subject.device.name()))
                    .withPrecision(subject.precision);
            double rate = Throughput.infer(
                    Networks.byId(subject.network).with(NetworkOptions.of(3, CLASSES)),
                    CIFAR,
                    options,
                    batch,
                    subject.rounds());
            spec.commandLine().getOut().printf("%.1f images/s%n", rate);
            return 0;
        }
    }
}
