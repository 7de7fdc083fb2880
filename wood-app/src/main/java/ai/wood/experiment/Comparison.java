package ai.wood.experiment;

import ai.wood.Matrix;
import ai.wood.Scorer;
import ai.wood.Threshold;
import ai.wood.calibrate.Calibration;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.Evaluation;
import ai.wood.score.ScorerOptions;
import ai.wood.score.Scorers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Several scorers on the same outputs. Scorers are fitted to training outputs, thresholds chosen on validation outputs;
 * test outputs are read once.
 *
 * @param outputs what was scored
 * @param results one for each scorer, in the order asked for
 */
public record Comparison(NetworkOutputs outputs, List<Result> results) {

    /**
     * What one scorer does.
     *
     * @param scorer which one
     * @param threshold conformal, from the validation outputs
     * @param indScores scores of the InD test samples, one row
     * @param indAlarms share of the InD test samples that raise an alarm
     * @param onOod one for each OOD set
     */
    public record Result(Scorers scorer, Threshold threshold, Matrix indScores, double indAlarms, List<OnOod> onOod) {}

    /**
     * How one scorer does on one OOD set.
     *
     * @param ood the set
     * @param scores of its samples, one row
     * @param caught share of them that raise an alarm at the scorer's threshold
     * @param evaluation threshold-free figures
     */
    public record OnOod(NetworkOutputs.Ood ood, Matrix scores, double caught, Evaluation evaluation) {}

    public static Comparison of(NetworkOutputs outputs, List<Scorers> scorers, double tnr, Bootstrap bootstrap) {
        ScorerOptions options = ScorerOptions.DEFAULTS.withInd(outputs.fit()).withLabels(outputs.fitLabels());
        List<Result> results = new ArrayList<>();
        for (Scorers name : scorers) {
            Scorer scorer = name.create(options);
            Threshold threshold =
                    Calibration.of(scorer.score(outputs.validation())).conformal(tnr);
            double[] ind = scorer.score(outputs.test());
            List<OnOod> onOod = new ArrayList<>();
            for (NetworkOutputs.Ood ood : outputs.ood()) {
                double[] scores = scorer.score(ood.outputs());
                onOod.add(new OnOod(
                        ood, Matrix.of(scores), alarms(scores, threshold), Evaluation.of(ind, scores, bootstrap)));
            }
            results.add(new Result(name, threshold, Matrix.of(ind), alarms(ind, threshold), List.copyOf(onOod)));
        }
        return new Comparison(outputs, List.copyOf(results));
    }

    /** What a scorer did. */
    public Result result(Scorers scorer) {
        return results.stream()
                .filter(result -> result.scorer() == scorer)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(scorer.id() + " was not compared"));
    }

    private static double alarms(double[] scores, Threshold threshold) {
        return (double) Arrays.stream(scores).filter(threshold::isOod).count() / scores.length;
    }
}
