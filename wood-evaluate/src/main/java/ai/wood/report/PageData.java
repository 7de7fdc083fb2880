package ai.wood.report;

import ai.wood.Interval;
import ai.wood.Outputs;
import ai.wood.ScorerKind;
import ai.wood.Threshold;
import ai.wood.evaluate.Comparison;
import ai.wood.evaluate.Comparison.OnOod;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.evaluate.Distance;
import ai.wood.evaluate.NetworkOutputs;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.metric.Bins;
import ai.wood.metric.Evaluation;
import ai.wood.metric.Metric;
import ai.wood.score.ScorerKinds;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** What the page's script draws, as JSON: counts and thinned curves instead of scores, so that its size is bounded. */
final class PageData {

    private static final int BINS = 60;
    private static final int EXAMPLES = 6;
    private static final int TOP_CLASSES = 3;
    private static final MathContext DIGITS = new MathContext(6);
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final Report report;
    private final NetworkOutputs first;
    private final List<String> classes;
    private final ArrayNode images = JSON.arrayNode();
    private final Map<String, Integer> imageNumbers = new HashMap<>();

    private PageData(Report report) {
        this.report = report;
        this.first = report.comparisons().get(0).outputs();
        this.classes = classNames(first);
    }

    static JsonNode of(Report report) {
        return new PageData(report).json();
    }

    /** The names of the InD classes; numbers where the set has none. */
    static List<String> classNames(NetworkOutputs outputs) {
        List<String> names = outputs.test().dataset().classes();
        int classes = outputs.test().outputs().classes();
        return names.size() >= classes
                ? names
                : IntStream.range(0, classes).mapToObj(Integer::toString).toList();
    }

    private JsonNode json() {
        ObjectNode data = JSON.objectNode();
        data.put("ind", first.ind());
        data.put("indSize", first.test().outputs().size());
        data.put("validationSize", first.validation().outputs().size());
        classes.forEach(data.putArray("classes")::add);
        IntStream.range(0, first.ood().size())
                .forEach(i -> set(data.withArray("sets").addObject(), i));
        for (Metric metric : Metric.values()) {
            data.withArray("metrics")
                    .addObject()
                    .put("key", metric.key())
                    .put("title", metric.title())
                    .put("higher", metric.higherIsBetter());
        }
        report.comparisons().forEach(comparison -> data.withArray("networks").add(network(comparison)));
        data.set("images", images);
        report.notes().forEach(data.putArray("notes")::add);
        ArrayNode about = data.putArray("about");
        report.facts().forEach((name, value) -> about.addArray().add(name).add(value));
        return data;
    }

    private void set(ObjectNode node, int index) {
        Ood ood = first.ood().get(index);
        node.put("name", ood.name())
                .put("mark", report.mark(index))
                .put(
                        "distance",
                        ood.distance() == Distance.UNKNOWN
                                ? null
                                : ood.distance().id())
                .put("size", ood.outputs().size());
    }

    private ObjectNode network(Comparison comparison) {
        NetworkOutputs outputs = comparison.outputs();
        Result own = Report.own(comparison);
        ObjectNode node = JSON.objectNode();
        node.put("name", outputs.network()).put("accuracy", outputs.accuracy()).put("scorer", own.name());
        outputs.ood().forEach(ood -> node.withArray("seen").add(ood.seen()));
        comparison.results().forEach(result -> node.withArray("scorers").add(scorer(outputs, result)));
        ArrayNode skipped = node.putArray("skipped");
        comparison.skipped().forEach(each -> skipped.addArray().add(each.name()).add(each.reason()));
        node.set("examples", examples(outputs, own));
        Training training = report.trainings().get(outputs.network());
        if (training != null) {
            node.set("options", training.options().isMissingNode() ? JSON.nullNode() : training.options());
            training.epochs().forEach(epoch -> node.withArray("training").add(epoch(epoch)));
        }
        return node;
    }

    private static ObjectNode epoch(Training.Epoch epoch) {
        ObjectNode node = JSON.objectNode();
        node.put("epoch", epoch.epoch()).put("best", epoch.best());
        node.set("indLoss", number(epoch.indLoss()));
        node.set("oodLoss", number(epoch.oodLoss()));
        node.set("loss", number(epoch.loss()));
        node.set("accuracy", number(epoch.accuracy()));
        node.set("auroc", number(epoch.auroc()));
        node.set("fnr95", number(epoch.fnr95()));
        return node;
    }

    private ObjectNode scorer(NetworkOutputs outputs, Result result) {
        ObjectNode node = JSON.objectNode();
        node.put("name", result.name())
                .put("description", description(result.name()))
                .put("tunedOn", result.tunedOn());
        node.set("threshold", number(result.threshold().value()));
        node.put("promised", Report.promised(result).toString());
        node.set("falseAlarmRate", number(result.falseAlarmRate()));
        node.set("acceptedAccuracy", number(result.acceptedAccuracy()));
        double seconds = result.spent().fitSeconds() + result.spent().scoreSeconds();
        node.set("seconds", seconds > 0 ? number(seconds) : JSON.nullNode());
        node.set(
                "megabytes",
                result.spent().peakBytes() > 0 ? number(result.spent().peakBytes() / 1e6) : JSON.nullNode());
        node.set("alarms", alarms(result));
        double[][] ood = result.onOod().stream().map(on -> on.scores().row(0)).toArray(double[][]::new);
        Bins.Range range = Bins.Range.of(result.indScores().row(0), ood);
        node.set("range", numbers(range.low(), range.high()));
        node.set("confusion", confusion(outputs, result));
        result.onOod().forEach(on -> node.withArray("sets").add(onOod(result, on)));
        return node;
    }

    private static String description(String name) {
        return ScorerKinds.all().stream()
                .filter(kind -> kind.id().equals(name))
                .map(ScorerKind::description)
                .findFirst()
                .orElse("");
    }

    private static ObjectNode alarms(Result result) {
        Alarms alarms = Alarms.of(result);
        ObjectNode node = JSON.objectNode();
        node.set(
                "thresholds",
                numbers(alarms.thresholds().stream().mapToDouble(each -> each).toArray()));
        int calibrated = alarms.thresholds().indexOf(result.threshold().value() + 0.0);
        node.set("calibrated", calibrated < 0 ? JSON.nullNode() : JSON.numberNode(calibrated));
        node.set("validation", counts(alarms.counts(result.validationScores())));
        node.set("ind", counts(alarms.counts(result.indScores())));
        result.onOod().forEach(on -> node.withArray("ood").add(counts(alarms.counts(on.scores()))));
        return node;
    }

    private static ObjectNode onOod(Result result, OnOod on) {
        ObjectNode node = JSON.objectNode();
        Evaluation evaluation = on.evaluation();
        node.set(
                "values",
                numbers(Arrays.stream(Metric.values())
                        .mapToDouble(evaluation::value)
                        .toArray()));
        List<Interval> intervals = Arrays.stream(Metric.values())
                .flatMap(metric -> evaluation.interval(metric).stream())
                .toList();
        if (intervals.size() == Metric.values().length) {
            node.set(
                    "low", numbers(intervals.stream().mapToDouble(Interval::low).toArray()));
            node.set(
                    "high",
                    numbers(intervals.stream().mapToDouble(Interval::high).toArray()));
        }
        node.set("detectionRate", number(on.detectionRate()));
        node.set("pValue", number(on.pValue()));
        double[] ind = result.indScores().row(0);
        double[] ood = on.scores().row(0);
        Bins bins = new Bins(Bins.Range.of(ind, ood), BINS);
        ObjectNode counted = node.putObject("bins");
        counted.set("low", number(bins.range().low()));
        counted.set("high", number(bins.range().high()));
        counted.set("ind", counts(bins.counts(ind)));
        counted.set("ood", counts(bins.counts(ood)));
        return node;
    }

    /** True class, predicted class and number of the InD test samples that raise no alarm, where there are any. */
    private static ArrayNode confusion(NetworkOutputs outputs, Result result) {
        Outputs test = outputs.test().outputs();
        int[] labels = outputs.test().labels();
        Map<Integer, Map<Integer, Integer>> counts = new TreeMap<>();
        for (int i = 0; i < labels.length; i++) {
            if (labels[i] >= 0 && !result.threshold().isOod(result.indScores().get(0, i))) {
                counts.computeIfAbsent(labels[i], label -> new TreeMap<>()).merge(test.label(i), 1, Integer::sum);
            }
        }
        ArrayNode cells = JSON.arrayNode();
        counts.forEach((truth, row) -> row.forEach(
                (said, count) -> cells.addArray().add(truth).add(said).add(count)));
        return cells;
    }

    private ObjectNode examples(NetworkOutputs outputs, Result result) {
        ObjectNode node = JSON.objectNode();
        node.set("ind", extremes(new Examples(outputs.test(), result.indScores()), result.threshold(), classes));
        for (OnOod on : result.onOod()) {
            List<String> names = on.ood().dataset().classes();
            node.withArray("ood").add(extremes(new Examples(on.ood().part(), on.scores()), result.threshold(), names));
        }
        return node;
    }

    private ObjectNode extremes(Examples examples, Threshold threshold, List<String> names) {
        ObjectNode node = JSON.objectNode();
        examples.highest(EXAMPLES).forEach(i -> node.withArray("highest").add(example(examples, i, threshold, names)));
        examples.lowest(EXAMPLES).forEach(i -> node.withArray("lowest").add(example(examples, i, threshold, names)));
        return node;
    }

    private ObjectNode example(Examples examples, int index, Threshold threshold, List<String> names) {
        ObjectNode node = JSON.objectNode();
        double score = examples.scores().get(0, index);
        int label = examples.part().dataset().label(index);
        node.put("index", index);
        node.put("image", image(examples.picture(index)));
        node.put("label", label >= 0 && label < names.size() ? names.get(label) : null);
        node.set("score", number(score));
        node.put("alarm", threshold.isOod(score));
        double[] probabilities = examples.part().outputs().probabilities(index);
        ArrayNode top = node.putArray("top");
        Examples.top(probabilities, TOP_CLASSES)
                .forEach(k -> top.addArray().add(classes.get(k)).add(number(probabilities[k])));
        return node;
    }

    private int image(String picture) {
        return imageNumbers.computeIfAbsent(picture, each -> {
            images.add(each);
            return images.size() - 1;
        });
    }

    private static ArrayNode counts(int[] counts) {
        ArrayNode node = JSON.arrayNode();
        Arrays.stream(counts).forEach(node::add);
        return node;
    }

    private static ArrayNode numbers(double... values) {
        ArrayNode node = JSON.arrayNode();
        DoubleStream.of(values).forEach(value -> node.add(number(value)));
        return node;
    }

    /** Six digits of a number; null for one that JSON has no word for. */
    private static JsonNode number(double value) {
        return Double.isFinite(value)
                ? JSON.numberNode(new BigDecimal(value).round(DIGITS).doubleValue())
                : JSON.nullNode();
    }
}
