package ai.wood.evaluate;

import ai.wood.Probabilities;
import ai.wood.score.Need;
import ai.wood.score.Scorers;
import ai.wood.torch.ImageScorers;
import ai.wood.transport.GroundCost;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a network is judged by.
 *
 * @param ood names of the OOD sets in the catalogue
 * @param near those of them that look much like the InD set; the others go by {@link Distance#of}
 * @param limit how many random samples of each test set are used; 0 for all
 * @param fitLimit how many samples scorers are fitted to, tuned on, and thresholds chosen on, at most; 0 for all
 * @param scorers which to compare
 * @param imageScorers which to compare of those that look at images more than once, and take their time
 * @param cost ground cost of the WOOD score; null for the one it was trained with
 * @param temperature of the WOOD score; null for the one it was trained with
 * @param tuneOn OOD sets to tune scorers on, by samples held out from their training splits; empty for the sets that the
 *     network's training saw, or generated OOD where it saw none
 */
public record EvaluateOptions(
        List<String> ood,
        Set<String> near,
        int limit,
        int fitLimit,
        List<Scorers> scorers,
        List<ImageScorers> imageScorers,
        @Nullable GroundCost cost,
        @Nullable Double temperature,
        List<String> tuneOn) {

    public EvaluateOptions {
        ood = List.copyOf(ood);
        near = Set.copyOf(near);
        scorers = List.copyOf(scorers);
        imageScorers = List.copyOf(imageScorers);
        tuneOn = List.copyOf(tuneOn);
        if (!Set.copyOf(ood).containsAll(near)) {
            throw new IllegalArgumentException("near OOD sets must be among " + ood + " but are " + near);
        }
        if (temperature != null) {
            Probabilities.requireTemperature(temperature);
        }
        if (limit < 0 || fitLimit < 0) {
            throw new IllegalArgumentException(
                    "numbers of samples must not be negative but are " + limit + " and " + fitLimit);
        }
    }

    /** All scorers, all samples. */
    public static EvaluateOptions of(List<String> ood) {
        return new EvaluateOptions(
                ood, Set.of(), 0, 0, Arrays.asList(Scorers.values()), List.of(), null, null, List.of());
    }

    public EvaluateOptions withNear(Set<String> near) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, imageScorers, cost, temperature, tuneOn);
    }

    public EvaluateOptions withLimit(int limit) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, imageScorers, cost, temperature, tuneOn);
    }

    public EvaluateOptions withFitLimit(int fitLimit) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, imageScorers, cost, temperature, tuneOn);
    }

    public EvaluateOptions withScorers(List<Scorers> scorers) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, imageScorers, cost, temperature, tuneOn);
    }

    public EvaluateOptions withImageScorers(List<ImageScorers> imageScorers) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, imageScorers, cost, temperature, tuneOn);
    }

    public EvaluateOptions withCost(@Nullable GroundCost cost) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, imageScorers, cost, temperature, tuneOn);
    }

    public EvaluateOptions withTemperature(@Nullable Double temperature) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, imageScorers, cost, temperature, tuneOn);
    }

    /** How many scorers there are of both kinds. */
    public int scorerCount() {
        return scorers.size() + imageScorers.size();
    }

    public EvaluateOptions withTuneOn(List<String> tuneOn) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, imageScorers, cost, temperature, tuneOn);
    }

    /** Whether one of the scorers needs it. */
    public boolean needs(Need need) {
        return (need == Need.TUNING && !imageScorers.isEmpty())
                || scorers.stream().anyMatch(scorer -> scorer.needs().contains(need));
    }

    Distance distance(String ind, String name) {
        return near.contains(name) ? Distance.NEAR : Distance.of(ind, name);
    }
}
