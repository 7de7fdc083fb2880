package ai.wood.evaluate;

import ai.wood.Calibration;
import ai.wood.CannotRunException;
import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.Threshold;
import ai.wood.ThresholdPolicy;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.DeLong;
import ai.wood.metric.Evaluation;
import ai.wood.metric.Metric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Several scorers on the same outputs. Scorers are fitted to training outputs, thresholds chosen on validation outputs;
 * test outputs are read once.
 *
 * @param outputs what was scored
 * @param results one for each scorer that could run, in the order asked for
 * @param skipped the others
 */
public record Comparison(NetworkOutputs outputs, List<Result> results, List<Skipped> skipped) {

    /** A scorer that could not run, and why. */
    public record Skipped(String name, String reason) {

        /** The refusal where no scorer is left. */
        public static IllegalArgumentException all(List<Skipped> skipped) {
            return new IllegalArgumentException("no scorer could run: "
                    + skipped.stream()
                            .map(one -> one.name() + " (" + one.reason() + ")")
                            .collect(Collectors.joining(", ")));
        }
    }

    /**
     * What a scorer took.
     *
     * @param fitSeconds to fit and tune it
     * @param scoreSeconds to score all samples
     * @param peakBytes how much the Java heap grew at most meanwhile, garbage included
     */
    public record Spent(double fitSeconds, double scoreSeconds, long peakBytes) {}

    /**
     * Where a scorer raises an alarm.
     *
     * @param threshold one for all samples, also where {@code perClass} replaces it
     * @param conformal with a guarantee; otherwise the plain quantile
     * @param perClass one for each predicted class; empty for one for all
     */
    public record Thresholds(Threshold threshold, boolean conformal, List<Double> perClass) {

        /** The conformal threshold of these scores. */
        static Thresholds conformal(double[] scores, double tnr) {
            return new Thresholds(Calibration.of(scores).conformal(tnr), true, List.of());
        }

        /** The thresholds of a detector. */
        static Thresholds of(Detector detector) {
            ThresholdPolicy policy = detector.policy();
            ThresholdPolicy single = new ThresholdPolicy(policy.tnr(), policy.conformal(), false);
            return policy.perClass()
                    ? new Thresholds(
                            single.choose(Calibration.of(detector.scores())), policy.conformal(), detector.thresholds())
                    : new Thresholds(detector.threshold(0), policy.conformal(), List.of());
        }

        /** Whether a sample of these outputs is OOD. */
        boolean isOod(Outputs outputs, int sample, double score) {
            return perClass.isEmpty()
                    ? threshold.isOod(score)
                    : new Threshold(perClass.get(outputs.label(sample)), threshold.tnr()).isOod(score);
        }
    }

    /**
     * What one scorer does.
     *
     * @param name of the scorer
     * @param settings that it was fitted with
     * @param deployed whether it is the scorer of the network's detector, with the detector's thresholds
     * @param tunedOn what its options were tuned on; null for a scorer that has none to tune
     * @param thresholds from the validation scores
     * @param validationScores scores of the InD samples that thresholds were chosen on, one row
     * @param indScores scores of the InD test samples, one row
     * @param falseAlarmRate fraction of the InD test samples that raise an alarm
     * @param acceptedAccuracy fraction of the InD test samples without an alarm that are classified correctly; NaN for
     *     no such samples, and without labels
     * @param spent time and memory
     * @param onOod one for each OOD set
     */
    public record Result(
            String name,
            Settings settings,
            boolean deployed,
            @Nullable String tunedOn,
            Thresholds thresholds,
            Matrix validationScores,
            Matrix indScores,
            double falseAlarmRate,
            double acceptedAccuracy,
            Spent spent,
            List<OnOod> onOod) {

        /** The threshold for all samples, whatever their predicted class. */
        public Threshold threshold() {
            return thresholds.threshold();
        }

        Result with(List<OnOod> newOnOod) {
            return new Result(
                    name,
                    settings,
                    deployed,
                    tunedOn,
                    thresholds,
                    validationScores,
                    indScores,
                    falseAlarmRate,
                    acceptedAccuracy,
                    spent,
                    List.copyOf(newOnOod));
        }

        /** The mean of a metric over some OOD sets; NaN for none. */
        public double mean(Metric metric, Predicate<Ood> among) {
            return onOod.stream()
                    .filter(on -> among.test(on.ood()))
                    .mapToDouble(on -> on.evaluation().value(metric))
                    .average()
                    .orElse(Double.NaN);
        }
    }

    /**
     * How one scorer does on one OOD set.
     *
     * @param ood the set
     * @param scores of its samples, one row
     * @param detectionRate fraction of them that raise an alarm at the scorer's threshold
     * @param evaluation threshold-free figures
     * @param pValue DeLong's test of its AUROC against that of the scorer with the largest one; 1 for that scorer. Times the
     *     number of the others (Bonferroni), because which one is the largest is seen on the same samples
     */
    public record OnOod(Ood ood, Matrix scores, double detectionRate, Evaluation evaluation, double pValue) {

        OnOod withPValue(double newPValue) {
            return new OnOod(ood, scores, detectionRate, evaluation, newPValue);
        }
    }

    /** Compares scorers; those that cannot run are left out, with the reason. */
    public static Comparison of(NetworkOutputs outputs, List<ScorerKind> scorers, double tnr, Bootstrap bootstrap) {
        return of(new ScorerTrial(outputs, tnr, bootstrap), scorers, name -> {});
    }

    /**
     * Compares scorers. The scorer of the network's detector comes first if it is not among them.
     *
     * @param progress receives the name of each before its turn
     */
    static Comparison of(ScorerTrial trial, List<ScorerKind> scorers, Consumer<String> progress) {
        List<ScorerKind> all = new ArrayList<>(scorers);
        Detector detector = trial.outputs().detector();
        if (detector != null && scorers.stream().noneMatch(trial::isDeployed)) {
            all.add(0, detector.kind());
        }
        List<Result> results = new ArrayList<>();
        List<Skipped> skipped = new ArrayList<>();
        for (ScorerKind kind : all) {
            progress.accept(kind.id());
            try {
                results.add(trial.of(kind));
            } catch (CannotRunException e) {
                skipped.add(new Skipped(kind.id(), String.valueOf(e.getMessage())));
            }
        }
        return new Comparison(trial.outputs(), withPValues(results), List.copyOf(skipped));
    }

    /** Whether a scorer is among those that could run. */
    public boolean has(ScorerKind scorer) {
        return results.stream().anyMatch(result -> result.name().equals(scorer.id()));
    }

    /** What a scorer did. */
    public Result result(String name) {
        return results.stream()
                .filter(result -> result.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(name + " was not compared"));
    }

    private static List<Result> withPValues(List<Result> results) {
        int sets = results.isEmpty() ? 0 : results.get(0).onOod().size();
        List<Result> best =
                IntStream.range(0, sets).mapToObj(set -> best(results, set)).toList();
        return results.stream()
                .map(result -> result.with(IntStream.range(0, sets)
                        .mapToObj(set -> withPValue(result, best.get(set), set, results.size() - 1))
                        .toList()))
                .toList();
    }

    /** The one with the largest AUROC on an OOD set; the last of equals. */
    private static Result best(List<Result> results, int set) {
        return results.stream()
                .max(Comparator.comparingDouble(
                        result -> result.onOod().get(set).evaluation().value(Metric.AUROC)))
                .orElseThrow();
    }

    private static OnOod withPValue(Result result, Result best, int set, int others) {
        OnOod on = result.onOod().get(set);
        if (on.scores().columns() < 2 || result.indScores().columns() < 2) {
            return on.withPValue(Double.NaN); // one sample has no variance
        }
        DeLong test = DeLong.compare(
                result.indScores().row(0),
                on.scores().row(0),
                best.indScores().row(0),
                best.onOod().get(set).scores().row(0));
        return on.withPValue(Math.min(1, Math.max(1, others) * test.pValue()));
    }
}
