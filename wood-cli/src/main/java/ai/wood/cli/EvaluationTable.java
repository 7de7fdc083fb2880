package ai.wood.cli;

import ai.wood.evaluate.Comparison;
import ai.wood.evaluate.Comparison.OnOod;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.evaluate.Distance;
import ai.wood.evaluate.NetworkOutputs;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.metric.Metric;
import ai.wood.report.Report;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** An evaluation for a terminal: a table for each OOD set, means, what each scorer costs, and what could not run. */
record EvaluationTable(Comparison comparison) {

    /** Groups of OOD sets that means are taken over. */
    static final Map<String, Predicate<Ood>> GROUPS = groups();

    private static Map<String, Predicate<Ood>> groups() {
        Map<String, Predicate<Ood>> groups = new LinkedHashMap<>();
        groups.put("near", ood -> ood.distance() == Distance.NEAR);
        groups.put("far", ood -> ood.distance() == Distance.FAR);
        groups.put("seen", Ood::seen);
        groups.put("unseen", ood -> !ood.seen());
        groups.put("all", ood -> true);
        return groups;
    }

    void print(PrintWriter out) {
        NetworkOutputs outputs = comparison.outputs();
        out.printf(
                "%s: %s, accuracy %.4f on %,d test samples%n",
                outputs.network(),
                outputs.ind(),
                outputs.accuracy(),
                outputs.test().dataset().size());
        Report.notes(comparison).forEach(note -> out.println("Note: " + note));
        if (outputs.leaky()) {
            out.println("These figures mean little: see the note.");
        }
        if (!comparison.results().isEmpty()) {
            for (int set = 0; set < outputs.ood().size(); set++) {
                printSet(out, set);
            }
            GROUPS.forEach((name, among) -> printMeans(out, name, among));
            printScorers(out);
        }
        printSkipped(out);
    }

    private void printSet(PrintWriter out, int set) {
        Ood ood = comparison.outputs().ood().get(set);
        out.printf(
                "%n%s, %s, %,d samples%n",
                ood.title(), ood.distance().id(), ood.dataset().size());
        ToDoubleFunction<Result> fnr = value(set, Metric.FNR95);
        ToDoubleFunction<Result> auroc = value(set, Metric.AUROC);
        out.printf("  %-24s %11s %9s %10s %11s%n", "scorer", "FNR@95TNR", "AUROC", "p (DeLong)", "OOD caught");
        for (Result result : comparison.results()) {
            OnOod on = result.onOod().get(set);
            out.printf(
                    "  %-24s %10.4f%s %8.4f%s %10.2g %11.4f%n",
                    result.name(),
                    fnr.applyAsDouble(result),
                    mark(result, fnr, Metric.FNR95),
                    auroc.applyAsDouble(result),
                    mark(result, auroc, Metric.AUROC),
                    on.pValue(),
                    on.caught());
        }
    }

    private static ToDoubleFunction<Result> value(int set, Metric metric) {
        return result -> result.onOod().get(set).evaluation().value(metric);
    }

    private void printMeans(PrintWriter out, String name, Predicate<Ood> among) {
        List<Ood> sets = comparison.outputs().ood().stream().filter(among).toList();
        boolean all = sets.size() == comparison.outputs().ood().size();
        if (sets.size() < 2 || (all && !name.equals("all"))) {
            return;
        }
        out.printf(
                "%nmean of %s OOD: %s%n",
                name, String.join(", ", sets.stream().map(Ood::name).toList()));
        out.printf("  %-24s %11s %9s%n", "scorer", "FNR@95TNR", "AUROC");
        ToDoubleFunction<Result> fnr = result -> result.mean(Metric.FNR95, among);
        ToDoubleFunction<Result> auroc = result -> result.mean(Metric.AUROC, among);
        for (Result result : comparison.results()) {
            out.printf(
                    "  %-24s %10.4f%s %8.4f%s%n",
                    result.name(),
                    fnr.applyAsDouble(result),
                    mark(result, fnr, Metric.FNR95),
                    auroc.applyAsDouble(result),
                    mark(result, auroc, Metric.AUROC));
        }
    }

    private String mark(Result result, ToDoubleFunction<Result> value, Metric metric) {
        var values = comparison.results().stream().mapToDouble(value);
        double best = metric.higherIsBetter()
                ? values.max().orElseThrow()
                : values.min().orElseThrow();
        return value.applyAsDouble(result) == best ? "*" : " ";
    }

    private void printScorers(PrintWriter out) {
        out.printf(
                "%n  %-24s %11s %11s %12s %9s %9s %8s%n",
                "scorer", "threshold", "InD alarms", "accuracy of", "fit", "score", "memory");
        out.printf("  %-24s %11s %11s %12s %9s %9s %8s%n", "", "", "", "accepted", "s", "s", "MB");
        for (Result result : comparison.results()) {
            out.printf(
                    "  %-24s %11.5g %11.4f %12.4f %9.3f %9.3f %8.0f%n",
                    result.name(),
                    result.threshold().value(),
                    result.indAlarms(),
                    result.acceptedAccuracy(),
                    result.spent().fitSeconds(),
                    result.spent().scoreSeconds(),
                    result.spent().peakBytes() / 1e6);
        }
        out.printf("%n* best%n");
        Report.unreachable(comparison).forEach(out::println);
        comparison.results().stream()
                .filter(result -> result.tunedOn() != null)
                .forEach(result ->
                        out.printf("%s is tuned on %s%n", result.name(), Objects.requireNonNull(result.tunedOn())));
    }

    private void printSkipped(PrintWriter out) {
        comparison.skipped().forEach(skipped -> out.printf("%s left out: %s%n", skipped.name(), skipped.reason()));
    }
}
