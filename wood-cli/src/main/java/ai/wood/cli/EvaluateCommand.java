package ai.wood.cli;

import ai.wood.Detector;
import ai.wood.Names;
import ai.wood.Requirement;
import ai.wood.ScorerKind;
import ai.wood.data.Catalogue;
import ai.wood.data.transform.Normalise;
import ai.wood.evaluate.Comparison;
import ai.wood.evaluate.DataOptions;
import ai.wood.evaluate.EvaluateOptions;
import ai.wood.evaluate.EvaluationResult;
import ai.wood.evaluate.NetworkOutputs;
import ai.wood.evaluate.Run;
import ai.wood.io.AtomicFile;
import ai.wood.io.TemporaryFolder;
import ai.wood.metric.Bootstrap;
import ai.wood.report.Report;
import ai.wood.score.ScorerKinds;
import ai.wood.torch.train.RunFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import me.tongfei.progressbar.ProgressBar;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Judges a trained network: every scorer on every OOD set, from one pass over the data. */
@Command(
        name = "evaluate",
        description = "Compares scorers on a trained network: how well each tells OOD from InD.",
        footer = {
            "",
            "The network looks at each dataset once; what it says is kept in RUN/outputs, and an evaluation that was",
            "killed goes on where it was. Scorers are fitted to training samples, tuned and calibrated on samples held out",
            "from training; test samples are only measured. Files are explained in docs/evaluation.md.",
            "",
            "Examples:",
            "  wood evaluate run --ood fashion-mnist-small,gaussian-noise",
            "  wood evaluate run --ood svhn,textures --scorers wood,msp,energy -o result.json --csv result.csv",
            "  wood evaluate run --ood cifar100,svhn --near cifar100 --limit 2000 --report report.html",
            "  wood evaluate --onnx classifier.onnx --ind cifar10 --ood svhn,textures --normalise half"
        })
final class EvaluateCommand implements Callable<Integer> {

    private static final double BOOTSTRAP_DRAWS = 5e8;

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "RUN",
            description = "The folder that train or adopt left; with --onnx one to be made and kept.")
    private @Nullable Path run;

    @Option(names = "--onnx", paramLabel = "FILE", description = "A classifier in an ONNX file, instead of a run.")
    private @Nullable Path onnx;

    @Option(
            names = "--ind",
            paramLabel = "NAME",
            completionCandidates = DatasetNames.class,
            description = "ONNX: the dataset it has learnt.")
    private @Nullable String ind;

    @Option(
            names = "--normalise",
            paramLabel = "HOW",
            converter = NormaliseConverter.class,
            description = "ONNX: " + NormaliseConverter.SYNTAX + " Default: what the file says, else unit.")
    private @Nullable Normalise normalise;

    @Mixin
    private OnnxMixin onnxOptions;

    @Option(
            names = "--ood",
            paramLabel = "NAME",
            completionCandidates = DatasetNames.class,
            required = true,
            parameterConsumer = DatasetListConsumer.class,
            description = "OOD sets to judge by.")
    private List<String> ood;

    @Option(
            names = "--scorers",
            paramLabel = "SCORER",
            split = ",",
            defaultValue = "all",
            completionCandidates = ScorerIds.class,
            description = "Some of ${COMPLETION-CANDIDATES}: all that look at outputs only, all that look at images"
                    + " several times and take their time, or single ones. Default: ${DEFAULT-VALUE}.")
    private List<String> scorers;

    @Mixin
    private WoodScoreMixin wood;

    @Option(
            names = "--near",
            paramLabel = "NAME",
            completionCandidates = DatasetNames.class,
            parameterConsumer = DatasetListConsumer.class,
            description = "OOD sets that look much like the InD set. Datasets of one family always count as near.")
    private Set<String> near = Set.of();

    @Option(names = "--limit", paramLabel = "N", description = "Use only N random samples of each dataset.")
    private @Nullable Integer limit;

    @Option(
            names = "--fit-limit",
            paramLabel = "N",
            description = "Fit, tune and calibrate on so many samples at most. Default: as --limit.")
    private @Nullable Integer fitLimit;

    @Option(
            names = "--tnr",
            paramLabel = "FRACTION",
            description = "Fraction of InD samples that thresholds are to keep. Default: that of the run's detector,"
                    + " else 0.95.")
    private @Nullable Double givenTnr;

    @Option(
            names = "--bootstrap",
            paramLabel = "N",
            description =
                    "Replicates for the intervals, at least 100; 0 for none. Default: as many as are quick, up to 1000.")
    private @Nullable Integer replicates;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Seed of the bootstrap. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--tune-on",
            paramLabel = "NAME",
            completionCandidates = DatasetNames.class,
            parameterConsumer = DatasetListConsumer.class,
            description =
                    "OOD sets that scorers are tuned on, by held-out training samples. Default: the sets that training"
                            + " saw, or generated OOD.")
    private List<String> tuneOn = List.of();

    @Option(
            names = {"-o", "--out"},
            paramLabel = "RESULT.json",
            description = "Write the whole result as JSON.")
    private @Nullable Path result;

    @Option(names = "--json", hidden = true)
    private @Nullable Path oldResult;

    @Option(names = "--csv", paramLabel = "FILE", description = "Write a row for each OOD set and scorer.")
    private @Nullable Path csv;

    @Option(names = "--report", paramLabel = "FILE", description = "Write a page to look at.")
    private @Nullable Path report;

    @Option(names = "--figures", paramLabel = "DIR", description = "Write the page's figures as SVG.")
    private @Nullable Path figures;

    @Mixin
    private DataFolder data;

    @Mixin
    private DeviceName device;

    @Override
    public Integer call() throws IOException {
        new OptionRules(spec)
                .onlyFor("ONNX files", onnx != null, "there is no --onnx", OnnxMixin.NAMES + " --ind --normalise")
                .onlyFor("intervals", replicates == null || replicates > 0, "--bootstrap is 0", "--seed")
                .positive("--limit", "--fit-limit");
        if (oldResult != null) {
            if (result != null) {
                throw new ParameterException(spec.commandLine(), "--json is the old name of -o. Use -o alone.");
            }
            Main.warn(spec, "--json FILE is now -o FILE. The old name works in this release only.");
            result = oldResult;
        }
        for (Path file : new Path[] {result, csv, report, figures}) {
            if (file != null) {
                refuse(file);
            }
        }
        EvaluateOptions options = options();
        Bootstrap asked = bootstrap();
        if (onnx == null && run != null) {
            evaluate(run, options, asked);
        } else if (onnx == null || ind == null) {
            throw new ParameterException(
                    spec.commandLine(), "evaluate needs RUN, the folder of a run, or --onnx FILE and --ind NAME");
        } else if (run == null) {
            evaluateOnce(onnx, ind, options, asked);
        } else {
            adopt(onnx, ind, run);
            evaluate(run, options, asked);
        }
        return 0;
    }

    /** Refuses to have a file written in place of what is read. */
    private void refuse(Path file) throws IOException {
        if (onnx != null) {
            AtomicFile.refuse(file, onnx, "the classifier");
        }
        Catalogue.refuse(file, ood);
        if (ind != null) {
            Catalogue.refuse(file, List.of(ind));
        }
    }

    /** Makes a run that is gone afterwards, also where the process is told to stop. */
    private void evaluateOnce(Path file, String learnt, EvaluateOptions options, Bootstrap asked) throws IOException {
        try (TemporaryFolder temporary = TemporaryFolder.create()) {
            Runnable onExit = () -> discard(temporary);
            Exit.before(onExit);
            try {
                Path folder = temporary.path().resolve(name(file));
                adopt(file, learnt, folder);
                evaluate(folder, options, asked);
            } finally {
                Exit.forget(onExit);
            }
        }
    }

    private static void discard(TemporaryFolder folder) {
        try {
            folder.close();
        } catch (IOException | UncheckedIOException e) {
            // The process ends: what is left is for the system to clear away.
        }
    }

    private void adopt(Path file, String learnt, Path folder) throws IOException {
        if (new RunFolder(folder).exists()) {
            throw new IOException(folder + ": there is a run already. Maybe evaluate it without --onnx.");
        }
        onnxOptions.adopt(file, DataOptions.of(learnt, List.of()), normalise, data.catalogue(), folder);
    }

    /** The name of a file, without what tells its kind. */
    private static String name(Path file) {
        return String.valueOf(file.getFileName()).replaceAll("\\.onnx$", "");
    }

    private void evaluate(Path folder, EvaluateOptions options, Bootstrap asked) throws IOException {
        RunFolder files = new RunFolder(folder);
        check(files, result, csv, report);
        if (figures != null) {
            files.refuse(figures);
            if (Files.exists(figures) && !Files.isDirectory(figures)) {
                throw new IOException(figures + ": must be a folder but is a file. Maybe name another for --figures.");
            }
        }
        Comparison comparison;
        Bootstrap bootstrap;
        try (TaskBar passes = TaskBar.of("images");
                Run opened = Run.open(folder, data.catalogue(), device.name(), passes)) {
            NetworkOutputs outputs = opened.outputs(options);
            bootstrap = replicates == null
                    ? asked.withAtMost(affordable(outputs, options.scorers().size()))
                    : asked;
            comparison = compare(opened, outputs, options, bootstrap);
        }
        if (comparison.results().isEmpty()) {
            throw Comparison.Skipped.all(comparison.skipped());
        }
        PrintWriter out = spec.commandLine().getOut();
        EvaluationResult measured =
                EvaluationResult.of(comparison, Report.notes(comparison), tnr(comparison.outputs()), bootstrap);
        new EvaluationTable(measured).print(out);
        if (result != null) {
            measured.write(result);
        }
        write(csv, () -> EvaluationCsv.of(measured));
        if (report != null || figures != null) {
            Report page = Reports.of(
                    spec, List.of(comparison), Map.of(comparison.outputs().network(), folder));
            write(report, page::html);
            if (figures != null) {
                page.writeFigures(figures);
            }
        }
    }

    private EvaluateOptions options() throws IOException {
        if (givenTnr != null) {
            CalibrateCommand.requireShare("--tnr", givenTnr);
        }
        Set<String> unknown = new LinkedHashSet<>(scorers);
        ScorerIds.all().forEach(unknown::remove);
        if (!unknown.isEmpty()) {
            throw Names.unknown("scorer", String.join(", ", unknown), ScorerIds.all());
        }
        int used = limit == null ? 0 : limit;
        EvaluateOptions options = wood.into(EvaluateOptions.of(List.copyOf(new LinkedHashSet<>(ood))))
                .withNear(near)
                .withLimit(used)
                .withFitLimit(fitLimit == null ? used : fitLimit)
                .withScorers(ScorerKinds.all().stream().filter(this::isWanted).toList())
                .withTuneOn(tuneOn);
        String found = "the scorers are " + String.join(", ", scorers);
        new OptionRules(spec)
                .onlyFor("scorer wood", options.scorers().contains(ScorerKinds.wood()), found, WoodScoreMixin.NAMES)
                .onlyFor("scorers that are tuned", options.isTuned(), found, "--tune-on");
        return options;
    }

    /** By its id, or by the group it is in. */
    private boolean isWanted(ScorerKind kind) {
        boolean ofImages = kind.requires().contains(Requirement.SAMPLES);
        return scorers.contains(kind.id()) || scorers.contains(ofImages ? "images" : "all");
    }

    /** As asked for, or as many replicates as are worth it. */
    private Bootstrap bootstrap() {
        Bootstrap bootstrap = Bootstrap.DEFAULTS.withSeed(seed);
        return replicates == null ? bootstrap : bootstrap.withReplicates(replicates);
    }

    /** As many replicates as are quick. */
    private static double affordable(NetworkOutputs outputs, int scorerCount) {
        double draws = 1;
        for (NetworkOutputs.Ood set : outputs.ood()) {
            draws += (double) scorerCount
                    * (set.dataset().size() + outputs.test().dataset().size());
        }
        return BOOTSTRAP_DRAWS / draws;
    }

    private double tnr(NetworkOutputs outputs) {
        Detector detector = outputs.detector();
        return givenTnr != null
                ? givenTnr
                : detector != null ? detector.policy().tnr() : 0.95;
    }

    private Comparison compare(Run opened, NetworkOutputs outputs, EvaluateOptions options, Bootstrap bootstrap)
            throws IOException {
        try (ProgressBar bar = Bars.named("score")
                .setInitialMax(options.scorers().size())
                .setUnit(" scorers", 1)
                .build()) {
            return opened.compare(outputs, options, tnr(outputs), bootstrap, name -> {
                bar.setExtraMessage(" " + name);
                bar.step();
            });
        }
    }

    private static void check(RunFolder run, @Nullable Path... files) throws IOException {
        Set<Path> known = new HashSet<>();
        for (Path file : files) {
            if (file != null) {
                AtomicFile.check(file);
                run.refuse(file);
                if (!known.add(AtomicFile.real(file))) {
                    throw new IOException(file + ": -o, --csv and --report must be different files");
                }
            }
        }
    }

    private static void write(@Nullable Path file, Supplier<String> text) throws IOException {
        if (file != null) {
            AtomicFile.replace(file, text.get());
        }
    }

    /** Names for help and completion. */
    static final class ScorerIds implements Iterable<String> {

        static List<String> all() {
            return Stream.of(Stream.of("all", "images"), ScorerKinds.ids().stream())
                    .flatMap(names -> names)
                    .toList();
        }

        @Override
        public Iterator<String> iterator() {
            return all().iterator();
        }
    }
}
