package ai.wood.evaluate;

import ai.wood.Classifier;
import ai.wood.Detector;
import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Requirement;
import ai.wood.ScorerKind;
import ai.wood.Seed;
import ai.wood.Settings;
import ai.wood.ThresholdPolicy;
import ai.wood.data.Catalogue;
import ai.wood.data.ClassifierFormat;
import ai.wood.data.Dataset;
import ai.wood.data.Image;
import ai.wood.data.Mixture;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import ai.wood.data.Subset;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.evaluate.NetworkOutputs.Tuning;
import ai.wood.io.DetectorFile;
import ai.wood.io.Parts;
import ai.wood.io.Safetensors;
import ai.wood.io.Sha256;
import ai.wood.metric.Bootstrap;
import ai.wood.score.ScorerKinds;
import ai.wood.score.WoodScorer;
import ai.wood.torch.train.RunFolder;
import ai.wood.transport.GroundCost;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The folder of a trained network, opened: the network, the data it was trained and validated on, and what it says about
 * data, each said once and kept in {@code outputs/}.
 *
 * <p>Of the samples held out from training a quarter tunes scorers and the rest chooses thresholds, so that the promise of a
 * conformal threshold holds for tuned scorers too.
 */
public final class Run implements AutoCloseable {

    private static final double TUNING_SHARE = 0.25;

    private static final String CUSTOM = "custom";

    private static final String ADOPTED =
            "The network was trained elsewhere. Whether it saw the samples that thresholds"
                    + " are chosen on is unknown; if so, false alarms are more frequent than promised.";

    private static final String UNKNOWN_OOD = "Whether it saw OOD that is called unseen is unknown too.";

    private static final String OVERLAPS =
            "The training that this one went on from may have learnt some of the samples that thresholds"
                    + " are chosen on; if so, false alarms are more frequent than promised.";

    private final Path folder;
    private final Catalogue catalogue;
    private final ClassifierFormat.Description classifier;
    private final DataOptions data;
    private final Settings learned;
    private final Classifier<Image> network;
    private final String hash;
    private final OutputStore store;
    private final Map<Split, Dataset> ind = new EnumMap<>(Split.class);

    private Run(
            Path folder,
            Catalogue catalogue,
            ClassifierFormat.Description classifier,
            DataOptions data,
            Settings learned,
            Classifier<Image> network,
            String hash,
            OutputStore.Progress progress) {
        this.folder = folder;
        this.catalogue = catalogue;
        this.classifier = classifier;
        this.data = data;
        this.learned = learned;
        this.network = network;
        this.hash = hash;
        this.store = new OutputStore(new RunFolder(folder).outputs(), hash, this::said, progress);
    }

    /**
     * Opens a run folder.
     *
     * @param device such as {@code cpu} or {@code cuda}
     * @param progress is told of every pass of the network over data
     */
    public static Run open(Path folder, Catalogue catalogue, String device, OutputStore.Progress progress)
            throws IOException {
        DataOptions data = DataOptions.read(folder);
        ClassifierFormat format = format(folder);
        String hash = hash(folder, format);
        ClassifierFormat.Description classifier = format.describe(Parts.of(folder));
        Settings learned = learned(folder);
        Classifier<Image> network = format.open(Parts.of(folder), device);
        return new Run(folder, catalogue, classifier, data, learned, network, hash, progress);
    }

    /** The settings of the WOOD score that training taught; none if it taught none. A custom cost is in its own file. */
    private static Settings learned(Path folder) throws IOException {
        JsonNode noted = DataOptions.training(folder).path("scorer");
        if (noted.isMissingNode()) {
            return Settings.NONE;
        }
        JsonNode lambda = noted.path("lambda");
        Settings learned = Settings.NONE
                .with("cost", noted.path("cost").asText())
                .with("lambda", lambda.isNumber() ? lambda.doubleValue() : Double.POSITIVE_INFINITY)
                .with("temperature", noted.path("temperature").asDouble());
        try {
            if (!learned.word("cost").equals(CUSTOM)) {
                WoodScorer.of(learned);
            }
            Probabilities.requireTemperature(learned.number("temperature"));
        } catch (IllegalArgumentException e) {
            Path file = new RunFolder(folder).manifest();
            throw new IOException(file + ": is not " + DataOptions.TRAINING + ": " + e.getMessage(), e);
        }
        return learned;
    }

    /**
     * What the network of a run folder is.
     *
     * @throws IOException where there is none that runs by itself
     */
    public static ClassifierFormat format(Path folder) throws IOException {
        Optional<ClassifierFormat> format = ClassifierFormat.in(folder);
        if (format.isEmpty() && Files.exists(new RunFolder(folder).network())) {
            throw new IOException(folder + ": the network is a TorchScript file, of which a run keeps the weights only,"
                    + " or its training was not finished. Maybe load network.safetensors in Python, export the network"
                    + " as ONNX, and `wood adopt` that.");
        }
        return format.orElseThrow(() -> new IOException(folder + ": a run holds a network but there is none. Maybe the"
                + " folder is no run, or its training has not finished an epoch."));
    }

    private static String hash(Path folder, ClassifierFormat format) throws IOException {
        return Sha256.of(format.parts().stream().map(folder::resolve).toArray(Path[]::new));
    }

    /** Refuses to call what was measured here a property of another network. */
    private void requireUnchanged() throws IOException {
        if (!hash(folder, format(folder)).equals(hash)) {
            throw new IOException(folder + ": the network was replaced while it was calibrated. Maybe wait until its"
                    + " training has ended.");
        }
    }

    private Outputs said(Dataset dataset) {
        return network.classifyDetailed(dataset.images());
    }

    public DataOptions data() {
        return data;
    }

    /** What a reader of the run's figures and thresholds must know, in sentences. */
    public List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (data.overlaps()) {
            notes.add(OVERLAPS);
        } else if (data.adopted()) {
            notes.add(ADOPTED);
        }
        return notes;
    }

    /** What the network says about everything it is to be judged by. */
    public NetworkOutputs outputs(EvaluateOptions asked) throws IOException {
        Detector detector = detector(asked);
        EvaluateOptions options = detector != null && detector.kind().requires().contains(Requirement.SAMPLES)
                ? asked.with(detector.kind())
                : asked;
        List<String> notes = new ArrayList<>(notes());
        if (data.adopted()) {
            notes.add(UNKNOWN_OOD);
        }
        Dataset test = data.limited(test(), options.limit());
        Map<String, Dataset> ood = ood(options); // what is missing is told before the network looks at anything
        boolean leaky = test.split() != Split.TEST;
        if (leaky) {
            notes.add(data.ind() + " has no test split: the network is judged by samples it was trained on.");
        }
        Optional<Tuning> tuning = tuning(options);
        return new NetworkOutputs(
                String.valueOf(folder.getFileName()),
                detector,
                setup(options, tuning),
                tuning.orElse(null),
                part(data.limited(heldOut(Split.VALIDATION), options.fitLimit())),
                part(test),
                judged(ood, options, test, notes),
                leaky,
                notes);
    }

    /**
     * The detector in the folder, if there is one.
     *
     * @throws IOException if it is not valid, or of other weights than the network
     * @throws IllegalArgumentException if the options change the settings of its scorer
     */
    private @Nullable Detector detector(EvaluateOptions options) throws IOException {
        if (DetectorFile.FILES.stream().noneMatch(name -> Files.exists(folder.resolve(name)))) {
            return null;
        }
        try (DetectorFile file = DetectorFile.open(folder)) {
            for (String part : file.classifierParts()) {
                try (InputStream in = file.open(part)) {
                    in.transferTo(OutputStream.nullOutputStream()); // which checks its hash
                }
            }
            Detector detector = file.detector();
            if (detector.kind().id().equals(ScorerKinds.wood().id())
                    && !options.wood().values().isEmpty()) {
                throw new IllegalArgumentException("the detector of " + folder
                        + " uses the scorer wood with the settings "
                        + detector.settings() + ", so wood cannot be compared with others. Calibrate the run with the"
                        + " other settings first.");
            }
            return detector;
        }
    }

    /**
     * Compares scorers on what the network said.
     *
     * @param outputs made by {@link #outputs} with the same options
     * @param tnr share of InD samples that thresholds are to keep
     * @param progress is told the name of each scorer before its turn
     */
    public Comparison compare(
            NetworkOutputs outputs, EvaluateOptions options, double tnr, Bootstrap bootstrap, Consumer<String> progress)
            throws IOException {
        return Comparison.of(new ScorerTrial(outputs, tnr, bootstrap), options.scorers(), progress);
    }

    /** What scorers are fitted to: training outputs, the last layer, samples to tune on. */
    ScorerSetup setup(EvaluateOptions options, Optional<Tuning> tuning) throws IOException {
        FitData fitData = FitData.NONE;
        if (options.needs(Requirement.TRAINING)) {
            SampleSet fit = part(fit(options));
            fitData = FitData.of(fit.outputs())
                    .withLabels(IntStream.of(fit.labels()).boxed().toList());
        }
        fitData = network.head().map(fitData::withHead).orElse(fitData);
        if (tuning.isPresent()) {
            Tuning samples = tuning.get();
            fitData = fitData.withTuning(samples.ind().outputs(), samples.ood().outputs());
        }
        if (options.needs(Requirement.SAMPLES)) {
            fitData = fitData.withSamples(new FitData.Samples<>(
                    network,
                    tuning.map(samples -> validation(samples.ind())).orElse(List.of()),
                    tuning.map(samples -> validation(samples.ood())).orElse(List.of())));
        }
        return new ScorerSetup(fitData, wood(options));
    }

    private static List<Image> validation(SampleSet part) {
        part.dataset().split().require("tuning scorers", false);
        return part.dataset().images();
    }

    /** The settings of the WOOD score. The cost matrix of the run is read only if it is used. */
    private Settings wood(EvaluateOptions options) throws IOException {
        Settings wood = learned.and(options.wood());
        boolean custom = wood.has("cost")
                && wood.matrix("cost").isEmpty()
                && wood.word("cost").equals(CUSTOM);
        if (!custom) {
            return wood;
        }
        return options.scorers().contains(ScorerKinds.wood())
                ? wood.with("cost", keptCost())
                : wood.and(ScorerKinds.wood().settings());
    }

    private Matrix keptCost() throws IOException {
        Path file = new RunFolder(folder).cost();
        if (!Files.exists(file)) {
            throw new IOException(file + ": the cost matrix that the network was trained with is needed but there is no"
                    + " such file. Maybe name a ground cost with --cost.");
        }
        try (Safetensors tensors = Safetensors.open(file, Safetensors.DETECTOR_HEADER)) {
            return GroundCost.custom(tensors.matrix("cost")).matrix();
        } catch (IllegalArgumentException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Makes a detector of the network, by InD samples held out from training.
     *
     * @param options the one scorer it is made of; its OOD sets do not matter
     */
    public Detector calibrate(EvaluateOptions options, ThresholdPolicy policy) throws IOException {
        Optional<Tuning> tuning = tuning(options);
        SampleSet heldOut = part(data.limited(heldOut(Split.VALIDATION), options.fitLimit()));
        Map<String, String> hashes =
                new HashMap<>(Map.of("calibration", heldOut.dataset().hash()));
        if (options.needs(Requirement.TRAINING)) {
            hashes.put("fit", fit(options).hash());
        }
        tuning.ifPresent(samples -> {
            hashes.put("tuningInd", samples.ind().dataset().hash());
            hashes.put("tuningOod", samples.ood().dataset().hash());
        });
        ScorerKind kind = options.scorers().get(0);
        ScorerSetup setup = setup(options, tuning);
        Detector.Builder fitted = Detector.of(kind)
                .settings(setup.settings(kind))
                .fit(setup.data())
                .classes(classifier.classes())
                .classifier(classifier.reference(format(folder)))
                .data(hashes)
                .policy(policy);
        requireFinite(heldOut);
        Detector detector =
                fitted.calibrate(fitted.complete(network, heldOut.dataset().images(), heldOut.outputs()));
        requireUnchanged();
        return detector;
    }

    private void requireFinite(SampleSet heldOut) throws IOException {
        try {
            heldOut.outputs().requireFinite();
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    folder + ": the network's outputs for " + heldOut.dataset().name() + ", " + e.getMessage()
                            + ". Maybe its training diverged.",
                    e);
        }
    }

    /** Saves a detector of this run's network into the folder. */
    public static void save(Path folder, Detector detector) throws IOException {
        DetectorFile.saveInto(folder, detector, Set.copyOf(format(folder).parts()));
    }

    /** What scorers are tuned on, where one of them is. */
    private Optional<Tuning> tuning(EvaluateOptions options) throws IOException {
        return options.isTuned() ? Optional.of(new TuningData(this).open(options)) : Optional.empty();
    }

    /** The OOD sets to judge by, in order. */
    private Map<String, Dataset> ood(EvaluateOptions options) throws IOException {
        Map<String, Dataset> sets = new LinkedHashMap<>();
        for (String name : options.ood()) {
            sets.put(name, catalogue.open(name, Split.TEST, shape()));
        }
        return sets;
    }

    private List<Ood> judged(Map<String, Dataset> ood, EvaluateOptions options, Dataset test, List<String> notes)
            throws IOException {
        List<Ood> sets = new ArrayList<>();
        for (Map.Entry<String, Dataset> named : ood.entrySet()) {
            String name = named.getKey();
            Dataset dataset = named.getValue();
            notes.addAll(notes(name, dataset, test, options));
            Dataset used = data.limited(dataset, options.limit());
            sets.add(new Ood(part(used), data.sees(name), options.distance(data.ind(), name)));
        }
        return sets;
    }

    /** What a reader of the figures on an OOD set must know, a mixture part by part, in sentences. */
    private List<String> notes(String name, Dataset dataset, Dataset test, EvaluateOptions options) {
        List<Mixture.Component> parts =
                dataset instanceof Mixture mixture ? mixture.parts() : List.of(new Mixture.Component(dataset, 1));
        double weights = parts.stream().mapToDouble(Mixture.Component::weight).sum();
        int used = data.limited(dataset, options.limit()).size();
        DataOptions tuning = DataOptions.of(data.ind(), options.isTuned() ? options.tuneOn() : List.of());
        List<String> sentences = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            Dataset samples = parts.get(i).dataset();
            String part = Catalogue.parts(name).get(i).name();
            if (samples.split() != Split.TEST && data.sees(part)) {
                sentences.add(part + " has no test split: training saw these very samples.");
            }
            data.kin(part)
                    .ifPresent(kin -> sentences.add(part + " was not seen in training, but is of the same source as "
                            + kin + ", which was: it is not OOD of a new kind."));
            if (samples.split() != Split.TEST && tuning.sees(part)) {
                sentences.add(part + " has no test split: scorers were tuned on some of these very samples.");
            }
            if (DataOptions.isSame(test, data.limited(samples, options.limit()))) {
                sentences.add(part + " has the samples of the InD set: figures on it mean nothing.");
            }
            double drawn = used * parts.get(i).weight() / weights;
            if (drawn > samples.size()) {
                sentences.add(String.format(
                        Locale.ROOT,
                        "%s draws about %,.0f samples from the %,d of %s: intervals are too narrow and p-values too small.",
                        name,
                        drawn,
                        samples.size(),
                        part));
            }
        }
        return sentences;
    }

    /** InD samples that the network learnt from. */
    Dataset fit(EvaluateOptions options) throws IOException {
        return data.limited(ind(Split.TRAIN, "ind"), options.fitLimit());
    }

    /**
     * InD samples held out from training.
     *
     * @param split {@link Split#TRAIN} for those to tune scorers on, {@link Split#VALIDATION} for those to choose
     *     thresholds on
     */
    Dataset heldOut(Split split) throws IOException {
        Dataset all = ind(Split.VALIDATION, "indValidation");
        Map<Split, Double> shares = Map.of(Split.TRAIN, TUNING_SHARE, Split.VALIDATION, 1 - TUNING_SHARE);
        return Objects.requireNonNull(
                Subset.stratified(all, shares, new Seed(data.seed())).get(split));
    }

    /** The InD samples of a split, read and checked against the run's record once. */
    private Dataset ind(Split split, String role) throws IOException {
        Dataset known = ind.get(split);
        if (known == null) {
            known = DataOptions.check(data.ind(catalogue, split), folder, role);
            ind.put(split, known);
        }
        return known;
    }

    /** OOD samples of the kinds that training saw, held out from it. */
    Optional<Dataset> heldOutOod() throws IOException {
        Dataset all = data.ood(catalogue, shape(), Split.VALIDATION);
        return all == null ? Optional.empty() : Optional.of(DataOptions.check(all, folder, "oodValidation"));
    }

    /** OOD samples of the named sets, held out from their training splits; none for no sets. */
    Optional<Dataset> heldOutOod(List<String> names) throws IOException {
        return Optional.ofNullable(data.withOod(names).ood(catalogue, shape(), Split.VALIDATION));
    }

    private Dataset test() throws IOException {
        Dataset test = catalogue.open(data.ind(), Split.TEST, shape());
        if (test.classes().size() != classifier.classes().size()) {
            throw new IOException(
                    folder + ": the network knows " + classifier.classes().size() + " classes but " + data.ind()
                            + " has " + test.classes().size());
        }
        return test;
    }

    /** What the network says about a dataset. */
    SampleSet part(Dataset dataset) throws IOException {
        return SampleSet.of(dataset, store.forward(dataset));
    }

    /** The shape of the images that the network was trained on. */
    public Shape shape() {
        return classifier.shape();
    }

    @Override
    public void close() {
        network.close();
    }
}
