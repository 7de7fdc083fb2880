package ai.wood.lab;

import ai.wood.Names;
import ai.wood.cli.DataFolder;
import ai.wood.cli.DeviceName;
import ai.wood.cli.OptionRules;
import ai.wood.cli.Preset;
import ai.wood.cli.Reports;
import ai.wood.cli.RunProgress;
import ai.wood.cli.TrainProgress;
import ai.wood.evaluate.DataOptions;
import ai.wood.evaluate.Recipe;
import ai.wood.io.AtomicFile;
import ai.wood.lab.Table2.Cell;
import ai.wood.lab.Table2.Pair;
import ai.wood.loss.CrossEntropy;
import ai.wood.report.Report;
import ai.wood.score.WoodScorer;
import ai.wood.torch.Precision;
import ai.wood.torch.net.Networks;
import ai.wood.torch.train.TrainOptions;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes the paper's table, figures and timings again, beside what it prints. */
@Command(
        name = "reproduce",
        description = "Makes the paper's results again, beside the printed ones.",
        footer = {
            "",
            "table2 trains three networks a pair of datasets, or goes on with those that DIR has; figures are the histograms",
            "of scores (Fig. 3) and predicted probabilities (Fig. 4) of the WOOD networks; timing is Section 4.3. The whole",
            "table is for a GPU and the full datasets (wood data fetch mnist fashion-mnist cifar10 svhn tiny-imagenet-r);",
            "--quick does the first two pairs on bundled data and a small network in minutes.",
            "",
            "Examples:",
            "  wood reproduce all --quick",
            "  wood reproduce table2 --preset fast --precision bf16 --out table2"
        })
final class ReproduceCommand implements Callable<Integer> {

    private static final List<Integer> CLASSES = List.of(10, 30, 100, 300, 1000);
    private static final int QUICK_LIMIT = 3000;
    private static final int QUICK_EPOCHS = 4;

    /** Parts of the paper. */
    enum What {
        TABLE2,
        FIGURES,
        TIMING,
        ALL;

        @Override
        public String toString() {
            return Names.of(this);
        }
    }

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "WHAT", description = "${COMPLETION-CANDIDATES}")
    private What what;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "wood-reproduce",
            description = "Where runs and results go. Default: ${DEFAULT-VALUE}.")
    private Path out;

    @Option(names = "--quick", description = "A small network on bundled data.")
    private boolean quick;

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "Use only N random samples of each dataset. Default: all; 3000 with --quick.")
    private @Nullable Integer limit;

    @Option(
            names = "--preset",
            paramLabel = "NAME",
            defaultValue = "paper",
            description = "Recipe of the networks: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private Preset preset;

    @Option(
            names = "--beta",
            paramLabel = "B",
            description = "Weight of the WOOD term. Default: 0.1, as in the paper and with --authors; fast, robust: 2.")
    private @Nullable Double beta;

    @Option(
            names = "--authors",
            description = "Train and score as the paper's code does, which is not what its text says.")
    private boolean authors;

    @Option(names = "--epochs", paramLabel = "N", description = "Of trainings from the start. Default: the preset's.")
    private @Nullable Integer epochs;

    @Option(
            names = "--pairs",
            paramLabel = "IND/OOD",
            split = ",",
            description = "Rows of the table, such as cifar10/svhn; others that DIR has stay. Default: all.")
    private List<String> pairs = List.of();

    @Option(
            names = "--precision",
            paramLabel = "P",
            defaultValue = "fp32",
            description = "fp32 or bf16. Default: fp32.")
    private Precision precision;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "0", description = "Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Mixin
    private DataFolder data;

    @Mixin
    private DeviceName device;

    @Override
    public Integer call() throws IOException {
        boolean trains = what != What.TIMING;
        new OptionRules(spec)
                .onlyFor(
                        "networks",
                        trains,
                        "timing has none",
                        "--limit --preset --beta --authors --epochs --pairs --precision --seed --data --device")
                .onlyFor("the paper's network", !quick, "--quick trains a small one", "--preset")
                .positive("--limit", "--epochs");
        if (what != What.TIMING) {
            List<Cell> cells = table();
            if (what != What.TABLE2) {
                figures(cells);
            }
        }
        if (what == What.TIMING || what == What.ALL) {
            timing();
        }
        return 0;
    }

    private List<Cell> table() throws IOException {
        PrintWriter printer = spec.commandLine().getOut();
        int used = limit != null ? limit : quick ? QUICK_LIMIT : 0;
        double weight = beta != null ? beta : (authors ? Preset.PAPER : preset).beta();
        DataOptions samples = DataOptions.of("", List.of()).withSeed(seed).withLimit(used);
        Recipe recipe = recipe();
        Table2 table = new Table2(out, data.catalogue(), recipe, tuning(), authors, weight, samples);
        List<Pair> chosen = pairs();
        MeasuredTable.Options options = new MeasuredTable.Options(
                quick, preset.toString(), authors, recipe.options().epochs(), weight, used, precision.toString(), seed);
        MeasuredTable measured = MeasuredTable.open(out, options, chosen);
        List<Cell> cells = new ArrayList<>();
        try (RunProgress progress = new RunProgress(printer, TrainProgress.AGAIN)) {
            for (Pair pair : chosen) {
                List<Cell> row = table.row(pair, progress);
                cells.addAll(row);
                measured = MeasuredTable.add(out, options, chosen, row);
            }
        }
        printer.print(measured.of(chosen).markdown());
        return cells;
    }

    private Recipe recipe() {
        Recipe start = quick
                ? Recipe.small(QUICK_EPOCHS)
                : new Recipe(
                        Networks.DENSENET_BC_100_12,
                        preset.options(),
                        preset.augmented(),
                        new CrossEntropy(),
                        new WoodScorer(GroundCost.dynamic()),
                        null);
        return start.withOptions(here(start.options()
                .withEpochs(epochs != null ? epochs : start.options().epochs())));
    }

    /** How WOOD networks go on from the plain one; the paper trains each from the start. */
    private @Nullable TrainOptions tuning() {
        return quick || preset == Preset.PAPER ? null : here(TrainOptions.robust());
    }

    private TrainOptions here(TrainOptions options) {
        return options.withDevice(device.resolved()).withPrecision(precision).withSeed(seed);
    }

    private List<Pair> pairs() {
        List<Pair> all = quick ? Table2.bundledPairs() : Table2.pairs();
        return pairs.isEmpty()
                ? all
                : pairs.stream()
                        .map(name -> Names.find("pair", name, all.toArray(Pair[]::new), Pair::id))
                        .toList();
    }

    private void figures(List<Cell> cells) throws IOException {
        for (Cell cell : cells) {
            boolean wood = cell.method() == Table2.Method.WOOD_BINARY || cell.method() == Table2.Method.WOOD_DYNAMIC;
            if (wood) {
                String network = cell.comparison().outputs().network();
                Report report = Reports.of(spec, List.of(cell.comparison()), Map.of(network, cell.run()));
                report.writeFigures(out.resolve("figures").resolve(network));
            }
        }
        spec.commandLine().getOut().printf("Figures: %s%n", out.resolve("figures"));
    }

    private void timing() throws IOException {
        PrintWriter printer = spec.commandLine().getOut();
        String head = String.format(
                Locale.ROOT,
                "WOOD score of 100 samples, in ms. The paper prints %.1f (binary) and %.1f (dynamic) for K = 10.%n%n"
                        + "| K | binary, closed form | binary, Sinkhorn | dynamic, closed form | dynamic, Sinkhorn |%n"
                        + "|---|---|---|---|---|%n",
                Timing.PRINTED_BINARY,
                Timing.PRINTED_DYNAMIC);
        printer.print(head);
        StringBuilder text = new StringBuilder(head);
        Timing.sweep(quick ? CLASSES.subList(0, 3) : CLASSES, row -> {
            String line = String.format(
                    Locale.ROOT,
                    "| %d | %.4f | %.3f | %.4f | %.3f |%n",
                    row.classes(),
                    row.closedBinary(),
                    row.sinkhornBinary(),
                    row.closedDynamic(),
                    row.sinkhornDynamic());
            printer.print(line);
            printer.flush();
            text.append(line);
        });
        Files.createDirectories(out);
        AtomicFile.replace(out.resolve("timing.md"), text.toString());
    }
}
