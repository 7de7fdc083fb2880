package ai.wood.bundle;

import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Scorer;
import ai.wood.Thresholds;
import ai.wood.Verdict;
import ai.wood.data.Image;
import ai.wood.data.Network;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A classifier that knows when it is out of its depth: a network, a scorer and thresholds.
 *
 * <p>Safe to share between threads as long as the network is; closing it closes the network.
 */
public record Detector(Network network, Scorer scorer, Thresholds thresholds) implements AutoCloseable {

    /**
     * Opens the detector of a file that {@code wood bundle} made, or of a run folder.
     *
     * @throws IOException where there is none or it was tampered with
     */
    public static Detector open(Path path) throws IOException {
        return Bundle.open(path).detector();
    }

    /** A verdict for each image, in their order. */
    public List<Verdict> judge(List<Image> images) {
        return images.isEmpty() ? List.of() : judge(network.forward(images));
    }

    /** A verdict for each sample of which the network's outputs are known. */
    public List<Verdict> judge(Outputs outputs) {
        double[] scores = scorer.score(outputs);
        return IntStream.range(0, scores.length)
                .mapToObj(i -> verdict(outputs.probabilities(i), scores[i]))
                .toList();
    }

    /** A prediction that is no number is OOD, as a score that is none: neither can be trusted. */
    private Verdict verdict(double[] probabilities, double score) {
        int label = Probabilities.argmax(probabilities);
        return new Verdict(
                label,
                probabilities[label],
                score,
                thresholds.pValue(label, score),
                Double.isNaN(probabilities[label]) || thresholds.of(label).isOod(score));
    }

    @Override
    public void close() {
        network.close();
    }
}
