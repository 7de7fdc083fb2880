package ai.wood.cli;

import ai.wood.Verdict;
import ai.wood.bundle.Bundle;
import ai.wood.data.Image;
import ai.wood.data.ImageFile;
import ai.wood.data.ImageFolder;
import ai.wood.data.transform.Fit;
import ai.wood.score.Scorers;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
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
        try (Bundle bundle = Bundle.open(detector, device);
                TaskBar bar = TaskBar.of("images")) {
            Fit fit = new Fit(bundle.shape()
                    .orElseThrow(() -> new IOException(
                            detector + ": a network is needed to judge images but the detector has none. "
                                    + hint(bundle.scorer()))));
            if (found.isEmpty()) {
                throw new IOException(paths.stream().map(Path::toString).collect(Collectors.joining(", "))
                        + ": there is no picture to judge. In folders, files are pictures by their names: "
                        + ImageFolder.PICTURES + ".");
            }
            for (int from = 0; from < files.size(); from += BATCH) {
                List<Path> batch = files.subList(from, Math.min(files.size(), from + BATCH));
                judge(bundle, read(batch, fit));
                bar.update("judge", from + batch.size(), files.size());
            }
        }
        return allRead;
    }

    private static String hint(Scorers scorer) {
        return scorer.beyondLogits()
                .map(more -> "Maybe bundle its run with the network: the scorer " + scorer.id() + " needs "
                        + more.description() + ", not logits alone.")
                .orElse("Maybe give --logits.");
    }

    private Map<Path, Image> read(List<Path> files, Fit fit) {
        Map<Path, Image> images = new LinkedHashMap<>();
        for (Path file : files) {
            try {
                images.put(file, fit.apply(ImageFile.read(file), new SplittableRandom(0)));
            } catch (IOException e) {
                allRead = false;
                err.println("wood: " + e.getMessage());
            }
        }
        return images;
    }

    private void judge(Bundle bundle, Map<Path, Image> images) {
        List<Path> files = List.copyOf(images.keySet());
        List<Verdict> verdicts = bundle.detector().judge(List.copyOf(images.values()));
        for (int i = 0; i < files.size(); i++) {
            out.println(line("file", files.get(i).toString(), verdicts.get(i), bundle));
        }
        out.flush();
    }

    /** A verdict as JSON, led by what it is on. */
    static String line(String key, Object subject, Verdict verdict, Bundle bundle) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put(key, subject);
        json.put("label", bundle.classes().get(verdict.label()));
        json.put("probability", Json.finite(verdict.probability()));
        json.put("score", Json.finite(verdict.score()));
        json.put("pValue", verdict.pValue());
        json.put("ood", verdict.ood());
        return Json.line(json);
    }
}
