package ai.wood.cli;

import ai.wood.evaluate.DataOptions;
import ai.wood.loss.Loss;
import ai.wood.torch.train.TrainData;
import ai.wood.torch.train.TrainOptions;
import ai.wood.torch.train.Trainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A training: data, network, loss, recipe and engine, as options of a command. */
final class TrainingMixin {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Mixin
    private DatasetMixin datasets;

    @Mixin
    private NetworkMixin network;

    @Mixin
    private LossMixin loss;

    @Mixin
    private RecipeMixin recipe;

    @Mixin
    private EngineMixin engine;

    private @Nullable DataOptions dataOptions; // looked up once

    /**
     * Makes the training on given data.
     *
     * @param beta weight of the OOD term; null for that of the preset or the loss
     */
    Trainer trainer(TrainData data, @Nullable Double beta) throws IOException {
        Loss made = loss(beta);
        return new Trainer(network.architecture(data, made), made, made.scorer(), data, options(made), network.start());
    }

    private Loss loss(@Nullable Double beta) throws IOException {
        return loss.create(loss.beta(beta, recipe.preset()));
    }

    private TrainOptions options(Loss made) {
        return engine.add(recipe.options(made.usesOod()));
    }

    /** Writes into a run folder what is needed to run and evaluate the network, and to resume the training. */
    void describe(Path run, TrainData data, SavedOptions saved) throws IOException {
        dataOptions().write(run);
        network.describe(run, data, loss(null));
        saved.write(run);
    }

    /** Returns the options of this training, those of the preset included. */
    SavedOptions saved(@Nullable Double beta) throws IOException {
        Loss made = loss(beta);
        SavedOptions saved = new SavedOptions();
        CommandSpec own = Objects.requireNonNull(command.mixins().get("training"));
        own.options().forEach(option -> saved.put(SavedOptions.key(option), option.getValue()));
        recipe.values(options(made)).forEach(saved::put);
        saved.put("beta", loss.beta(beta, recipe.preset()));
        return saved.without(rules(made).unused());
    }

    /** Refuses options that have no effect with the loss, the network or each other. */
    void check() throws IOException {
        if (datasets.ind().isEmpty()) {
            throw new ParameterException(command.commandLine(), "Missing required option: '--ind=NAME'");
        }
        OptionRules losses = new OptionRules(command);
        loss.check(losses); // before the loss is made
        rules(loss(null)).positive("--limit", "--pool", "--ood-batch", "--epochs", "--threads", "--checkpoint-every");
    }

    private OptionRules rules(Loss made) throws IOException {
        OptionRules rules = new OptionRules(command);
        loss.check(rules);
        recipe.check(rules, made.usesOod(), loss.name());
        network.check(rules, made, loss.name());
        return rules;
    }

    /** The same for a training whose weight of the OOD term is chosen from several. */
    void checkTuned() throws IOException {
        if (!loss.isWeighted()) {
            throw new IllegalArgumentException("several weights of the OOD term are compared but --loss " + loss.name()
                    + " has no such weight. Maybe wood train.");
        }
        check();
    }

    /** Refuses a run folder in which the run would replace the first network, or lie among the images that are read. */
    void requireElsewhere(Path run) throws IOException {
        datasets.requireOutside(run);
        network.requireElsewhere(run);
    }

    /** Opens the training splits. A tenth of each is held out for validation. */
    TrainData trainData() throws IOException {
        if (loss(null).usesOod() && !datasets.hasOod()) {
            throw new IllegalArgumentException("--loss " + loss.name()
                    + " needs OOD images to learn from but there is no --ood. Maybe give --ood NAME, or --loss plain.");
        }
        DataOptions samples = dataOptions();
        if (!datasets.isShaped() && !samples.shape().isEmpty()) {
            warn("pictures are fitted to " + samples.shape() + ". Maybe choose another --shape.");
        }
        TrainData opened = samples.open(datasets.catalogue(), recipe.augments());
        for (String sentence : datasets.catalogue().passedOver(datasets.ind())) {
            warn(sentence + ".");
        }
        for (String repeated : DataOptions.repeated(opened)) {
            warn("the OOD set " + repeated + " has the samples of the InD set " + datasets.ind()
                    + ", so that training has two opposite goals for them. Maybe choose another one.");
        }
        return network.normalised(opened, samples.overlaps(), this::warn);
    }

    private void warn(String message) {
        Main.warn(command, message);
    }

    private DataOptions dataOptions() throws IOException {
        if (dataOptions == null) {
            dataOptions = network.after(datasets.options(engine.seed()), datasets.catalogue())
                    .withUsualShape(datasets.catalogue());
        }
        return dataOptions;
    }
}
