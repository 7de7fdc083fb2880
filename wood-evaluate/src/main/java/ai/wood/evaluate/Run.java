package ai.wood.evaluate;

import ai.wood.Classifier;
import ai.wood.Detector;
import ai.wood.FitData;
import ai.wood.Outputs;
import ai.wood.Requirement;
import ai.wood.ScorerKind;
import ai.wood.ThresholdPolicy;
import ai.wood.data.Catalogue;
import ai.wood.data.ClassifierFormat;
import ai.wood.data.Dataset;
import ai.wood.data.Image;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.evaluate.NetworkOutputs.Tuning;
import ai.wood.io.DetectorFile;
import ai.wood.io.Parts;
import ai.wood.io.Sha256;
import ai.wood.metric.Bootstrap;
import ai.wood.score.ScorerKinds;
import ai.wood.torch.train.RunFolder;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    private final Path folder;
    private final ClassifierFormat.Description classifier;
    private final DataOptions data;
    private final RunSamples samples;
    private final TrainedScore learned;
    private final Classifier<Image> network;
    private final String hash;
    private final OutputStore store;

    private Run(
            Path folder,
            Catalogue catalogue,
            ClassifierFormat.Description classifier,
            DataOptions data,
            TrainedScore learned,
            Classifier<Image> network,
            String hash,
            OutputStore.Progress progress) {
        this.folder = folder;
        this.classifier = classifier;
        this.data = data;
        this.samples = new RunSamples(folder, catalogue, classifier, data);
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
        TrainedScore learned = TrainedScore.of(folder);
        Classifier<Image> network = format.open(Parts.of(folder), device);
        return new Run(folder, catalogue, classifier, data, learned, network, hash, progress);
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

    /** The samples of its training, and those held out from it. */
    RunSamples samples() {
        return samples;
    }

    /** Warnings about the run's results and thresholds, in sentences. */
    public List<String> notes() {
        return RunNotes.of(data);
    }

    /** What the network says about everything it is to be judged by. */
    public NetworkOutputs outputs(EvaluateOptions asked) throws IOException {
        Detector detector = detector(asked);
        EvaluateOptions options = detector != null && detector.kind().requires().contains(Requirement.SAMPLES)
                ? asked.with(detector.kind())
                : asked;
        Dataset test = data.limited(samples.test(), options.limit());
        RunNotes about = new RunNotes(data, test, options);
        List<String> notes = new ArrayList<>(about.ofRun());
        Map<String, Dataset> ood = samples.ood(options); // what is missing is told before the network looks at anything
        Optional<Tuning> tuning = tuning(options);
        return new NetworkOutputs(
                String.valueOf(folder.getFileName()),
                detector,
                setup(options, tuning),
                tuning.orElse(null),
                part(data.limited(samples.heldOut(Split.VALIDATION), options.fitLimit())),
                part(test),
                judged(ood, options, about, notes),
                about.leaky(),
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
            SampleSet fit = part(samples.fit(options));
            fitData = FitData.of(fit.outputs())
                    .withLabels(IntStream.of(fit.labels()).boxed().toList());
        }
        fitData = network.head().map(fitData::withHead).orElse(fitData);
        if (tuning.isPresent()) {
            Tuning tuned = tuning.get();
            fitData = fitData.withTuning(tuned.ind().outputs(), tuned.ood().outputs());
        }
        if (options.needs(Requirement.SAMPLES)) {
            fitData = fitData.withSamples(new FitData.Samples<>(
                    network,
                    tuning.map(tuned -> validation(tuned.ind())).orElse(List.of()),
                    tuning.map(tuned -> validation(tuned.ood())).orElse(List.of())));
        }
        return new ScorerSetup(fitData, learned.settings(options));
    }

    private static List<Image> validation(SampleSet part) {
        part.dataset().split().require("tuning scorers", false);
        return part.dataset().images();
    }

    /**
     * Makes a detector of the network, by InD samples held out from training.
     *
     * @param options the one scorer it is made of; its OOD sets do not matter
     */
    public Detector calibrate(EvaluateOptions options, ThresholdPolicy policy) throws IOException {
        Optional<Tuning> tuning = tuning(options);
        SampleSet heldOut = part(data.limited(samples.heldOut(Split.VALIDATION), options.fitLimit()));
        Map<String, String> hashes =
                new HashMap<>(Map.of("calibration", heldOut.dataset().hash()));
        if (options.needs(Requirement.TRAINING)) {
            hashes.put("fit", samples.fit(options).hash());
        }
        tuning.ifPresent(tuned -> {
            hashes.put("tuningInd", tuned.ind().dataset().hash());
            hashes.put("tuningOod", tuned.ood().dataset().hash());
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

    private List<Ood> judged(Map<String, Dataset> ood, EvaluateOptions options, RunNotes about, List<String> notes)
            throws IOException {
        List<Ood> sets = new ArrayList<>();
        for (Map.Entry<String, Dataset> named : ood.entrySet()) {
            String name = named.getKey();
            Dataset dataset = named.getValue();
            notes.addAll(about.of(name, dataset));
            Dataset used = data.limited(dataset, options.limit());
            sets.add(new Ood(part(used), data.sees(name), options.distance(data.ind(), name)));
        }
        return sets;
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
