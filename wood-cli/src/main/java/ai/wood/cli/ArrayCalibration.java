package ai.wood.cli;

import ai.wood.CannotRunException;
import ai.wood.Detector;
import ai.wood.FitData;
import ai.wood.Outputs;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.ThresholdPolicy;
import ai.wood.metric.RankedScores;
import ai.wood.score.ScorerKinds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes detectors from arrays. Some samples fit the scorer, others choose it, and yet others calibrate it, so that the
 * promised false alarm rate holds.
 */
final class ArrayCalibration {

    private static final double TNR = 0.95;

    private final ArraySamples samples;
    private final List<String> classes;
    private final ThresholdPolicy policy;

    ArrayCalibration(ArraySamples samples, List<String> classes, ThresholdPolicy policy) {
        this.samples = samples;
        this.classes = classes;
        this.policy = policy;
    }

    /** A scorer's mean FNR at 95% TNR and mean AUROC over the OOD sets. */
    record Candidate(ScorerKind kind, double fnr, double auroc) {}

    /**
     * A detector and how it was made.
     *
     * @param reason why it has this scorer; empty if the user named it
     * @param fitted number of samples that fitted the scorer
     * @param choosing number of InD samples that chose the scorer
     * @param ranking the scorers that were compared, the best first
     * @param skipped scorers that could not be compared, with the reason
     */
    record Made(
            Detector detector,
            String reason,
            int fitted,
            int choosing,
            List<Candidate> ranking,
            Map<String, String> skipped) {}

    /** Who fits and who calibrates. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Roles(FitData fit, int[] heldOut) {}

    /** Fits and calibrates a scorer. */
    Made with(ScorerKind kind, Settings settings, String reason) {
        Roles roles = roles(kind);
        Set<Requirement> provided = provided(roles.fit());
        ScorerNeeds.require(kind, provided);
        Detector detector = detector(kind, settings, roles);
        return new Made(detector, reason, fitted(kind, roles), 0, List.of(), Map.of());
    }

    private Roles roles(ScorerKind kind) {
        return ScorerNeeds.nothingToFit(kind) ? new Roles(FitData.NONE, samples.indices()) : roles();
    }

    /** Separate training outputs, or half of the samples, fit the scorer. */
    private Roles roles() {
        if (samples.training().isPresent()) {
            return new Roles(samples.training().get(), samples.indices());
        }
        if (samples.all().size() < 2) {
            throw new IllegalArgumentException(
                    "One half of the samples fits the scorer and the other calibrates it, but"
                            + " there is only one sample. Give more.");
        }
        ArraySamples.Parts halves =
                samples.split(samples.indices(), 0.5, samples.seed().at(0));
        return new Roles(samples.fitData(halves.first()), halves.second());
    }

    private Set<Requirement> provided(FitData fit) {
        Set<Requirement> provided = EnumSet.noneOf(Requirement.class);
        provided.addAll(fit.provides());
        provided.removeIf(Requirement::ofOutputs);
        provided.addAll(samples.all().provides());
        return provided;
    }

    private Detector detector(ScorerKind kind, Settings settings, Roles roles) {
        try {
            return Detector.of(kind)
                    .settings(settings)
                    .fit(roles.fit())
                    .classes(classes)
                    .data(samples.hashes())
                    .policy(policy)
                    .calibrate(samples.all().select(roles.heldOut()));
        } catch (CannotRunException e) {
            throw new IllegalArgumentException("The scorer " + kind.id() + " cannot run: it " + e.getMessage(), e);
        }
    }

    private static int fitted(ScorerKind kind, Roles roles) {
        Outputs training = roles.fit().training();
        return training == null || ScorerNeeds.nothingToFit(kind) ? 0 : training.size();
    }

    /**
     * Chooses the scorer with the lowest mean FNR at 95% TNR. A quarter of the held-out samples chooses and the rest
     * calibrates. If the chosen scorer has nothing to fit, the half that fitted the others calibrates too.
     *
     * @param wood settings of the WOOD score; all others have their defaults
     */
    Made best(Settings wood) {
        Roles roles = roles();
        ArraySamples.Parts parts =
                samples.split(roles.heldOut(), 0.25, samples.seed().at(1));
        Outputs ind = samples.all().select(parts.first());
        if (ind.size() == 0) {
            throw new IllegalArgumentException(
                    "A quarter of the held-out samples chooses the scorer, but there are only " + roles.heldOut().length
                            + ". Give more, or name a scorer.");
        }
        List<Candidate> ranking = new ArrayList<>();
        Map<String, String> skipped = new LinkedHashMap<>();
        for (ScorerKind kind :
                ScorerKinds.all().stream().filter(ScorerNeeds::worksOnArrays).toList()) {
            try {
                ranking.add(candidate(kind, settings(kind, wood), roles.fit(), ind));
            } catch (CannotRunException e) {
                skipped.put(kind.id(), String.valueOf(e.getMessage()));
            }
        }
        if (ranking.isEmpty()) {
            throw new IllegalArgumentException("No scorer can be compared on these samples: " + skipped);
        }
        ranking.sort(Comparator.comparingDouble(Candidate::fnr)
                .thenComparing(Comparator.comparingDouble(Candidate::auroc).reversed()));
        ScorerKind kind = ranking.get(0).kind();
        boolean unused = ScorerNeeds.nothingToFit(kind) && samples.training().isEmpty();
        int[] heldOut = unused ? samples.without(parts.first()) : parts.second();
        Detector detector = detector(kind, settings(kind, wood), new Roles(roles.fit(), heldOut));
        String reason = "auto: the lowest mean FNR on "
                + String.join(", ", samples.ood().keySet());
        return new Made(detector, reason, fitted(kind, roles), ind.size(), ranking, skipped);
    }

    private static Settings settings(ScorerKind kind, Settings wood) {
        return kind == ScorerKinds.wood() ? wood.over(kind.settings()) : kind.settings();
    }

    /** Fits and measures a scorer, if everything it needs is there. */
    private Candidate candidate(ScorerKind kind, Settings settings, FitData fit, Outputs ind) {
        fit.require(kind);
        ind.require(kind);
        for (Outputs set : samples.ood().values()) {
            set.require(kind);
        }
        Scorer scorer = kind.fit(fit, settings);
        double[] indScores = scorer.score(ind);
        List<RankedScores> sets = samples.ood().values().stream()
                .map(set -> ranked(indScores, scorer.score(set)))
                .toList();
        return new Candidate(
                kind,
                sets.stream().mapToDouble(set -> set.fnrAtTnr(TNR)).average().orElseThrow(),
                sets.stream().mapToDouble(RankedScores::auroc).average().orElseThrow());
    }

    private static RankedScores ranked(double[] ind, double[] ood) {
        if (Arrays.stream(ind).anyMatch(Double::isNaN) || Arrays.stream(ood).anyMatch(Double::isNaN)) {
            throw new CannotRunException("some of its scores are NaN");
        }
        return RankedScores.of(ind, ood);
    }
}
