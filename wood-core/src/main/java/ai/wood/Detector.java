package ai.wood;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A classifier that knows when it is out of its depth: a network, a scorer and thresholds.
 *
 * <p>Safe to share between threads as long as the network is; closing it closes the network.
 */
public record Detector(Network network, Scorer scorer, Thresholds thresholds) implements AutoCloseable {

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

    private Verdict verdict(double[] probabilities, double score) {
        int label = Probabilities.argmax(probabilities);
        return new Verdict(
                label,
                probabilities[label],
                score,
                thresholds.pValue(label, score),
                thresholds.of(label).isOod(score));
    }

    @Override
    public void close() {
        network.close();
    }
}
