package ai.wood.cli;

import ai.wood.Calibration;
import ai.wood.Detector;
import ai.wood.Interval;
import ai.wood.ScorerKind;
import ai.wood.Threshold;
import ai.wood.ThresholdPolicy;
import ai.wood.evaluate.EvaluateOptions;
import ai.wood.evaluate.Run;
import ai.wood.evaluate.ScorerChoice;
import ai.wood.evaluate.ScorerChoice.Candidate;
import ai.wood.report.Percent;
import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Held-out InD scores in, threshold out. */
@Command(
        name = "calibrate",
        description = {
            "Chooses the threshold from scores of held-out InD samples.",
            "For a run folder it scores the samples held out from training and writes RUN/detector.json."
        },
        footer = {
            "",
            "Use samples that neither trained the network nor fitted the scorer. With --conformal at most 1 - TNR of new",
            "InD samples raise an alarm on average, whatever the scorer; without it the plain quantile keeps about TNR.",
            "--scorer auto takes the one that misses least of several kinds of OOD: those that training saw, held out from",
            "it, and generated ones. No test data are looked at, and a scorer that cannot be measured is left out, with a warning.",
            "",
            "Examples:",
            "  wood calibrate run --tnr 0.95 --conformal",
            "  wood calibrate run --scorer mahalanobis --per-class",
            "  wood calibrate run --scorer auto --conformal",
            "  wood calibrate --ind-scores validation-scores.txt",
            "  cat validation-scores.txt | wood calibrate --ind-scores -",
            "  wood calibrate --ind-scores validation-scores.npy --tnr 0.99 --conformal --json"
        })
final class CalibrateCommand implements Callable<Integer> {

    private static final String AUTO = "auto";

    @Spec
    private CommandSpec spec;

    @ArgGroup(exclusive = true, multiplicity = "1")
    private Source source;

    /** Where the scores come from. */
    static final class Source {
        @Parameters(arity = "0..1", paramLabel = "RUN", description = "The folder that train or adopt left.")
        @Nullable
        Path run;

        @Option(names = "--ind-scores", paramLabel = "FILE", description = "One score a row; - for standard input.")
        @Nullable
        Path indScores;
    }

    @Option(
            names = "--scorer",
            paramLabel = "NAME",
            defaultValue = "wood",
            completionCandidates = ScorerIds.class,
            description = "For RUN: one of ${COMPLETION-CANDIDATES}; auto chooses. Default: ${DEFAULT-VALUE}.")
    private String scorer;

    @Mixin
    private WoodScoreMixin wood;

    @Option(names = "--per-class", description = "For RUN: a threshold for each predicted class.")
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
            paramLabel = "SHARE",
            defaultValue = "0.95",
            description = "Share of InD samples to keep. Default: ${DEFAULT-VALUE}.")
    private double tnr;

    @Option(names = "--conformal", description = "The threshold with a guarantee instead of the plain quantile.")
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
        Path run = source.run;
        Path file = source.indScores;
        if (run != null) {
            Detector detector = calibrated(run);
            Threshold first = detector.threshold(0);
            requireFinite(run.toString(), first, detector.scores());
            warnOfSilence(detector);
            Run.save(run, detector);
            print(Calibration.of(detector.scores()), first, detector);
        } else if (file != null) {
            double[] scores = new Inputs().scores(file);
            Calibration calibration = Calibration.of(scores);
            Threshold threshold = conformal ? calibration.conformal(tnr) : calibration.quantile(tnr);
            requireFinite(Inputs.name(file), threshold, scores);
            print(calibration, threshold, null);
        }
        return 0;
    }

    private void check() {
        requireShare("--tnr", tnr);
        requireShare("--confidence", confidence);
        boolean ofRun = source.run != null;
        boolean ofWood = scorer.equals(ScorerKinds.wood().id()) || scorer.equals(AUTO);
        new OptionRules(spec)
                .onlyFor(
                        "RUN",
                        ofRun,
                        "--ind-scores is given",
                        "--scorer --per-class --fit-limit --data --device " + WoodScoreMixin.NAMES)
                .onlyFor("scorer wood", ofWood, "the scorer is " + scorer, WoodScoreMixin.NAMES)
                .onlyFor("a single threshold", !perClass, "--per-class makes several", "--confidence")
                .positive("--fit-limit");
        if (ofRun && !scorer.equals(AUTO)) {
            scorerOfOutputs();
        }
    }

    /** The scorer that was named: one that looks at outputs, as detectors do. */
    private ScorerKind scorerOfOutputs() {
        return ScorerKinds.byId(scorer);
    }

    private Detector calibrated(Path run) throws IOException {
        try (TaskBar passes = TaskBar.of("images");
                Run opened = Run.open(run, data.catalogue(), device.name(), passes)) {
            EvaluateOptions all = wood.into(EvaluateOptions.of(List.of())).withFitLimit(fitLimit);
            ScorerKind chosen = scorer.equals(AUTO) ? choose(opened, all) : scorerOfOutputs();
            EvaluateOptions options = all.withScorers(List.of(chosen));
            opened.notes().forEach(this::warn);
            return opened.calibrate(options, new ThresholdPolicy(tnr, conformal, perClass));
        }
    }

    private ScorerKind choose(Run run, EvaluateOptions options) throws IOException {
        ScorerChoice choice = ScorerChoice.of(run, options);
        choice.skipped().forEach(skipped -> warn(skipped.name() + " is left out of the choice: " + skipped.reason()));
        List<Candidate> candidates = choice.candidates();
        if (!json) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(
                    "scorer                  FNR@95TNR     AUROC   (means over kinds of held-out and generated OOD)");
            candidates.forEach(candidate ->
                    out.printf("%-22s  %9.4f  %8.4f%n", candidate.scorer().id(), candidate.fnr(), candidate.auroc()));
        }
        return candidates.get(0).scorer();
    }

    private void requireFinite(String from, Threshold threshold, double[] scores) throws IOException {
        if (Double.isInfinite(threshold.value()) && !perClass) {
            long needed = scoresNeeded();
            if (scores.length < needed) {
                throw new IOException(from + ": a conformal threshold at TNR " + tnr + " needs at least " + needed
                        + " scores but there are " + scores.length + ". Maybe hold out more, or a lower --tnr: "
                        + largestTnr(scores.length) + " at most with so many.");
            }
            long infinite = Arrays.stream(scores).filter(Double::isInfinite).count();
            throw new IOException(from + ": a threshold at TNR " + tnr + " must be finite but " + infinite + " of "
                    + scores.length + " scores are infinite. Maybe take another scorer.");
        }
    }

    /** The largest TNR that so many scores can promise, rounded down to one digit more than their number has, or to four. */
    private static String largestTnr(int scores) {
        int digits = Math.max(4, String.valueOf(scores).length() + 1);
        return BigDecimal.valueOf(scores)
                .divide(BigDecimal.valueOf(scores + 1L), digits, RoundingMode.DOWN)
                .stripTrailingZeros()
                .toPlainString();
    }

    /** How many scores make a threshold. */
    private long scoresNeeded() {
        return conformal ? Calibration.scoresNeeded(tnr) : 1;
    }

    /** Refuses what no threshold can keep and no interval can promise, a percentage for one. */
    static void requireShare(String option, double share) {
        if (!(share > 0 && share < 1)) {
            throw new IllegalArgumentException(option + " must lie strictly between 0 and 1 but is " + share
                    + ". Maybe give a share, such as 0.95.");
        }
    }

    /** A class with too few scores for the promise, with none, or with infinite ones never raises an alarm. */
    private void warnOfSilence(Detector detector) {
        long needed = scoresNeeded();
        warnOfSilence(
                silent(detector, scores -> scores < needed),
                conformal
                        ? "a conformal threshold at TNR " + tnr + " needs " + needed + " held-out images of a class"
                        : "no held-out image was taken for them",
                "leave --per-class out, or hold out more");
        warnOfSilence(silent(detector, scores -> scores >= needed), "their scores are infinite", "take another scorer");
    }

    private void warnOfSilence(List<String> silent, String reason, String hint) {
        if (!silent.isEmpty()) {
            warn("images taken for " + String.join(", ", silent) + " never raise an alarm: " + reason + ". Maybe "
                    + hint + ".");
        }
    }

    /** Classes whose threshold is infinite, of those with the wanted number of scores. */
    private static List<String> silent(Detector detector, LongPredicate scores) {
        return IntStream.range(0, detector.classes().size())
                .filter(k -> detector.threshold(k).value() == Double.POSITIVE_INFINITY)
                .filter(k -> scores.test(Arrays.stream(detector.labels())
                        .filter(label -> label == k)
                        .count()))
                .mapToObj(k -> detector.classes().get(k))
                .toList();
    }

    private void warn(String message) {
        Main.warn(spec, message);
    }

    private void print(Calibration calibration, Threshold threshold, @Nullable Detector detector) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(Json.pretty(values(calibration, threshold, detector)));
        } else {
            if (perClass && detector != null) {
                out.println(
                        "thresholds    " + detector.thresholds() + (conformal ? "   (conformal)" : "   (quantile)"));
            } else {
                printThreshold(out, calibration, threshold);
            }
            if (conformal) {
                out.printf(
                        "promise       at most %s of new InD samples raise an alarm, on average%n",
                        Percent.of(tnr).rest());
            }
            if (detector != null) {
                out.printf("detector      %s%n", source.run + "/" + "detector.json");
                out.printf("scorer        %s%n", detector.kind().id());
            }
        }
    }

    private void printThreshold(PrintWriter out, Calibration calibration, Threshold threshold) {
        Interval interval = calibration.tnrInterval(threshold, confidence);
        out.println("threshold     " + threshold.value() + (conformal ? "   (conformal)" : "   (quantile)"));
        out.printf("achieved TNR  %.4f on these %,d scores%n", calibration.tnr(threshold), calibration.size());
        out.printf(
                "              %.4f .. %.4f on new ones (%s Clopper-Pearson)%n",
                interval.low(), interval.high(), Percent.of(confidence));
    }

    private Map<String, Object> values(Calibration calibration, Threshold threshold, @Nullable Detector detector) {
        Map<String, Object> values = new LinkedHashMap<>();
        if (detector != null && perClass) {
            values.put("thresholds", detector.thresholds());
        } else {
            values.put("threshold", threshold.value());
        }
        values.put("method", conformal ? "conformal" : "quantile");
        values.put("tnr", tnr);
        if (!perClass) {
            values.put("achievedTnr", calibration.tnr(threshold));
            values.put("achievedTnrInterval", Json.of(calibration.tnrInterval(threshold, confidence)));
            values.put("confidence", confidence);
        }
        values.put("scores", calibration.size());
        if (detector != null) {
            values.put("scorer", detector.kind().id());
        }
        return values;
    }

    /** Names for help and completion. */
    static final class ScorerIds implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return ScorerKinds.ids().iterator();
        }
    }
}
