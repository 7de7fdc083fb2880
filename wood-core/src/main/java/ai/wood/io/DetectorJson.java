package ai.wood.io;

import ai.wood.ClassifierReference;
import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.ThresholdPolicy;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The content of {@code detector.json}, format 2.
 *
 * @param version of the program that wrote it
 * @param conventions the meaning of its numbers, in words
 * @param classes names in the order of the labels; empty if the classifier predicts none
 * @param classifier its format is {@value #NO_CLASSIFIER} for a detector of outputs
 * @param data SHA-256 of the samples behind the detector, by purpose
 * @param parts size and SHA-256 of every other file
 */
record DetectorJson(
        int format,
        String version,
        List<String> conventions,
        List<String> classes,
        ScorerJson scorer,
        Thresholds thresholds,
        Map<String, String> data,
        ClassifierReference classifier,
        Map<String, Part> parts) {

    static final String FILE = "detector.json";
    static final int FORMAT = 2;

    /** Stands for the format of a classifier that the detector does not have. */
    static final String NO_CLASSIFIER = "none";

    private static final List<String> CONVENTIONS = List.of(
            "A larger score means more OOD.",
            "OOD is the positive class. A score equal to the threshold is InD.",
            "p-value: (1 + number of calibration scores >= score) / (number of them + 1);"
                    + " with thresholds per class, of those with the same predicted label.");

    private static final int MAX_CLASSES = 100_000;
    private static final int MAX_PARTS = 16;
    private static final Pattern HASH = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,60}\\.[a-z0-9]{1,20}");

    /**
     * The scorer without its matrices.
     *
     * @param jar the jar that brought its kind, and empty for a built-in one
     * @param settings numbers and words. An infinite number is a word, and a matrix in another part is the word {@value
     *     #MATRIX}.
     */
    record ScorerJson(String kind, String jar, Map<String, JsonNode> settings) {

        private static final String MATRIX = "matrix";

        static ScorerJson of(ScorerKind kind, Settings settings) {
            Map<String, JsonNode> values = new LinkedHashMap<>();
            settings.values()
                    .forEach(
                            (name, value) -> values.put(name, JsonFile.node(value instanceof Matrix ? MATRIX : value)));
            return new ScorerJson(kind.id(), jar(kind).orElse(""), values);
        }

        private static Optional<String> jar(ScorerKind kind) {
            return Optional.ofNullable(kind.getClass().getProtectionDomain().getCodeSource())
                    .map(source -> source.getLocation().getPath().replaceFirst(".*/(?=[^/]+/?$)", ""))
                    .filter(jar -> !kind.getClass().getName().startsWith("ai.wood."));
        }

        Settings read() {
            Settings read = Settings.NONE;
            for (Map.Entry<String, JsonNode> setting : settings.entrySet()) {
                JsonNode value = setting.getValue();
                boolean infinite = value.asText().equals("Infinity");
                read = value.isNumber() || infinite
                        ? read.with(setting.getKey(), infinite ? Double.POSITIVE_INFINITY : value.doubleValue())
                        : read.with(setting.getKey(), value.asText());
            }
            return read;
        }
    }

    /** How thresholds were chosen, and their values: one for all classes, or one for each. */
    record Thresholds(double tnr, boolean conformal, boolean perClass, List<Double> values) {

        ThresholdPolicy policy() {
            return new ThresholdPolicy(tnr, conformal, perClass);
        }
    }

    /** Another file of the detector. */
    record Part(long size, String sha256) {

        Part {
            if (size < 0 || !HASH.matcher(sha256).matches()) {
                throw new IllegalArgumentException("a part needs a size and a SHA-256 in hexadecimal");
            }
        }
    }

    DetectorJson {
        if (format != FORMAT) {
            throw new IllegalArgumentException(
                    "the format must be 1 or " + FORMAT + " but is " + format + ". Maybe a newer program wrote it");
        }
        classes = List.copyOf(classes);
        data = Collections.unmodifiableMap(new TreeMap<>(data));
        parts = Collections.unmodifiableMap(new TreeMap<>(parts));
        if (classes.size() > MAX_CLASSES) {
            throw new IllegalArgumentException(
                    "there may be at most " + MAX_CLASSES + " classes but there are " + classes.size());
        }
        if (!data.values().stream().allMatch(hash -> HASH.matcher(hash).matches())) {
            throw new IllegalArgumentException("samples must be identified by SHA-256 in hexadecimal");
        }
        if (parts.size() > MAX_PARTS || !parts.keySet().stream().allMatch(DetectorJson::isPlain)) {
            throw new IllegalArgumentException(
                    "there may be at most " + MAX_PARTS + " parts with plain names but there are " + parts.keySet());
        }
    }

    static DetectorJson of(Detector detector, Map<String, Part> parts) {
        return new DetectorJson(
                FORMAT,
                Optional.ofNullable(Detector.class.getPackage().getImplementationVersion())
                        .orElse("development"),
                CONVENTIONS,
                detector.classes(),
                ScorerJson.of(detector.kind(), detector.settings()),
                new Thresholds(
                        detector.policy().tnr(),
                        detector.policy().conformal(),
                        detector.policy().perClass(),
                        detector.thresholds()),
                detector.data(),
                detector.classifier().orElse(new ClassifierReference(NO_CLASSIFIER, "", List.of(), List.of())),
                parts);
    }

    /** The classifier, or null. */
    @Nullable
    ClassifierReference classifierOrNull() {
        return classifier.format().equals(NO_CLASSIFIER) ? null : classifier;
    }

    /** Whether a part may have this name: no folders and nothing unusual. */
    static boolean isPlain(String name) {
        return NAME.matcher(name).matches();
    }
}
