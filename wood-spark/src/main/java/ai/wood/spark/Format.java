package ai.wood.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;

import ai.wood.io.CsvLine;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import scala.Tuple2;

/** What a job can read. */
enum Format {
    /** Files in folders, however deep, every one taken for a picture: {@code file, content}. */
    IMAGES("content") {
        @Override
        Dataset<Row> read(SparkSession spark, String input) {
            Dataset<Row> files = spark.read()
                    .format("binaryFile")
                    .option("recursiveFileLookup", true)
                    .load(input)
                    .withColumnRenamed("path", "file");
            Dataset<Row> usual = files.where(col("length").leq(ImageCells.MAX_BYTES));
            Dataset<Row> huge = files.where(col("length").gt(ImageCells.MAX_BYTES));
            return usual.select("file", "content")
                    .union(huge.select(
                            col("file"), lit(null).cast(DataTypes.BinaryType).as("content")));
        }
    },

    /** Numbers in text, a sample a line, as {@code wood score} reads them: {@code row, line}, numbered from 0. */
    LOGITS("line") {
        @Override
        Dataset<Row> read(SparkSession spark, String input) {
            if (input.endsWith(".npy")) {
                throw new IllegalArgumentException(input + ": logits must be text but this is a NumPy array, which a"
                        + " cluster cannot share out. Maybe write it as parquet, a column of arrays.");
            }
            JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
            Configuration options = new Configuration(context.hadoopConfiguration());
            options.setInt("mapreduce.input.linerecordreader.line.maxlength", MAX_LINE);
            JavaRDD<Row> rows = context.newAPIHadoopFile(
                            input, TextInputFormat.class, LongWritable.class, Text.class, options)
                    .filter(Format::holdsRow)
                    .map(line -> line._2().toString())
                    .zipWithIndex()
                    .map(line -> RowFactory.create(line._2(), line._1()));
            return spark.createDataFrame(
                    rows, new StructType().add("row", DataTypes.LongType).add(column(), DataTypes.StringType));
        }
    },

    /** Columns, of which one holds logits or pictures; the others are kept. */
    PARQUET("logits") {
        @Override
        Dataset<Row> read(SparkSession spark, String input) {
            return spark.read().parquet(input);
        }
    };

    private static final int MAX_LINE = 1 << 24;

    private final String column;

    Format(String column) {
        this.column = column;
    }

    /** The column to judge, unless another is named. */
    String column() {
        return column;
    }

    abstract Dataset<Row> read(SparkSession spark, String input);

    /** Tells rows from comments, and from the heading at the start of a file. */
    private static boolean holdsRow(Tuple2<LongWritable, Text> line) {
        CsvLine text = new CsvLine(line._2().toString());
        return !text.holdsNothing() && !(line._1().get() == 0 && text.isHeading());
    }
}
