package ai.wood.cli;

import ai.wood.torch.Precision;
import ai.wood.torch.train.TrainOptions;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where and how exactly a training computes, as options of a command. */
final class EngineMixin {

    @Option(
            names = "--precision",
            paramLabel = "P",
            defaultValue = "fp32",
            description = "fp32 or bf16. Default: ${DEFAULT-VALUE}.")
    private Precision precision;

    @Mixin
    private DeviceName device;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Native threads of a step. Validation and loading use all processors. Default: all.")
    private @Nullable Integer threads;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "0",
            description = "Seed of all random choices. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--checkpoint-every",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Steps between checkpoints. There is also one every ten minutes. Default: ${DEFAULT-VALUE}.")
    private int checkpointEvery;

    long seed() {
        return seed;
    }

    /** Adds these options to a recipe. */
    TrainOptions add(TrainOptions recipe) {
        return recipe.withDevice(device.resolved())
                .withPrecision(precision)
                .withThreads(threads == null ? recipe.threads() : threads)
                .withSeed(seed)
                .withCheckpointEvery(checkpointEvery);
    }
}
