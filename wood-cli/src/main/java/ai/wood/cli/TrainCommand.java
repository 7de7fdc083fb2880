package ai.wood.cli;

import ai.wood.data.Dataset;
import ai.wood.report.EventFile;
import ai.wood.torch.train.RunFolder;
import ai.wood.torch.train.RunFolder.Existing;
import ai.wood.torch.train.TrainData;
import ai.wood.torch.train.Trainer;
import ai.wood.torch.train.World;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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
            "best on validation data), network.json (how to run it), data.json (what it learnt) and checkpoint/. A run that was killed goes on with --resume, on a CPU to the same bits.",
            "",
            "Examples:",
            "  wood train --ind mnist-small --ood fashion-mnist-small --network small-cnn --epochs 3 --out run",
            "  wood train --ind cifar10 --ood svhn --network densenet-bc-100-12 --cost dynamic --beta 0.1 --out run",
            "  wood train --ind cifar10 --ood svhn --local-processes 2 --out run",
            "  wood train --ind cifar10 --ood svhn --world 2 --rank 1 --rendezvous node0:29500 --out run"
        })
final class TrainCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private TrainingMixin training;

    @Option(
            names = "--beta",
            paramLabel = "B",
            description =
                    "Weight of the OOD term. Default: 0.1, as in the paper, and 2 with fast and robust; authors, energy:"
                            + " 0.1; oe: 0.5; reject: 1.")
    private @Nullable Double beta;

    @Option(names = "--out", paramLabel = "RUN", required = true, description = "The folder of the run.")
    private Path out;

    @Option(names = "--tensorboard", description = "Also write curves for TensorBoard, to RUN/tensorboard.")
    private boolean tensorboard;

    @Mixin
    private RanksMixin ranks;

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
        PrintWriter err = spec.commandLine().getErr();
        training.check();
        training.requireElsewhere(out);
        ranks.check();
        if (ranks.local() > 1) {
            return LocalProcesses.run(
                    ranks.local(), spec.root().commandLine().getParseResult().expandedArgs(), err);
        }
        World world = ranks.world();
        boolean leads = world.rank() == 0;
        if (leads) {
            check(); // before large data are read
        }
        TrainData data = training.trainData();
        if (leads) {
            printer.println(summary(data));
        }
        Trainer trainer = training.trainer(data, beta);
        RunFolder folder = new RunFolder(out, run -> training.describe(run, data));
        EventFile events = tensorboard && leads ? new EventFile(folder.tensorboard()) : null;
        try (TrainProgress progress = new TrainProgress(printer, events, "train goes on with --resume")) {
            trainer.train(folder, existing.choice(), world, progress);
        }
        if (leads) {
            printer.printf("Run: %s%n", out);
        }
        return 0;
    }

    private void check() throws IOException {
        RunFolder run = new RunFolder(out);
        run.check(existing.choice());
        if (existing.resume && !Files.exists(run.state())) {
            Main.warn(spec, out + ": there is nothing to resume, so the training begins.");
        }
    }

    private static String summary(TrainData data) {
        Dataset learnt = data.ind();
        Dataset ood = data.ood();
        return String.format(
                Locale.ROOT,
                "%s: %,d images to learn, %,d held out, %d classes, %s%s",
                learnt.name(),
                learnt.size(),
                data.indValidation().size(),
                learnt.classes().size(),
                learnt.shape(),
                ood == null ? "" : String.format(Locale.ROOT, "; against %,d of %s", ood.size(), ood.name()));
    }
}
