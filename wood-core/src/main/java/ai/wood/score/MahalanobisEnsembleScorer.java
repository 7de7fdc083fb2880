package ai.wood.score;

import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Parameters;
import ai.wood.Scorer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A Mahalanobis distance in every layer the network shows and in its features, weighted by a logistic regression that
 * learnt to tell validation InD from validation OOD; the score is its log-odds. Distances are fitted to training
 * samples, as in {@link MahalanobisScorer}. Maps are averaged over their pixels.
 *
 * <p>The regression's ridge is 1. It has seen OOD: see {@link FitData.Tuning}.
 *
 * @see <a href="https://arxiv.org/abs/1807.03888">Lee et al. 2018, A Simple Unified Framework for Detecting
 *     Out-of-Distribution Samples and Adversarial Attacks</a>
 */
final class MahalanobisEnsembleScorer implements Scorer {

    private static final double RIDGE = 1;
    private static final String FEATURES = "features.";
    private static final String LAYER = "layer.";
    private static final String WHITENING = ".whitening";
    private static final String REGRESSION = "regression.";

    private final MahalanobisDistance ofFeatures;
    private final Map<String, MahalanobisDistance> ofLayers;
    private final LogisticRegression regression;

    private MahalanobisEnsembleScorer(
            MahalanobisDistance ofFeatures, Map<String, MahalanobisDistance> ofLayers, FitData.Tuning tuning) {
        this.ofFeatures = ofFeatures;
        this.ofLayers = ofLayers;
        this.regression = LogisticRegression.fit(distances(tuning.ind()), distances(tuning.ood()), RIDGE);
    }

    private MahalanobisEnsembleScorer(Parameters parameters, boolean unit) {
        this.ofFeatures = MahalanobisDistance.of(parameters.under(FEATURES), unit);
        this.ofLayers = new LinkedHashMap<>();
        Parameters layers = parameters.under(LAYER);
        layers.names().stream()
                .filter(name -> name.endsWith(WHITENING))
                .map(name -> name.substring(0, name.length() - WHITENING.length()))
                .forEach(name -> ofLayers.put(name, MahalanobisDistance.of(layers.under(name + "."), unit)));
        this.regression = LogisticRegression.of(parameters.under(REGRESSION), ofLayers.size() + 1);
    }

    static MahalanobisEnsembleScorer of(Parameters parameters, boolean unit) {
        return new MahalanobisEnsembleScorer(parameters, unit);
    }

    /**
     * Estimates the distances, then their weights.
     *
     * @param ind outputs with features and layers, of samples the network was trained on
     * @param labels their true labels
     * @param tuning outputs with features and layers, of validation samples
     * @param unit divide the features of every layer by their lengths first
     */
    static MahalanobisEnsembleScorer fit(Outputs ind, List<Integer> labels, FitData.Tuning tuning, boolean unit) {
        Features last = Features.of(ind, labels);
        Map<String, MahalanobisDistance> layers = new LinkedHashMap<>();
        ind.layers()
                .forEach((name, layer) ->
                        layers.put(name, MahalanobisDistance.fit(new Features(layer, labels, last.classes()), unit)));
        return new MahalanobisEnsembleScorer(MahalanobisDistance.fit(last, unit), layers, tuning);
    }

    @Override
    public double[] score(Outputs outputs) {
        double[][] distances = distances(outputs);
        double[] scores = new double[outputs.size()];
        for (int r = 0; r < scores.length; r++) {
            scores[r] = regression.logOdds(distances[r]);
        }
        return scores;
    }

    /** Layers in the order of their weights. */
    @Override
    public Map<String, Matrix> parameters() {
        Map<String, Matrix> all = new LinkedHashMap<>();
        ofLayers.forEach((name, layer) -> all.putAll(Parameters.prefixed(LAYER + name + ".", layer.parameters())));
        all.putAll(Parameters.prefixed(FEATURES, ofFeatures.parameters()));
        all.putAll(Parameters.prefixed(REGRESSION, regression.parameters()));
        return all;
    }

    /** One row per sample, one column per layer. */
    private double[][] distances(Outputs outputs) {
        double[][] distances = new double[outputs.size()][ofLayers.size() + 1];
        int column = 0;
        for (Map.Entry<String, MahalanobisDistance> layer : ofLayers.entrySet()) {
            fill(distances, column++, layer.getValue().of(outputs.layer(layer.getKey())));
        }
        fill(distances, column, ofFeatures.of(outputs.features()));
        return distances;
    }

    private static void fill(double[][] rows, int column, double[] values) {
        for (int r = 0; r < values.length; r++) {
            rows[r][column] = values[r];
        }
    }
}
