package ai.wood.cli;

import ai.wood.Detector;
import ai.wood.Names;
import ai.wood.Outputs;
import ai.wood.Requirement;
import ai.wood.ScorerKind;
import ai.wood.data.Catalogue;
import ai.wood.data.DatasetList;
import ai.wood.evaluate.ArrayEvaluation;
import ai.wood.evaluate.Comparison;
import ai.wood.evaluate.EvaluateOptions;
import ai.wood.evaluate.EvaluationResult;
import ai.wood.evaluate.NetworkOutputs;
import ai.wood.evaluate.Run;
import ai.wood.evaluate.SampleSet;
import ai.wood.io.AtomicFile;
import ai.wood.metric.Bootstrap;
import ai.wood.report.Report;
import ai.wood.score.ScorerKinds;
import ai.wood.torch.train.RunFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

/** Compares scorers on a run, or on arrays of outputs. */
@Command(
        name = "evaluate",
        description = "Compares scorers: how well each of them separates OOD from InD samples.",
        footer = {
            "",
            "RUN: the network's outputs are computed once and cached in RUN/outputs. An evaluation that was stopped",
            "continues there. Scorers are fitted to training samples. Samples held out from training tune them and choose",
            "thresholds. Test samples are only measured.",
            "Arrays: give --logits, --features or both, and --ood NAME=logits:F,features:F for each OOD set. With --fit-...",
            "all scorers are fitted and compared; half of the training samples fit them and half choose their thresholds.",
            "Without --fit-... the detector is compared with scorers that need no fit.",
            "If there is a detector, its scorer has the detector's threshold. docs/evaluation.md explains the result.",
            "",
            "Examples:",
            "  wood evaluate run --ood fashion-mnist-small,gaussian-noise",
            "  wood evaluate run --ood svhn,textures --scorers wood,msp,energy -o result.json --csv result.csv",
            "  wood evaluate run --ood cifar100,svhn --near cifar100 --limit 2000 --report report.html",
            "  wood evaluate d.wood --logits x.npy --labels y.npy --ood new=logits:z.npy -o result.json"
        })
final class EvaluateCommand implements Callable<Integer> {

    private static final double BOOTSTRAP_DRAWS = 5e8;

    private static final String RUN_ONLY = "--near --limit --fit-limit --tune-on --report --figures --data --device";

    private static final String ARRAYS_ONLY = "--labels " + FitOptions.NAMES;

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "RUN|DETECTOR",
            description = "The folder of a run, or for arrays also a detector file.")
    private @Nullable Path run;

    @Option(names = "--onnx", hidden = true)
    private @Nullable Path onnx;

    @Mixin
    private OutputOptions arrays;

    @Option(
            names = "--labels",
            paramLabel = "FILE",
            description = "True labels of the rows: one whole number from 0 per row.")
    private @Nullable Path labels;

    @Mixin
    private FitOptions fit;

    @Option(
            names = "--ood",
            paramLabel = "NAME",
            completionCandidates = DatasetNames.class,
            required = true,
            parameterConsumer = DatasetListConsumer.WithArrays.class,
            description = "OOD sets. For arrays NAME=logits:F,features:F; repeat --ood for the next.")
    private List<DatasetList.Item> ood;

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
            description = "Seed of the bootstrap, and of the split of arrays. Default: ${DEFAULT-VALUE}.")
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
        if (onnx != null || run == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    onnx == null
                            ? "evaluate needs RUN, the folder of a run, or a detector file and arrays"
                            : "evaluate takes runs and detectors. Make a run of the file first: wood adopt " + onnx
                                    + " --ind NAME --out RUN");
        }
        boolean ofArrays = !arrays.files().isEmpty();
        new OptionRules(spec)
                .onlyFor("runs", !ofArrays, "there are arrays", RUN_ONLY)
                .onlyFor("arrays", ofArrays, "there are no --logits, --probabilities or --features", ARRAYS_ONLY)
                .onlyFor("intervals", ofArrays || replicates == null || replicates > 0, "--bootstrap is 0", "--seed")
                .positive("--limit", "--fit-limit");
        if (oldResult != null) {
            if (result != null) {
                throw new ParameterException(spec.commandLine(), "--json is the old name of -o. Use -o alone.");
            }
            Main.warn(spec, "--json FILE is now -o FILE. The old name works in this release only.");
            result = oldResult;
        }
        EvaluateOptions options = options();
        if (!ofArrays && Files.isRegularFile(run)) {
            throw new ParameterException(
                    spec.commandLine(),
                    run + ": for a detector file, give --logits, --features or both. To evaluate on images, name the"
                            + " folder of its run");
        }
        Bootstrap asked = bootstrap();
        if (ofArrays) {
            evaluateArrays(run, options, asked);
        } else {
            for (Path file : new Path[] {result, csv, report, figures}) {
                if (file != null) {
                    Catalogue.refuse(file, options.ood());
                }
            }
            evaluate(run, options, asked);
        }
        return 0;
    }

    private void evaluateArrays(Path detectorFile, EvaluateOptions options, Bootstrap asked) throws IOException {
        OutputFiles files = arrays.files();
        check(file -> refuseAsTarget(file, detectorFile), result, csv);
        Detector detector = Detector.load(detectorFile);
        Inputs inputs = new Inputs();
        List<SampleSet> sets = new ArrayList<>();
        for (DatasetList.Item item : ood) {
            sets.add(samples(item.name(), OutputFiles.of(item), null, inputs));
        }
        ArrayEvaluation evaluation = new ArrayEvaluation(
                String.valueOf(detectorFile.getFileName()),
                detector,
                samples("InD", files, labels, inputs),
                sets,
                fit.given() ? samples("training", fit.files(), fit.labels(), inputs) : null,
                seed);
        NetworkOutputs outputs = evaluation.outputs(options.scorers(), options.wood());
        Bootstrap bootstrap = bootstrap(outputs, options, asked);
        write(Comparison.of(outputs, options.scorers(), tnr(outputs), bootstrap), bootstrap);
    }

    private void refuseAsTarget(Path target, Path detector) throws IOException {
        AtomicFile.refuse(target, detector, "the detector");
        arrays.files().refuseAsTarget(target);
        fit.files().refuseAsTarget(target);
        for (DatasetList.Item item : ood) {
            OutputFiles.of(item).refuseAsTarget(target);
        }
    }

    private static SampleSet samples(String name, OutputFiles files, @Nullable Path labels, Inputs inputs)
            throws IOException {
        if (files.isEmpty()) {
            throw new IllegalArgumentException(
                    "the set '" + name + "' needs arrays here. Write NAME=logits:FILE,features:FILE.");
        }
        Outputs outputs = files.read(inputs);
        int[] known = labels == null
                ? new int[0]
                : files.labels(labels, outputs, inputs).stream()
                        .mapToInt(label -> label)
                        .toArray();
        return SampleSet.of(name, outputs, known, files.hash());
    }

    private void evaluate(Path folder, EvaluateOptions options, Bootstrap asked) throws IOException {
        RunFolder files = new RunFolder(folder);
        check(files::refuse, result, csv, report);
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
            bootstrap = bootstrap(outputs, options, asked);
            comparison = compare(opened, outputs, options, bootstrap);
        }
        write(comparison, bootstrap);
        if (report != null || figures != null) {
            Report page = Reports.of(
                    spec, List.of(comparison), Map.of(comparison.outputs().network(), folder));
            write(report, page::html);
            if (figures != null) {
                page.writeFigures(figures);
            }
        }
    }

    private void write(Comparison comparison, Bootstrap bootstrap) throws IOException {
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
    }

    private Bootstrap bootstrap(NetworkOutputs outputs, EvaluateOptions options, Bootstrap asked) {
        return replicates == null
                ? asked.withAtMost(affordable(outputs, options.scorers().size()))
                : asked;
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
        EvaluateOptions options = wood.into(EvaluateOptions.of(names()))
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

    /** The OOD sets by their names in the catalogue. */
    private List<String> names() {
        if (arrays.files().isEmpty()) {
            ood.stream().filter(DatasetList.Item::isArrays).findFirst().ifPresent(set -> {
                throw new IllegalArgumentException("--ood " + set.name()
                        + "=... is a set of arrays. Give --logits, --probabilities or --features of the InD samples"
                        + " too.");
            });
            return ood.stream().map(DatasetList.Item::name).distinct().toList();
        }
        return List.of();
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
            draws += (double) scorerCount * (set.part().size() + outputs.test().size());
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

    /** Refuses a target that must not be replaced. */
    private interface Refusal {
        void check(Path target) throws IOException;
    }

    private static void check(Refusal refusal, @Nullable Path... files) throws IOException {
        Set<Path> known = new HashSet<>();
        for (Path file : files) {
            if (file != null) {
                AtomicFile.check(file);
                refusal.check(file);
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
