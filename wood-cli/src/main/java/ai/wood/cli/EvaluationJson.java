package ai.wood.cli;

import ai.wood.Settings;
import ai.wood.evaluate.Comparison;
import ai.wood.evaluate.Comparison.OnOod;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.evaluate.NetworkOutputs;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.evaluate.NetworkOutputs.Part;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.Evaluation;
import ai.wood.metric.Metric;
import ai.wood.metric.RankedScores;
import ai.wood.report.Report;
import ai.wood.score.ScorerKinds;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An evaluation for programs; docs/evaluation.md has the keys. What is not a finite number is null. */
final class EvaluationJson {

    private EvaluationJson() {}

    static Map<String, Object> of(Comparison comparison, double tnr, Bootstrap bootstrap) {
        NetworkOutputs outputs = comparison.outputs();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("network", outputs.network());
        json.put("accuracy", outputs.accuracy());
        json.put("tnr", tnr);
        json.put("leaky", outputs.leaky());
        json.put("notes", Report.notes(comparison));
        json.put("validation", part(outputs.validation()));
        json.put("test", part(outputs.test()));
        json.put("ood", outputs.ood().stream().map(EvaluationJson::ood).toList());
        if (comparison.has(ScorerKinds.wood())) {
            json.put("wood", wood(outputs.setup().wood()));
        }
        json.put("bootstrap", bootstrap(bootstrap));
        json.put(
                "scorers",
                comparison.results().stream().map(EvaluationJson::result).toList());
        json.put("skipped", comparison.skipped());
        return json;
    }

    private static Map<String, @Nullable Object> wood(Settings wood) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("cost", wood.matrix("cost").map(cost -> "custom").orElseGet(() -> wood.word("cost")));
        json.put("lambda", Json.finite(wood.number("lambda")));
        json.put("temperature", wood.number("temperature"));
        return json;
    }

    private static Map<String, Object> bootstrap(Bootstrap bootstrap) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("replicates", bootstrap.replicates());
        json.put("confidence", bootstrap.confidence());
        json.put("seed", bootstrap.seed());
        return json;
    }

    private static Map<String, Object> part(Part part) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", part.dataset().name());
        json.put("size", part.dataset().size());
        json.put("sha256", part.dataset().hash());
        return json;
    }

    private static Map<String, Object> ood(Ood ood) {
        Map<String, Object> json = part(ood.part());
        json.put("seen", ood.seen());
        json.put("distance", ood.distance().id());
        return json;
    }

    private static Map<String, @Nullable Object> result(Result result) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put("name", result.name());
        json.put("tunedOn", result.tunedOn());
        json.put("threshold", Json.finite(result.threshold().value()));
        json.put("testThreshold95", Json.finite(testThreshold(result)));
        json.put("indAlarms", result.indAlarms());
        json.put("acceptedAccuracy", Json.finite(result.acceptedAccuracy()));
        json.put("fitSeconds", result.spent().fitSeconds());
        json.put("scoreSeconds", result.spent().scoreSeconds());
        json.put("peakBytes", result.spent().peakBytes());
        json.put("sets", result.onOod().stream().map(EvaluationJson::set).toList());
        json.put("means", means(result));
        return json;
    }

    private static double testThreshold(Result result) {
        double[] scores = result.indScores().row(0);
        return RankedScores.of(scores, scores).thresholdAtTnr(0.95);
    }

    private static Map<String, @Nullable Object> set(OnOod on) {
        Evaluation evaluation = on.evaluation();
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        Map<String, List<Double>> intervals = new LinkedHashMap<>();
        json.put("ood", on.ood().name());
        for (Metric metric : Metric.values()) {
            json.put(metric.key(), evaluation.value(metric));
            evaluation.interval(metric).ifPresent(interval -> intervals.put(metric.key(), Json.of(interval)));
        }
        json.put("intervals", intervals);
        json.put("caught", on.caught());
        json.put("pValue", Json.finite(on.pValue()));
        return json;
    }

    /** By group of OOD sets, those that have any. */
    private static Map<String, Object> means(Result result) {
        Map<String, Object> json = new LinkedHashMap<>();
        EvaluationTable.GROUPS.forEach((name, among) -> {
            if (result.onOod().stream().anyMatch(on -> among.test(on.ood()))) {
                Map<String, Double> means = new LinkedHashMap<>();
                for (Metric metric : Metric.values()) {
                    means.put(metric.key(), result.mean(metric, among));
                }
                json.put(name, means);
            }
        });
        return json;
    }
}
