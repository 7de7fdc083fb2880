package ai.wood.experiment;

import ai.wood.Matrix;
import ai.wood.Scorer;
import ai.wood.Threshold;
import ai.wood.calibrate.Calibration;
import ai.wood.experiment.NetworkOutputs.Ood;
import ai.wood.experiment.NetworkOutputs.Part;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.DeLong;
import ai.wood.metric.Evaluation;
import ai.wood.metric.Metric;
import ai.wood.score.Scorers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
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
    public record Skipped(String name, String reason) {}

    /**
     * What a scorer took.
     *
     * @param fitSeconds to fit and tune it
     * @param scoreSeconds to score all samples
     * @param peakBytes how much the Java heap grew at most meanwhile, garbage included
     */
    public record Spent(double fitSeconds, double scoreSeconds, long peakBytes) {}

    /**
     * What one scorer does.
     *
     * @param name of the scorer
     * @param tunedOn what its options were tuned on; null for a scorer that has none to tune
     * @param threshold conformal, from the validation scores
     * @param validationScores scores of the InD validation samples, one row
     * @param indScores scores of the InD test samples, one row
     * @param indAlarms share of the InD test samples that raise an alarm
     * @param acceptedAccuracy share of the InD test samples without an alarm that are classified rightly; NaN for none
     * @param spent time and memory
     * @param onOod one for each OOD set
     */
    public record Result(
            String name,
            @Nullable String tunedOn,
            Threshold threshold,
            Matrix validationScores,
            Matrix indScores,
            double indAlarms,
            double acceptedAccuracy,
            Spent spent,
            List<OnOod> onOod) {

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
     * @param caught share of them that raise an alarm at the scorer's threshold
     * @param evaluation threshold-free figures
     * @param pValue DeLong's test of its AUROC against that of the scorer with the largest one; 1 for that scorer
     */
    public record OnOod(Ood ood, Matrix scores, double caught, Evaluation evaluation, double pValue) {

        OnOod withPValue(double newPValue) {
            return new OnOod(ood, scores, caught, evaluation, newPValue);
        }
    }

    public static Comparison of(NetworkOutputs outputs, List<Scorers> scorers, double tnr, Bootstrap bootstrap) {
        List<Result> results = new ArrayList<>();
        for (Scorers name : scorers) {
            Scorer scorer = name.create(outputs.options());
            results.add(result(name.id(), outputs, part -> scorer.score(part.outputs()), tnr, bootstrap));
        }
        return new Comparison(outputs, withPValues(results), List.of());
    }

    /** Scores samples by the network's outputs or by their images. */
    @FunctionalInterface
    private interface PartScorer {
        double[] score(Part part);
    }

    private static Result result(
            String name, NetworkOutputs outputs, PartScorer scorer, double tnr, Bootstrap bootstrap) {
        long start = System.nanoTime();
        double[] validation = scorer.score(outputs.validation());
        Threshold threshold = Calibration.of(validation).conformal(tnr);
        double[] ind = scorer.score(outputs.test());
        List<OnOod> onOod = new ArrayList<>();
        for (Ood ood : outputs.ood()) {
            double[] scores = scorer.score(ood.part());
            onOod.add(new OnOod(
                    ood,
                    Matrix.of(scores),
                    alarms(scores, threshold),
                    Evaluation.of(ind, scores, bootstrap),
                    Double.NaN));
        }
        return new Result(
                name,
                null,
                threshold,
                Matrix.of(validation),
                Matrix.of(ind),
                alarms(ind, threshold),
                acceptedAccuracy(outputs.test(), ind, threshold),
                new Spent(0, (System.nanoTime() - start) / 1e9, 0),
                List.copyOf(onOod));
    }

    /** What a scorer did. */
    public Result result(String name) {
        return results.stream()
                .filter(result -> result.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(name + " was not compared"));
    }

    private static List<Result> withPValues(List<Result> results) {
        List<List<OnOod>> tested = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            tested.add(new ArrayList<>());
        }
        int sets = results.isEmpty() ? 0 : results.get(0).onOod().size();
        for (int set = 0; set < sets; set++) {
            int column = set;
            Result best = results.stream()
                    .max(Comparator.comparingDouble(
                            result -> result.onOod().get(column).evaluation().value(Metric.AUROC)))
                    .orElseThrow();
            for (int i = 0; i < results.size(); i++) {
                tested.get(i).add(withPValue(results.get(i), best, set));
            }
        }
        return IntStream.range(0, results.size())
                .mapToObj(i -> with(results.get(i), tested.get(i)))
                .toList();
    }

    private static OnOod withPValue(Result result, Result best, int set) {
        OnOod on = result.onOod().get(set);
        DeLong test = DeLong.compare(
                result.indScores().row(0),
                on.scores().row(0),
                best.indScores().row(0),
                best.onOod().get(set).scores().row(0));
        return on.withPValue(test.pValue());
    }

    private static Result with(Result result, List<OnOod> onOod) {
        return new Result(
                result.name(),
                result.tunedOn(),
                result.threshold(),
                result.validationScores(),
                result.indScores(),
                result.indAlarms(),
                result.acceptedAccuracy(),
                result.spent(),
                List.copyOf(onOod));
    }

    private static double alarms(double[] scores, Threshold threshold) {
        return (double) Arrays.stream(scores).filter(threshold::isOod).count() / scores.length;
    }

    private static double acceptedAccuracy(Part test, double[] scores, Threshold threshold) {
        int[] labels = test.labels();
        int[] accepted = IntStream.range(0, scores.length)
                .filter(i -> !threshold.isOod(scores[i]))
                .toArray();
        long right = Arrays.stream(accepted)
                .filter(i -> test.outputs().label(i) == labels[i])
                .count();
        return accepted.length == 0 ? Double.NaN : (double) right / accepted.length;
    }
}
