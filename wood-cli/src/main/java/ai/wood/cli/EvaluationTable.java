package ai.wood.cli;

import ai.wood.evaluate.EvaluationResult;
import ai.wood.evaluate.EvaluationResult.OodSet;
import ai.wood.evaluate.EvaluationResult.ScorerResult;
import ai.wood.evaluate.EvaluationResult.SetResult;
import ai.wood.metric.Metric;
import ai.wood.report.Report;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** An evaluation for a terminal: a table for each OOD set, means, the cost of each scorer, and skipped scorers. */
record EvaluationTable(EvaluationResult result) {

    private static final String DEPLOYED = "the detector's scorer, with its thresholds";

    void print(PrintWriter out) {
        String accuracy = Double.isNaN(result.accuracy()) ? "" : String.format("accuracy %.4f on ", result.accuracy());
        out.printf(
                "%s: %s, %s%,d test samples%n",
                result.network(), result.ind(), accuracy, result.test().size());
        result.notes().forEach(note -> out.println("Note: " + note));
        if (result.leaky()) {
            out.println("These figures mean little: see the note.");
        }
        if (!result.scorers().isEmpty()) {
            for (int set = 0; set < result.ood().size(); set++) {
                printSet(out, set);
            }
            result.oodByGroup().forEach((name, sets) -> printMeans(out, name, sets));
            printScorers(out);
        }
        result.skipped().forEach(skipped -> out.printf("%s skipped: %s%n", skipped.name(), skipped.reason()));
    }

    private void printSet(PrintWriter out, int set) {
        OodSet ood = result.ood().get(set);
        out.printf("%n%s, %s, %,d samples%n", ood.title(), ood.distance(), ood.size());
        ToDoubleFunction<ScorerResult> fnr =
                scorer -> scorer.sets().get(set).fnr95().value();
        ToDoubleFunction<ScorerResult> auroc =
                scorer -> scorer.sets().get(set).auroc().value();
        out.printf("  %-24s %11s %9s %10s %14s%n", "scorer", "FNR@95TNR", "AUROC", "p (DeLong)", "detection rate");
        for (ScorerResult scorer : result.scorers()) {
            SetResult on = scorer.sets().get(set);
            out.printf(
                    "  %-24s %10.4f%s %8.4f%s %10.2g %14.4f%n",
                    title(scorer),
                    fnr.applyAsDouble(scorer),
                    mark(scorer, fnr, Metric.FNR95),
                    auroc.applyAsDouble(scorer),
                    mark(scorer, auroc, Metric.AUROC),
                    on.pValue(),
                    on.detectionRate());
        }
    }

    private void printMeans(PrintWriter out, String name, List<OodSet> sets) {
        boolean all = sets.size() == result.ood().size();
        if (sets.size() < 2 || (all && !name.equals("all"))) {
            return;
        }
        out.printf(
                "%nmean of %s OOD: %s%n",
                name, String.join(", ", sets.stream().map(OodSet::name).toList()));
        out.printf("  %-24s %11s %9s%n", "scorer", "FNR@95TNR", "AUROC");
        ToDoubleFunction<ScorerResult> fnr = scorer -> mean(scorer, name, Metric.FNR95);
        ToDoubleFunction<ScorerResult> auroc = scorer -> mean(scorer, name, Metric.AUROC);
        for (ScorerResult scorer : result.scorers()) {
            out.printf(
                    "  %-24s %10.4f%s %8.4f%s%n",
                    title(scorer),
                    fnr.applyAsDouble(scorer),
                    mark(scorer, fnr, Metric.FNR95),
                    auroc.applyAsDouble(scorer),
                    mark(scorer, auroc, Metric.AUROC));
        }
    }

    @SuppressWarnings("NullAway") // a result has the mean of each metric over each of its groups
    private static double mean(ScorerResult scorer, String group, Metric metric) {
        return scorer.means().get(group).get(metric.key());
    }

    private static String title(ScorerResult scorer) {
        return scorer.name() + (scorer.deployed() ? " (deployed)" : "");
    }

    private String mark(ScorerResult scorer, ToDoubleFunction<ScorerResult> value, Metric metric) {
        var values = result.scorers().stream().mapToDouble(value);
        double best = metric.higherIsBetter()
                ? values.max().orElseThrow()
                : values.min().orElseThrow();
        return value.applyAsDouble(scorer) == best ? "*" : " ";
    }

    private void printScorers(PrintWriter out) {
        out.printf(
                "%n  %-24s %11s %11s %12s %9s %9s %8s%n",
                "scorer", "threshold", "false alarm", "accuracy of", "fit", "score", "memory");
        out.printf("  %-24s %11s %11s %12s %9s %9s %8s%n", "", "", "rate", "accepted", "s", "s", "MB");
        for (ScorerResult scorer : result.scorers()) {
            boolean single = scorer.classThresholds().isEmpty();
            out.printf(
                    "  %-24s %11s %11.4f %12.4f %9.3f %9.3f %8.0f%n",
                    title(scorer),
                    single ? String.format("%.5g", scorer.threshold()) : "per class",
                    scorer.falseAlarmRate(),
                    scorer.acceptedAccuracy(),
                    scorer.fitSeconds(),
                    scorer.scoreSeconds(),
                    scorer.peakBytes() / 1e6);
        }
        out.printf("%n* best%n");
        if (result.scorers().stream().anyMatch(ScorerResult::deployed)) {
            out.println("(deployed) " + DEPLOYED);
        }
        result.scorers().stream()
                .filter(scorer -> scorer.threshold() == Double.POSITIVE_INFINITY)
                .map(scorer -> Report.tooFew(scorer.thresholdSamples(), scorer.tnr()))
                .flatMap(Optional::stream)
                .distinct()
                .forEach(out::println);
        result.scorers().stream()
                .filter(scorer -> !scorer.tunedOn().isEmpty())
                .forEach(scorer -> out.printf("%s is tuned on %s%n", scorer.name(), scorer.tunedOn()));
    }
}
