package ai.wood.bundle;

import ai.wood.Matrix;
import ai.wood.data.Shape;
import ai.wood.data.transform.Fit;
import ai.wood.data.transform.Normalise;
import ai.wood.io.JsonFile;
import ai.wood.io.Sha256;
import ai.wood.score.ScorerOptions;
import ai.wood.score.Scorers;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What a detector says of itself: {@code detector.json} of a bundle or a run folder.
 *
 * @param format version of the format, {@value #FORMAT}
 * @param version of the program that wrote it
 * @param conventions what its numbers mean, in words
 * @param classifier what it judges the outputs of
 * @param scorer how it scores them
 * @param choice how its thresholds were chosen
 * @param thresholds one for all classes, or one for each; infinite for a class with too few scores
 * @param data SHA-256 of the samples behind it, by what they were for
 * @param network the {@link NetworkFormat} of its network, or {@value #NO_NETWORK}
 * @param parts size and SHA-256 of every other file
 */
public record DetectorDescription(
        int format,
        String version,
        List<String> conventions,
        Classifier classifier,
        ScorerDescription scorer,
        Choice choice,
        List<Double> thresholds,
        Map<String, String> data,
        String network,
        Map<String, Part> parts) {

    /** Stands where a detector judges outputs only. */
    public static final String NO_NETWORK = "none";

    /** Its file, in a run folder and in a bundle. */
    public static final String FILE = "detector.json";

    static final int FORMAT = 1;

    private static final List<String> CONVENTIONS = List.of(
            "A larger score means more OOD.",
            "OOD is the positive class; a score equal to the threshold is InD.",
            "p-value: (1 + number of calibration scores >= score) / (number of them + 1);"
                    + " with thresholds per class, of those with the same predicted label.",
            "FNR@95TNR: share of OOD missed where 95% of InD is kept.");

    private static final int MAX_CLASSES = 100_000;
    private static final int MAX_PARTS = 16;
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,60}\\.[a-z0-9]{1,20}");

    /**
     * The classifier, as far as others must know it.
     *
     * @param classes names, in the order of the labels
     * @param shape of the images it learnt, such as {@code 3x32x32}; empty where only its outputs are known
     * @param mean that it subtracts from pixels between 0 and 1, of each channel or of all
     * @param deviation that it then divides them by
     */
    public record Classifier(List<String> classes, String shape, List<Double> mean, List<Double> deviation) {

        public Classifier {
            classes = List.copyOf(classes);
            mean = List.copyOf(mean);
            deviation = List.copyOf(deviation);
            if (classes.size() < 2 || classes.size() > MAX_CLASSES) {
                throw new IllegalArgumentException(
                        "there must be 2 to " + MAX_CLASSES + " classes but there are " + classes.size());
            }
            if (!shape.isEmpty()) {
                new Normalise(mean, deviation).check(new Fit(Shape.parse(shape)).target());
            }
        }

        /** One of which only the outputs are known. */
        public static Classifier of(List<String> classes) {
            return new Classifier(classes, "", List.of(), List.of());
        }

        /** One that looks at images. */
        public static Classifier of(List<String> classes, Shape shape, Normalise normalise) {
            return new Classifier(classes, shape.toString(), normalise.mean(), normalise.deviation());
        }

        /** The shape of its images; empty where only its outputs are known. */
        public Optional<Shape> imageShape() {
            return shape.isEmpty() ? Optional.empty() : Optional.of(Shape.parse(shape));
        }
    }

    /**
     * The scorer, but for its statistics.
     *
     * @param name in the catalogue
     * @param cost ground cost of the WOOD score: {@code binary}, {@code dynamic}, or {@code custom} with the matrix
     *     {@code cost} among the statistics
     * @param lambda entropic weight of the WOOD score, infinite for the exact one
     * @param temperature that logits are divided by first
     */
    public record ScorerDescription(String name, String cost, double lambda, double temperature) {

        private static final String BINARY = "binary";
        private static final String DYNAMIC = "dynamic";
        private static final String CUSTOM = "custom";
        private static final Set<String> COSTS = Set.of(BINARY, DYNAMIC, CUSTOM);

        public ScorerDescription {
            Scorers.byId(name);
            if (!COSTS.contains(cost)) {
                throw new IllegalArgumentException("no ground cost is called '" + cost + "'");
            }
            ScorerOptions.DEFAULTS.withLambda(lambda).withTemperature(temperature);
        }

        /** A scorer of the catalogue that was built with these options. */
        public static ScorerDescription of(Scorers name, ScorerOptions options) {
            ScorerOptions transport =
                    name == Scorers.WOOD ? options : ScorerOptions.DEFAULTS; // which others have none of
            GroundCost cost = transport.cost();
            String costName =
                    cost.equals(GroundCost.binary()) ? BINARY : cost.equals(GroundCost.dynamic()) ? DYNAMIC : CUSTOM;
            return new ScorerDescription(name.id(), costName, transport.lambda(), options.temperature());
        }

        /** Whether its ground cost is a matrix, kept elsewhere. */
        public boolean hasCustomCost() {
            return cost.equals(CUSTOM);
        }

        ai.wood.Scorer restore(Map<String, Matrix> statistics) {
            return Scorers.byId(name).restore(options(statistics), statistics);
        }

        /** Ground cost, lambda and temperature. */
        public ScorerOptions options(Map<String, Matrix> statistics) {
            return ScorerOptions.DEFAULTS
                    .withCost(groundCost(statistics))
                    .withLambda(lambda)
                    .withTemperature(temperature);
        }

        private GroundCost groundCost(Map<String, Matrix> statistics) {
            return switch (cost) {
                case BINARY -> GroundCost.binary();
                case DYNAMIC -> GroundCost.dynamic();
                default ->
                    GroundCost.custom(Optional.ofNullable(statistics.get("cost"))
                            .orElseThrow(() -> new IllegalArgumentException("a custom cost needs its matrix")));
            };
        }
    }

    /** A file beside the description. */
    public record Part(long size, String sha256) {

        static Part of(Path file) throws IOException {
            return new Part(Files.size(file), Sha256.of(file));
        }

        public Part {
            if (size < 0 || !HASH.matcher(sha256).matches()) {
                throw new IllegalArgumentException("a part needs a size and a SHA-256 in hexadecimal");
            }
        }
    }

    public DetectorDescription {
        if (format != FORMAT) {
            throw new IllegalArgumentException(
                    "the format must be " + FORMAT + " but is " + format + ". Maybe it was written by a newer program");
        }
        conventions = List.copyOf(conventions);
        thresholds = List.copyOf(thresholds);
        data = Collections.unmodifiableMap(new TreeMap<>(data));
        parts = Collections.unmodifiableMap(new TreeMap<>(parts));
        if (!data.values().stream().allMatch(hash -> HASH.matcher(hash).matches())) {
            throw new IllegalArgumentException("samples must be named by SHA-256 in hexadecimal");
        }
        if (parts.size() > MAX_PARTS || !parts.keySet().stream().allMatch(DetectorDescription::isPlain)) {
            throw new IllegalArgumentException(
                    "there may be at most " + MAX_PARTS + " parts of plain names but there are " + parts.keySet());
        }
    }

    static DetectorDescription of(
            Classifier classifier, ScorerDescription scorer, Choice choice, List<Double> thresholds) {
        String version = Optional.ofNullable(Bundle.class.getPackage().getImplementationVersion())
                .orElse("development");
        return new DetectorDescription(
                FORMAT, version, CONVENTIONS, classifier, scorer, choice, thresholds, Map.of(), NO_NETWORK, Map.of());
    }

    DetectorDescription withData(Map<String, String> newData) {
        return new DetectorDescription(
                format, version, conventions, classifier, scorer, choice, thresholds, newData, network, parts);
    }

    DetectorDescription withParts(String newNetwork, Map<String, Part> newParts) {
        return new DetectorDescription(
                format, version, conventions, classifier, scorer, choice, thresholds, data, newNetwork, newParts);
    }

    /**
     * Checks that a file of a folder is the one described.
     *
     * @throws IOException where it is missing or another
     */
    Path verified(Path folder, String name) throws IOException {
        Path file = folder.resolve(name);
        Part noted = parts.get(name);
        if (noted == null || !Files.isRegularFile(file)) {
            throw new IOException(file + ": the detector needs this part but it is not there."
                    + " Maybe run `wood calibrate` or `wood bundle` again.");
        }
        if (Files.size(file) != noted.size() || !Part.of(file).equals(noted)) {
            throw new IOException(file + ": is not what the detector was made with: its size or SHA-256 differs."
                    + " Maybe it was changed or cut short; run `wood calibrate` or `wood bundle` again.");
        }
        return file;
    }

    /** Whether a part may have this name: no folders, no surprises. */
    static boolean isPlain(String name) {
        return NAME.matcher(name).matches();
    }

    /**
     * Reads {@code detector.json} of a folder.
     *
     * @throws IOException where there is none, or it does not describe a detector
     */
    public static DetectorDescription read(Path folder) throws IOException {
        return JsonFile.read(
                folder.resolve(FILE),
                DetectorDescription.class,
                "a description of a detector (wood calibrate makes one)");
    }

    void write(Path folder) throws IOException {
        JsonFile.write(folder.resolve(FILE), this);
    }
}
