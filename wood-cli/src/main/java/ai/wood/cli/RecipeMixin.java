package ai.wood.cli;

import ai.wood.torch.train.Optimisers;
import ai.wood.torch.train.Schedule;
import ai.wood.torch.train.TrainOptions;
import ai.wood.torch.train.TrainOptions.Mining;
import ai.wood.torch.train.UpdateOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How long and in which steps a training learns, as options of a command. */
final class RecipeMixin {

    @Option(
            names = "--preset",
            paramLabel = "PRESET",
            defaultValue = "paper",
            description = "Sets the defaults of the options below: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}."
                    + " The best networks come from --loss plain --preset fast, followed by --preset robust --from that"
                    + " run.")
    private Preset preset;

    @Option(
            names = "--epochs",
            paramLabel = "N",
            description = "Passes over the InD dataset. Default: 60; fast: 80; robust: 5.")
    private @Nullable Integer epochs;

    @Option(names = "--ind-batch", paramLabel = "N", description = "InD images a step. Default: 50; fast, robust: 250.")
    private @Nullable Integer indBatch;

    @Option(
            names = "--ood-batch",
            paramLabel = "N",
            description = "OOD images a step. Default: 10; fast: 50; robust: 125.")
    private @Nullable Integer oodBatch;

    @Option(
            names = {"--optimiser", "--optimizer"},
            paramLabel = "OPTIMISER",
            description = "${COMPLETION-CANDIDATES}. Default: adam; fast, robust: sgd.")
    private @Nullable Optimisers optimiser;

    @Option(
            names = {"--rate", "--lr"},
            paramLabel = "R",
            description = "Learning rate. Default: 0.001; fast: 0.2; robust: 0.02.")
    private @Nullable Double rate;

    @Option(
            names = "--schedule",
            paramLabel = "SCHEDULE",
            description = "Of the rate: ${COMPLETION-CANDIDATES}. Default: constant; fast: one-cycle; robust: cosine.")
    private @Nullable Schedule schedule;

    @Option(names = "--weight-decay", paramLabel = "W", description = "Weight decay. Default: 0; fast, robust: 0.0005.")
    private @Nullable Double weightDecay;

    @Option(names = "--clip", paramLabel = "C", description = "Largest norm of the gradient. Default: no limit.")
    private @Nullable Double clip;

    @Option(
            names = "--averaging",
            paramLabel = "D",
            description = "Average the weights over about the last 1 / (1 - D) steps, at most over a tenth of all steps"
                    + " so far. Default: 0.")
    private @Nullable Double averaging;

    @Option(
            names = "--augment",
            negatable = true,
            description =
                    "Shift training images, flip colour images, cut out a part. Default: only with fast and robust.")
    private @Nullable Boolean augment;

    @Option(
            names = "--mine",
            paramLabel = "Q",
            description = "Score the OOD images before each epoch. Train on the quarter that starts at this quantile: 0"
                    + " for those that look most like InD, 0.125 as in ATOM. Default: train on all of them.")
    private @Nullable Double mine;

    @Option(
            names = "--pool",
            paramLabel = "N",
            description = "Score only N random OOD images for --mine. Default: all.")
    private @Nullable Integer pool;

    Preset preset() {
        return preset;
    }

    boolean augments() {
        return or(augment, preset.augmented());
    }

    /** Refuses options that have no effect on a loss. */
    void check(OptionRules rules, boolean usesOod, String lossName) {
        rules.onlyFor("losses that use OOD images", usesOod, "the loss is " + lossName, "--ood-batch --mine")
                .onlyFor("--mine", mine != null, "there is no --mine", "--pool");
    }

    /** Returns this recipe for a loss that uses OOD images or not. */
    TrainOptions options(boolean usesOod) {
        TrainOptions start = preset.options();
        UpdateOptions update = start.update();
        return start.withEpochs(or(epochs, start.epochs()))
                .withBatch(or(indBatch, start.indBatch()), usesOod ? or(oodBatch, start.oodBatch()) : 0)
                .withUpdate(new UpdateOptions(
                        or(optimiser, update.optimiser()),
                        or(rate, update.rate()),
                        or(schedule, update.schedule()),
                        or(weightDecay, update.weightDecay()),
                        or(clip, update.clip()),
                        or(averaging, update.averaging())))
                .withMining(mine == null ? null : new Mining(mine, or(pool, 0)));
    }

    /** Returns the values of the options that the preset sets, by option name. */
    Map<String, Object> values(TrainOptions options) {
        UpdateOptions update = options.update();
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("epochs", options.epochs());
        values.put("ind-batch", options.indBatch());
        values.put("ood-batch", options.oodBatch());
        values.put("optimiser", update.optimiser());
        values.put("rate", update.rate());
        values.put("schedule", update.schedule());
        values.put("weight-decay", update.weightDecay());
        values.put("clip", update.clip());
        values.put("averaging", update.averaging());
        values.put("augment", augments());
        return values;
    }

    private static <T> T or(@Nullable T given, T otherwise) {
        return given == null ? otherwise : given;
    }
}
