package ai.wood.cli;

import ai.wood.Interval;
import ai.wood.evaluate.EvaluationResult;
import ai.wood.evaluate.EvaluationResult.Measured;
import ai.wood.evaluate.EvaluationResult.OodSet;
import ai.wood.evaluate.EvaluationResult.ScorerResult;
import ai.wood.evaluate.EvaluationResult.SetResult;
import ai.wood.metric.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An evaluation for spreadsheets: a row for each OOD set and scorer. */
final class EvaluationCsv {

    private EvaluationCsv() {}

    static String of(EvaluationResult result) {
        StringBuilder csv = new StringBuilder(line(heading()));
        for (int set = 0; set < result.ood().size(); set++) {
            for (ScorerResult scorer : result.scorers()) {
                csv.append(line(row(result, scorer, set)));
            }
        }
        return csv.toString();
    }

    private static List<String> heading() {
        List<String> heading =
                new ArrayList<>(List.of("network", "ind", "ood", "seen", "distance", "scorer", "deployed", "tunedOn"));
        for (Metric metric : Metric.values()) {
            heading.addAll(List.of(metric.key(), metric.key() + "Low", metric.key() + "High"));
        }
        heading.addAll(
                List.of("pValue", "threshold", "detectionRate", "falseAlarmRate", "accuracy", "acceptedAccuracy"));
        heading.addAll(List.of("fitSeconds", "scoreSeconds", "peakBytes"));
        return heading;
    }

    private static List<String> row(EvaluationResult result, ScorerResult scorer, int set) {
        OodSet ood = result.ood().get(set);
        SetResult on = scorer.sets().get(set);
        List<String> row = new ArrayList<>(List.of(
                result.network(),
                result.ind(),
                ood.name(),
                String.valueOf(ood.seen()),
                ood.distance(),
                scorer.name(),
                String.valueOf(scorer.deployed()),
                scorer.tunedOn()));
        for (Metric metric : Metric.values()) {
            Measured measured = on.metric(metric);
            Optional<Interval> interval = measured.interval();
            row.add(number(measured.value()));
            row.add(interval.map(ends -> number(ends.low())).orElse(""));
            row.add(interval.map(ends -> number(ends.high())).orElse(""));
        }
        row.addAll(List.of(
                number(on.pValue()),
                scorer.classThresholds().isEmpty() ? number(scorer.threshold()) : "",
                number(on.detectionRate()),
                number(scorer.falseAlarmRate()),
                number(result.accuracy()),
                number(scorer.acceptedAccuracy()),
                number(scorer.fitSeconds()),
                number(scorer.scoreSeconds()),
                String.valueOf(scorer.peakBytes())));
        return row;
    }

    private static String number(double value) {
        return Double.isFinite(value) ? String.valueOf(value) : "";
    }

    /** Fields with anything but plain characters are quoted (RFC 4180). */
    private static String line(List<String> fields) {
        return String.join(",", fields.stream().map(EvaluationCsv::field).toList()) + "\n";
    }

    private static String field(String text) {
        return text.matches("[\\w.:*+/ -]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
}
