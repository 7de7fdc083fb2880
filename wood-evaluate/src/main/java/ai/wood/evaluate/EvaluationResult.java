package ai.wood.evaluate;

import ai.wood.Detector;
import ai.wood.Interval;
import ai.wood.Matrix;
import ai.wood.Settings;
import ai.wood.evaluate.Comparison.OnOod;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.evaluate.Comparison.Skipped;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.io.JsonFile;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.Evaluation;
import ai.wood.metric.Metric;
import ai.wood.metric.RankedScores;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Everything that one evaluation measured. The table, the CSV file and the JSON file are written from it.
 *
 * <p>In JSON, {@code NaN} and {@code Infinity} are texts. A number that is unknown is {@code NaN}; a text that is unknown
 * is empty. {@code docs/evaluation.md} explains the keys.
 *
 * @param format {@value #FORMAT}
 * @param version of the program
 * @param machine operating system, architecture, number of processors
 * @param network name of the network or the detector
 * @param ind name of the InD set
 * @param accuracy of the network on the InD test samples
 * @param tnr fraction of InD samples that thresholds chosen here are to keep
 * @param leaky whether test samples were used to fit, tune or calibrate
 * @param notes what a reader must know, in sentences
 * @param validation the InD samples that thresholds were chosen on
 * @param test the InD samples that were measured
 * @param ood the OOD sets
 * @param scorers one for each scorer that could run; at most one is deployed
 * @param skipped the others
 */
public record EvaluationResult(
        int format,
        String version,
        String machine,
        String network,
        String ind,
        double accuracy,
        double tnr,
        Bootstrap bootstrap,
        boolean leaky,
        List<String> notes,
        Samples validation,
        Samples test,
        List<OodSet> ood,
        List<ScorerResult> scorers,
        List<Skipped> skipped) {

    static final int FORMAT = 1;

    private static final Map<String, Predicate<OodSet>> GROUPS = groups();

    /** A set of samples. */
    public record Samples(String name, int size, String sha256) {

        static Samples of(SampleSet set) {
            return new Samples(set.name(), set.size(), set.hash());
        }
    }

    /**
     * A set of OOD samples.
     *
     * @param seen whether training saw its kind
     * @param distance near, far or unknown
     */
    public record OodSet(String name, int size, String sha256, boolean seen, String distance) {

        static OodSet of(Ood ood) {
            SampleSet set = ood.part();
            return new OodSet(
                    set.name(),
                    set.size(),
                    set.hash(),
                    ood.seen(),
                    ood.distance().id());
        }

        /** Name and kind, for people. */
        public String title() {
            return name + (seen ? " (seen)" : " (unseen)");
        }
    }

    /**
     * What one scorer does.
     *
     * @param deployed whether it is the detector's scorer, with the detector's thresholds
     * @param settings numbers and words; a matrix is the word {@code matrix}, and an infinite number a word too
     * @param tunedOn what it was tuned on; empty for nothing
     * @param method how the threshold was chosen: conformal or quantile
     * @param tnr fraction of InD samples that the threshold is to keep
     * @param thresholdSamples number of scores that it was chosen on
     * @param threshold for all samples
     * @param classThresholds the thresholds for each predicted class; empty for one for all
     * @param testThreshold95 95% quantile of the scores of the InD test samples
     * @param falseAlarmRate fraction of the InD test samples above the threshold
     * @param acceptedAccuracy accuracy on the InD test samples below the threshold
     * @param peakBytes growth of the Java heap, garbage included
     * @param sets one for each OOD set, in their order
     * @param means of each metric over groups of OOD sets
     */
    public record ScorerResult(
            String name,
            boolean deployed,
            Map<String, Object> settings,
            String tunedOn,
            String method,
            double tnr,
            int thresholdSamples,
            double threshold,
            List<Double> classThresholds,
            double testThreshold95,
            double falseAlarmRate,
            double acceptedAccuracy,
            double fitSeconds,
            double scoreSeconds,
            long peakBytes,
            List<SetResult> sets,
            Map<String, Map<String, Double>> means) {

        public ScorerResult {
            settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
            classThresholds = List.copyOf(classThresholds);
            sets = List.copyOf(sets);
            for (Object value : settings.values()) {
                if (!(value instanceof Number || value instanceof String)) {
                    throw new IllegalArgumentException(
                            "a setting of " + name + " must be a number or a word but is " + value);
                }
            }
        }

        static ScorerResult of(Result result, List<OodSet> ood) {
            List<SetResult> sets = result.onOod().stream().map(SetResult::of).toList();
            double[] scores = result.indScores().row(0);
            return new ScorerResult(
                    result.name(),
                    result.deployed(),
                    plain(result.settings()),
                    result.tunedOn() == null ? "" : result.tunedOn(),
                    result.thresholds().conformal() ? "conformal" : "quantile",
                    result.threshold().tnr(),
                    result.validationScores().columns(),
                    result.threshold().value(),
                    result.thresholds().perClass(),
                    RankedScores.of(scores, scores).thresholdAtTnr(0.95),
                    result.falseAlarmRate(),
                    result.acceptedAccuracy(),
                    result.spent().fitSeconds(),
                    result.spent().scoreSeconds(),
                    result.spent().peakBytes(),
                    sets,
                    means(sets, ood));
        }

        private static Map<String, Object> plain(Settings settings) {
            Map<String, Object> plain = new LinkedHashMap<>();
            settings.values().forEach((name, value) -> {
                boolean finite = value instanceof Double number && Double.isFinite(number);
                plain.put(name, finite ? value : value instanceof Matrix ? "matrix" : value.toString());
            });
            return plain;
        }

        private static Map<String, Map<String, Double>> means(List<SetResult> sets, List<OodSet> ood) {
            Map<String, Map<String, Double>> means = new LinkedHashMap<>();
            GROUPS.forEach((group, among) -> {
                List<SetResult> chosen = new ArrayList<>();
                for (int i = 0; i < sets.size(); i++) {
                    if (among.test(ood.get(i))) {
                        chosen.add(sets.get(i));
                    }
                }
                if (!chosen.isEmpty()) {
                    Map<String, Double> mean = new LinkedHashMap<>();
                    for (Metric metric : Metric.values()) {
                        mean.put(
                                metric.key(),
                                chosen.stream()
                                        .mapToDouble(set -> set.metric(metric).value())
                                        .average()
                                        .orElseThrow());
                    }
                    means.put(group, mean);
                }
            });
            return means;
        }
    }

    /**
     * What one scorer does on one OOD set.
     *
     * @param ood name of the set
     * @param detectionRate fraction of its samples above the threshold
     * @param pValue DeLong's test of the AUROC against that of the scorer with the largest one, corrected for their number
     */
    public record SetResult(
            String ood,
            Measured auroc,
            Measured fnr95,
            Measured fpr95_openood,
            Measured auprIn,
            Measured aupr,
            Measured detectionError,
            double detectionRate,
            double pValue) {

        static SetResult of(OnOod on) {
            Evaluation evaluation = on.evaluation();
            return new SetResult(
                    on.ood().name(),
                    Measured.of(evaluation, Metric.AUROC),
                    Measured.of(evaluation, Metric.FNR95),
                    Measured.of(evaluation, Metric.FPR95_OPENOOD),
                    Measured.of(evaluation, Metric.AUPR_IN),
                    Measured.of(evaluation, Metric.AUPR_OUT),
                    Measured.of(evaluation, Metric.DETECTION_ERROR),
                    on.detectionRate(),
                    on.pValue());
        }

        public Measured metric(Metric metric) {
            return switch (metric) {
                case AUROC -> auroc;
                case FNR95 -> fnr95;
                case FPR95_OPENOOD -> fpr95_openood;
                case AUPR_IN -> auprIn;
                case AUPR_OUT -> aupr;
                case DETECTION_ERROR -> detectionError;
            };
        }
    }

    /**
     * A metric with its interval. In JSON it is a number, or an object with {@code value}, {@code low} and {@code high}.
     *
     * @param interval empty if none was computed
     */
    public record Measured(double value, Optional<Interval> interval) {

        static Measured of(Evaluation evaluation, Metric metric) {
            return new Measured(evaluation.value(metric), evaluation.interval(metric));
        }

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        static Measured of(JsonNode json) {
            if (json.isNumber()) {
                return new Measured(json.doubleValue(), Optional.empty());
            }
            boolean complete = json.size() == 3
                    && json.path("value").isNumber()
                    && json.path("low").isNumber()
                    && json.path("high").isNumber();
            if (!complete) {
                throw new IllegalArgumentException(
                        "a metric must be a number or an object with value, low and high but is " + json);
            }
            Interval interval = new Interval(
                    json.path("low").doubleValue(), json.path("high").doubleValue());
            return new Measured(json.path("value").doubleValue(), Optional.of(interval));
        }

        @JsonValue
        Object json() {
            return interval.<Object>map(ends -> {
                        Map<String, Double> json = new LinkedHashMap<>();
                        json.put("value", value);
                        json.put("low", ends.low());
                        json.put("high", ends.high());
                        return json;
                    })
                    .orElse(value);
        }
    }

    public EvaluationResult {
        if (format != FORMAT) {
            throw new IllegalArgumentException(
                    "its format is " + format + " but this program reads format " + FORMAT + ". Use a newer program");
        }
        notes = List.copyOf(notes);
        ood = List.copyOf(ood);
        scorers = List.copyOf(scorers);
        skipped = List.copyOf(skipped);
        if (scorers.stream().filter(ScorerResult::deployed).count() > 1) {
            throw new IllegalArgumentException("more than one scorer is deployed");
        }
        List<String> names = ood.stream().map(OodSet::name).toList();
        Set<String> metrics = Arrays.stream(Metric.values()).map(Metric::key).collect(Collectors.toSet());
        for (ScorerResult scorer : scorers) {
            if (!scorer.means().keySet().equals(groups(ood).keySet())
                    || !scorer.means().values().stream()
                            .allMatch(mean -> mean.keySet().equals(metrics) && !mean.containsValue(null))) {
                throw new IllegalArgumentException("the scorer " + scorer.name() + " must have the mean of each metric"
                        + " over each group of OOD sets");
            }
            if (!scorer.sets().stream().map(SetResult::ood).toList().equals(names)) {
                throw new IllegalArgumentException("the scorer " + scorer.name() + " must have results on " + names);
            }
        }
    }

    private static Map<String, Predicate<OodSet>> groups() {
        Map<String, Predicate<OodSet>> groups = new LinkedHashMap<>();
        groups.put(Distance.NEAR.id(), ood -> ood.distance().equals(Distance.NEAR.id()));
        groups.put(Distance.FAR.id(), ood -> ood.distance().equals(Distance.FAR.id()));
        groups.put("seen", OodSet::seen);
        groups.put("unseen", ood -> !ood.seen());
        groups.put("all", ood -> true);
        return groups;
    }

    /** Collects what a comparison measured. */
    public static EvaluationResult of(Comparison comparison, List<String> notes, double tnr, Bootstrap bootstrap) {
        NetworkOutputs outputs = comparison.outputs();
        List<OodSet> ood = outputs.ood().stream().map(OodSet::of).toList();
        return new EvaluationResult(
                FORMAT,
                Optional.ofNullable(Detector.class.getPackage().getImplementationVersion())
                        .orElse("development"),
                System.getProperty("os.name") + " " + System.getProperty("os.arch") + ", "
                        + Runtime.getRuntime().availableProcessors() + " processors",
                outputs.network(),
                outputs.ind(),
                outputs.accuracy(),
                tnr,
                bootstrap,
                outputs.leaky(),
                notes,
                Samples.of(outputs.validation()),
                Samples.of(outputs.test()),
                ood,
                comparison.results().stream()
                        .map(result -> ScorerResult.of(result, ood))
                        .toList(),
                comparison.skipped());
    }

    /** The groups of OOD sets that means are taken over, each with its sets; groups without sets are absent. */
    public Map<String, List<OodSet>> oodByGroup() {
        return groups(ood);
    }

    private static Map<String, List<OodSet>> groups(List<OodSet> ood) {
        Map<String, List<OodSet>> sets = new LinkedHashMap<>();
        GROUPS.forEach(
                (name, among) -> sets.put(name, ood.stream().filter(among).toList()));
        sets.values().removeIf(List::isEmpty);
        return sets;
    }

    /**
     * Reads a result from a file.
     *
     * @throws IOException if the file is not a valid result of this format
     */
    public static EvaluationResult read(Path file) throws IOException {
        return JsonFile.read(file, EvaluationResult.class, "the result of an evaluation");
    }

    /** Writes the result to a file. */
    public void write(Path file) throws IOException {
        JsonFile.write(file, this);
    }
}
