package ai.wood.report;

import ai.wood.evaluate.Comparison;
import ai.wood.evaluate.Comparison.OnOod;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.evaluate.NetworkOutputs;
import ai.wood.io.AtomicFile;
import ai.wood.metric.Bins;
import ai.wood.metric.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** The report's figures as pictures for documents: SVG, light or dark as the viewer is. */
record Figures(Report report) {

    private static final int MOST_CURVES = 14;

    /** Every figure by its file name. */
    Map<String, String> all() {
        Map<String, String> figures = new LinkedHashMap<>();
        List<NetworkOutputs.Ood> sets = report.sets();
        for (int set = 0; set < sets.size(); set++) {
            put(figures, "histogram", sets.get(set).name(), histogram(set));
        }
        for (Comparison comparison : report.comparisons()) {
            String network = comparison.outputs().network();
            List<Alarms> alarms = comparison.results().stream().map(Alarms::of).toList();
            for (int set = 0; set < sets.size(); set++) {
                put(figures, "roc-" + network, sets.get(set).name(), roc(comparison, alarms, set));
            }
            put(figures, "threshold", network, threshold(comparison));
            put(figures, "probabilities", network, probabilities(comparison));
            Training training = report.trainings().get(network);
            if (training != null && !training.epochs().isEmpty()) {
                put(figures, "loss", network, loss(network, training));
                put(figures, "training", network, validation(network, training));
            }
        }
        return figures;
    }

    void write(Path folder) throws IOException {
        Files.createDirectories(folder);
        for (Map.Entry<String, String> figure : all().entrySet()) {
            AtomicFile.replace(folder.resolve(figure.getKey()), figure.getValue());
        }
    }

    /** Names come from users and files: what is left of them is safe in every folder. */
    private static void put(Map<String, String> figures, String kind, String name, String svg) {
        String plain = (kind + "-" + name).replaceAll("[^A-Za-z0-9.-]+", "-").replaceAll("\\.{2,}", ".");
        String stem = plain.substring(0, Math.min(plain.length(), 80));
        String file = stem + ".svg";
        for (int i = 2; figures.containsKey(file); i++) {
            file = stem + "-" + i + ".svg";
        }
        figures.put(file, svg);
    }

    /** Scores of each network's own scorer, InD against an OOD set. */
    String histogram(int set) {
        List<Comparison> comparisons = report.comparisons();
        Svg svg = new Svg(
                Histogram.WIDTH, Histogram.HEIGHT * comparisons.size(), "Scores of InD samples against OOD samples");
        for (int i = 0; i < comparisons.size(); i++) {
            NetworkOutputs outputs = comparisons.get(i).outputs();
            Result result = Report.own(comparisons.get(i));
            OnOod on = result.onOod().get(set);
            double[] ind = result.indScores().row(0);
            double[] ood = on.scores().row(0);
            String title = "network " + outputs.network() + ": " + outputs.ind() + " (blue), "
                    + on.ood().title() + " (orange)";
            Bins bins = new Bins(Bins.Range.of(ind, ood), Histogram.BINS);
            new Histogram(title, bins, result.threshold().value()).draw(svg, i * Histogram.HEIGHT, ind, ood);
        }
        return svg.end();
    }

    /** The curves of the best scorers on an OOD set. */
    private static String roc(Comparison comparison, List<Alarms> alarms, int set) {
        List<Result> results = comparison.results();
        IntToDoubleFunction auroc =
                i -> results.get(i).onOod().get(set).evaluation().value(Metric.AUROC);
        List<Plot.Line> lines = IntStream.range(0, results.size())
                .boxed()
                .sorted(Comparator.comparingDouble(i -> -auroc.applyAsDouble(i)))
                .limit(MOST_CURVES)
                .map(i -> new Plot.Line(
                        String.format(
                                Locale.ROOT, "%s, AUROC %.4f", results.get(i).name(), auroc.applyAsDouble(i)),
                        rocPoints(results.get(i), alarms.get(i), set)))
                .toList();
        String title = "Network " + comparison.outputs().network() + ": "
                + comparison.outputs().ood().get(set).title();
        return new Plot(
                        title,
                        new Plot.Axis("InD alarmed", 0, 1),
                        new Plot.Axis("OOD detectionRate", 0, 1),
                        lines,
                        List.of())
                .svg();
    }

    private static List<Plot.Point> rocPoints(Result result, Alarms alarms, int set) {
        double[] ind = alarms.shares(result.indScores());
        double[] ood = alarms.shares(result.onOod().get(set).scores());
        List<Plot.Point> points = new ArrayList<>();
        points.add(new Plot.Point(0, 0));
        for (int i = ind.length - 1; i >= 0; i--) {
            points.add(new Plot.Point(ind[i], ood[i]));
        }
        points.add(new Plot.Point(1, 1));
        return points;
    }

    /** Shares alarmed against the threshold. */
    private static String threshold(Comparison comparison) {
        Result result = Report.own(comparison);
        NetworkOutputs outputs = comparison.outputs();
        Alarms alarms = Alarms.of(result);
        List<Plot.Line> lines = new ArrayList<>();
        lines.add(new Plot.Line(outputs.ind() + ", test", points(alarms, alarms.shares(result.indScores()))));
        for (OnOod on : result.onOod()) {
            lines.add(new Plot.Line(on.ood().title(), points(alarms, alarms.shares(on.scores()))));
        }
        lines.add(new Plot.Line(
                outputs.ind() + ", validation", points(alarms, alarms.shares(result.validationScores()))));
        Bins.Range range = Bins.Range.of(
                result.indScores().row(0),
                result.onOod().stream().map(on -> on.scores().row(0)).toArray(double[][]::new));
        double value = result.threshold().value();
        return new Plot(
                        "Network " + outputs.network() + ", scorer " + result.name(),
                        new Plot.Axis("threshold", range.low(), range.high()),
                        new Plot.Axis("share alarmed", 0, 1),
                        lines,
                        Double.isFinite(value) ? List.of(new Plot.Mark(value, "calibrated")) : List.of())
                .svg();
    }

    /** Steps: a share holds until the next threshold. */
    private static List<Plot.Point> points(Alarms alarms, double[] shares) {
        List<Plot.Point> points = new ArrayList<>();
        for (int i = 0; i < shares.length; i++) {
            double threshold = alarms.thresholds().get(i);
            if (i > 0) {
                points.add(new Plot.Point(threshold, shares[i - 1]));
            }
            points.add(new Plot.Point(threshold, shares[i]));
        }
        return points;
    }

    /** The InD sample and the OOD sample of the first set whose scores lie in the middle. */
    private static String probabilities(Comparison comparison) {
        Result result = Report.own(comparison);
        OnOod on = result.onOod().get(0);
        List<String> classes = PageData.classNames(comparison.outputs());
        Examples ind = new Examples(comparison.outputs().test(), result.indScores());
        Examples ood = new Examples(on.ood().part(), on.scores());
        return new ProbabilityBars(
                        "Network " + comparison.outputs().network() + ": samples with the median score",
                        List.of(
                                panel(comparison.outputs().ind() + " (InD)", "ind", ind, classes),
                                panel(on.ood().name() + " (OOD)", "ood", ood, classes)))
                .svg();
    }

    private static ProbabilityBars.Panel panel(String title, String style, Examples examples, List<String> classes) {
        int index = examples.median();
        double[] probabilities = examples.part().outputs().probabilities(index);
        return ProbabilityBars.Panel.of(title, style, examples.picture(index), classes, probabilities);
    }

    private static String loss(String network, Training training) {
        List<Plot.Line> lines = List.of(
                line("InD loss", training, Training.Epoch::indLoss),
                line("OOD loss", training, Training.Epoch::oodLoss),
                line("InD loss, validation", training, Training.Epoch::loss));
        double low = Math.min(0, extreme(lines, false));
        return plot(
                "Network " + network + ": losses", training, new Plot.Axis("loss", low, extreme(lines, true)), lines);
    }

    private static String validation(String network, Training training) {
        List<Plot.Line> lines = List.of(
                line("accuracy", training, Training.Epoch::accuracy),
                line("AUROC", training, Training.Epoch::auroc),
                line("FNR@95TNR", training, Training.Epoch::fnr95));
        return plot("Network " + network + ": validation", training, new Plot.Axis("share", 0, 1), lines);
    }

    private static String plot(String title, Training training, Plot.Axis y, List<Plot.Line> lines) {
        int last = training.epochs().get(training.epochs().size() - 1).epoch() + 1;
        List<Plot.Mark> best = training.epochs().stream()
                .filter(Training.Epoch::best)
                .map(epoch -> new Plot.Mark(epoch.epoch() + 1, "best"))
                .toList();
        return new Plot(
                        title,
                        new Plot.Axis("epoch", Math.min(1, last - 1), last),
                        y,
                        lines,
                        best.subList(Math.max(0, best.size() - 1), best.size()))
                .svg();
    }

    private static Plot.Line line(String name, Training training, ToDoubleFunction<Training.Epoch> value) {
        return new Plot.Line(
                name,
                training.epochs().stream()
                        .map(epoch -> new Plot.Point(epoch.epoch() + 1, value.applyAsDouble(epoch)))
                        .filter(point -> Double.isFinite(point.y()))
                        .toList());
    }

    private static double extreme(List<Plot.Line> lines, boolean highest) {
        var values = lines.stream().flatMap(line -> line.points().stream()).mapToDouble(Plot.Point::y);
        return (highest ? values.max() : values.min()).orElse(0);
    }
}
