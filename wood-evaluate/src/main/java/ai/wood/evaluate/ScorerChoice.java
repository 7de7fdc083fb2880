package ai.wood.evaluate;

import ai.wood.CannotRunException;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.data.Dataset;
import ai.wood.data.Split;
import ai.wood.evaluate.Comparison.Skipped;
import ai.wood.metric.RankedScores;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which scorer suits a network, by samples that neither trained nor test it: InD samples held out from training against
 * several kinds of OOD, each of which counts the same. The kinds are those that training saw, held out, and generated
 * ones that it did not see. Scorers that are tuned on such samples themselves take no part.
 *
 * @param candidates those that could be measured, from the best on; at least one
 * @param skipped those that could not
 */
public record ScorerChoice(List<Candidate> candidates, List<Skipped> skipped) {

    private static final double TNR = 0.95;

    /**
     * One scorer's figures.
     *
     * @param fnr mean FNR at 95% TNR over the kinds of OOD
     * @param auroc mean AUROC
     */
    public record Candidate(ScorerKind scorer, double fnr, double auroc) {}

    /**
     * Measures all scorers that the network allows.
     *
     * @throws IllegalArgumentException where none could be measured, with the reasons
     */
    public static ScorerChoice of(Run run, EvaluateOptions options) throws IOException {
        TuningData tuning = new TuningData(run);
        Dataset held = run.data().limited(run.heldOut(Split.TRAIN), options.fitLimit());
        SampleSet ind = run.part(held);
        List<SampleSet> kinds = new ArrayList<>();
        for (Dataset kind : tuning.kinds(held, options)) {
            kinds.add(run.part(kind));
        }
        List<ScorerKind> usable = options.scorers().stream()
                .filter(scorer -> !scorer.requires().contains(Requirement.TUNING))
                .toList();
        return of(usable, run.setup(options.withScorers(usable), Optional.empty()), ind, kinds);
    }

    static ScorerChoice of(List<ScorerKind> scorers, ScorerSetup setup, SampleSet ind, List<SampleSet> kinds) {
        List<Candidate> candidates = new ArrayList<>();
        List<Skipped> skipped = new ArrayList<>();
        for (ScorerKind scorer : scorers) {
            try {
                candidates.add(candidate(scorer, setup, ind, kinds));
            } catch (CannotRunException e) {
                skipped.add(new Skipped(scorer.id(), String.valueOf(e.getMessage())));
            }
        }
        if (candidates.isEmpty()) {
            throw Skipped.all(skipped);
        }
        candidates.sort(Comparator.comparingDouble(Candidate::fnr)
                .thenComparing(Comparator.comparingDouble(Candidate::auroc).reversed()));
        return new ScorerChoice(List.copyOf(candidates), List.copyOf(skipped));
    }

    /**
     * Fits and measures a scorer.
     *
     * @throws CannotRunException if the samples do not suffice to fit it, or a score is NaN
     */
    private static Candidate candidate(ScorerKind kind, ScorerSetup setup, SampleSet ind, List<SampleSet> kinds) {
        ind.outputs().require(kind);
        Scorer scorer = setup.fit(kind);
        double[] indScores = requireNumbers(scorer.score(ind.outputs()));
        List<RankedScores> ranked = kinds.stream()
                .map(ood -> RankedScores.of(indScores, requireNumbers(scorer.score(ood.outputs()))))
                .toList();
        return new Candidate(
                kind,
                ranked.stream()
                        .mapToDouble(scores -> scores.fnrAtTnr(TNR))
                        .average()
                        .orElseThrow(),
                ranked.stream().mapToDouble(RankedScores::auroc).average().orElseThrow());
    }

    private static double[] requireNumbers(double[] scores) {
        if (Arrays.stream(scores).anyMatch(Double::isNaN)) {
            throw new CannotRunException("needs outputs without NaN");
        }
        return scores;
    }
}
