package ai.wood.cli;

import ai.wood.torch.train.EpochMetrics;
import ai.wood.torch.train.RunFolder;
import ai.wood.torch.train.RunFolder.Existing;
import ai.wood.torch.train.TrainListener;
import ai.wood.torch.train.Trainer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Trains a network and leaves a run folder. */
@Command(
        name = "train",
        description = "Trains a classifier that knows what it does not know.",
        footer = {
            "",
            "The run folder gets options.json, metrics.jsonl (a line an epoch), network.safetensors (the epoch that was",
            "best on validation data) and checkpoint/. A run that was killed goes on with --resume, to the same bits.",
            "",
            "Examples:",
            "  wood train --ind mnist-small --ood fashion-mnist-small --network small-cnn --epochs 3 --out run",
            "  wood train --ind cifar10 --ood svhn --network densenet-bc-100-12 --cost dynamic --beta 0.1 --out run"
        })
final class TrainCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private TrainingMixin training;

    @Option(names = "--out", paramLabel = "RUN", required = true, description = "The folder of the run.")
    private Path out;

    @ArgGroup(exclusive = true)
    private OnExisting existing = new OnExisting();

    /** What to do with a run that is there already. */
    static final class OnExisting {
        @Option(names = "--resume", description = "Go on with the run in the folder.")
        boolean resume;

        @Option(names = "--overwrite", description = "Begin anew, in place of the run in the folder.")
        boolean overwrite;

        Existing choice() {
            return resume ? Existing.RESUME : overwrite ? Existing.OVERWRITE : Existing.REFUSE;
        }
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter printer = spec.commandLine().getOut();
        Trainer trainer = training.trainer();
        try (Progress progress = new Progress(printer)) {
            trainer.train(new RunFolder(out), existing.choice(), progress);
        }
        printer.printf("Run: %s%n", out);
        return 0;
    }

    /** A bar with speed and time left, and a line an epoch. */
    static final class Progress implements TrainListener, AutoCloseable {

        private final PrintWriter out;
        private final ProgressBar bar = new ProgressBarBuilder()
                .setTaskName("train")
                .setStyle(ProgressBarStyle.ASCII)
                .setUnit(" steps", 1)
                .showSpeed()
                .build();

        Progress(PrintWriter out) {
            this.out = out;
        }

        @Override
        public void step(long done, long total, double loss) {
            bar.maxHint(total).stepTo(done).setExtraMessage(String.format(" loss %.4f", loss));
        }

        @Override
        public void epoch(EpochMetrics metrics) {
            EpochMetrics.Validation validation = metrics.validation();
            out.printf(
                    "epoch %d: loss %.4f %+.4f, accuracy %.4f, AUROC %.4f, FNR@95TNR %.4f, %.0f images/s%s%n",
                    metrics.epoch(),
                    metrics.indLoss(),
                    metrics.oodLoss(),
                    validation.accuracy(),
                    validation.auroc(),
                    validation.fnr95(),
                    metrics.imagesPerSecond(),
                    metrics.best() ? ", best" : "");
            out.flush();
        }

        @Override
        public void close() {
            bar.close();
        }
    }
}
