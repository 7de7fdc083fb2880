package ai.wood.io;

import ai.wood.ClassifierReference;
import ai.wood.Matrix;
import ai.wood.Settings;
import ai.wood.score.ScorerKinds;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The content of {@code detector.json}, format 1, which version 0.1 wrote. It named no settings except those of the
 * scorer {@code wood}; the others were constants of the program. They are stated here, so that such a detector scores
 * as it always did.
 */
record Format1(
        int format,
        String version,
        List<String> conventions,
        Classifier classifier,
        Scorer scorer,
        Choice choice,
        List<Double> thresholds,
        Map<String, String> data,
        String network,
        Map<String, DetectorJson.Part> parts) {

    record Classifier(List<String> classes, String shape, List<Double> mean, List<Double> deviation) {}

    record Scorer(String name, String cost, double lambda, double temperature) {}

    record Choice(double tnr, boolean conformal, boolean perClass) {}

    /** The same in format 2. */
    DetectorJson upgrade() {
        String format = classifier.shape.isEmpty() ? DetectorJson.NO_CLASSIFIER : network;
        Map<String, JsonNode> noSettings = Map.of();
        return new DetectorJson(
                DetectorJson.FORMAT,
                version,
                conventions,
                classifier.classes,
                new DetectorJson.ScorerJson(scorer.name, "", noSettings),
                new DetectorJson.Thresholds(choice.tnr, choice.conformal, choice.perClass, thresholds),
                data,
                new ClassifierReference(format, classifier.shape, classifier.mean, classifier.deviation),
                parts);
    }

    /** The settings that version 0.1 used, in part kept as matrices of the scorer. */
    Settings settings(Map<String, Matrix> fitted) {
        boolean tempered = ScorerKinds.byId(scorer.name).settings().has("temperature");
        Settings all = tempered ? Settings.NONE.with("temperature", scorer.temperature) : Settings.NONE;
        return switch (scorer.name) {
            case "wood" -> cost(all, fitted).with("lambda", scorer.lambda);
            case "temperature-msp" -> all.with("temperature", 1000 * scorer.temperature);
            case "gen" -> all.with("gamma", 0.1).with("largest", 100);
            case "knn", "nnguide" -> all.with("k", number(fitted, "k"));
            case "vim" -> all.with("principal", 0);
            case "react", "ash", "dice" -> all.with("percentile", 90);
            case "scale" -> all.with("percentile", 85);
            case "trust" -> all.with("neighbours", 1).with("k", 10).with("alpha", 0);
            default -> all;
        };
    }

    private Settings cost(Settings all, Map<String, Matrix> fitted) {
        Matrix cost = fitted.get("cost");
        return cost == null ? all.with("cost", scorer.cost) : all.with("cost", cost);
    }

    private static double number(Map<String, Matrix> fitted, String name) {
        Matrix matrix = fitted.get(name);
        if (matrix == null || matrix.rows() != 1 || matrix.columns() != 1) {
            throw new IllegalArgumentException("the scorer needs the number '" + name + "' but there are " + fitted);
        }
        return matrix.get(0, 0);
    }

    /** The fitted matrices without those that are settings now. */
    static Map<String, Matrix> matrices(Map<String, Matrix> fitted) {
        Map<String, Matrix> matrices = new LinkedHashMap<>(fitted);
        matrices.remove("cost");
        matrices.remove("k");
        return matrices;
    }
}
