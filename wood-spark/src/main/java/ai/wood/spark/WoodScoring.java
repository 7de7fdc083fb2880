package ai.wood.spark;

import ai.wood.CannotRunException;
import ai.wood.Detector;
import ai.wood.io.DetectorFile;
import ai.wood.io.TemporaryFolder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Judges the rows of a dataset by a detector, where they are. */
public final class WoodScoring {

    /** What a verdict adds to a row. All of it may be null: {@code error}, or everything else. */
    static final StructType VERDICT = new StructType()
            .add("label", DataTypes.StringType)
            .add("probability", DataTypes.DoubleType)
            .add("score", DataTypes.DoubleType)
            .add("pValue", DataTypes.DoubleType)
            .add("ood", DataTypes.BooleanType)
            .add("error", DataTypes.StringType);

    private static final Map<String, Column> OUTPUTS = new TreeMap<>(
            Map.of("logits", Column.LOGITS, "probabilities", Column.PROBABILITIES, "features", Column.FEATURES));

    private WoodScoring() {}

    /**
     * Adds the verdict on each row: {@code label, probability, score, pValue, ood}; or {@code error}, which says why there is
     * none. Works on streams too. An executor opens the detector once, and holds one batch of each of its tasks.
     *
     * <p>What the column contains follows from its type: images as the bytes of their files (binary), logits (an array of
     * numbers, or a vector of Spark ML such as {@code rawPrediction}), or logits as a line of text (string). Images need
     * the detector's engine on the class path, such as {@code wood-torch}. They may have {@code spark.wood.maxPixels}
     * pixels, by default 2^25.
     *
     * @param detector a detector file or a run folder of the driver's machine, or a file's address such as
     *     {@code hdfs://...}; it travels with the job
     * @throws IOException if there is no such detector, or it cannot judge what the column contains
     */
    public static Dataset<Row> judge(Dataset<Row> rows, String column, String detector) throws IOException {
        int index = index(rows, column);
        Column content = Column.of(column, rows.schema().apply(index).dataType());
        return judge(rows, new EnumMap<>(Map.of(content, index)), detector);
    }

    /**
     * Adds the verdict on each row, from several columns of outputs.
     *
     * @param columns the name of a column for {@code logits} or {@code probabilities}, for {@code features}, or for both
     * @see #judge(Dataset, String, String)
     */
    public static Dataset<Row> judge(Dataset<Row> rows, Map<String, String> columns, String detector)
            throws IOException {
        EnumMap<Column, Integer> indices = new EnumMap<>(Column.class);
        columns.forEach((content, column) -> {
            Column known = OUTPUTS.get(content);
            if (known == null) {
                throw new IllegalArgumentException(
                        "columns must be for " + OUTPUTS.keySet() + " but one is for '" + content + "'");
            }
            int index = index(rows, column);
            known.require(column, rows.schema().apply(index).dataType());
            indices.put(known, index);
        });
        if (indices.isEmpty() || (indices.containsKey(Column.LOGITS) && indices.containsKey(Column.PROBABILITIES))) {
            throw new IllegalArgumentException(
                    "there must be a column of logits, probabilities or features, and not of both logits and"
                            + " probabilities, but there are " + columns);
        }
        return judge(rows, indices, detector);
    }

    private static Dataset<Row> judge(Dataset<Row> rows, EnumMap<Column, Integer> columns, String detector)
            throws IOException {
        StructType judged = withVerdict(rows);
        SparkSession spark = rows.sparkSession();
        long maxPixels = Long.parseLong(spark.conf().get("spark.wood.maxPixels", "33554432"));
        BroadcastDetector shipped = ship(spark, detector, columns.keySet());
        return rows.mapPartitions(new ColumnJudge(shipped, columns, maxPixels), Encoders.row(judged));
    }

    private static BroadcastDetector ship(SparkSession spark, String detector, Set<Column> columns) throws IOException {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            Path copy = folder.path().resolve("detector.wood");
            try {
                copy(detector, copy, context.hadoopConfiguration());
                Column.requireEnough(Detector.load(copy), columns);
                return BroadcastDetector.ship(context, copy);
            } catch (CannotRunException e) {
                throw new IOException(detector + ": " + e.getMessage(), e);
            } catch (IOException e) {
                throw new IOException(String.valueOf(e.getMessage()).replace(copy.toString(), detector), e);
            }
        }
    }

    private static void pack(Path run, Path to) throws IOException {
        try (DetectorFile file = DetectorFile.open(run)) {
            Map<String, Path> parts = new TreeMap<>();
            file.classifierParts().forEach(part -> parts.put(part, run.resolve(part)));
            DetectorFile.save(file.detector(), parts, to);
        }
    }

    private static void copy(String detector, Path to, Configuration options) throws IOException {
        if (detector.matches("[a-zA-Z][a-zA-Z0-9+.-]+:.*")) {
            org.apache.hadoop.fs.Path address = new org.apache.hadoop.fs.Path(detector);
            try (InputStream in = address.getFileSystem(options).open(address)) {
                Files.copy(in, to);
            }
        } else if (Files.isDirectory(Path.of(detector))) {
            pack(Path.of(detector), to);
        } else if (Files.isRegularFile(Path.of(detector))) {
            Files.copy(Path.of(detector), to);
        } else {
            throw new IOException(detector + ": there is no such file or folder");
        }
    }

    /** The place of a column. Upper and lower case count only if they do for Spark itself. */
    private static int index(Dataset<Row> rows, String column) {
        String[] names = rows.schema().fieldNames();
        int[] found = IntStream.range(0, names.length)
                .filter(i -> same(rows.sparkSession(), names[i], column))
                .toArray();
        if (found.length != 1) {
            throw new IllegalArgumentException("the rows must have one column '" + column + "' but have " + found.length
                    + " of that name. Their columns are " + Arrays.toString(names));
        }
        return found[0];
    }

    private static boolean same(SparkSession spark, String name, String other) {
        boolean sensitive = Boolean.parseBoolean(spark.conf().get("spark.sql.caseSensitive", "false"));
        return sensitive ? name.equals(other) : name.equalsIgnoreCase(other);
    }

    private static StructType withVerdict(Dataset<Row> rows) {
        StructType schema = rows.schema();
        for (String name : schema.fieldNames()) {
            if (Stream.of(VERDICT.fieldNames()).anyMatch(added -> same(rows.sparkSession(), name, added))) {
                throw new IllegalArgumentException(
                        "the verdict adds a column '" + name + "' but the rows have one already. Maybe rename it.");
            }
        }
        return new StructType(
                Stream.of(schema.fields(), VERDICT.fields()).flatMap(Stream::of).toArray(StructField[]::new));
    }
}
