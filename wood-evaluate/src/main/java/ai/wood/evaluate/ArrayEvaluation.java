package ai.wood.evaluate;

import ai.wood.Detector;
import ai.wood.FitData;
import ai.wood.Outputs;
import ai.wood.Requirement;
import ai.wood.ScorerKind;
import ai.wood.Seed;
import ai.wood.Settings;
import ai.wood.evaluate.NetworkOutputs.Ood;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A detector compared with other scorers on outputs, without a network and samples.
 *
 * <p>The detector has its own scorer and threshold. The others are fitted to one half of the training outputs, and the
 * other half chooses their thresholds. Without training outputs, only scorers that need no fit are compared, and half of
 * the InD samples chooses their thresholds. No sample that chose a threshold is measured.
 *
 * @param name of the detector
 * @param ind InD samples, which neither trained the network nor made the detector
 * @param ood OOD sets
 * @param fit training outputs; null for none
 * @param seed decides which samples are in which half
 */
public record ArrayEvaluation(
        String name,
        Detector detector,
        SampleSet ind,
        List<SampleSet> ood,
        @Nullable SampleSet fit,
        long seed) {

    private static final String UNKNOWN =
            "Whether training saw the OOD sets is unknown. They are listed as unseen, except those that chose the scorer.";

    /**
     * Checks that the outputs fit together.
     *
     * @throws IllegalArgumentException naming the sets that do not
     */
    public ArrayEvaluation {
        ood = List.copyOf(ood);
        Set<String> names = new HashSet<>();
        for (SampleSet set : ood) {
            requireAlike(ind, set);
            if (!names.add(set.name())) {
                throw new IllegalArgumentException("there are two OOD sets '" + set.name() + "'. Rename one.");
            }
        }
        if (fit != null) {
            requireAlike(ind, fit);
        }
        Set<Requirement> missing = new HashSet<>(detector.kind().requires());
        missing.removeIf(needed -> !needed.ofOutputs() && needed != Requirement.SAMPLES);
        missing.removeAll(ind.outputs().provides());
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException(
                    "the detector's scorer " + detector.kind().id() + " needs "
                            + missing.iterator().next().description() + ", which the arrays do not contain");
        }
        int classes = ind.outputs().classes();
        if (classes > 0 && !detector.classes().isEmpty() && detector.classes().size() != classes) {
            throw new IllegalArgumentException(
                    "the detector has " + detector.classes().size() + " classes but " + ind.name() + " has " + classes);
        }
    }

    private static void requireAlike(SampleSet ind, SampleSet other) {
        String own = form(ind.outputs());
        String others = form(other.outputs());
        if (!own.equals(others)) {
            throw new IllegalArgumentException(ind.name() + " has " + own + " but " + other.name() + " has " + others
                    + ". They must be the same.");
        }
    }

    private static String form(Outputs outputs) {
        List<String> parts = new ArrayList<>();
        if (outputs.hasPredictions()) {
            parts.add((outputs.hasLogits() ? "logits" : "probabilities") + " of " + outputs.classes() + " classes");
        }
        if (outputs.hasFeatures()) {
            parts.add(outputs.features().columns() + " features");
        }
        return String.join(" and ", parts);
    }

    /**
     * The outputs for each purpose.
     *
     * @param scorers that are compared, besides the detector's own
     * @param wood settings of the WOOD score
     */
    public NetworkOutputs outputs(List<ScorerKind> scorers, Settings wood) {
        boolean alone = scorers.stream()
                .allMatch(kind -> kind.id().equals(detector.kind().id()));
        FitData data = FitData.NONE;
        SampleSet validation = ind.rows();
        SampleSet test = ind;
        List<String> notes = new ArrayList<>(List.of(UNKNOWN));
        if (!alone && fit != null) {
            List<SampleSet> halves = halves(fit);
            SampleSet half = halves.get(0);
            data = FitData.of(half.outputs())
                    .withLabels(IntStream.of(half.labels()).boxed().toList());
            validation = halves.get(1);
            notes.add(String.format(
                    Locale.ROOT,
                    "Of the %,d training samples, %,d fitted the scorers that are not deployed and %,d chose their"
                            + " thresholds (seed %d). If the network was trained on them, false alarms of these scorers"
                            + " are more frequent than promised.",
                    fit.size(),
                    half.size(),
                    validation.size(),
                    seed));
        } else if (!alone) {
            List<SampleSet> halves = halves(ind);
            validation = halves.get(0);
            test = halves.get(1);
            notes.add(String.format(
                    Locale.ROOT,
                    "There are no training samples, so %,d of the %,d InD samples chose the thresholds of the scorers"
                            + " that are not deployed, and the other %,d were measured (seed %d).",
                    validation.size(),
                    ind.size(),
                    test.size(),
                    seed));
        }
        List<Ood> sets = ood.stream()
                .map(set -> new Ood(set, isUsed(set), Distance.UNKNOWN))
                .toList();
        boolean leaky = isUsed(ind) || (fit != null && fit.hash().equals(ind.hash()));
        if (leaky) {
            notes.add("The InD samples are those that a scorer was fitted to or calibrated on. Figures on them mean"
                    + " little.");
        }
        return new NetworkOutputs(
                name, detector, new ScorerSetup(data, wood), null, validation, test, sets, leaky, notes);
    }

    /** Whether the detector was made from these very files. */
    private boolean isUsed(SampleSet set) {
        return detector.data().containsValue(set.hash());
    }

    /** Two halves at random, each with every class in proportion. */
    private List<SampleSet> halves(SampleSet set) {
        if (set.size() < 2) {
            throw new IllegalArgumentException(
                    set.name() + " must be split in two halves but has " + set.size() + " samples. Give more.");
        }
        int[] labels = set.labels();
        int[] order = IntStream.of(new Seed(seed).permutation(set.size()))
                .boxed()
                .sorted(Comparator.comparingInt(i -> group(set, labels, i))) // stable: random within a class
                .mapToInt(i -> i)
                .toArray();
        return IntStream.range(0, 2)
                .mapToObj(half -> IntStream.range(0, order.length)
                        .filter(i -> i % 2 == half)
                        .map(i -> order[i])
                        .sorted()
                        .toArray())
                .map(set::rows)
                .toList();
    }

    private static int group(SampleSet set, int[] labels, int sample) {
        return labels.length > 0
                ? labels[sample]
                : set.outputs().hasPredictions() ? set.outputs().label(sample) : 0;
    }
}
