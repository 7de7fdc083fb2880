package ai.wood.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.when;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Observation;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Judges what lies in files, on a cluster: to be given to {@code spark-submit}. */
@Command(
        name = "WoodScoringJob",
        description = "Judges images or outputs of classifiers by a detector, on Apache Spark.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeList = {
            "0:done; rows that could not be judged say why in the column error",
            "1:the job failed",
            "2:bad input or options"
        },
        exitCodeListHeading = "%nExit codes:%n")
public final class WoodScoringJob implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--detector",
            required = true,
            paramLabel = "PATH",
            description = "A detector file, or a run folder.")
    private String detector;

    @Option(names = "--input", required = true, paramLabel = "PATH", description = "What to judge: a file or a folder.")
    private String input;

    @Option(
            names = "--format",
            required = true,
            paramLabel = "FORMAT",
            description = "images: folders of images. logits: numbers in text, one sample per line. parquet: columns.")
    private Format format;

    @Option(
            names = "--column",
            paramLabel = "NAME",
            description = "The column of parquet files: logits as an array or a vector, or images as bytes."
                    + " Default: logits, unless other columns are named.")
    private @Nullable String column;

    @Option(
            names = "--probabilities",
            paramLabel = "NAME",
            description = "A column of probabilities instead of logits.")
    private @Nullable String probabilities;

    @Option(names = "--features", paramLabel = "NAME", description = "A column of features.")
    private @Nullable String features;

    @Option(names = "--output", required = true, paramLabel = "PATH", description = "A folder that does not exist yet.")
    private String output;

    @Option(
            names = "--output-format",
            paramLabel = "FORMAT",
            defaultValue = "parquet",
            description = "parquet, json, or what else Spark can write. Default: ${DEFAULT-VALUE}.")
    private String outputFormat;

    /** Runs the job, and ends the process where it fails. */
    public static void main(String[] args) {
        int code = new CommandLine(new WoodScoringJob())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(WoodScoringJob::explain)
                .execute(args);
        if (code != 0) {
            System.exit(code);
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (SparkSession spark = SparkSession.builder().appName("wood").getOrCreate()) {
            long start = System.nanoTime();
            Dataset<Row> rows = format.read(spark, input);
            Observation seen = new Observation();
            judged(rows)
                    .observe(
                            seen,
                            count(lit(1)).as("rows"),
                            count(when(col("ood"), 1)).as("ood"),
                            count(col("error")).as("errors"))
                    .write()
                    .format(outputFormat)
                    .save(output);
            print(seen.getAsJava(), (System.nanoTime() - start) / 1e9);
        }
        return 0;
    }

    private Dataset<Row> judged(Dataset<Row> rows) throws IOException {
        if (probabilities == null && features == null) {
            String judged = Optional.ofNullable(column).orElse(format.column());
            return WoodScoring.judge(rows, judged, detector).drop(judged);
        }
        Map<String, String> columns = new TreeMap<>();
        Optional.ofNullable(column).ifPresent(name -> columns.put("logits", name));
        Optional.ofNullable(probabilities).ifPresent(name -> columns.put("probabilities", name));
        Optional.ofNullable(features).ifPresent(name -> columns.put("features", name));
        return WoodScoring.judge(rows, columns, detector).drop(columns.values().toArray(String[]::new));
    }

    private void print(Map<String, Object> seen, double seconds) {
        spec.commandLine()
                .getOut()
                .printf(
                        Locale.ROOT,
                        "wood: judged %s rows in %.1f s, %s OOD, %s with errors: %s%n",
                        seen.get("rows"),
                        seconds,
                        seen.get("ood"),
                        seen.get("errors"),
                        output)
                .flush();
    }

    private static int explain(Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
        boolean users = failure instanceof IOException
                || failure instanceof IllegalArgumentException
                || failure instanceof AnalysisException;
        String reason = String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
        command.getErr().println("wood: " + (users ? "" : "the job failed, Spark's log tells where: ") + reason);
        return users ? CommandLine.ExitCode.USAGE : CommandLine.ExitCode.SOFTWARE;
    }
}
