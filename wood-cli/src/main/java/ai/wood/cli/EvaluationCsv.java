package ai.wood.cli;

import ai.wood.Interval;
import ai.wood.evaluate.Comparison;
import ai.wood.evaluate.Comparison.OnOod;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.metric.Metric;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An evaluation for spreadsheets: a row for each OOD set and scorer. */
final class EvaluationCsv {

    private EvaluationCsv() {}

    static String of(Comparison comparison) {
        StringBuilder csv = new StringBuilder(line(heading()));
        for (int set = 0; set < comparison.outputs().ood().size(); set++) {
            for (Result result : comparison.results()) {
                csv.append(line(row(comparison, result, result.onOod().get(set))));
            }
        }
        return csv.toString();
    }

    private static List<String> heading() {
        List<String> heading =
                new ArrayList<>(List.of("network", "ind", "ood", "seen", "distance", "scorer", "tunedOn"));
        for (Metric metric : Metric.values()) {
            heading.addAll(List.of(metric.key(), metric.key() + "Low", metric.key() + "High"));
        }
        heading.addAll(List.of("pValue", "threshold", "caught", "indAlarms", "accuracy", "acceptedAccuracy"));
        heading.addAll(List.of("fitSeconds", "scoreSeconds", "peakBytes"));
        return heading;
    }

    private static List<String> row(Comparison comparison, Result result, OnOod on) {
        List<String> row = new ArrayList<>(List.of(
                comparison.outputs().network(),
                comparison.outputs().ind(),
                on.ood().name(),
                String.valueOf(on.ood().seen()),
                on.ood().distance().id(),
                result.name(),
                Optional.ofNullable(result.tunedOn()).orElse("")));
        for (Metric metric : Metric.values()) {
            Optional<Interval> interval = on.evaluation().interval(metric);
            row.add(number(on.evaluation().value(metric)));
            row.add(interval.map(ends -> number(ends.low())).orElse(""));
            row.add(interval.map(ends -> number(ends.high())).orElse(""));
        }
        row.addAll(List.of(
                number(on.pValue()),
                number(result.threshold().value()),
                number(on.caught()),
                number(result.indAlarms()),
                number(comparison.outputs().accuracy()),
                number(result.acceptedAccuracy()),
                number(result.spent().fitSeconds()),
                number(result.spent().scoreSeconds()),
                String.valueOf(result.spent().peakBytes())));
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
