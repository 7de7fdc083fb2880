package ai.wood.cli;

import ai.wood.Calibration;
import ai.wood.Detector;
import ai.wood.Interval;
import ai.wood.Threshold;
import ai.wood.ThresholdPolicy;
import ai.wood.report.Percent;
import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** Prints thresholds and what they promise, and warns of thresholds that never raise an alarm. */
final class CalibrationReport {

    private final CommandSpec spec;
    private final ThresholdPolicy policy;
    private final double confidence;

    CalibrationReport(CommandSpec spec, ThresholdPolicy policy, double confidence) {
        this.spec = spec;
        this.policy = policy;
        this.confidence = confidence;
    }

    /** Refuses an infinite threshold, unless each class has its own. */
    void requireFinite(String from, Threshold threshold, double[] scores) throws IOException {
        if (Double.isInfinite(threshold.value()) && !policy.perClass()) {
            long needed = scoresNeeded();
            if (scores.length < needed) {
                throw new IOException(from + ": a conformal threshold at TNR " + policy.tnr() + " needs at least "
                        + needed + " scores but there are " + scores.length
                        + ". Maybe hold out more, or a lower --tnr: " + largestTnr(scores.length)
                        + " at most with so many.");
            }
            long infinite = Arrays.stream(scores).filter(Double::isInfinite).count();
            throw new IOException(from + ": a threshold at TNR " + policy.tnr() + " must be finite but " + infinite
                    + " of " + scores.length + " scores are infinite. Maybe take another scorer.");
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

    /** How many scores a finite threshold needs. */
    private long scoresNeeded() {
        return policy.conformal() ? Calibration.scoresNeeded(policy.tnr()) : 1;
    }

    /** Warns of classes that never raise an alarm: they have too few scores, or infinite ones. */
    void warnOfSilence(Detector detector) {
        long needed = scoresNeeded();
        warnOfSilence(
                silent(detector, scores -> scores < needed),
                policy.conformal()
                        ? "a conformal threshold at TNR " + policy.tnr() + " needs " + needed
                                + " held-out samples of a class"
                        : "no held-out sample was predicted as one of them",
                "leave --per-class out, or hold out more");
        warnOfSilence(silent(detector, scores -> scores >= needed), "their scores are infinite", "take another scorer");
    }

    private void warnOfSilence(List<String> silent, String reason, String hint) {
        if (!silent.isEmpty()) {
            Main.warn(
                    spec,
                    "samples predicted as " + String.join(", ", silent) + " never raise an alarm: " + reason
                            + ". Maybe " + hint + ".");
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

    /** Prints a threshold, and what is known about it. */
    void print(Calibration calibration, Threshold threshold) {
        PrintWriter out = spec.commandLine().getOut();
        Interval interval = calibration.tnrInterval(threshold, confidence);
        out.println("threshold     " + threshold.value() + method());
        out.printf("achieved TNR  %.4f on these %,d scores%n", calibration.tnr(threshold), calibration.size());
        out.printf(
                "              %.4f .. %.4f on new ones (%s Clopper-Pearson)%n",
                interval.low(), interval.high(), Percent.of(confidence));
        printPromise(out);
    }

    /** Prints the thresholds of a detector, and what is known about them. */
    void print(Detector detector, String where) {
        PrintWriter out = spec.commandLine().getOut();
        if (policy.perClass()) {
            out.println("thresholds    " + detector.thresholds() + method());
            printPromise(out);
        } else {
            print(Calibration.of(detector.scores()), detector.threshold(0));
        }
        out.printf("detector      %s%n", where);
        out.printf("scorer        %s%n", detector.kind().id());
    }

    private String method() {
        return policy.conformal() ? "   (conformal)" : "   (quantile)";
    }

    private void printPromise(PrintWriter out) {
        if (policy.conformal()) {
            out.printf(
                    "promise       at most %s of new InD samples raise an alarm, on average%n",
                    Percent.of(policy.tnr()).rest());
        }
    }

    /** The same for machines. */
    Map<String, Object> json(Calibration calibration, Threshold threshold, @Nullable Detector detector) {
        Map<String, Object> values = new LinkedHashMap<>();
        if (detector != null && policy.perClass()) {
            values.put("thresholds", detector.thresholds());
        } else {
            values.put("threshold", threshold.value());
        }
        values.put("method", policy.conformal() ? "conformal" : "quantile");
        values.put("tnr", policy.tnr());
        if (!policy.perClass()) {
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
}
