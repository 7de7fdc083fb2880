package ai.wood.evaluate;

import ai.wood.Scorer;
import ai.wood.data.Dataset;
import ai.wood.data.Split;
import ai.wood.evaluate.Comparison.Skipped;
import ai.wood.evaluate.NetworkOutputs.Part;
import ai.wood.metric.RankedScores;
import ai.wood.score.Need;
import ai.wood.score.ScorerOptions;
import ai.wood.score.Scorers;
import java.io.IOException;
import java.util.ArrayList;
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
    public record Candidate(Scorers scorer, double fnr, double auroc) {}

    /**
     * Measures all scorers that the network allows.
     *
     * @throws IllegalArgumentException where none could be measured, with the reasons
     */
    public static ScorerChoice of(Run run, EvaluateOptions options) throws IOException {
        TuningData tuning = new TuningData(run);
        Dataset held = run.data().limited(run.heldOut(Split.TRAIN), options.fitLimit());
        Part ind = run.part(held);
        List<Part> kinds = new ArrayList<>();
        for (Dataset kind : tuning.kinds(held, options)) {
            kinds.add(run.part(kind));
        }
        List<Scorers> usable = options.scorers().stream()
                .filter(scorer -> !scorer.needs().contains(Need.TUNING))
                .toList();
        return of(usable, run.told(options.withScorers(usable), Optional.empty()), ind, kinds);
    }

    static ScorerChoice of(List<Scorers> scorers, Told told, Part ind, List<Part> kinds) {
        List<Candidate> candidates = new ArrayList<>();
        List<Skipped> skipped = new ArrayList<>();
        for (Scorers scorer : scorers) {
            if (scorer.missing(told.to(scorer), ind.outputs()).isEmpty()) {
                try {
                    candidates.add(candidate(scorer, told.to(scorer), ind, kinds));
                } catch (IllegalArgumentException e) {
                    skipped.add(new Skipped(scorer.id(), String.valueOf(e.getMessage())));
                }
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
     * @throws IllegalArgumentException where the samples do not suffice to fit it, or a score is NaN
     */
    private static Candidate candidate(Scorers name, ScorerOptions told, Part ind, List<Part> kinds) {
        Scorer scorer = name.create(told);
        double[] indScores = scorer.score(ind.outputs());
        List<RankedScores> ranked = kinds.stream()
                .map(kind -> RankedScores.of(indScores, scorer.score(kind.outputs())))
                .toList();
        return new Candidate(
                name,
                ranked.stream()
                        .mapToDouble(scores -> scores.fnrAtTnr(TNR))
                        .average()
                        .orElseThrow(),
                ranked.stream().mapToDouble(RankedScores::auroc).average().orElseThrow());
    }
}
