package ai.wood.bundle;

import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Scorer;
import ai.wood.Thresholds;
import ai.wood.bundle.DetectorDescription.Classifier;
import ai.wood.bundle.DetectorDescription.Part;
import ai.wood.bundle.DetectorDescription.ScorerDescription;
import ai.wood.data.Image;
import ai.wood.data.Network;
import ai.wood.data.Shape;
import ai.wood.data.transform.Fit;
import ai.wood.io.Safetensors;
import ai.wood.io.SafetensorsWriter;
import ai.wood.io.TemporaryFolder;
import ai.wood.score.Need;
import ai.wood.score.ScorerOptions;
import ai.wood.score.Scorers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * A detector with all it rests on: description, fitted scorer, calibration scores and, where there is one, the network. It
 * lies in one file that {@code wood bundle} made, or unpacked in a run folder; both hold the same parts.
 *
 * <p>Immutable; safe to share between threads. Closing it frees the network.
 */
public final class Bundle implements AutoCloseable {

    private static final String STATISTICS = "detector.safetensors";

    /** The files that hold a detector in a run folder, but for those of its network. */
    public static final Set<String> FILES = Set.of(DetectorDescription.FILE, STATISTICS);

    /** What scorers may need that judge logits alone. */
    private static final Set<Need> OF_LOGITS = Set.of(Need.LOGITS, Need.FIT, Need.LABELS);

    private static final String SCORER = "scorer.";
    private static final String SCORES = "calibration.scores";
    private static final String LABELS = "calibration.labels";

    private final DetectorDescription description;
    private final Scorer scorer;
    private final double[] scores;
    private final int[] labels;
    private final Detector detector;

    private Bundle(DetectorDescription description, Scorer scorer, double[] scores, int[] labels, Network network) {
        this.description = description;
        this.scorer = scorer;
        this.scores = scores;
        this.labels = labels;
        int classes = classes().size();
        if (scores.length != labels.length || IntStream.of(labels).anyMatch(label -> label < 0 || label >= classes)) {
            throw new IllegalArgumentException("every score needs a label below the number of classes, " + classes);
        }
        Thresholds thresholds = description.choice().choose(scores, labels, classes);
        List<Double> values = description.choice().values(thresholds, classes);
        if (!values.equals(description.thresholds())) {
            throw new IllegalArgumentException(
                    "thresholds must follow from the scores, " + values + ", but are " + description.thresholds());
        }
        this.detector = new Detector(network, this::score, thresholds);
    }

    /**
     * Makes a detector that judges a classifier's outputs.
     *
     * @param options the scorer is fitted and tuned by
     * @param heldOut outputs of InD samples that neither network nor scorer has seen: thresholds come from their scores
     */
    public static Bundle calibrate(
            Classifier classifier, Scorers name, ScorerOptions options, Choice choice, Outputs heldOut) {
        int classes = classifier.classes().size();
        if (heldOut.classes() != classes || heldOut.size() == 0) {
            throw new IllegalArgumentException(
                    "a classifier of " + classes + " classes needs held-out outputs of as many"
                            + " columns, at least one row, but they are " + heldOut.size() + " x " + heldOut.classes());
        }
        Scorer scorer = name.create(options);
        double[] scores = scorer.score(heldOut);
        int[] labels = IntStream.range(0, scores.length).map(heldOut::label).toArray();
        Thresholds thresholds = choice.choose(scores, labels, classes);
        DetectorDescription description = DetectorDescription.of(
                classifier, ScorerDescription.of(name, options), choice, choice.values(thresholds, classes));
        return new Bundle(description, scorer, scores, labels, NoNetwork.INSTANCE);
    }

    /** This detector with the hashes of the samples behind it, by what they were for. */
    public Bundle withData(Map<String, String> hashes) {
        return new Bundle(description.withData(hashes), scorer, scores, labels, detector.network());
    }

    /** Opens a bundle or a run folder; the network runs on a GPU where there is one. */
    public static Bundle open(Path path) throws IOException {
        return open(path, "auto");
    }

    /**
     * Opens a bundle, or the detector of a run folder. It judges images of any size and colour, fitted to the network's
     * shape.
     *
     * @param device such as {@code auto}, {@code cpu} or {@code cuda}
     * @throws IOException naming the broken rule: no bundle, cut short, tampered with, of an unknown format ...
     */
    public static Bundle open(Path path, String device) throws IOException {
        return unpacked(path, name -> true, folder -> read(folder).withNetwork(folder, device));
    }

    /** Opens a bundle without its network, so that no engine is needed: it judges outputs only. */
    public static Bundle openForOutputs(Path path) throws IOException {
        return unpacked(path, FILES::contains, Bundle::read);
    }

    /** Reads a folder of parts. */
    private interface Reader {
        Bundle read(Path folder) throws IOException;
    }

    private static Bundle unpacked(Path path, Predicate<String> parts, Reader reader) throws IOException {
        if (Files.isDirectory(path)) {
            return reader.read(path);
        }
        try (TemporaryFolder temporary = TemporaryFolder.create()) {
            Path folder = temporary.path();
            BundleFile.unpack(path, parts, folder);
            try {
                return reader.read(folder);
            } catch (IOException e) {
                throw new IOException(String.valueOf(e.getMessage()).replace(folder.toString(), path.toString()), e);
            }
        }
    }

    private static Bundle read(Path folder) throws IOException {
        DetectorDescription description = DetectorDescription.read(folder);
        Path file = description.verified(folder, STATISTICS);
        try (Safetensors tensors = Safetensors.open(file)) {
            Map<String, Matrix> statistics = new LinkedHashMap<>();
            for (String name : tensors.names()) {
                if (name.startsWith(SCORER)) {
                    statistics.put(name.substring(SCORER.length()), tensors.matrix(name));
                }
            }
            double[] scores = vector(tensors.matrix(SCORES));
            int[] labels = Arrays.stream(vector(tensors.matrix(LABELS)))
                    .mapToInt(label -> (int) label)
                    .toArray();
            Scorer scorer = description.scorer().restore(statistics);
            requireJudge(description, scorer);
            return new Bundle(description, scorer, scores, labels, NoNetwork.INSTANCE);
        } catch (RuntimeException e) {
            throw new IOException(file + ": does not fit the description of the detector: " + e.getMessage(), e);
        }
    }

    /** Refuses a scorer of logits that cannot judge as many as there are classes. */
    private static void requireJudge(DetectorDescription description, Scorer scorer) {
        if (Scorers.byId(description.scorer().name()).needs().stream().allMatch(OF_LOGITS::contains)) {
            int classes = description.classifier().classes().size();
            scorer.score(Outputs.ofLogits(Matrix.wrap(new double[classes], classes)));
        }
    }

    private static double[] vector(Matrix matrix) {
        if (matrix.rows() != 1) {
            throw new IllegalArgumentException("scores and labels have one row but there are " + matrix.rows());
        }
        return matrix.row(0);
    }

    private Bundle withNetwork(Path folder, String device) throws IOException {
        Optional<Shape> shape = description.classifier().imageShape();
        String name = description.network();
        if (name.equals(DetectorDescription.NO_NETWORK) || shape.isEmpty()) {
            return this;
        }
        NetworkFormat format = NetworkFormat.byName(name)
                .orElseThrow(() -> new IOException(folder + ": the network is kept in the format '" + name
                        + "' but the class path knows "
                        + NetworkFormat.all().stream().map(NetworkFormat::name).toList()
                        + ". Maybe add the dependency ai.wood:wood-" + name + "."));
        for (String part : format.parts()) {
            description.verified(folder, part);
        }
        Network network = format.open(folder, device);
        int known = network.head().map(Head::classes).orElse(classes().size());
        if (known != classes().size()) {
            network.close();
            throw new IOException(folder + ": the network has " + known + " classes but the detector names "
                    + classes().size() + ". Maybe run `wood calibrate` again.");
        }
        boolean layers = scorer().needs().contains(Need.LAYERS);
        return new Bundle(
                description, scorer, scores, labels, new FittingNetwork(network, new Fit(shape.get()), layers));
    }

    /** Packs the detector of a run folder, with its network, into one file. The same parts give the same bytes. */
    public static void pack(Path run, Path file) throws IOException {
        BundleFile.pack(run, read(run).description, file);
    }

    /** Writes this detector without a network into one file. */
    public void write(Path file) throws IOException {
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            writeInto(folder.path());
            pack(folder.path(), file);
        }
    }

    /** Writes this detector into a run folder, for the network that is there. */
    public void writeInto(Path run) throws IOException {
        SafetensorsWriter tensors = new SafetensorsWriter()
                .add(SCORES, Matrix.of(scores))
                .add(LABELS, Matrix.of(Arrays.stream(labels).asDoubleStream().toArray()));
        scorer.statistics().forEach((name, matrix) -> tensors.add(SCORER + name, matrix));
        tensors.write(run.resolve(STATISTICS));
        Optional<NetworkFormat> format = NetworkFormat.in(run);
        Map<String, Part> parts = new LinkedHashMap<>(Map.of(STATISTICS, Part.of(run.resolve(STATISTICS))));
        for (String part : format.map(NetworkFormat::parts).orElse(List.of())) {
            parts.put(part, Part.of(run.resolve(part)));
        }
        description
                .withParts(format.map(NetworkFormat::name).orElse(DetectorDescription.NO_NETWORK), parts)
                .write(run);
    }

    /** Gives verdicts on images and on outputs. Closing the bundle closes it. */
    public Detector detector() {
        return detector;
    }

    /** Everything {@code detector.json} says: scorer, choice and values of thresholds, hashes of data and parts ... */
    public DetectorDescription description() {
        return description;
    }

    /** Names of the classes, in the order of the labels. */
    public List<String> classes() {
        return description.classifier().classes();
    }

    /** Shape of the images that the network learnt; empty where only outputs can be judged. */
    public Optional<Shape> shape() {
        return detector.network() == NoNetwork.INSTANCE
                ? Optional.empty()
                : description.classifier().imageShape();
    }

    /** Which scorer of the catalogue it uses. */
    public Scorers scorer() {
        return Scorers.byId(description.scorer().name());
    }

    /** What the scorer has learnt, by name; see {@link Scorer#statistics}. */
    public Map<String, Matrix> statistics() {
        return scorer.statistics();
    }

    /** Scores of the held-out InD samples that thresholds and p-values come from. */
    public double[] scores() {
        return scores.clone();
    }

    /** The labels predicted for them. */
    public int[] labels() {
        return labels.clone();
    }

    private double[] score(Outputs outputs) {
        if (outputs.classes() != classes().size()) {
            throw new IllegalArgumentException(
                    "the detector knows " + classes().size() + " classes but the outputs have " + outputs.classes());
        }
        return scorer.score(outputs);
    }

    @Override
    public void close() {
        detector.close();
    }

    /** Shows a network images in its shape, and its layers to scorers that look at them. */
    private record FittingNetwork(Network network, Fit fit, boolean layers) implements Network {

        @Override
        public Outputs forward(List<Image> images) {
            SplittableRandom unused = new SplittableRandom(0);
            List<Image> fitted =
                    images.stream().map(image -> fit.apply(image, unused)).toList();
            return layers ? network.forwardDetailed(fitted) : network.forward(fitted);
        }

        @Override
        public Optional<Head> head() {
            return network.head();
        }

        @Override
        public void close() {
            network.close();
        }
    }

    /** Stands where a detector judges outputs only. */
    private enum NoNetwork implements Network {
        INSTANCE;

        @Override
        public Outputs forward(List<Image> images) {
            throw new IllegalArgumentException("this detector has no network: it judges outputs only, not images");
        }

        @Override
        public void close() {}
    }
}
