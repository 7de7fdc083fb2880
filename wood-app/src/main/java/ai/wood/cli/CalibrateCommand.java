package ai.wood.cli;

import ai.wood.Threshold;
import ai.wood.calibrate.Calibration;
import ai.wood.data.RowReader;
import ai.wood.metric.Interval;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Held-out InD scores in, threshold out. */
@Command(
        name = "calibrate",
        description = "Chooses the threshold from scores of held-out InD samples.",
        footer = {
            "",
            "Use samples that neither trained the network nor fitted the scorer. With --conformal at most 1 - TNR of new",
            "InD samples raise an alarm on average, whatever the scorer; without it the plain quantile keeps about TNR.",
            "",
            "Examples:",
            "  wood calibrate --ind-scores validation-scores.txt",
            "  wood calibrate --ind-scores validation-scores.npy --tnr 0.99 --conformal --json"
        })
final class CalibrateCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(names = "--ind-scores", paramLabel = "FILE", required = true, description = "One score a row.")
    private Path indScores;

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
        Calibration calibration = Calibration.of(RowReader.readColumn(indScores));
        Threshold threshold = conformal ? calibration.conformal(tnr) : calibration.quantile(tnr);
        if (threshold.value() == Double.POSITIVE_INFINITY) {
            throw new IOException(indScores + ": a conformal threshold at TNR " + tnr + " needs at least "
                    + Calibration.scoresNeeded(tnr) + " scores but there are " + calibration.size());
        }
        Interval interval = calibration.tnrInterval(threshold, confidence);
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("threshold", threshold.value());
            values.put("method", conformal ? "conformal" : "quantile");
            values.put("tnr", tnr);
            values.put("achievedTnr", calibration.tnr(threshold));
            values.put("achievedTnrInterval", Json.of(interval));
            values.put("confidence", confidence);
            values.put("scores", calibration.size());
            out.println(Json.pretty(values));
            return 0;
        }
        out.println("threshold     " + threshold.value() + (conformal ? "   (conformal)" : "   (quantile)"));
        out.printf("achieved TNR  %.4f on these %,d scores%n", calibration.tnr(threshold), calibration.size());
        out.printf(
                "              %.4f .. %.4f on new ones (%.0f%% Clopper-Pearson)%n",
                interval.low(), interval.high(), 100 * confidence);
        if (conformal) {
            out.printf("promise       at most %.4g%% of new InD samples raise an alarm, on average%n", 100 * (1 - tnr));
        }
        return 0;
    }
}
