package ai.wood.lab;

import ai.wood.ScorerKind;
import ai.wood.data.Catalogue;
import ai.wood.evaluate.Comparison;
import ai.wood.evaluate.DataOptions;
import ai.wood.evaluate.EvaluateOptions;
import ai.wood.evaluate.Progress;
import ai.wood.evaluate.Recipe;
import ai.wood.evaluate.Run;
import ai.wood.loss.CrossEntropy;
import ai.wood.loss.WoodLoss;
import ai.wood.metric.Bootstrap;
import ai.wood.metric.Metric;
import ai.wood.score.ScorerKinds;
import ai.wood.score.WoodScorer;
import ai.wood.torch.train.RunFolder;
import ai.wood.torch.train.TrainOptions;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Table 2 of the paper, made again: pairs of datasets, and how many OOD samples each method misses at 95% TNR.
 *
 * <p>ODIN and Mahalanobis judge a network trained plainly, and are tuned on held-out samples of the very OOD set, as their
 * papers do; WOOD networks are trained against it. Test splits are read once. Every training is a run folder of its own
 * and is resumed, or left alone where it is finished.
 *
 * @param folder where the runs go
 * @param recipe of all networks, whatever loss it has
 * @param tuning how WOOD networks go on from the plain one; null where they begin anew, by the recipe
 * @param authors whether WOOD networks have the loss and the score of the paper's code, instead of its text's
 * @param beta weight of the WOOD term
 * @param data which samples; the names are replaced by each pair's
 */
record Table2(
        Path folder,
        Catalogue catalogue,
        Recipe recipe,
        @Nullable TrainOptions tuning,
        boolean authors,
        double beta,
        DataOptions data) {

    private static final String ENSEMBLE = "mahalanobis-ensemble";
    private static final String ODIN = "odin";

    private static final double TNR = 0.95;
    private static final double TINY = 1e-6;

    public Table2 {
        WoodLoss.of(GroundCost.binary(), beta); // refuses what is no weight, before anything is trained
    }

    /**
     * Two datasets, and what the paper prints for them.
     *
     * @param printed 0 and 1 where it prints {@code < 0.000001} and {@code > 0.999999}
     */
    public record Pair(String ind, String ood, Map<Method, Figures> printed) {

        public Pair {
            printed = Map.copyOf(printed);
        }

        /** Its name on the command line. */
        public String id() {
            return ind + "/" + ood;
        }

        Pair of(String newInd, String newOod) {
            return new Pair(newInd, newOod, printed);
        }
    }

    /** Two figures of a cell. */
    public record Figures(double fnr, double auroc) {

        /** As they were measured: none missed of some thousand does not mean fewer than one in a million. */
        public String text() {
            return String.format(Locale.ROOT, "%.4f / %.3f", fnr, auroc);
        }

        /** As the paper writes them. */
        public String printed() {
            return (fnr < TINY ? "<0.000001" : String.format(Locale.ROOT, "%.4f", fnr))
                    + " / "
                    + (auroc > 1 - TINY ? ">0.999999" : String.format(Locale.ROOT, "%.3f", auroc));
        }
    }

    /** The columns of the table. */
    public enum Method {
        ODIN,
        MAHALANOBIS,
        WOOD_BINARY,
        WOOD_DYNAMIC
    }

    /**
     * One cell.
     *
     * @param measured here
     * @param accuracy of the network on InD test samples, which the paper does not print
     * @param run the network's folder
     */
    public record Cell(Pair pair, Method method, Figures measured, double accuracy, Comparison comparison, Path run) {

        /** What the paper prints. */
        public Figures printed() {
            return Objects.requireNonNull(pair.printed().get(method));
        }
    }

    /** The paper's five pairs. */
    public static List<Pair> pairs() {
        return List.of(
                new Pair("mnist", "fashion-mnist", printed(0.8754, 0.741, 0, 1, 0, 1, 0, 1)),
                new Pair("fashion-mnist", "mnist", printed(0.7809, 0.891, 0.1653, 0.969, 0, 1, 0, 1)),
                new Pair("cifar10", "svhn", printed(0.1591, 0.962, 0.1870, 0.934, 0.0005, 0.999, 0.0046, 0.998)),
                new Pair(
                        "cifar10",
                        "tiny-imagenet-r",
                        printed(0.0430, 0.991, 0.1724, 0.934, 0.0095, 0.988, 0.0069, 0.993)),
                new Pair("cifar10", "tiny-imagenet-c", printed(0.1340, 0.975, 0.4878, 0.898, 0, 1, 0.0003, 0.999)));
    }

    /** The pairs that bundled data allow: less of the first two. */
    public static List<Pair> bundledPairs() {
        return pairs().subList(0, 2).stream()
                .map(pair -> pair.of(pair.ind() + "-small", pair.ood() + "-small"))
                .toList();
    }

    /** FNR and AUROC of each method in turn. */
    private static Map<Method, Figures> printed(double... values) {
        Map<Method, Figures> figures = new EnumMap<>(Method.class);
        int next = 0;
        for (Method method : Method.values()) {
            figures.put(method, new Figures(values[next], values[next + 1]));
            next += 2;
        }
        return figures;
    }

    /** Trains what a pair needs and measures its four cells. */
    public List<Cell> row(Pair pair, Progress progress) throws IOException {
        List<Cell> cells = new ArrayList<>(plain(pair, progress));
        cells.add(wood(pair, Method.WOOD_BINARY, GroundCost.binary(), progress));
        cells.add(wood(pair, Method.WOOD_DYNAMIC, GroundCost.dynamic(), progress));
        return cells;
    }

    private List<Cell> plain(Pair pair, Progress progress) throws IOException {
        String name = plainName(pair);
        Recipe plain = recipe.withLoss(new CrossEntropy(), new WoodScorer(GroundCost.binary()))
                .withoutOod();
        plain.resume(folder.resolve(name), samples(pair.ind(), List.of()), catalogue, progress.training(name));
        EvaluateOptions options = judged(pair)
                .withScorers(List.of(ScorerKinds.byId(ENSEMBLE), ScorerKinds.byId(ODIN)))
                .withTuneOn(List.of(pair.ood()));
        Comparison comparison = compare(name, options, progress);
        return List.of(cell(pair, Method.ODIN, comparison, ODIN), cell(pair, Method.MAHALANOBIS, comparison, ENSEMBLE));
    }

    private Cell wood(Pair pair, Method method, GroundCost cost, Progress progress) throws IOException {
        boolean binary = method == Method.WOOD_BINARY;
        String name = pair.ind() + "-" + pair.ood() + "-" + (binary ? "binary" : "dynamic");
        Recipe start = tuning == null
                ? recipe
                : recipe.withOptions(tuning).withStart(new RunFolder(folder.resolve(plainName(pair))).network());
        AuthorsScorer theirs = binary ? AuthorsScorer.BINARY : AuthorsScorer.DYNAMIC;
        Recipe wood = authors
                ? start.withLoss(new AuthorsLoss(theirs, beta), theirs)
                : start.withLoss(WoodLoss.of(cost, beta), new WoodScorer(cost));
        DataOptions samples = samples(pair.ind(), List.of(pair.ood()));
        wood.resume(folder.resolve(name), samples, catalogue, progress.training(name));
        ScorerKind kind = ScorerKinds.byId(!authors ? "wood" : binary ? "wood-authors-binary" : "wood-authors-dynamic");
        EvaluateOptions options = judged(pair).withScorers(List.of(kind)).withWood(new WoodScorer(cost).settings());
        return cell(pair, method, compare(name, options, progress), kind.id());
    }

    private static String plainName(Pair pair) {
        return pair.ind() + "-plain";
    }

    private DataOptions samples(String ind, List<String> ood) {
        return DataOptions.of(ind, ood)
                .withLimit(data.limit())
                .withHeldOut(data.heldOut())
                .withSeed(data.seed());
    }

    private EvaluateOptions judged(Pair pair) {
        return EvaluateOptions.of(List.of(pair.ood())).withLimit(data.limit()).withFitLimit(data.limit());
    }

    private Comparison compare(String name, EvaluateOptions options, Progress progress) throws IOException {
        try (Run run =
                Run.open(folder.resolve(name), catalogue, recipe.options().device(), progress)) {
            return run.compare(run.outputs(options), options, TNR, Bootstrap.DEFAULTS, scorer -> {});
        }
    }

    private Cell cell(Pair pair, Method method, Comparison comparison, String scorer) {
        var evaluation = comparison.result(scorer).onOod().get(0).evaluation();
        return new Cell(
                pair,
                method,
                new Figures(evaluation.value(Metric.FNR95), evaluation.value(Metric.AUROC)),
                comparison.outputs().accuracy(),
                comparison,
                folder.resolve(comparison.outputs().network()));
    }
}
