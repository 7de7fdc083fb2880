package ai.wood.experiment;

import ai.wood.Dataset;
import ai.wood.Scorer;
import ai.wood.Split;
import ai.wood.experiment.NetworkOutputs.Part;
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
 */
public final class ScorerChoice {

    private static final double TNR = 0.95;

    private ScorerChoice() {}

    /**
     * One scorer's figures.
     *
     * @param fnr mean FNR at 95% TNR over the kinds of OOD
     * @param auroc mean AUROC
     */
    public record Candidate(Scorers scorer, double fnr, double auroc) {}

    /** All scorers that the network allows, from the best on. */
    public static List<Candidate> rank(Run run, EvaluateOptions options) throws IOException {
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
        ScorerOptions told = run.scorerOptions(options.withScorers(usable), Optional.empty());
        return usable.stream()
                .filter(scorer -> scorer.missing(told, ind.outputs()).isEmpty())
                .flatMap(scorer -> candidate(scorer, told, ind, kinds).stream())
                .sorted(Comparator.comparingDouble(Candidate::fnr)
                        .thenComparing(
                                Comparator.comparingDouble(Candidate::auroc).reversed()))
                .toList();
    }

    /** Nothing where the samples do not suffice to fit it. */
    private static Optional<Candidate> candidate(Scorers name, ScorerOptions told, Part ind, List<Part> kinds) {
        Scorer scorer;
        try {
            scorer = name.create(told);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        double[] indScores = scorer.score(ind.outputs());
        List<RankedScores> ranked = kinds.stream()
                .map(kind -> RankedScores.of(indScores, scorer.score(kind.outputs())))
                .toList();
        return Optional.of(new Candidate(
                name,
                ranked.stream()
                        .mapToDouble(scores -> scores.fnrAtTnr(TNR))
                        .average()
                        .orElseThrow(),
                ranked.stream().mapToDouble(RankedScores::auroc).average().orElseThrow()));
    }
}
