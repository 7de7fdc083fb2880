package ai.wood.experiment;

import ai.wood.score.Need;
import ai.wood.score.Scorers;
import ai.wood.transport.GroundCost;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * What a network is judged by.
 *
 * @param ood names of the OOD sets in the catalogue
 * @param near those of them that look much like the InD set, all others being far; empty to go by {@link Distance#of}
 * @param limit how many random samples of each test set are used; 0 for all
 * @param fitLimit how many samples scorers are fitted to, tuned on, and thresholds chosen on, at most; 0 for all
 * @param scorers which to compare
 * @param cost ground cost of the WOOD score
 */
public record EvaluateOptions(
        List<String> ood, Set<String> near, int limit, int fitLimit, List<Scorers> scorers, GroundCost cost) {

    public EvaluateOptions {
        ood = List.copyOf(ood);
        near = Set.copyOf(near);
        scorers = List.copyOf(scorers);
        if (!Set.copyOf(ood).containsAll(near)) {
            throw new IllegalArgumentException("near OOD sets must be among " + ood + " but are " + near);
        }
        if (limit < 0 || fitLimit < 0) {
            throw new IllegalArgumentException(
                    "numbers of samples must not be negative but are " + limit + " and " + fitLimit);
        }
    }

    /** All scorers, all samples. */
    public static EvaluateOptions of(List<String> ood) {
        return new EvaluateOptions(ood, Set.of(), 0, 0, Arrays.asList(Scorers.values()), GroundCost.dynamic());
    }

    public EvaluateOptions withNear(Set<String> near) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, cost);
    }

    public EvaluateOptions withLimit(int limit) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, cost);
    }

    public EvaluateOptions withFitLimit(int fitLimit) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, cost);
    }

    public EvaluateOptions withScorers(List<Scorers> scorers) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, cost);
    }

    public EvaluateOptions withCost(GroundCost cost) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, cost);
    }

    /** Whether one of the scorers needs it. */
    boolean needs(Need need) {
        return scorers.stream().anyMatch(scorer -> scorer.needs().contains(need));
    }

    Distance distance(String ind, String name) {
        return near.isEmpty() ? Distance.of(ind, name) : near.contains(name) ? Distance.NEAR : Distance.FAR;
    }
}
