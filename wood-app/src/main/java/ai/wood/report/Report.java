package ai.wood.report;

import ai.wood.experiment.Comparison;
import ai.wood.experiment.Comparison.OnOod;
import ai.wood.experiment.Comparison.Result;
import ai.wood.experiment.NetworkOutputs;
import ai.wood.metric.Interval;
import ai.wood.metric.Metric;
import ai.wood.score.Scorers;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Networks and scorers compared on one self-contained page, and its picture. All networks met the same sets. */
public final class Report {

    private static final String PICTURE_STYLE = ".ind{fill:#2f6fb5;opacity:.62}.ood{fill:#c8553d;opacity:.62}"
            + ".axis{stroke:#888}.cut{stroke:#222;stroke-dasharray:4 3}text{font:12px system-ui,sans-serif;fill:#222}"
            + ".title{font-size:14px;font-weight:600}"
            + "@media(prefers-color-scheme:dark){text{fill:#ddd}.cut{stroke:#eee}.ind{fill:#6ea8e6}.ood{fill:#ef8a72}}";

    private static final String PAGE_STYLE = "body{font:16px/1.5 system-ui,sans-serif;max-width:68rem;margin:2rem auto;"
            + "padding:0 1rem;color:#222;background:#fff}table{border-collapse:collapse;width:100%;font-size:.92rem}"
            + "th,td{padding:.3rem .6rem;text-align:right;border-bottom:1px solid #ddd}"
            + "th:first-child,td:first-child{text-align:left;white-space:nowrap}.best{font-weight:700}"
            + "td small{font-weight:400;white-space:nowrap}.scroll{overflow-x:auto}"
            + "svg{width:100%;height:auto}small,footer{color:#666}"
            + "@media(prefers-color-scheme:dark){body{color:#ddd;background:#16181c}th,td{border-color:#3a3d44}"
            + "small,footer{color:#999}}";

    private static final String LEAKY =
            "<p><strong>These figures mean little: scorers were fitted or thresholds chosen on"
                    + " a test split.</strong></p>";

    private final List<Comparison> comparisons;

    public Report(List<Comparison> comparisons) {
        this.comparisons = List.copyOf(comparisons);
    }

    /** The WOOD score of each network, InD against the first OOD set. */
    public String svg() {
        return picture(0, 0);
    }

    private String picture(int firstOod, int lastOod) {
        StringBuilder panels = new StringBuilder();
        int top = 0;
        for (int ood = firstOod; ood <= lastOod; ood++) {
            for (Comparison comparison : comparisons) {
                panels.append(panel(top, comparison, ood));
                top += Histogram.height();
            }
        }
        return String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">"
                        + "<title>Scores of InD samples against OOD samples</title><style>%s</style>%s</svg>%n",
                Histogram.width(),
                top,
                PICTURE_STYLE,
                panels);
    }

    private static String panel(int top, Comparison comparison, int ood) {
        NetworkOutputs outputs = comparison.outputs();
        Result result = comparison.result(Scorers.WOOD.id());
        OnOod on = result.onOod().get(ood);
        return Histogram.panel(
                top,
                "network " + outputs.network() + ": " + outputs.ind() + " (blue), "
                        + on.ood().title() + " (red)",
                new Series(outputs.ind(), result.indScores()),
                new Series(on.ood().name(), on.scores()),
                result.threshold().value());
    }

    /** The whole page. */
    public String html() {
        List<NetworkOutputs.Ood> sets = comparisons.get(0).outputs().ood();
        StringBuilder sections = new StringBuilder();
        for (int ood = 0; ood < sets.size(); ood++) {
            sections.append("<h2>").append(Html.escaped(sets.get(ood).title())).append("</h2>");
            sections.append(picture(ood, ood)).append(table(ood));
        }
        return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                + "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                + "<title>WOOD report</title><style>" + PAGE_STYLE + "</style></head><body>\n"
                + "<h1>When is this classifier out of its depth?</h1>\n<p>" + Html.escaped(headline()) + "</p>\n"
                + sections + footer() + "</body></html>\n";
    }

    /** The verdict in a sentence a network. */
    public String headline() {
        return comparisons.stream().map(Report::headline).collect(Collectors.joining(" "));
    }

    private static String headline(Comparison comparison) {
        Result result = comparison.result(Scorers.WOOD.id());
        return String.format(
                Locale.ROOT,
                "Network %s (accuracy %.1f%%): with at most %.3g%% false alarms promised and %.1f%% measured, the WOOD"
                        + " score catches %.1f%% of the OOD samples seen in training and %.1f%% of the unseen ones.",
                comparison.outputs().network(),
                100 * comparison.outputs().accuracy(),
                100 * (1 - result.threshold().tnr()),
                100 * result.indAlarms(),
                100 * meanCaught(result, true),
                100 * meanCaught(result, false));
    }

    private static double meanCaught(Result result, boolean seen) {
        return result.onOod().stream()
                .filter(on -> on.ood().seen() == seen)
                .mapToDouble(OnOod::caught)
                .average()
                .orElse(Double.NaN);
    }

    private String table(int ood) {
        StringBuilder rows = new StringBuilder("<div class=\"scroll\"><table><tr><th>network, scorer</th>");
        for (Metric metric : Metric.values()) {
            rows.append("<th>").append(metric.title()).append("</th>");
        }
        rows.append("<th>InD alarms</th><th>OOD caught</th></tr>");
        for (Comparison comparison : comparisons) {
            for (Result result : comparison.results()) {
                rows.append(row(comparison.outputs().network() + ", " + result.name(), result, ood));
            }
        }
        return rows.append("</table></div>").toString();
    }

    private String row(String name, Result result, int ood) {
        OnOod on = result.onOod().get(ood);
        StringBuilder row =
                new StringBuilder("<tr><td>").append(Html.escaped(name)).append("</td>");
        for (Metric metric : Metric.values()) {
            double value = on.evaluation().value(metric);
            row.append(value == best(ood, metric) ? "<td class=\"best\">" : "<td>")
                    .append(String.format(Locale.ROOT, "%.4f", value))
                    .append(on.evaluation().interval(metric).map(Report::text).orElse(""))
                    .append("</td>");
        }
        return row + String.format(Locale.ROOT, "<td>%.4f</td><td>%.4f</td></tr>", result.indAlarms(), on.caught());
    }

    private static String text(Interval interval) {
        return String.format(Locale.ROOT, "<br><small>%.3f to %.3f</small>", interval.low(), interval.high());
    }

    private double best(int ood, Metric metric) {
        var values = comparisons.stream()
                .flatMap(comparison -> comparison.results().stream())
                .mapToDouble(result -> result.onOod().get(ood).evaluation().value(metric));
        return metric.higherIsBetter()
                ? values.max().orElseThrow()
                : values.min().orElseThrow();
    }

    private String footer() {
        NetworkOutputs outputs = comparisons.get(0).outputs();
        return String.format(
                Locale.ROOT,
                "<footer>%s<p>%,d InD test samples. OOD is the positive class; 95%% bootstrap intervals; histograms show the"
                        + " WOOD score, bars on a square-root scale. Scorers were fitted to training samples; thresholds"
                        + " are conformal, from %,d InD validation samples; test samples were read once.</p></footer>",
                outputs.leaky() ? LEAKY : "",
                outputs.test().outputs().size(),
                outputs.validation().outputs().size());
    }
}
