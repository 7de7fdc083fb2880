package ai.wood.cli;

import ai.wood.Detector;
import ai.wood.Requirement;
import ai.wood.SampleDetector;
import ai.wood.ScorerKind;
import ai.wood.Verdict;
import ai.wood.data.Image;
import ai.wood.data.ImageDetector;
import ai.wood.data.ImageFile;
import ai.wood.data.ImageFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Judges pictures by the detector of a bundle or a run folder: a line of JSON each. Those that cannot be read are named on the error
 * stream and passed over.
 */
final class ImageJudge {

    private static final int BATCH = 200;

    private final PrintWriter out;
    private final PrintWriter err;
    private boolean allRead = true;

    ImageJudge(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
    }

    /** Judges pictures and folders of them, however deep; tells whether all could be read. */
    boolean judge(Path detector, List<Path> paths, String device) throws IOException {
        Set<Path> found = new LinkedHashSet<>();
        for (Path path : paths) {
            found.addAll(Files.isDirectory(path) ? ImageFolder.pictures(path) : List.of(path));
        }
        List<Path> files = List.copyOf(found);
        try (SampleDetector<Image> images = open(detector, device);
                TaskBar bar = TaskBar.of("images")) {
            if (found.isEmpty()) {
                throw new IOException(paths.stream().map(Path::toString).collect(Collectors.joining(", "))
                        + ": there is no image. In folders, files are images by their names: " + ImageFolder.PICTURES
                        + ".");
            }
            for (int from = 0; from < files.size(); from += BATCH) {
                List<Path> batch = files.subList(from, Math.min(files.size(), from + BATCH));
                judge(images, read(batch, images.prepare()));
                bar.update("judge", from + batch.size(), files.size());
            }
        }
        return allRead;
    }

    private static SampleDetector<Image> open(Path path, String device) throws IOException {
        Detector detector = Detector.load(path);
        if (detector.classifier().isEmpty()) {
            throw new IOException(path + ": a network is needed to judge images but the detector has none. "
                    + beyondPredictions(detector.kind())
                            .map(more -> "Maybe bundle its run with the network: the scorer "
                                    + detector.kind().id() + " needs " + more.description() + ", not logits alone.")
                            .orElse("Maybe give --logits."));
        }
        return ImageDetector.load(path, device);
    }

    /** What a kind of scorer needs of outputs besides logits; empty if they suffice. */
    static Optional<Requirement> beyondPredictions(ScorerKind kind) {
        Set<Requirement> predictions = Set.of(Requirement.LOGITS, Requirement.PREDICTIONS);
        return kind.requires().stream()
                .filter(needed -> needed.ofOutputs() && !predictions.contains(needed))
                .findFirst();
    }

    private Map<Path, Image> read(List<Path> files, UnaryOperator<Image> prepare) {
        Map<Path, Image> images = new LinkedHashMap<>();
        for (Path file : files) {
            try {
                images.put(file, prepare.apply(ImageFile.read(file)));
            } catch (IOException e) {
                allRead = false;
                err.println("wood: " + e.getMessage());
            }
        }
        return images;
    }

    private void judge(SampleDetector<Image> detector, Map<Path, Image> images) {
        List<Path> files = List.copyOf(images.keySet());
        List<Verdict> verdicts = detector.detect(List.copyOf(images.values()));
        for (int i = 0; i < files.size(); i++) {
            out.println(line("file", files.get(i).toString(), verdicts.get(i), detector.detector()));
        }
        out.flush();
    }

    /** A verdict as JSON, led by what it is on. */
    static String line(String key, Object subject, Verdict verdict, Detector detector) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put(key, subject);
        json.put("label", detector.classes().get(verdict.label()));
        json.put("probability", Json.finite(verdict.probability()));
        json.put("score", Json.finite(verdict.score()));
        json.put("pValue", verdict.pValue());
        json.put("ood", verdict.ood());
        return Json.line(json);
    }
}
