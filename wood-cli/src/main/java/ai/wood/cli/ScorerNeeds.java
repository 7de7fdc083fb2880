package ai.wood.cli;

import ai.wood.CannotRunException;
import ai.wood.FitData;
import ai.wood.Outputs;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.score.ScorerKinds;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What scorers need, and the options that provide it. */
final class ScorerNeeds {

    /** What arrays can provide. */
    private static final Set<Requirement> OF_ARRAYS = EnumSet.of(
            Requirement.PREDICTIONS,
            Requirement.LOGITS,
            Requirement.FEATURES,
            Requirement.TRAINING,
            Requirement.LABELS);

    private ScorerNeeds() {}

    /** Whether arrays can provide everything that a scorer needs. */
    static boolean worksOnArrays(ScorerKind kind) {
        return OF_ARRAYS.containsAll(kind.requires());
    }

    /** Whether a scorer works without training outputs. */
    static boolean nothingToFit(ScorerKind kind) {
        return !kind.requires().contains(Requirement.TRAINING);
    }

    /** What a kind of scorer needs of outputs besides predictions; empty if they suffice. */
    static Optional<Requirement> beyondPredictions(ScorerKind kind) {
        Set<Requirement> predictions = EnumSet.of(Requirement.LOGITS, Requirement.PREDICTIONS);
        return kind.requires().stream()
                .filter(needed -> needed.ofOutputs() && !predictions.contains(needed))
                .findFirst();
    }

    /**
     * Refuses a scorer that the given files do not suffice for.
     *
     * @param provided what the files contain
     * @throws IllegalArgumentException naming what is missing and the options that provide it
     */
    static void require(ScorerKind kind, Set<Requirement> provided) {
        List<Requirement> missing = kind.requires().stream()
                .filter(needed -> !provided.contains(needed))
                .sorted()
                .toList();
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("The scorer " + kind.id() + " needs "
                    + missing.stream().map(Requirement::description).collect(Collectors.joining(" and ")) + ". "
                    + (OF_ARRAYS.containsAll(missing)
                            ? "Give "
                                    + missing.stream().map(ScorerNeeds::options).collect(Collectors.joining(" and "))
                            : "Files of outputs do not contain that. Use `wood calibrate` or `wood evaluate` on a run")
                    + ".");
        }
    }

    private static String options(Requirement missing) {
        return switch (missing) {
            case PREDICTIONS -> "--logits or --probabilities";
            case LOGITS -> "--logits";
            case FEATURES -> "--features";
            case LABELS -> "--labels or --fit-labels";
            default -> "--fit-logits, --fit-probabilities or --fit-features";
        };
    }

    /** Refuses a fitted scorer that these outputs do not suffice for. */
    static void require(ScorerKind kind, Outputs outputs) {
        Set<Requirement> provided = EnumSet.of(
                Requirement.TRAINING, Requirement.LABELS, Requirement.HEAD, Requirement.TUNING); // it is fitted
        provided.addAll(outputs.provides());
        require(kind, provided);
    }

    /** Fits a scorer; where it cannot run on the data the message names it. */
    static Scorer fit(ScorerKind kind, FitData data, Settings settings) {
        try {
            return kind.fit(data, settings);
        } catch (CannotRunException e) {
            throw new IllegalArgumentException("The scorer " + kind.id() + " cannot run: " + e.getMessage(), e);
        }
    }

    /** The ids of scorers that arrays suffice for, for help and completion. */
    static final class ArrayScorerIds implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return ScorerKinds.all().stream()
                    .filter(ScorerNeeds::worksOnArrays)
                    .map(ScorerKind::id)
                    .iterator();
        }
    }

    /** The ids of all scorers of outputs. */
    static final class AllIds implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return ScorerKinds.ids().iterator();
        }
    }
}
