package ai.wood.cli;

import ai.wood.Calibration;
import ai.wood.Detector;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.Threshold;
import ai.wood.ThresholdPolicy;
import ai.wood.cli.ArrayCalibration.Made;
import ai.wood.evaluate.EvaluateOptions;
import ai.wood.evaluate.Run;
import ai.wood.io.AtomicFile;
import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Held-out InD samples in, detector or threshold out. */
@Command(
        name = "calibrate",
        description = {
            "Makes a detector: fits a scorer and chooses its threshold on held-out InD samples.",
            "The samples are those of a run folder, or arrays of outputs. From scores it prints the threshold."
        },
        footer = {
            "",
            "Use samples that neither trained the network nor fitted the scorer. With the conformal method at most 1 - TNR of"
                    + " new InD samples raise an alarm on average, whatever the scorer. The plain quantile keeps about TNR.",
            "",
            "Arrays are .npy or .csv files with one row per sample. A scorer that learns from data is fitted to the --fit"
                    + " files. Without them half of the rows fit it and the other half calibrate it.",
            "",
            "For a run, --scorer auto takes the scorer with the fewest misses on several kinds of OOD: the ones that training"
                    + " saw, held out, and generated ones. For arrays it compares the scorers on the --ood sets and a quarter"
                    + " of the held-out rows. Without --ood it takes knn if there are features, else wood.",
            "",
            "Examples:",
            "  wood calibrate run --tnr 0.95 --conformal",
            "  wood calibrate run --scorer mahalanobis --per-class",
            "  wood calibrate --logits v.npy --features f.npy --labels y.npy --scorer knn -o d.wood",
            "  wood calibrate --logits v.npy --ood web=logits:w.npy -o d.wood",
            "  wood calibrate --ind-scores validation-scores.npy --tnr 0.99 --method conformal --json"
        })
final class CalibrateCommand implements Callable<Integer> {

    private static final String AUTO = "auto";

    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "RUN", description = "The folder that train or adopt left.")
    private @Nullable Path run;

    @Option(names = "--ind-scores", paramLabel = "FILE", description = "One score per row; - for standard input.")
    private @Nullable Path indScores;

    @Mixin
    private ArrayOptions arrays;

    @Option(
            names = "--scorer",
            paramLabel = "NAME",
            completionCandidates = ScorerNeeds.AllIds.class,
            description =
                    "One of ${COMPLETION-CANDIDATES}, or auto, which chooses. Default: auto for arrays, wood for RUN.")
    private @Nullable String scorer;

    @Mixin
    private WoodScoreMixin wood;

    @Option(names = "--per-class", description = "A threshold for each predicted class.")
    private boolean perClass;

    @Option(
            names = "--fit-limit",
            paramLabel = "N",
            defaultValue = "0",
            description = "For RUN: fit, tune and calibrate on so many samples at most. Default: all.")
    private int fitLimit;

    @Mixin
    private DataFolder data;

    @Mixin
    private DeviceName device;

    @Option(
            names = "--tnr",
            paramLabel = "FRACTION",
            defaultValue = "0.95",
            description = "Fraction of InD samples to keep. Default: ${DEFAULT-VALUE}.")
    private double tnr;

    /** How the threshold follows from the scores. */
    enum Method {
        CONFORMAL,
        QUANTILE
    }

    @Option(
            names = "--method",
            paramLabel = "M",
            description = "conformal, with a guarantee, or quantile. Default: conformal for arrays, else quantile.")
    private @Nullable Method method;

    @Option(names = "--conformal", description = "The same as --method conformal.")
    private boolean conformal;

    @Option(
            names = "--confidence",
            paramLabel = "C",
            defaultValue = "0.95",
            description = "Confidence of the interval for the TNR. Default: ${DEFAULT-VALUE}.")
    private double confidence;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        check();
        if (run != null) {
            calibrate(run);
        } else if (indScores != null) {
            calibrateScores(indScores);
        } else {
            calibrateArrays();
        }
        return 0;
    }

    private void check() {
        requireShare("--tnr", tnr);
        requireShare("--confidence", confidence);
        boolean ofArrays = !arrays.files().isEmpty();
        if ((run == null ? 0 : 1) + (indScores == null ? 0 : 1) + (ofArrays ? 1 : 0) != 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "calibrate needs one of RUN, --ind-scores, or arrays: --logits, --probabilities, --features.");
        }
        if (conformal && method == Method.QUANTILE) {
            throw new ParameterException(
                    spec.commandLine(), "--conformal and --method quantile contradict each other. Give one.");
        }
        String given = run != null ? "RUN is given" : indScores != null ? "--ind-scores is given" : "these are arrays";
        String name = scorer == null && run != null ? "wood" : scorer;
        boolean ofWood = name == null || name.equals("wood") || name.equals(AUTO);
        OptionRules options = new OptionRules(spec)
                .onlyFor("RUN", run != null, given, "--fit-limit --data --device")
                .onlyFor("RUN and arrays", indScores == null, given, "--scorer --per-class " + WoodScoreMixin.NAMES)
                .onlyFor("arrays", ofArrays, given, ArrayOptions.NAMES)
                .onlyFor("scorer wood", ofWood, "the scorer is " + name, WoodScoreMixin.NAMES + " --lambda")
                .onlyFor("a single threshold", !perClass, "--per-class makes several", "--confidence")
                .positive("--fit-limit");
        if (ofArrays) {
            options.onlyFor("--scorer auto", named().isEmpty(), "the scorer is " + name, "--ood")
                    .onlyFor("a named scorer", named().isPresent(), "it is chosen here", "--set")
                    .onlyFor(
                            "scorers that are fitted",
                            named().filter(ScorerNeeds::nothingToFit).isEmpty(),
                            "the scorer is " + name,
                            FitOptions.NAMES)
                    .onlyFor(
                            "logits and probabilities",
                            arrays.files().predictions() != null,
                            "there are features alone",
                            "--classes --per-class");
        } else if (run != null) {
            named();
        }
    }

    /** The scorer that the user named, or the default; empty to choose one. */
    private Optional<ScorerKind> named() {
        String name = scorer != null ? scorer : run != null ? ScorerKinds.wood().id() : AUTO;
        return name.equals(AUTO) ? Optional.empty() : Optional.of(ScorerKinds.byId(name));
    }

    private ThresholdPolicy policy() {
        boolean guaranteed = method != null
                ? method == Method.CONFORMAL
                : conformal || !arrays.files().isEmpty();
        return new ThresholdPolicy(tnr, guaranteed, perClass);
    }

    private CalibrationReport report() {
        return new CalibrationReport(spec, policy(), confidence);
    }

    private void calibrate(Path folder) throws IOException {
        Detector detector;
        try (TaskBar passes = TaskBar.of("images");
                Run opened = Run.open(folder, data.catalogue(), device.name(), passes)) {
            EvaluateOptions options = wood.into(EvaluateOptions.of(List.of())).withFitLimit(fitLimit);
            detector = new RunCalibration(spec, json).of(opened, named(), options, policy());
        }
        report().requireFinite(folder.toString(), detector.threshold(0), detector.scores());
        report().warnOfSilence(detector);
        Run.save(folder, detector);
        if (json) {
            print(json(detector));
        } else {
            report().print(detector, folder + "/" + "detector.json");
        }
    }

    private Map<String, Object> json(Detector detector) {
        return report().json(Calibration.of(detector.scores()), detector.threshold(0), detector);
    }

    private void print(Map<String, Object> values) {
        spec.commandLine().getOut().println(Json.pretty(values));
    }

    private void calibrateScores(Path file) throws IOException {
        double[] scores = new Inputs().scores(file);
        Calibration calibration = Calibration.of(scores);
        Threshold threshold = policy().choose(calibration);
        report().requireFinite(Inputs.name(file), threshold, scores);
        if (json) {
            print(report().json(calibration, threshold, null));
        } else {
            report().print(calibration, threshold);
        }
    }

    private void calibrateArrays() throws IOException {
        Path out = arrays.out();
        AtomicFile.check(out);
        arrays.refuseAsTarget(out);
        ArraySamples samples = ArraySamples.read(arrays);
        List<String> classes = arrays.classes(samples.all().classes());
        ArrayCalibration calibration = new ArrayCalibration(samples, classes, policy());
        Settings settings = arrays.settings(wood.settings());
        boolean features = samples.all().hasFeatures();
        Made made;
        if (named().isPresent()) {
            made = calibration.with(named().get(), settings, "");
        } else if (samples.ood().isEmpty()) {
            made = calibration.with(
                    features ? ScorerKinds.knn() : ScorerKinds.wood(),
                    features ? Settings.NONE : settings,
                    "auto: there are " + (features ? "features" : "no features")
                            + ", and no --ood to compare scorers on");
        } else {
            made = calibration.best(settings);
        }
        Detector detector = made.detector();
        report().requireFinite(arrays.files().name(), detector.threshold(0), detector.scores());
        report().warnOfSilence(detector);
        detector.save(out);
        if (json) {
            print(json(made, out));
        } else {
            print(made, out);
        }
    }

    private Map<String, Object> json(Made made, Path out) {
        Map<String, Object> values = new LinkedHashMap<>(json(made.detector()));
        values.put("settings", made.detector().settings().toString());
        values.put("fitSamples", made.fitted());
        values.put("choiceSamples", made.choosing());
        values.put("calibrationSamples", made.detector().scores().length);
        if (!made.ranking().isEmpty()) {
            values.put(
                    "ranking",
                    made.ranking().stream()
                            .map(each -> Map.of("scorer", each.kind().id(), "fnr95", each.fnr(), "auroc", each.auroc()))
                            .toList());
        }
        values.put("detector", out.toString());
        return values;
    }

    private void print(Made made, Path out) {
        PrintWriter printer = spec.commandLine().getOut();
        made.skipped().forEach((name, reason) -> Main.warn(spec, name + " is not compared: " + reason));
        if (!made.ranking().isEmpty()) {
            printer.println("scorer                  FNR@95TNR     AUROC   (means over the OOD sets)");
            made.ranking()
                    .forEach(each ->
                            printer.printf("%-22s  %9.4f  %8.4f%n", each.kind().id(), each.fnr(), each.auroc()));
        }
        if (!made.reason().isEmpty()) {
            printer.printf("choice        %s (%s)%n", made.detector().kind().id(), made.reason());
        }
        printer.printf(
                "samples       %,d fit the scorer, %s%,d calibrate it%n",
                made.fitted(),
                made.choosing() > 0 ? String.format("%,d choose it, ", made.choosing()) : "",
                made.detector().scores().length);
        report().print(made.detector(), out.toString());
    }

    /** Refuses a fraction outside 0 to 1, such as a percentage. */
    static void requireShare(String option, double share) {
        if (!(share > 0 && share < 1)) {
            throw new IllegalArgumentException(option + " must lie strictly between 0 and 1 but is " + share
                    + ". Maybe give a share, such as 0.95.");
        }
    }
}
