package ai.wood.cli;

import ai.wood.evaluate.BetaTrials;
import ai.wood.evaluate.BetaTrials.Trial;
import ai.wood.io.AtomicFile;
import ai.wood.report.BetaPlot;
import ai.wood.torch.train.EpochMetrics;
import ai.wood.torch.train.RunFolder;
import ai.wood.torch.train.RunFolder.Existing;
import ai.wood.torch.train.TrainData;
import ai.wood.torch.train.Trainer;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The paper's grid search for beta. */
@Command(
        name = "tune",
        description = "Trains with several weights of the OOD term and compares the networks on validation data.",
        footer = {
            "",
            "Each beta gets a run folder in --out. The same command continues an interrupted search.",
            "",
            "Example:",
            "  wood tune --betas 0:1:0.1 --ind mnist-small --ood fashion-mnist-small --network small-cnn --epochs 3 \\",
            "    --out tuned"
        })
final class TuneCommand implements Callable<Integer> {

    private static final int MOST = 1000;

    @Spec
    private CommandSpec spec;

    @Mixin
    private TrainingMixin training;

    @Option(
            names = "--betas",
            paramLabel = "FROM:TO:STEP",
            defaultValue = "0:1:0.1",
            description =
                    "Weights to try, including both ends, or a list such as 0.1,0.5,2. Default: ${DEFAULT-VALUE}.")
    private String betas;

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "The folder of the runs.")
    private Path out;

    @Override
    public Integer call() throws IOException {
        PrintWriter printer = spec.commandLine().getOut();
        training.checkTuned();
        training.requireElsewhere(out);
        List<BigDecimal> grid = grid(betas);
        TrainData data = training.trainData();
        List<Trial> trials = new ArrayList<>();
        for (BigDecimal beta : grid) {
            printer.printf("beta %s%n", beta);
            SavedOptions saved = training.saved(beta.doubleValue());
            RunFolder run =
                    new RunFolder(out.resolve("beta-" + beta), folder -> training.describe(folder, data, saved));
            Trainer trainer = training.trainer(data, beta.doubleValue());
            try (TrainProgress progress = new TrainProgress(printer, null, TrainProgress.AGAIN)) {
                trainer.train(run, Existing.RESUME, progress);
            }
            trials.add(new Trial(beta, run.best()));
        }
        print(new BetaTrials(trials), printer);
        String svg = new BetaPlot(trials.stream().map(TuneCommand::point).toList()).svg();
        Path plot = out.resolve("betas.svg");
        AtomicFile.replace(plot, svg);
        printer.printf("Plot: %s%n", plot);
        return 0;
    }

    private static BetaPlot.Point point(Trial trial) {
        EpochMetrics.Validation validation = trial.best().validation();
        return new BetaPlot.Point(trial.beta().doubleValue(), validation.accuracy(), validation.fnr95());
    }

    static void print(BetaTrials trials, PrintWriter out) {
        out.printf("%n  %-8s %8s %8s %10s%n", "beta", "accuracy", "AUROC", "FNR@95TNR");
        for (Trial trial : trials.trials()) {
            EpochMetrics.Validation validation = trial.best().validation();
            out.printf(
                    "%s %-8s %8.4f %8.4f %10.4f%n",
                    trial.equals(trials.best()) ? "*" : " ",
                    trial.beta(),
                    validation.accuracy(),
                    validation.auroc(),
                    validation.fnr95());
        }
        out.printf("%n* largest mean of accuracy and AUROC on validation data%n");
    }

    /** Decimal arithmetic, so that 0:1:0.1 has eleven weights and 0.3 is called 0.3. */
    static List<BigDecimal> grid(String betas) {
        String[] range = betas.split(":", -1);
        try {
            List<BigDecimal> grid = range.length == 3
                    ? steps(new BigDecimal(range[0]), new BigDecimal(range[1]), new BigDecimal(range[2]))
                    : listed(betas.split(",", -1));
            if (!grid.isEmpty() && grid.size() <= MOST && grid.stream().allMatch(TuneCommand::isWeight)) {
                return grid;
            }
        } catch (NumberFormatException e) {
            throw badGrid(betas);
        }
        throw badGrid(betas);
    }

    private static List<BigDecimal> steps(BigDecimal from, BigDecimal to, BigDecimal step) {
        List<BigDecimal> steps = new ArrayList<>();
        for (BigDecimal beta = from;
                step.signum() > 0 && beta.compareTo(to) <= 0 && steps.size() <= MOST;
                beta = beta.add(step)) {
            steps.add(beta);
        }
        return steps;
    }

    /** Each number once, however it is written. */
    private static List<BigDecimal> listed(String[] texts) {
        List<BigDecimal> listed = new ArrayList<>();
        for (String text : texts) {
            BigDecimal beta = new BigDecimal(text.strip());
            if (listed.stream().noneMatch(other -> other.compareTo(beta) == 0)) {
                listed.add(beta);
            }
        }
        return listed;
    }

    private static boolean isWeight(BigDecimal beta) {
        return beta.signum() >= 0 && Double.isFinite(beta.doubleValue());
    }

    private static IllegalArgumentException badGrid(String betas) {
        return new IllegalArgumentException("--betas must be FROM:TO:STEP or a list of at most 1,000 numbers that are"
                + " not negative, but is '" + betas + "'. Example: 0:1:0.1.");
    }
}
