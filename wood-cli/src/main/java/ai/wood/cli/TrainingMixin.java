package ai.wood.cli;

import ai.wood.FitData;
import ai.wood.Names;
import ai.wood.Scorer;
import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.Shape;
import ai.wood.evaluate.DataOptions;
import ai.wood.loss.AuthorsLoss;
import ai.wood.loss.ConfidenceLoss;
import ai.wood.loss.CrossEntropy;
import ai.wood.loss.EnergyMargin;
import ai.wood.loss.Loss;
import ai.wood.loss.OutlierExposure;
import ai.wood.loss.RejectionLoss;
import ai.wood.loss.WoodLoss;
import ai.wood.onnx.OnnxFormat;
import ai.wood.score.AuthorsScorer;
import ai.wood.score.ScorerKinds;
import ai.wood.score.WoodScorer;
import ai.wood.torch.Architecture;
import ai.wood.torch.Devices;
import ai.wood.torch.InferenceOptions;
import ai.wood.torch.Precision;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.Weights;
import ai.wood.torch.net.NetworkDescription;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.Networks;
import ai.wood.torch.net.ScriptNetwork;
import ai.wood.torch.train.Mining;
import ai.wood.torch.train.Optimisers;
import ai.wood.torch.train.RunFolder;
import ai.wood.torch.train.Schedule;
import ai.wood.torch.train.TrainData;
import ai.wood.torch.train.TrainOptions;
import ai.wood.torch.train.Trainer;
import ai.wood.torch.train.UpdateOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What a training is made of: data, network, loss and recipe, as options of a command. */
final class TrainingMixin {

    /** Losses. */
    enum LossName {
        WOOD,
        AUTHORS,
        OE,
        ENERGY,
        CONFIDENCE,
        REJECT,
        PLAIN;

        /** Whether it has a term of OOD images, with a weight. */
        boolean weighsOod() {
            return this != PLAIN && this != CONFIDENCE;
        }

        /** Whether it measures by a ground cost. */
        boolean hasCost() {
            return this == WOOD || this == AUTHORS;
        }

        @Override
        public String toString() {
            return Names.of(this);
        }
    }

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = "--ind",
            paramLabel = "NAME",
            completionCandidates = DatasetNames.class,
            required = true,
            description = "The dataset to learn.")
    private String ind;

    @Option(
            names = "--ood",
            paramLabel = "NAME",
            completionCandidates = DatasetNames.class,
            parameterConsumer = DatasetListConsumer.class,
            description = "Datasets to tell apart from it; several are mixed in equal shares, mix:A*3+B by weight."
                    + " None for --loss plain.")
    private List<String> ood = new ArrayList<>();

    @Mixin
    private DataFolder data;

    @Option(names = "--limit", paramLabel = "N", description = "Use only N random samples of each dataset.")
    private @Nullable Integer limit;

    @Option(
            names = "--shape",
            paramLabel = "CxHxW",
            converter = ShapeConverter.class,
            description =
                    "Fit images to channels x height x width. Default: as they are; of a folder all as the first picture,"
                            + " or 3x64x64 where that is larger or not square.")
    private @Nullable Shape shape;

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
            description = "Go on from the weights of a trained network: a run folder or a safetensors file.")
    private @Nullable Path from;

    @Option(names = "--dropout", paramLabel = "P", defaultValue = "0", description = "Default: ${DEFAULT-VALUE}.")
    private double dropout;

    @Option(names = "--legacy-pool", description = "End a DenseNet in the paper's code's 7 x 7 window.")
    private boolean legacyPool;

    @Option(
            names = "--loss",
            paramLabel = "LOSS",
            defaultValue = "wood",
            description =
                    "${COMPLETION-CANDIDATES}; authors is that of the paper's code, not of its text. Default: ${DEFAULT-VALUE}.")
    private LossName loss;

    @Option(
            names = "--cost",
            paramLabel = "COST",
            defaultValue = "dynamic",
            description = "Ground cost: binary, dynamic, or a file with a K x K matrix. Default: ${DEFAULT-VALUE}.")
    private String cost;

    @Option(
            names = "--lambda",
            paramLabel = "L",
            defaultValue = "Infinity",
            description = "Entropic (Sinkhorn) version of the WOOD term with this weight. Default: exact.")
    private double lambda;

    @Option(
            names = "--temperature",
            paramLabel = "T",
            defaultValue = "1",
            description = "Divide the logits of OOD images in the WOOD term: above 1 images that the network is certain"
                    + " of, and improbable classes, count for more, and --beta should be larger. Default:"
                    + " ${DEFAULT-VALUE}.")
    private double temperature;

    @Option(
            names = "--rejects",
            paramLabel = "R",
            description = "Reject classes of --loss reject. Default: 5; with 1 it is ATOM's classifier.")
    private @Nullable Integer rejects;

    @Option(
            names = "--mine",
            paramLabel = "Q",
            description =
                    "Before each epoch score the OOD images, and train on the quarter from this quantile up: 0 for"
                            + " those hardest to tell from InD, 0.125 as in ATOM. Default: all of them.")
    private @Nullable Double mine;

    @Option(
            names = "--pool",
            paramLabel = "N",
            description = "Score N random OOD images only, for --mine. Default: all.")
    private @Nullable Integer pool;

    @Option(names = "--total", description = "Derive a dynamic cost too; the paper holds it fixed.")
    private boolean total;

    @Option(
            names = "--preset",
            paramLabel = "PRESET",
            defaultValue = "paper",
            description = "Where the options below start from: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}, to"
                    + " compare with it; more is learnt by --loss plain --preset fast, and then --preset robust --from"
                    + " that run.")
    private Preset preset;

    @Option(names = "--epochs", paramLabel = "N", description = "Default: 60; fast: 80; robust: 5.")
    private @Nullable Integer epochs;

    @Option(names = "--ind-batch", paramLabel = "N", description = "InD images a step. Default: 50; fast, robust: 250.")
    private @Nullable Integer indBatch;

    @Option(
            names = "--ood-batch",
            paramLabel = "N",
            description = "OOD images a step. Default: 10; fast: 50; robust: 125.")
    private @Nullable Integer oodBatch;

    @Option(
            names = "--optimiser",
            paramLabel = "OPTIMISER",
            description = "${COMPLETION-CANDIDATES}. Default: adam; fast, robust: sgd.")
    private @Nullable Optimisers optimiser;

    @Option(names = "--rate", paramLabel = "R", description = "Learning rate. Default: 0.001; fast: 0.2; robust: 0.02.")
    private @Nullable Double rate;

    @Option(
            names = "--schedule",
            paramLabel = "SCHEDULE",
            description = "Of the rate: ${COMPLETION-CANDIDATES}. Default: constant; fast: one-cycle; robust: cosine.")
    private @Nullable Schedule schedule;

    @Option(names = "--weight-decay", paramLabel = "W", description = "Default: 0; fast, robust: 0.0005.")
    private @Nullable Double weightDecay;

    @Option(names = "--clip", paramLabel = "C", description = "Largest norm of the gradient. Default: any.")
    private @Nullable Double clip;

    @Option(
            names = "--averaging",
            paramLabel = "D",
            description = "Keep an average of the weights over about the last 1 / (1 - D) steps, at most over"
                    + " a tenth of those done. Default: 0.")
    private @Nullable Double averaging;

    @Option(
            names = "--augment",
            negatable = true,
            description = "Shift training images, mirror colour ones, hide a part. Default: fast and robust only.")
    private @Nullable Boolean augment;

    @Option(
            names = "--precision",
            paramLabel = "P",
            defaultValue = "fp32",
            description = "fp32 or bf16. Default: fp32.")
    private Precision precision;

    @Mixin
    private DeviceName device;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Native threads of steps; validation and loading take all processors. Default: all.")
    private @Nullable Integer threads;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "0", description = "Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--checkpoint-every",
            paramLabel = "N",
            description = "Steps between checkpoints, which are also written every ten minutes. Default: 1000.")
    private @Nullable Integer checkpointEvery;

    private @Nullable DataOptions dataOptions; // looked up once

    /**
     * The training these options describe, on given data.
     *
     * @param beta weight of the OOD term; null for that of the preset or the loss
     */
    Trainer trainer(TrainData trainData, @Nullable Double beta) throws IOException {
        return new Trainer(architecture(trainData), loss(beta), scorer(), trainData, options(), start());
    }

    private @Nullable Path start() {
        return from != null && Files.isDirectory(from) ? new RunFolder(from).network() : from;
    }

    /** Leaves in a run folder what is needed to run and judge the network; a script says how to run it itself. */
    void describe(Path run, TrainData trainData) throws IOException {
        dataOptions().write(run);
        if (!isScript()) {
            Dataset learnt = trainData.ind();
            NetworkDescription.of(network, networkOptions(learnt), learnt, trainData.normalise())
                    .write(run);
        }
    }

    /** Refuses options that the loss, the network or each other leave without effect. */
    void check() throws IOException {
        requireSameNetwork();
        if (isScript() && (loss == LossName.CONFIDENCE || loss == LossName.REJECT)) {
            throw new IllegalArgumentException("--loss " + loss + " adds outputs to a network of the catalogue but "
                    + network + " is a script. Maybe choose another loss.");
        }
        String found = "the loss is " + loss;
        new Given(command)
                .onlyFor("--loss wood", loss == LossName.WOOD, found, "--lambda --total --temperature")
                .onlyFor("--loss wood and authors", loss.hasCost(), found, "--cost")
                .onlyFor("--cost dynamic", cost.equals("dynamic"), "the cost is " + cost, "--total")
                .onlyFor("losses that weigh OOD images", loss.weighsOod(), found, "--beta --ood-batch --mine")
                .positive("--limit", "--pool", "--ood-batch", "--epochs", "--threads", "--checkpoint-every")
                .onlyFor("--loss reject", loss == LossName.REJECT, found, "--rejects")
                .onlyFor("--mine", mine != null, "there is none", "--pool")
                .onlyFor("networks of the catalogue", !isScript(), "a script has its own", "--dropout")
                .onlyFor("DenseNets", isDenseNet(network), "the network is " + network, "--legacy-pool");
    }

    /** Refuses to go on from a run of another network, of which its folder tells. */
    private void requireSameNetwork() throws IOException {
        if (from != null && Files.exists(from.resolve(OnnxFormat.FILE))) {
            throw new IOException(from + ": training goes on from weights but this run's network is an ONNX file, which"
                    + " cannot be trained on. Maybe adopt the weights themselves, as safetensors with --network.");
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

    /** What is known of the network that training goes on from. */
    private @Nullable NetworkDescription startDescription() throws IOException {
        Path start = start();
        Path run = start == null ? null : start.resolveSibling("");
        return run == null || isScript() || !Files.exists(run.resolve(NetworkDescription.FILE))
                ? null
                : NetworkDescription.read(run);
    }

    /**
     * Refuses to train in place of the network that training goes on from, since a kill would leave neither, or among the
     * images that are learnt.
     */
    void requireElsewhere(Path run) throws IOException {
        Catalogue.refuse(run, List.of(ind));
        Catalogue.refuse(run, ood);
        Path start = start();
        Path replaced = new RunFolder(run).network();
        if (start != null && Files.exists(start) && Files.exists(replaced) && Files.isSameFile(start, replaced)) {
            throw new IllegalArgumentException("--out must be another folder than --from, but both are " + run);
        }
    }

    /** The same, where the weight of the OOD term is chosen from several. */
    void checkTuned() throws IOException {
        if (!loss.weighsOod()) {
            throw new IllegalArgumentException(
                    "weights of the OOD term are compared but --loss " + loss + " has no such term. Maybe wood train.");
        }
        check();
    }

    /** Whether a name of the catalogue is that of a DenseNet. */
    static boolean isDenseNet(String network) {
        return network.startsWith("densenet");
    }

    /** Training splits, with a tenth of each held out for validation, normalised as the network that goes on is used to. */
    TrainData trainData() throws IOException {
        if (loss.weighsOod() && ood.isEmpty()) {
            throw new IllegalArgumentException(
                    "--loss " + loss + " needs OOD images to learn from but there is no --ood."
                            + " Maybe give --ood NAME, or --loss plain.");
        }
        boolean augmented = or(augment, preset.augmented());
        DataOptions samples = dataOptions();
        if (shape == null && !samples.shape().isEmpty()) {
            Main.warn(command, "pictures are fitted to " + samples.shape() + ". Maybe choose another --shape.");
        }
        TrainData opened = samples.open(data.catalogue(), augmented);
        for (String sentence : data.catalogue().passedOver(ind)) {
            Main.warn(command, sentence + ".");
        }
        for (String repeated : DataOptions.repeated(opened)) {
            Main.warn(
                    command,
                    "the OOD set " + repeated + " has the samples of the InD set " + ind
                            + ", which training pushes both ways. Maybe choose another one.");
        }
        Path start = start();
        boolean isThere = start != null && Files.exists(start);
        if (samples.overlaps() && isThere) {
            Main.warn(
                    command,
                    from + " may have been trained on InD samples that are held out now. Maybe give both the"
                            + " same --seed and the same files, where it was trained here.");
        }
        NetworkDescription first = startDescription();
        if (first == null && isThere && !isScript()) {
            Main.warn(
                    command,
                    from + " does not tell how its network saw images: they are normalised with mean "
                            + opened.normalise().mean() + " and deviation "
                            + opened.normalise().deviation()
                            + " now. Maybe adopt it first, with wood adopt --normalise.");
        }
        return first == null ? opened : opened.withNormalise(first.normalise());
    }

    private DataOptions dataOptions() throws IOException {
        if (dataOptions == null) {
            DataOptions wanted = DataOptions.of(ind, ood)
                    .withLimit(or(limit, 0))
                    .withSeed(seed)
                    .withShape(shape == null ? "" : shape.toString());
            dataOptions = afterStart(wanted).withUsualShape(data.catalogue());
        }
        return dataOptions;
    }

    private DataOptions afterStart(DataOptions wanted) throws IOException {
        Path start = start();
        if (start == null) {
            return wanted;
        }
        Path run = start.resolveSibling("");
        DataOptions unknown = DataOptions.of(ind, List.of()).withAdopted(true);
        return Files.exists(new RunFolder(run).data()) ? wanted.after(run, data.catalogue()) : wanted.after(unknown);
    }

    private Architecture architecture(TrainData trainData) throws IOException {
        return isScript() ? script(trainData) : Networks.byId(network).with(networkOptions(trainData.ind()));
    }

    /** A script that tells as many classes as there are to learn. */
    private ScriptNetwork script(TrainData trainData) throws IOException {
        ScriptNetwork script = ScriptNetwork.load(Path.of(network));
        InferenceOptions once = InferenceOptions.of(trainData.normalise(), Devices.cpu());
        Dataset learnt = trainData.ind();
        try (TorchNetwork trial =
                new TorchNetwork(script, Weights.initial(script.layout(), seed, once.device()), once)) {
            int told = trial.classify(List.of(learnt.get(0).image())).classes();
            if (told != learnt.classes().size()) {
                throw new IOException(network + ": the script must tell "
                        + learnt.classes().size() + " classes, as " + ind + " has, but tells " + told);
            }
        }
        return script;
    }

    private boolean isScript() {
        return network.endsWith(".pt");
    }

    private NetworkOptions networkOptions(Dataset learnt) throws IOException {
        return NetworkOptions.of(learnt.shape().channels(), learnt.classes().size())
                .withDropout(dropout)
                .withLegacyPool(legacyPool)
                .withBranches(loss(null).branches());
    }

    private Loss loss(@Nullable Double weight) throws IOException {
        return switch (loss) {
            case WOOD ->
                new WoodLoss(new WoodScorer(Costs.parse(cost), lambda), or(weight, preset.beta()), total, temperature);
            case AUTHORS -> new AuthorsLoss(authorsScorer(), or(weight, Preset.PAPER.beta()));
            case OE -> new OutlierExposure(or(weight, OutlierExposure.DEFAULTS.weight()));
            case ENERGY ->
                new EnergyMargin(
                        EnergyMargin.DEFAULTS.indMargin(),
                        EnergyMargin.DEFAULTS.oodMargin(),
                        or(weight, EnergyMargin.DEFAULTS.weight()));
            case CONFIDENCE -> ConfidenceLoss.DEFAULTS;
            case REJECT ->
                new RejectionLoss(
                        or(rejects, RejectionLoss.DEFAULTS.rejects()), or(weight, RejectionLoss.DEFAULTS.weight()));
            case PLAIN -> new CrossEntropy();
        };
    }

    /** The score that fits the loss. */
    private Scorer scorer() throws IOException {
        return switch (loss) {
            case WOOD ->
                ScorerKinds.wood()
                        .fit(
                                FitData.NONE,
                                loss(null)
                                        .wood()
                                        .orElseThrow()
                                        .over(ScorerKinds.wood().settings()));
            case AUTHORS -> authorsScorer();
            case OE, PLAIN -> ScorerKinds.formula("msp");
            case ENERGY -> ScorerKinds.formula("energy");
            case CONFIDENCE -> ScorerKinds.formula("confidence");
            case REJECT -> ScorerKinds.formula("reject");
        };
    }

    private AuthorsScorer authorsScorer() {
        return switch (cost) {
            case "binary" -> AuthorsScorer.BINARY;
            case "dynamic" -> AuthorsScorer.DYNAMIC;
            default ->
                throw new IllegalArgumentException("--loss authors has the costs binary and dynamic but --cost is "
                        + cost + ". Maybe --loss wood.");
        };
    }

    private TrainOptions options() {
        TrainOptions start = preset.options();
        UpdateOptions update = start.update();
        return start.withEpochs(or(epochs, start.epochs()))
                .withBatch(or(indBatch, start.indBatch()), loss.weighsOod() ? or(oodBatch, start.oodBatch()) : 0)
                .withUpdate(new UpdateOptions(
                        or(optimiser, update.optimiser()),
                        or(rate, update.rate()),
                        or(schedule, update.schedule()),
                        or(weightDecay, update.weightDecay()),
                        or(clip, update.clip()),
                        or(averaging, update.averaging())))
                .withDevice(device.resolved())
                .withPrecision(precision)
                .withThreads(or(threads, start.threads()))
                .withSeed(seed)
                .withMining(mining())
                .withCheckpointEvery(or(checkpointEvery, start.checkpointEvery()));
    }

    private @Nullable Mining mining() {
        return mine == null ? null : new Mining(mine, or(pool, 0));
    }

    private static <T> T or(@Nullable T given, T otherwise) {
        return given == null ? otherwise : given;
    }
}
