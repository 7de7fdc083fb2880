package ai.wood.evaluate;

import ai.wood.Probabilities;
import ai.wood.Requirement;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.score.ScorerKinds;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a network is judged by.
 *
 * @param ood names of the OOD sets in the catalogue
 * @param near those of them that look much like the InD set; the others go by {@link Distance#of}
 * @param limit how many random samples of each test set are used; 0 for all
 * @param fitLimit how many samples scorers are fitted to, tuned on, and thresholds chosen on, at most; 0 for all
 * @param scorers which to compare
 * @param wood settings of the WOOD score that replace those it was trained with
 * @param tuneOn OOD sets to tune scorers on, by samples held out from their training splits; empty for the sets that the
 *     network's training saw, or generated OOD where it saw none
 */
public record EvaluateOptions(
        List<String> ood,
        Set<String> near,
        int limit,
        int fitLimit,
        List<ScorerKind> scorers,
        Settings wood,
        List<String> tuneOn) {

    public EvaluateOptions {
        ood = List.copyOf(ood);
        near = Set.copyOf(near);
        scorers = List.copyOf(scorers);
        tuneOn = List.copyOf(tuneOn);
        if (!Set.copyOf(ood).containsAll(near)) {
            throw new IllegalArgumentException("near OOD sets must be among " + ood + " but are " + near);
        }
        if (wood.has("temperature")) {
            Probabilities.requireTemperature(wood.number("temperature"));
        }
        if (limit < 0 || fitLimit < 0) {
            throw new IllegalArgumentException(
                    "numbers of samples must not be negative but are " + limit + " and " + fitLimit);
        }
    }

    /** All kinds of scorers that need outputs only. Those that look at images more than once take their time. */
    public static List<ScorerKind> ofOutputs() {
        return ScorerKinds.all().stream()
                .filter(kind -> !kind.requires().contains(Requirement.SAMPLES))
                .toList();
    }

    /** All scorers of outputs, all samples. */
    public static EvaluateOptions of(List<String> ood) {
        return new EvaluateOptions(ood, Set.of(), 0, 0, ofOutputs(), Settings.NONE, List.of());
    }

    public EvaluateOptions withNear(Set<String> near) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, wood, tuneOn);
    }

    public EvaluateOptions withLimit(int limit) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, wood, tuneOn);
    }

    public EvaluateOptions withFitLimit(int fitLimit) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, wood, tuneOn);
    }

    public EvaluateOptions withScorers(List<ScorerKind> scorers) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, wood, tuneOn);
    }

    /** The same with one more kind of scorer, unless it is among them. */
    EvaluateOptions with(ScorerKind kind) {
        return scorers.contains(kind)
                ? this
                : withScorers(Stream.concat(scorers.stream(), Stream.of(kind)).toList());
    }

    public EvaluateOptions withWood(Settings wood) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, wood, tuneOn);
    }

    public EvaluateOptions withTuneOn(List<String> tuneOn) {
        return new EvaluateOptions(ood, near, limit, fitLimit, scorers, wood, tuneOn);
    }

    /** Whether one of the scorers is tuned on validation samples. */
    public boolean isTuned() {
        return needs(Requirement.TUNING) || needs(Requirement.SAMPLES);
    }

    /** Whether one of the scorers needs it. */
    public boolean needs(Requirement need) {
        return scorers.stream().anyMatch(scorer -> scorer.requires().contains(need));
    }

    Distance distance(String ind, String name) {
        return near.contains(name) ? Distance.NEAR : Distance.of(ind, name);
    }
}
