package ai.wood.cli;

import ai.wood.Detector;
import ai.wood.Outputs;
import ai.wood.SampleDetector;
import ai.wood.Verdict;
import ai.wood.data.Image;
import ai.wood.data.ImageDetector;
import ai.wood.data.ImageFile;
import ai.wood.data.ImageFolder;
import ai.wood.io.DetectorFile;
import ai.wood.io.VerdictWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Applies a detector to files of images or outputs, and writes the verdicts to a file or the standard output. */
final class Detection {

    private static final int IMAGES = 200;

    private final Path path;
    private final PrintWriter out;
    private final PrintWriter err;
    private long judged;
    private long flagged;
    private boolean failed;

    Detection(Path detector, PrintWriter out, PrintWriter err) {
        this.path = detector;
        this.out = out;
        this.err = err;
    }

    /** Where verdicts go. */
    record Target(@Nullable Path file, String key) {}

    /** Detects on outputs, in batches. */
    int arrays(OutputFiles files, Target target) throws IOException {
        files.refuseAsTarget(target.file);
        Detector detector = Detector.load(path);
        try (OutputReader reader = OutputReader.open(files, new Inputs()).acceptNonFiniteLogits()) {
            write(detector, target, writer -> {
                for (Outputs batch = next(reader); batch.size() > 0; batch = next(reader)) {
                    require(detector, batch);
                    List<Long> rows = LongStream.range(judged, judged + batch.size())
                            .boxed()
                            .toList();
                    write(rows, detector.detect(batch), writer);
                }
            });
        }
        return 0;
    }

    private void require(Detector detector, Outputs batch) {
        try {
            ScorerNeeds.require(detector.kind(), batch);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    path + ": " + e.getMessage() + (detector.classifier().isPresent() ? " Or give images." : ""), e);
        }
    }

    /** A file that cannot be read is not the fault of the file that is written. */
    private static Outputs next(OutputReader reader) {
        try {
            return reader.next();
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    /** Detects on images and folders of them, at any depth. Unreadable ones are named on the error stream. */
    int images(List<Path> inputs, Target target, String device) throws IOException {
        Set<Path> found = new LinkedHashSet<>();
        for (Path input : inputs) {
            found.addAll(Files.isDirectory(input) ? ImageFolder.pictures(input) : List.of(input));
        }
        List<Path> files = List.copyOf(found);
        try (SampleDetector<Image> detector = open(device);
                TaskBar bar = TaskBar.of("images")) {
            if (files.isEmpty()) {
                throw new IOException(inputs.stream().map(Path::toString).collect(Collectors.joining(", "))
                        + ": there is no image. In folders, files are images by their names: " + ImageFolder.PICTURES
                        + ".");
            }
            write(detector.detector(), target, writer -> {
                for (int from = 0; from < files.size(); from += IMAGES) {
                    List<Path> batch = files.subList(from, Math.min(files.size(), from + IMAGES));
                    Map<Path, Image> images = read(batch, detector.prepare());
                    List<String> names =
                            images.keySet().stream().map(Path::toString).toList();
                    write(names, detector.detect(List.copyOf(images.values())), writer);
                    bar.update("detect", from + batch.size(), files.size());
                }
            });
        }
        return !failed ? 0 : judged > 0 ? Main.DONE_IN_PART : Main.BAD_INPUT;
    }

    private SampleDetector<Image> open(String device) throws IOException {
        try (DetectorFile file = DetectorFile.open(path)) {
            Detector detector = file.detector();
            if (detector.classifier().isEmpty()) {
                throw new IOException(path + ": images need a network but the detector has none. "
                        + ScorerNeeds.beyondPredictions(detector.kind())
                                .map(more -> "Its scorer " + detector.kind().id() + " needs " + more.description()
                                        + ": pack the run with its network, or give files of outputs.")
                                .orElse("Give --logits or --probabilities."));
            }
            return ImageDetector.load(file, device);
        }
    }

    private Map<Path, Image> read(List<Path> files, UnaryOperator<Image> prepare) {
        Map<Path, Image> images = new LinkedHashMap<>();
        for (Path file : files) {
            try {
                images.put(file, prepare.apply(ImageFile.read(file)));
            } catch (IOException e) {
                failed = true;
                err.println("wood: " + e.getMessage());
            }
        }
        return images;
    }

    private void write(Detector detector, Target target, VerdictWriter.Content content) throws IOException {
        if (target.file == null) {
            content.writeTo((inputs, verdicts) -> {
                out.print(VerdictWriter.jsonLines(target.key, inputs, verdicts, detector.classes()));
                out.flush();
            });
        } else {
            VerdictWriter.replace(target.file, detector.classes(), content);
            err.printf("wood: %,d samples, %,d of them OOD, written to %s%n", judged, flagged, target.file);
        }
    }

    private void write(List<?> inputs, List<Verdict> verdicts, VerdictWriter writer) throws IOException {
        writer.write(inputs, verdicts);
        judged += verdicts.size();
        flagged += verdicts.stream().filter(Verdict::ood).count();
    }
}
