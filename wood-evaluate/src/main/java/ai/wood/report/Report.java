package ai.wood.report;

import ai.wood.Calibration;
import ai.wood.Settings;
import ai.wood.data.Dataset;
import ai.wood.evaluate.Comparison;
import ai.wood.evaluate.Comparison.OnOod;
import ai.wood.evaluate.Comparison.Result;
import ai.wood.evaluate.NetworkOutputs;
import ai.wood.evaluate.NetworkOutputs.Ood;
import ai.wood.io.AtomicFile;
import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Networks and scorers compared on one self-contained page, and its figures.
 *
 * @param comparisons one for each network; all networks met the same sets
 * @param trainings how networks were trained, by their names, where it is known
 * @param about what else is needed to make the figures again, such as command and seed; shown as it is
 */
public record Report(List<Comparison> comparisons, Map<String, Training> trainings, Map<String, String> about) {

    private static final String LEAKY =
            "These figures mean little: training, scorers or thresholds have used samples of the kind that must be kept"
                    + " for the test.";

    public Report {
        comparisons = List.copyOf(comparisons);
        trainings = Map.copyOf(trainings);
        about = Collections.unmodifiableMap(new LinkedHashMap<>(about));
        if (comparisons.isEmpty()) {
            throw new IllegalArgumentException("a report needs at least one network");
        }
        List<String> sets = names(comparisons.get(0));
        for (Comparison comparison : comparisons) {
            if (comparison.results().isEmpty()
                    || sets.isEmpty()
                    || !names(comparison).equals(sets)) {
                throw new IllegalArgumentException(
                        "a report needs at least one scorer and the same OOD sets for every network"
                                + " but network " + comparison.outputs().network() + " has "
                                + comparison.results().size() + " scorers on " + names(comparison));
            }
        }
    }

    public Report(List<Comparison> comparisons) {
        this(comparisons, Map.of(), Map.of());
    }

    private static List<String> names(Comparison comparison) {
        return comparison.outputs().ood().stream().map(Ood::name).toList();
    }

    List<Ood> sets() {
        return comparisons.get(0).outputs().ood();
    }

    /** Name of an OOD set, and whether training saw its kind, for people. */
    public String title(int set) {
        return sets().get(set).name() + " (" + mark(set) + ")";
    }

    /** Whether training saw the kind of an OOD set; by name, where that of some networks did. */
    String mark(int set) {
        List<String> seers = comparisons.stream()
                .map(Comparison::outputs)
                .filter(outputs -> outputs.ood().get(set).seen())
                .map(NetworkOutputs::network)
                .toList();
        return seers.isEmpty()
                ? "unseen"
                : seers.size() == comparisons.size() ? "seen" : "seen by " + String.join(", ", seers);
    }

    /** What a network's scorer did: WOOD where it was compared, else the first one. */
    static Result own(Comparison comparison) {
        return comparison.results().stream()
                .filter(result -> result.name().equals(ScorerKinds.wood().id()))
                .findFirst()
                .orElse(comparison.results().get(0));
    }

    /** The whole page. */
    public String html() {
        boolean leaky =
                comparisons.stream().anyMatch(comparison -> comparison.outputs().leaky());
        return new Page(
                        "WOOD report: " + comparisons.get(0).outputs().ind(),
                        leaky ? List.of(LEAKY) : List.of(),
                        comparisons.stream().map(Report::verdict).toList(),
                        PageData.of(this))
                .html();
    }

    /** Writes the page. */
    public void write(Path file) throws IOException {
        AtomicFile.replace(file, html());
    }

    /** Writes every figure into a folder, as SVG. */
    public void writeFigures(Path folder) throws IOException {
        new Figures(this).write(folder);
    }

    /** The score of each network's own scorer, InD against the first OOD set, as an SVG picture. */
    public String histogram() {
        return new Figures(this).histogram(0);
    }

    /** The verdict in a sentence a network. */
    public String headline() {
        return comparisons.stream().map(Report::verdict).collect(Collectors.joining(" "));
    }

    private static String verdict(Comparison comparison) {
        Result result = own(comparison);
        List<String> detectionRate = new ArrayList<>();
        meanCaught(result, true)
                .ifPresent(share -> detectionRate.add(percent(share) + " of the OOD samples seen in training"));
        meanCaught(result, false)
                .ifPresent(share -> detectionRate.add(percent(share)
                        + (detectionRate.isEmpty() ? " of the unseen OOD samples" : " of the unseen ones")));
        return String.format(
                Locale.ROOT,
                "Network %s (accuracy %s): with at most %s false alarms promised and %s measured, the scorer %s catches %s.",
                comparison.outputs().network(),
                percent(comparison.outputs().accuracy()),
                promised(result),
                percent(result.falseAlarmRate()),
                result.name(),
                String.join(" and ", detectionRate));
    }

    /** The most false alarms that the threshold promises. */
    static Percent promised(Result result) {
        return Percent.of(result.threshold().tnr()).rest();
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f%%", 100 * share);
    }

    private static OptionalDouble meanCaught(Result result, boolean seen) {
        return result.onOod().stream()
                .filter(on -> on.ood().seen() == seen)
                .mapToDouble(OnOod::detectionRate)
                .average();
    }

    /** What a reader of the figures must know, in sentences. */
    List<String> notes() {
        NetworkOutputs outputs = comparisons.get(0).outputs();
        List<String> notes = new ArrayList<>();
        notes.add(String.format(
                Locale.ROOT,
                "OOD is the positive class; a larger score means more OOD. Scorers were fitted to training samples; thresholds"
                        + " are conformal, from %,d InD validation samples; %,d InD test samples were read once. Seen OOD is of a kind"
                        + " that training met, unseen OOD is not. Whoever picks the best scorer by this table should expect a little less.",
                outputs.validation().outputs().size(),
                outputs.test().outputs().size()));
        comparisons.stream()
                .flatMap(comparison -> notes(comparison).stream())
                .distinct()
                .forEach(notes::add);
        return notes;
    }

    /** What a reader of one network's figures must know, in sentences; also where nothing is called OOD for want of samples. */
    public static List<String> notes(Comparison comparison) {
        return Stream.of(
                        comparison.outputs().notes().stream(),
                        woodScore(comparison).stream(),
                        unreachable(comparison).stream())
                .flatMap(notes -> notes)
                .distinct()
                .toList();
    }

    /** The notes about infinite thresholds. */
    private static List<String> unreachable(Comparison comparison) {
        return comparison.results().stream()
                .filter(result -> result.thresholds().conformal())
                .flatMap(result -> tooFew(
                        result.validationScores().columns(), result.threshold().tnr())
                        .stream())
                .distinct()
                .toList();
    }

    /** Which WOOD score it is, where it is another than the usual one. */
    private static Optional<String> woodScore(Comparison comparison) {
        if (!comparison.has(ScorerKinds.wood())) {
            return Optional.empty();
        }
        Settings wood = comparison.result(ScorerKinds.wood().id()).settings();
        if (wood.equals(ScorerKinds.wood().settings())) {
            return Optional.empty();
        }
        double temperature = wood.number("temperature");
        double lambda = wood.number("lambda");
        return Optional.of("The WOOD score uses the "
                + wood.matrix("cost").map(cost -> "custom").orElseGet(() -> wood.word("cost")) + " cost"
                + (temperature == 1 ? "" : " at temperature " + plain(temperature))
                + (Double.isInfinite(lambda) ? "" : ", entropic with lambda " + plain(lambda)) + ".");
    }

    private static String plain(double number) {
        return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
    }

    /** Why a conformal threshold is infinite; empty if there are enough scores. */
    public static Optional<String> tooFew(int scores, double tnr) {
        return scores < Calibration.scoresNeeded(tnr)
                ? Optional.of(String.format(
                        Locale.ROOT,
                        "%,d validation samples are too few for a threshold that keeps %s of InD samples: nothing is called"
                                + " OOD.",
                        scores,
                        Percent.of(tnr)))
                : Optional.empty();
    }

    /** What is needed to make the figures again, and the hashes of the data they were measured on. */
    Map<String, String> facts() {
        Map<String, String> facts = new LinkedHashMap<>(about);
        NetworkOutputs outputs = comparisons.get(0).outputs();
        put(facts, "InD validation", outputs.validation().dataset());
        put(facts, "InD test", outputs.test().dataset());
        outputs.ood().forEach(ood -> put(facts, "OOD " + ood.name(), ood.dataset()));
        return facts;
    }

    private static void put(Map<String, String> facts, String role, Dataset dataset) {
        facts.put(role, dataset.name() + ", " + dataset.size() + " samples, SHA-256 " + dataset.hash());
    }
}
