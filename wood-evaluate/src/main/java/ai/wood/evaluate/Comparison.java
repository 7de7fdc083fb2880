package ai.wood.evaluate;

import ai.wood.CannotRunException;
import ai.wood.Matrix;
import ai.wood.ScorerKind;
import ai.wood.Threshold;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.DeLong;
import ai.wood.metric.Evaluation;
import ai.wood.metric.Metric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
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

        Result with(List<OnOod> newOnOod) {
            return new Result(
                    name,
                    tunedOn,
                    threshold,
                    validationScores,
                    indScores,
                    indAlarms,
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
     * @param caught share of them that raise an alarm at the scorer's threshold
     * @param evaluation threshold-free figures
     * @param pValue DeLong's test of its AUROC against that of the scorer with the largest one; 1 for that scorer. Times the
     *     number of the others (Bonferroni), because which one is the largest is seen on the same samples
     */
    public record OnOod(Ood ood, Matrix scores, double caught, Evaluation evaluation, double pValue) {

        OnOod withPValue(double newPValue) {
            return new OnOod(ood, scores, caught, evaluation, newPValue);
        }
    }

    /** A scorer that is to be tried. */
    record Contender(String name, Function<ScorerTrial, Result> trial) {

        static Contender of(ScorerKind scorer) {
            return new Contender(scorer.id(), trial -> trial.of(scorer));
        }
    }

    /** Compares scorers; those that cannot run are left out, with the reason. */
    public static Comparison of(NetworkOutputs outputs, List<ScorerKind> scorers, double tnr, Bootstrap bootstrap) {
        List<Contender> contenders = scorers.stream().map(Contender::of).toList();
        return of(new ScorerTrial(outputs, tnr, bootstrap), contenders, name -> {});
    }

    /** The same for any scorers, telling the name of each before its turn. */
    static Comparison of(ScorerTrial trial, List<Contender> contenders, Consumer<String> progress) {
        List<Result> results = new ArrayList<>();
        List<Skipped> skipped = new ArrayList<>();
        for (Contender contender : contenders) {
            progress.accept(contender.name());
            try {
                results.add(contender.trial().apply(trial));
            } catch (CannotRunException e) {
                skipped.add(new Skipped(contender.name(), String.valueOf(e.getMessage())));
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
