package ai.wood.spark;

import ai.wood.bundle.Bundle;
import ai.wood.io.TemporaryFolder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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

    private WoodScoring() {}

    /**
     * Adds the verdict on each row: {@code label, probability, score, pValue, ood}; or {@code error}, which says why there is
     * none. Works on streams too. An executor opens the detector once, and holds one batch of each of its tasks.
     *
     * <p>What the column holds follows from its type: images as the bytes of their files (binary), logits (an array of
     * numbers, or a vector of Spark ML such as {@code rawPrediction}), or logits as a line of text (string). Images need the detector's engine on the class path, such as
     * {@code wood-torch}; they may have {@code spark.wood.maxPixels} pixels, by default 2^25.
     *
     * @param detector a bundle or a run folder of the driver's machine, or a bundle's address such as {@code hdfs://...}; it
     *     travels with the job
     * @throws IOException where there is no such detector, or it cannot judge what the column holds
     */
    public static Dataset<Row> judge(Dataset<Row> rows, String column, String detector) throws IOException {
        StructType judged = withVerdict(rows);
        int index = index(rows, column);
        Content content = Content.of(column, rows.schema().apply(index).dataType());
        SparkSession spark = rows.sparkSession();
        long maxPixels = Long.parseLong(spark.conf().get("spark.wood.maxPixels", "33554432"));
        ShippedDetector shipped = ship(spark, detector, content);
        return rows.mapPartitions(new ColumnJudge(shipped, index, content, maxPixels), Encoders.row(judged));
    }

    private static ShippedDetector ship(SparkSession spark, String detector, Content content) throws IOException {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        try (TemporaryFolder folder = TemporaryFolder.create()) {
            Path copy = folder.path().resolve("detector.wood");
            try {
                copy(detector, copy, context.hadoopConfiguration());
                try (Bundle bundle = Bundle.openForOutputs(copy)) {
                    content.requireJudgedBy(bundle, detector);
                }
                return ShippedDetector.ship(context, copy);
            } catch (IOException e) {
                throw new IOException(String.valueOf(e.getMessage()).replace(copy.toString(), detector), e);
            }
        }
    }

    private static void copy(String detector, Path to, Configuration options) throws IOException {
        if (detector.matches("[a-zA-Z][a-zA-Z0-9+.-]+:.*")) {
            org.apache.hadoop.fs.Path address = new org.apache.hadoop.fs.Path(detector);
            try (InputStream in = address.getFileSystem(options).open(address)) {
                Files.copy(in, to);
            }
        } else if (Files.isDirectory(Path.of(detector))) {
            Bundle.pack(Path.of(detector), to);
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
            throw new IllegalArgumentException("the rows must have one column '" + column + "' but have "
                    + found.length + " of that name. Their columns are " + Arrays.toString(names));
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
