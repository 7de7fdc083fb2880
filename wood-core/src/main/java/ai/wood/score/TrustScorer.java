package ai.wood.score;

import ai.wood.CannotRunException;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Quantiles;
import ai.wood.Scorer;
import ai.wood.Settings;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The inverse trust score: the distance from the second nearest training sample of the predicted class, divided by the
 * least such distance from any other class, between features. Above 1 the features contradict the prediction.
 *
 * <p>Before, each class may lose the share {@code alpha} of its samples that are farthest from their k-th nearest
 * neighbour in the class, itself counted: its outliers. A prediction of a class without samples scores infinity; a sample
 * that coincides with two classes scores 1.
 *
 * @see <a href="https://arxiv.org/abs/1805.11783">Jiang et al. 2018, To Trust Or Not To Trust A Classifier</a>
 */
final class TrustScorer implements Scorer {

    /**
     * The defaults of the authors' code: {@code TrustScore(k=10, alpha=0)} and {@code get_score(X, y_pred, k=2)}, which
     * takes the distance from the second neighbour.
     */
    static final Settings DEFAULTS =
            Settings.NONE.with("neighbours", 2).with("k", 10).with("alpha", 0);

    private static final String CLASS = "class.";

    private final Map<Integer, Neighbours> classes; // those that have samples
    private final int neighbours;

    private TrustScorer(Map<Integer, Neighbours> classes, int neighbours) {
        if (classes.size() < 2) {
            throw new CannotRunException(
                    "needs training samples of at least 2 classes but there are samples of " + classes.size());
        }
        if (neighbours < 1) {
            throw new IllegalArgumentException("the number of neighbours must be positive but is " + neighbours);
        }
        this.classes = classes;
        this.neighbours = neighbours;
    }

    /**
     * Keeps the features of each class without its outliers.
     *
     * @param settings {@code neighbours}: the distance from a class is that from this neighbour, from the last one if the
     *     class has fewer samples; {@code k}: the neighbour that measures how dense a class is around a sample; {@code
     *     alpha}: the fraction of each class to leave out
     */
    static TrustScorer fit(Outputs ind, List<Integer> labels, Settings settings) {
        int k = settings.count("k");
        double alpha = settings.number("alpha");
        if (k < 1 || !(alpha >= 0 && alpha < 1)) {
            throw new IllegalArgumentException(
                    "k must be positive and alpha in [0, 1) but they are " + k + " and " + alpha);
        }
        Features features = Features.of(ind, labels);
        Map<Integer, Neighbours> classes = new TreeMap<>();
        for (int label : features.labels().stream().distinct().toList()) {
            int[] members = IntStream.range(0, labels.size())
                    .filter(r -> labels.get(r) == label)
                    .toArray();
            classes.put(label, dense(features.rows(), members, k, alpha));
        }
        return new TrustScorer(classes, settings.count("neighbours"));
    }

    static TrustScorer of(Parameters parameters) {
        Parameters samples = parameters.under(CLASS);
        Map<Integer, Neighbours> classes = new TreeMap<>();
        for (String label : samples.names()) {
            Matrix rows = samples.matrix(label);
            classes.put(Integer.valueOf(label), Neighbours.of(rows.rows(), rows::row));
        }
        return new TrustScorer(classes, parameters.settings().count("neighbours"));
    }

    private static Neighbours dense(Matrix features, int[] members, int k, double alpha) {
        Neighbours all = Neighbours.of(members.length, i -> features.row(members[i]));
        if (alpha == 0) {
            return all;
        }
        double[] radii = all.mapNearest(
                members.length,
                i -> features.row(members[i]),
                Math.min(k, members.length),
                squares -> Math.sqrt(squares[0]));
        double[] sorted = radii.clone();
        Arrays.sort(sorted);
        double largest = Quantiles.linear(sorted, 1 - alpha);
        int[] kept = IntStream.range(0, members.length)
                .filter(i -> radii[i] <= largest)
                .map(i -> members[i])
                .toArray();
        return Neighbours.of(kept.length, i -> features.row(kept[i]));
    }

    @Override
    public double[] score(Outputs outputs) {
        Matrix features = outputs.features();
        double[] predicted = new double[outputs.size()];
        double[] other = new double[outputs.size()];
        Arrays.fill(predicted, Double.POSITIVE_INFINITY);
        Arrays.fill(other, Double.POSITIVE_INFINITY);
        classes.forEach((label, samples) -> {
            Features.requireWidth(features, samples.width());
            double[] distances = samples.mapNearest(
                    features.rows(), features::row, samples.atMost(neighbours), squares -> Math.sqrt(squares[0]));
            for (int r = 0; r < distances.length; r++) {
                double[] side = outputs.label(r) == label ? predicted : other;
                side[r] = Math.min(side[r], distances[r]);
            }
        });
        double[] scores = IntStream.range(0, predicted.length)
                .mapToDouble(r -> predicted[r] == other[r] ? 1 : predicted[r] / other[r])
                .toArray();
        return Features.ofPredicted(outputs, scores);
    }

    @Override
    public Map<String, Matrix> parameters() {
        Map<String, Matrix> all = new LinkedHashMap<>();
        classes.forEach((label, samples) -> all.put(CLASS + label, samples.samples()));
        return all;
    }
}
