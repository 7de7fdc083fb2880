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
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Trains a network and leaves a run folder. */
@Command(
        name = "train",
        description = "Trains a classifier that recognises OOD inputs.",
        footer = {
            "",
            "The run folder contains options.json (these options), training.json (data hashes and versions),",
            "metrics.jsonl (a line per epoch), network.safetensors (the best epoch on validation data),",
            "network.json (how to run the network), data.json (its datasets) and checkpoint/.",
            "",
            "--resume RUN continues an interrupted run with its own options. On a CPU the result is the same to the",
            "last bit.",
            "",
            "Examples:",
            "  wood train --ind mnist-small --ood fashion-mnist-small --network small-cnn --epochs 3 --out run",
            "  wood train --resume run",
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
                    "Weight of the OOD term. Default for --loss wood: 0.1, as in the paper, and 2 with --preset fast"
                            + " and robust. Default for others: energy 0.1, oe 0.5, reject 1.")
    private @Nullable Double beta;

    @Option(names = "--out", paramLabel = "RUN", description = "The folder of a new run.")
    private @Nullable Path out;

    @Option(names = "--tensorboard", description = "Also write curves for TensorBoard, to RUN/tensorboard.")
    private boolean tensorboard;

    @Mixin
    private RanksMixin ranks;

    @ArgGroup(exclusive = true)
    private OnExisting existing = new OnExisting();

    /** What to do with an existing run. */
    static final class OnExisting {
        @Option(
                names = "--resume",
                paramLabel = "RUN",
                arity = "0..1",
                fallbackValue = "",
                description = "Continue a run. It needs no other option.")
        @Nullable
        String resume;

        @Option(names = "--overwrite", description = "Replace the run in the folder.")
        boolean overwrite;

        Existing choice() {
            return resume != null ? Existing.RESUME : overwrite ? Existing.OVERWRITE : Existing.REFUSE;
        }
    }

    @Override
    public Integer call() throws IOException {
        PrintWriter printer = spec.commandLine().getOut();
        Path run = run();
        List<String> args = spec.root().commandLine().getParseResult().expandedArgs();
        if (existing.choice() == Existing.RESUME) {
            takeOptions(run, args);
        }
        training.check();
        training.requireElsewhere(run);
        ranks.check();
        if (ranks.processes() > 1) {
            return LocalProcesses.run(
                    ranks.processes(), args, spec.commandLine().getErr());
        }
        World world = ranks.world();
        boolean leads = world.rank() == 0;
        if (leads) {
            check(run); // before large data are read
        }
        TrainData data = training.trainData();
        if (leads) {
            printer.println(summary(data));
        }
        Trainer trainer = training.trainer(data, beta);
        SavedOptions saved = saved();
        RunFolder folder = new RunFolder(run, into -> training.describe(into, data, saved));
        EventFile events = tensorboard && leads ? new EventFile(folder.tensorboard()) : null;
        String hint = "wood train --resume " + run + " continues";
        try (TrainProgress progress = new TrainProgress(printer, events, hint)) {
            trainer.train(folder, existing.choice(), world, progress);
        }
        if (leads) {
            printer.printf("Run: %s%n", run);
        }
        return 0;
    }

    private Path run() {
        String resumed = existing.resume;
        if (out == null && (resumed == null || resumed.isEmpty())) {
            throw new ParameterException(spec.commandLine(), "Missing required option: '--out=RUN'");
        }
        if (out != null
                && resumed != null
                && !resumed.isEmpty()
                && !Path.of(resumed).equals(out)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--resume continues the run " + resumed + " but --out is " + out + ". Leave out --out.");
        }
        return out != null ? out : Path.of(String.valueOf(resumed));
    }

    /** Reads the command line again, with the options of the run in front of those that are given. */
    private void takeOptions(Path run, List<String> args) throws IOException {
        Optional<SavedOptions> saved = SavedOptions.in(run);
        if (saved.isPresent()) {
            List<String> all = saved.get().arguments(spec, run);
            all.addAll(args.subList(args.indexOf(spec.name()) + 1, args.size()));
            spec.commandLine().parseArgs(all.toArray(String[]::new));
        } else if (!spec.commandLine().getParseResult().hasMatchedOption("--ind")) {
            RunFolder folder = new RunFolder(run);
            folder.check(Existing.RESUME);
            throw new IOException(
                    folder.exists()
                            ? folder.options()
                                    + ": does not contain the options of the command line, because version 0.1"
                                    + " or a program made this run. Give all options of the training again, next to"
                                    + " --resume."
                            : run + ": contains no run to resume. Start one with wood train --ind NAME --out " + run
                                    + ".");
        }
    }

    private SavedOptions saved() throws IOException {
        SavedOptions saved = training.saved(beta);
        saved.put("tensorboard", tensorboard);
        saved.put("local-processes", ranks.local());
        return saved;
    }

    private void check(Path run) throws IOException {
        RunFolder folder = new RunFolder(run);
        folder.check(existing.choice());
        if (existing.choice() == Existing.RESUME && !Files.exists(folder.state())) {
            Main.warn(spec, run + ": there is nothing to resume, so the training begins.");
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
