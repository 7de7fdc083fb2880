package ai.wood.io;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.score.ScorerKinds;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * A detector on disk, opened: one {@code .wood} file, or the same parts in a run folder. Every part is hashed while it is
 * loaded, in one pass. Nothing is unpacked.
 *
 * <p>{@code detector.json} describes it, {@code detector.safetensors} contains fitted matrices and calibration scores, and
 * further parts are its classifier.
 */
public final class DetectorFile implements Parts, Closeable {

    private static final String FITTED = "detector.safetensors";

    /** The files of a detector in a run folder, without those of its classifier. */
    public static final Set<String> FILES = Set.of(DetectorJson.FILE, FITTED);

    private static final String SCORER = "scorer.";
    private static final String SETTING = "setting.";
    private static final String SCORES = "calibration.scores";
    private static final String LABELS = "calibration.labels";

    private final Path path;
    private final Container container;
    private final DetectorJson description;
    private final Detector detector;

    /** Where the parts are. */
    interface Container extends Parts, Closeable {

        /** Refuses parts that the description does not name. */
        default void requireOnly(Set<String> names) throws IOException {}

        @Override
        default void close() throws IOException {}
    }

    /** Reads and writes {@link Detector}s. */
    public static final class Service implements Detector.Files {

        @Override
        public void save(Detector detector, Path file) throws IOException {
            DetectorFile.save(detector.withClassifier(null), Map.of(), file);
        }

        @Override
        public Detector load(Path file) throws IOException {
            try (DetectorFile opened = open(file)) {
                return opened.detector();
            }
        }
    }

    private DetectorFile(Path path, Container container) throws IOException {
        this.path = path;
        this.container = container;
        JsonNode json = readDescription(container);
        if (json.path("format").asInt() == 1) {
            Format1 old = JsonFile.parse(json, Format1.class, container.path(DetectorJson.FILE) + ": is no detector");
            description = upgrade(old, container.path(DetectorJson.FILE));
            detector = read(old::settings, Format1::matrices);
        } else {
            String complaint = container.path(DetectorJson.FILE) + ": does not describe a detector";
            description = JsonFile.parse(json, DetectorJson.class, complaint);
            detector = read(fitted -> description.scorer().read(), fitted -> fitted);
        }
        container.requireOnly(description.parts().keySet());
    }

    /**
     * Opens the detector of a file or a run folder.
     *
     * @throws IOException naming the file and the broken rule: not a detector, cut short, changed, of a newer format ...
     */
    public static DetectorFile open(Path path) throws IOException {
        Container container = Files.isDirectory(path) ? folder(path) : DetectorZip.open(path);
        try {
            return new DetectorFile(path, container);
        } catch (IOException | RuntimeException e) {
            container.close();
            throw e;
        }
    }

    private static Container folder(Path folder) {
        Parts files = Parts.of(folder);
        return new Container() {
            @Override
            public InputStream open(String name) throws IOException {
                if (!Files.isRegularFile(folder.resolve(name))) {
                    throw new IOException(path(name) + ": the detector needs this part but there is no such file."
                            + " Make it with 'wood calibrate " + folder + "'.");
                }
                return files.open(name);
            }

            @Override
            public String path(String name) {
                return files.path(name);
            }
        };
    }

    private static JsonNode readDescription(Container container) throws IOException {
        try (InputStream in = container.open(DetectorJson.FILE)) {
            return JsonFile.tree(in, container.path(DetectorJson.FILE) + ": does not describe a detector");
        }
    }

    private static DetectorJson upgrade(Format1 old, String file) throws IOException {
        try {
            return old.upgrade();
        } catch (RuntimeException e) {
            throw new IOException(file + ": does not describe a detector: " + e.getMessage(), e);
        }
    }

    private Detector read(
            Function<Map<String, Matrix>, Settings> settings, Function<Map<String, Matrix>, Map<String, Matrix>> kept)
            throws IOException {
        ScorerKind kind = kind();
        try (InputStream in = open(FITTED);
                Safetensors tensors = Safetensors.read(in, path(FITTED), Safetensors.DETECTOR_HEADER)) {
            Map<String, Matrix> fitted = new LinkedHashMap<>();
            Settings matrices = Settings.NONE;
            for (String name : tensors.names()) {
                if (name.startsWith(SCORER)) {
                    fitted.put(name.substring(SCORER.length()), tensors.matrix(name));
                } else if (name.startsWith(SETTING)) {
                    matrices = matrices.with(name.substring(SETTING.length()), tensors.matrix(name));
                }
            }
            Settings all = settings.apply(fitted).and(matrices);
            all.over(kind.settings()); // refuses settings that this version does not know
            Scorer scorer = kind.restore(new Parameters(all, kept.apply(fitted)));
            Detector read = new Detector(new Detector.Parts(
                    kind,
                    all,
                    scorer,
                    description.thresholds().policy(),
                    description.thresholds().values(),
                    vector(tensors.matrix(SCORES)),
                    labels(vector(tensors.matrix(LABELS))),
                    description.classes(),
                    description.data(),
                    description.classifierOrNull()));
            requireClasses(read);
            return read;
        } catch (RuntimeException e) {
            throw new IOException(
                    path(FITTED) + ": does not fit the description of the detector: " + e.getMessage(), e);
        }
    }

    private ScorerKind kind() throws IOException {
        DetectorJson.ScorerJson scorer = description.scorer();
        if (!scorer.jar().isEmpty() && !ScorerKinds.ids().contains(scorer.kind())) {
            throw new UnknownScorerException(path + ": the detector uses the scorer '" + scorer.kind() + "' of "
                    + scorer.jar() + ", but that jar is not loaded.");
        }
        try {
            return ScorerKinds.byId(scorer.kind());
        } catch (IllegalArgumentException e) {
            throw new UnknownScorerException(path(DetectorJson.FILE) + ": " + e.getMessage());
        }
    }

    /** Refuses a scorer of predictions that cannot score as many as there are classes. */
    private static void requireClasses(Detector detector) {
        Set<Requirement> ofOutputs = EnumSet.noneOf(Requirement.class);
        ofOutputs.addAll(detector.kind().requires());
        ofOutputs.removeIf(requirement -> !requirement.ofOutputs());
        ofOutputs.removeAll(Set.of(Requirement.PREDICTIONS, Requirement.LOGITS));
        int classes = detector.classes().size();
        if (ofOutputs.isEmpty() && classes > 0 && !detector.kind().requires().contains(Requirement.SAMPLES)) {
            detector.score(Outputs.ofLogits(Matrix.wrap(new double[classes], classes)));
        }
    }

    private static double[] vector(Matrix matrix) {
        if (matrix.rows() != 1) {
            throw new IllegalArgumentException("scores and labels have one row but there are " + matrix.rows());
        }
        return matrix.row(0);
    }

    private static int[] labels(double[] values) {
        return Arrays.stream(values)
                .mapToInt(value -> {
                    if (value != (int) value) {
                        throw new IllegalArgumentException("labels must be whole numbers but one is " + value);
                    }
                    return (int) value;
                })
                .toArray();
    }

    /** The detector. */
    public Detector detector() {
        return detector;
    }

    /** The parts of its classifier. */
    public Set<String> classifierParts() {
        Set<String> names = new TreeSet<>(description.parts().keySet());
        names.remove(FITTED);
        return names;
    }

    /** Opens a part, which is hashed while it is read. */
    @Override
    public InputStream open(String name) throws IOException {
        DetectorJson.Part part = description.parts().get(name);
        if (part == null) {
            throw new IOException(
                    path(name) + ": the detector needs this part but does not have it." + " Make the detector again.");
        }
        return new CheckedPart(container.open(name), path(name), part);
    }

    @Override
    public String path(String name) {
        return container.path(name);
    }

    /** The file or the run folder. */
    @Override
    public String toString() {
        return path.toString();
    }

    @Override
    public void close() throws IOException {
        container.close();
    }

    /**
     * Saves a detector with its classifier to one file. The same parts give the same bytes.
     *
     * @param classifierParts files of the classifier by part name; none for a detector of outputs
     */
    public static void save(Detector detector, Map<String, Path> classifierParts, Path file) throws IOException {
        SafetensorsWriter fitted = fitted(detector);
        DetectorJson description = DetectorJson.of(detector, parts(fitted, classifierParts));
        DetectorZip.write(JsonFile.bytes(description), FITTED, fitted, classifierParts, file);
    }

    /** Saves a detector to a run folder, for the classifier whose parts are there. */
    public static void saveInto(Path run, Detector detector, Set<String> classifierParts) throws IOException {
        Map<String, Path> files = new TreeMap<>();
        classifierParts.forEach(name -> files.put(name, run.resolve(name)));
        SafetensorsWriter fitted = fitted(detector);
        fitted.write(run.resolve(FITTED));
        JsonFile.write(run.resolve(DetectorJson.FILE), DetectorJson.of(detector, parts(fitted, files)));
    }

    private static SafetensorsWriter fitted(Detector detector) {
        SafetensorsWriter tensors = new SafetensorsWriter()
                .add(SCORES, Matrix.of(detector.scores()))
                .add(
                        LABELS,
                        Matrix.of(Arrays.stream(detector.labels())
                                .asDoubleStream()
                                .toArray()));
        detector.scorer().parameters().forEach((name, matrix) -> tensors.add(SCORER + name, matrix));
        detector.settings().values().forEach((name, value) -> {
            if (value instanceof Matrix matrix) {
                tensors.add(SETTING + name, matrix);
            }
        });
        return tensors;
    }

    private static Map<String, DetectorJson.Part> parts(SafetensorsWriter fitted, Map<String, Path> files)
            throws IOException {
        Map<String, DetectorJson.Part> parts = new TreeMap<>();
        parts.put(FITTED, part(out -> fitted.writeTo(Channels.newChannel(out))));
        for (Map.Entry<String, Path> file : files.entrySet()) {
            parts.put(file.getKey(), part(out -> Files.copy(file.getValue(), out)));
        }
        return parts;
    }

    private interface Content {
        void writeTo(OutputStream out) throws IOException;
    }

    private static DetectorJson.Part part(Content content) throws IOException {
        MessageDigest digest = Sha256.digest();
        long[] size = {0};
        try (OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), digest) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                size[0] += length;
                super.write(bytes, offset, length);
            }
        }) {
            content.writeTo(out);
        }
        return new DetectorJson.Part(size[0], HexFormat.of().formatHex(digest.digest()));
    }
}
