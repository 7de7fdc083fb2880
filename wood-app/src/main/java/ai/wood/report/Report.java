package ai.wood.report;

import ai.wood.experiment.Comparison;
import ai.wood.experiment.Comparison.OnOod;
import ai.wood.experiment.Comparison.Result;
import ai.wood.metric.Interval;
import ai.wood.metric.Metric;
import java.util.Locale;
import java.util.stream.Collectors;

/** A comparison of scorers as one self-contained page, and its picture. */
public final class Report {

    private static final String PICTURE_STYLE = ".ind{fill:#2f6fb5;opacity:.62}.ood{fill:#c8553d;opacity:.62}"
            + ".axis{stroke:#888}.cut{stroke:#222;stroke-dasharray:4 3}text{font:12px system-ui,sans-serif;fill:#222}"
            + ".title{font-size:14px;font-weight:600}"
            + "@media(prefers-color-scheme:dark){text{fill:#ddd}.cut{stroke:#eee}.ind{fill:#6ea8e6}.ood{fill:#ef8a72}}";

    private static final String PAGE_STYLE = "body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;"
            + "padding:0 1rem;color:#222;background:#fff}table{border-collapse:collapse;width:100%;font-size:.92rem}"
            + "th,td{padding:.3rem .6rem;text-align:right;border-bottom:1px solid #ddd}"
            + "th:first-child,td:first-child{text-align:left}.best{font-weight:700}td small{font-weight:400;white-space:nowrap}.scroll{overflow-x:auto}"
            + "svg{width:100%;height:auto}small,footer{color:#666}"
            + "@media(prefers-color-scheme:dark){body{color:#ddd;background:#16181c}th,td{border-color:#3a3d44}"
            + "small,footer{color:#999}}";

    private final Comparison comparison;

    public Report(Comparison comparison) {
        this.comparison = comparison;
    }

    /** Histograms of the first scorer, InD against each OOD set. */
    public String svg() {
        Result result = comparison.results().get(0);
        StringBuilder panels = new StringBuilder();
        int top = 0;
        for (OnOod on : result.onOod()) {
            String title = comparison.outputs().ind() + " (blue) against "
                    + on.ood().name() + " (red), " + (on.ood().seen() ? "seen" : "never seen") + " in training";
            panels.append(Histogram.panel(
                    top,
                    title,
                    new Series(comparison.outputs().ind(), result.indScores()),
                    new Series(on.ood().name(), on.scores()),
                    result.threshold().value()));
            top += Histogram.height();
        }
        return String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">"
                        + "<title>Scores of %s samples against OOD samples</title><style>%s</style>%s</svg>%n",
                Histogram.width(),
                top,
                Html.escaped(comparison.outputs().ind()),
                PICTURE_STYLE,
                panels);
    }

    /** The whole page. */
    public String html() {
        String tables = comparison.outputs().ood().stream()
                .map(ood -> "<h2>" + Html.escaped(ood.name()) + " <small>" + (ood.seen() ? "seen OOD" : "unseen OOD")
                        + "</small></h2>" + table(comparison.outputs().ood().indexOf(ood)))
                .collect(Collectors.joining("\n"));
        return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                + "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                + "<title>WOOD report</title><style>" + PAGE_STYLE + "</style></head><body>\n"
                + "<h1>When is this classifier out of its depth?</h1>\n<p>" + Html.escaped(headline()) + "</p>\n"
                + svg() + tables + footer() + "</body></html>\n";
    }

    /** The verdict in one sentence. */
    public String headline() {
        Result result = comparison.results().get(0);
        String caught = result.onOod().stream()
                .map(on -> String.format(
                        Locale.ROOT,
                        "%.1f%% of %s (%s in training)",
                        100 * on.caught(),
                        on.ood().name(),
                        on.ood().seen() ? "seen" : "never seen"))
                .collect(Collectors.joining(" and "));
        return String.format(
                Locale.ROOT,
                "With at most %.3g%% false alarms promised (%.1f%% measured), the score %s catches %s.",
                100 * (1 - result.threshold().tnr()),
                100 * result.indAlarms(),
                result.scorer().id(),
                caught);
    }

    private String table(int ood) {
        StringBuilder rows = new StringBuilder("<div class=\"scroll\"><table><tr><th>scorer</th>");
        for (Metric metric : Metric.values()) {
            rows.append("<th>").append(metric.title()).append("</th>");
        }
        rows.append("<th>InD alarms</th><th>OOD caught</th></tr>");
        for (Result result : comparison.results()) {
            OnOod on = result.onOod().get(ood);
            rows.append("<tr><td>").append(result.scorer().id()).append("</td>");
            for (Metric metric : Metric.values()) {
                double value = on.evaluation().value(metric);
                rows.append(value == best(ood, metric) ? "<td class=\"best\">" : "<td>")
                        .append(String.format(Locale.ROOT, "%.4f", value))
                        .append(on.evaluation()
                                .interval(metric)
                                .map(Report::text)
                                .orElse(""))
                        .append("</td>");
            }
            rows.append(String.format(Locale.ROOT, "<td>%.4f</td><td>%.4f</td></tr>", result.indAlarms(), on.caught()));
        }
        return rows.append("</table></div>").toString();
    }

    private static String text(Interval interval) {
        return String.format(Locale.ROOT, "<br><small>%.3f to %.3f</small>", interval.low(), interval.high());
    }

    private double best(int ood, Metric metric) {
        var values = comparison.results().stream()
                .mapToDouble(result -> result.onOod().get(ood).evaluation().value(metric));
        return metric.higherIsBetter()
                ? values.max().orElseThrow()
                : values.min().orElseThrow();
    }

    private String footer() {
        return String.format(
                Locale.ROOT,
                "<footer><p>%,d InD test samples, classified with %.1f%% accuracy. OOD is the positive class; 95%%"
                        + " bootstrap intervals. Thresholds are conformal, from %,d InD validation samples; test samples"
                        + " were read once.</p></footer>",
                comparison.outputs().test().size(),
                100 * comparison.outputs().accuracy(),
                comparison.outputs().validation().size());
    }
}
