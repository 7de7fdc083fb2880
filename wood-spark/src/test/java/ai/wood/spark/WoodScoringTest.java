package ai.wood.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.ScorerKind;
import ai.wood.Verdict;
import ai.wood.io.DetectorFile;
import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WoodScoringTest {

    private static final DataType ARRAY = DataTypes.createArrayType(DataTypes.DoubleType);
    private static final int ROWS = 2_000;
    private static final Matrix LOGITS = Toy.logits(ROWS, 7);

    private final SparkSession spark = LocalSpark.session();

    @TempDir
    Path folder;

    private String detector = "";

    @BeforeEach
    void writeDetector() throws IOException {
        detector = Toy.detector(ScorerKinds.wood(), folder.resolve("detector.wood"))
                .toString();
    }

    private Dataset<Row> rows(DataType type, List<? extends @Nullable Object> cells) {
        List<Row> rows = IntStream.range(0, cells.size())
                .mapToObj(i -> RowFactory.create(i, cells.get(i)))
                .toList();
        StructType schema = new StructType().add("id", DataTypes.IntegerType).add("cell", type);
        return spark.createDataFrame(rows, schema).repartition(3);
    }

    private List<Row> judged(Dataset<Row> rows) throws IOException {
        return WoodScoring.judge(rows, "cell", detector).orderBy("id").collectAsList();
    }

    private static List<Row> expected(ScorerKind scorer, List<?> cells) {
        List<Verdict> verdicts = Toy.detector(scorer).detect(Outputs.ofLogits(LOGITS));
        return IntStream.range(0, cells.size())
                .mapToObj(i -> {
                    Verdict verdict = verdicts.get(i);
                    return RowFactory.create(
                            i,
                            cells.get(i),
                            Toy.CLASSES.get(verdict.label()),
                            verdict.probability(),
                            verdict.score(),
                            verdict.pValue(),
                            verdict.ood(),
                            null);
                })
                .toList();
    }

    private static List<String> lines() {
        return IntStream.range(0, ROWS).mapToObj(i -> Toy.line(LOGITS.row(i))).toList();
    }

    @Test
    void verdictsAreThoseOfOneMachineToTheBit() throws IOException {
        List<Row> judged = judged(rows(DataTypes.StringType, lines()));
        assertThat(judged).isEqualTo(expected(ScorerKinds.wood(), lines()));
        assertThat(judged).extracting(row -> row.getBoolean(6)).contains(true, false);
    }

    @Test
    void arraysAreJudgedAsLinesAre() throws IOException {
        List<double[]> cells = IntStream.range(0, ROWS).mapToObj(LOGITS::row).toList();
        Dataset<Row> judged = WoodScoring.judge(rows(ARRAY, cells), "cell", detector);
        assertThat(judged.drop("cell").orderBy("id").collectAsList())
                .isEqualTo(WoodScoring.judge(rows(DataTypes.StringType, lines()), "cell", detector)
                        .drop("cell")
                        .orderBy("id")
                        .collectAsList());
    }

    @Test
    void vectorsAreJudgedAsArraysAre() throws IOException {
        List<double[]> arrays = IntStream.range(0, ROWS).mapToObj(LOGITS::row).toList();
        List<Vector> vectors = arrays.stream()
                .map(row ->
                        row[0] > 0.5 ? Vectors.dense(row) : Vectors.dense(row).toSparse())
                .toList();
        assertThat(judged(rows(SQLDataTypes.VectorType(), vectors)))
                .map(row -> row.<Double>getAs("score"))
                .isEqualTo(judged(rows(ARRAY, arrays)).stream()
                        .map(row -> row.<Double>getAs("score"))
                        .toList());
        Vector sparse = Vectors.sparse(10, new int[] {1}, new double[] {9});
        List<Row> judged = judged(rows(SQLDataTypes.VectorType(), Arrays.asList(sparse, Vectors.zeros(9), null)));
        assertThat(judged.get(0).<String>getAs("label")).isEqualTo("bee");
        assertThat(judged.get(1).<String>getAs("error")).contains("there are 9");
        assertThat(judged.get(2).<String>getAs("error")).contains("the cell is empty");
    }

    @Test
    void columnsAreFoundAsSparkFindsThem() throws IOException {
        Dataset<Row> rows = rows(ARRAY, List.of(LOGITS.row(0)));
        assertThat(WoodScoring.judge(rows, "CELL", detector).first().<String>getAs("error"))
                .isNull();
        Dataset<Row> twice = rows.withColumnRenamed("id", "Cell");
        assertThatThrownBy(() -> WoodScoring.judge(twice, "cell", detector))
                .hasMessageContaining("must have one column 'cell' but have 2");
        spark.conf().set("spark.sql.caseSensitive", "true");
        try {
            assertThat(WoodScoring.judge(twice, "cell", detector).first().<String>getAs("error"))
                    .isNull();
            assertThatThrownBy(() -> WoodScoring.judge(rows, "CELL", detector)).hasMessageContaining("have 0");
            WoodScoring.judge(rows.withColumnRenamed("id", "Label"), "cell", detector);
        } finally {
            spark.conf().unset("spark.sql.caseSensitive");
        }
    }

    @Test
    void numbersOfAnyTypeAreLogits() throws IOException {
        List<Integer> logits = List.of(9, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        List<DataType> types = List.of(DataTypes.IntegerType, DataTypes.FloatType, DataTypes.createDecimalType(4, 2));
        for (DataType type : types) {
            Dataset<Row> rows = rows(DataTypes.createArrayType(DataTypes.IntegerType), List.of(logits));
            Dataset<Row> cast = rows.withColumn("cell", rows.col("cell").cast(DataTypes.createArrayType(type)));
            assertThat(judged(cast).get(0).<String>getAs("label")).isEqualTo("ant");
        }
    }

    @Test
    void badRowsSayWhyAndTheOthersAreJudged() throws IOException {
        double[] good = LOGITS.row(0);
        @Nullable Object[] holed = Arrays.stream(good).boxed().toArray();
        holed[9] = null;
        List<@Nullable Object> cells = new ArrayList<>();
        Collections.addAll(cells, good, null, Arrays.copyOf(good, 9), holed, new double[0], good);
        List<Row> judged = judged(rows(ARRAY, cells));
        assertThat(judged)
                .extracting(row -> row.<@Nullable String>getAs("error"))
                .containsExactly(
                        null,
                        "there must be numbers but the cell is empty",
                        "there must be a number for each of 10 classes but there are 9",
                        "number 10 must be a number but is null",
                        "there must be a number for each of 10 classes but there are 0",
                        null);
        assertThat(judged).allSatisfy(row -> assertThat(row.isNullAt(2)).isEqualTo(!row.isNullAt(7)));
        assertThat(judged.get(5).<Double>getAs("score")).isEqualTo(judged.get(0).<Double>getAs("score"));
    }

    /** A sample whose logits contain NaN or Infinity is OOD; a logit of -Infinity is a class without mass. */
    @Test
    void logitsNeedNotBeFinite() throws IOException {
        List<List<Double>> arrays = new ArrayList<>();
        for (double odd : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            List<Double> row = new ArrayList<>(Collections.nCopies(10, 0.0));
            row.set(0, 30.0);
            row.set(9, odd);
            arrays.add(row);
        }
        List<String> lines =
                List.of("30,0,0,0,0,0,0,0,0,nan", "30,0,0,0,0,0,0,0,0,inf", "30,0,0,0,0,0,0,0,0,-Infinity");
        for (List<Row> judged : List.of(judged(rows(ARRAY, arrays)), judged(rows(DataTypes.StringType, lines)))) {
            assertThat(judged).extracting(row -> row.getBoolean(6)).containsExactly(true, true, false);
            assertThat(judged).extracting(row -> row.isNullAt(4)).containsExactly(true, true, false);
            assertThat(judged.get(0).getDouble(5)).isEqualTo(1.0 / 1001);
            assertThat(judged).allSatisfy(row -> assertThat(row.isNullAt(7)).isTrue());
        }
    }

    /** Features alone have no label; a row that cannot be judged spoils no other. */
    @Test
    void featuresAreJudgedAloneAndWithLogits() throws IOException {
        Matrix features = Toy.logits(200, 3);
        Detector.of(ScorerKinds.knn())
                .fit(Outputs.ofFeatures(features))
                .calibrate(Outputs.ofFeatures(Toy.logits(200, 4)))
                .save(Path.of(detector));
        List<double[]> cells =
                List.of(Toy.logits(1, 5).row(0), new double[3], new double[] {-9, 9, -9, 9, -9, 9, -9, 9, -9, 9});
        List<Row> alone = WoodScoring.judge(rows(ARRAY, cells), Map.of("features", "Cell"), detector)
                .orderBy("id")
                .collectAsList();
        assertThat(alone).extracting(row -> row.isNullAt(7)).containsExactly(true, false, true);
        assertThat(alone.get(0).isNullAt(2)).as("label").isTrue();
        assertThat(alone.get(0).getBoolean(6)).isFalse();
        assertThat(alone.get(2).getBoolean(6)).isTrue();
        assertThatThrownBy(() -> WoodScoring.judge(rows(ARRAY, cells), "cell", detector))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the scorer 'knn' needs features but the columns contain [logits]");

        Outputs both = Outputs.ofLogits(Toy.logits(200, 6)).withFeatures(features);
        Detector.of(ScorerKinds.knn())
                .fit(Outputs.ofLogits(Toy.logits(200, 8)).withFeatures(Toy.logits(200, 9)))
                .calibrate(both)
                .save(Path.of(detector));
        Dataset<Row> rows = rows(ARRAY, List.of(LOGITS.row(0)));
        Row judged = WoodScoring.judge(
                        rows.withColumn("vector", rows.col("cell")),
                        Map.of("logits", "cell", "features", "vector"),
                        detector)
                .first();
        Verdict verdict = Detector.load(Path.of(detector))
                .detect(Outputs.ofLogits(Matrix.of(LOGITS.row(0))).withFeatures(Matrix.of(LOGITS.row(0))))
                .get(0);
        assertThat(judged.<Double>getAs("score")).isEqualTo(verdict.score());
        assertThat(judged.<String>getAs("label")).isEqualTo(String.valueOf(verdict.label()));
    }

    @Test
    void rowsThatAreNoProbabilitiesSayWhy() throws IOException {
        List<double[]> cells = List.of(new double[] {1, 0, 0, 0, 0, 0, 0, 0, 0, 0}, new double[10]);
        List<Row> judged = WoodScoring.judge(rows(ARRAY, cells), Map.of("probabilities", "cell"), detector)
                .orderBy("id")
                .collectAsList();
        assertThat(judged.get(0).<String>getAs("label")).isEqualTo("ant");
        assertThat(judged.get(1).<String>getAs("error")).contains("sum");
        assertThatThrownBy(() -> WoodScoring.judge(
                        rows(ARRAY, cells), Map.of("probabilities", "cell", "logits", "cell"), detector))
                .hasMessageContaining("not of both");
        assertThatThrownBy(() -> WoodScoring.judge(rows(ARRAY, cells), Map.of("embedding", "cell"), detector))
                .hasMessageContaining("but one is for 'embedding'");
    }

    @Test
    void badLinesSayWhy() throws IOException {
        List<@Nullable String> cells = Arrays.asList("", "1;2;three", null, "\u0000\u0001");
        assertThat(judged(rows(DataTypes.StringType, cells)))
                .extracting(row -> row.<String>getAs("error"))
                .containsExactly(
                        "column 1: there must be a number but it reads ''",
                        "column 3: there must be a number but it reads 'three'",
                        "there must be numbers but the cell is empty",
                        "column 1: there must be a number but it reads '\u0000\u0001'");
    }

    @Test
    void whatNoRowCouldBeJudgedByIsRefusedAtOnce() throws IOException {
        Dataset<Row> rows = rows(ARRAY, List.of(LOGITS.row(0)));
        assertThatThrownBy(() -> WoodScoring.judge(rows, "cells", detector))
                .hasMessage(
                        "the rows must have one column 'cells' but have 0 of that name. Their columns are [id, cell]");
        assertThatThrownBy(() -> WoodScoring.judge(rows, "id", detector)).hasMessageContaining("but contains int");
        assertThatThrownBy(() -> WoodScoring.judge(rows.withColumnRenamed("id", "Label"), "cell", detector))
                .hasMessageContaining("'Label' but the rows have one already");
        assertThatThrownBy(() -> WoodScoring.judge(rows, "cell", "no-such.wood"))
                .isInstanceOf(IOException.class)
                .hasMessage("no-such.wood: there is no such file or folder");
        Path foreign = Files.writeString(folder.resolve("foreign.wood"), "no bundle");
        assertThatThrownBy(() -> WoodScoring.judge(rows, "cell", foreign.toString()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(foreign + ": ");
        assertThatThrownBy(() ->
                        WoodScoring.judge(rows(DataTypes.BinaryType, List.of(new byte[] {1})), "cell", detector))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the detector has none");
    }

    @Test
    void eachDatasetIsJudgedByItsOwnDetectorThoughTheFilesHaveOneName() throws IOException {
        Dataset<Row> first = WoodScoring.judge(rows(DataTypes.StringType, lines()), "cell", detector);
        Toy.detector(ScorerKinds.byId("energy"), Path.of(detector));
        Dataset<Row> second = WoodScoring.judge(rows(DataTypes.StringType, lines()), "cell", detector);
        Files.delete(Path.of(detector));
        assertThat(first.orderBy("id").collectAsList()).isEqualTo(expected(ScorerKinds.wood(), lines()));
        assertThat(second.orderBy("id").collectAsList()).isEqualTo(expected(ScorerKinds.byId("energy"), lines()));
    }

    @Test
    void aRunFolderIsPackedAndAnAddressIsFetched() throws IOException {
        Path run = Files.createDirectory(folder.resolve("run"));
        DetectorFile.saveInto(run, Toy.detector(ScorerKinds.wood()), Set.of());
        for (String name : List.of(run.toString(), Path.of(detector).toUri().toString())) {
            Dataset<Row> judged = WoodScoring.judge(rows(DataTypes.StringType, lines()), "cell", name);
            assertThat(judged.orderBy("id").collectAsList()).isEqualTo(expected(ScorerKinds.wood(), lines()));
        }
    }

    @Test
    void aProcessOpensADetectorOnce() throws IOException {
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        BroadcastDetector shipped = BroadcastDetector.ship(context, Path.of(detector));
        BroadcastDetector again = BroadcastDetector.ship(context, Path.of(detector));
        assertThat(IntStream.range(0, 8)
                        .parallel()
                        .mapToObj(i -> System.identityHashCode((i % 2 == 0 ? shipped : again).outputs()))
                        .distinct())
                .hasSize(1);
    }

    @Test
    void aStreamIsJudgedFileByFile() throws Exception {
        Path incoming = Files.createDirectory(folder.resolve("incoming"));
        Dataset<Row> stream = WoodScoring.judge(spark.readStream().text(incoming.toString()), "value", detector);
        StreamingQuery query =
                stream.writeStream().format("memory").queryName("verdicts").start();
        try {
            for (int file = 1; file <= 3; file++) {
                List<String> lines = lines().subList(file * 100, file * 100 + 99);
                Files.write(folder.resolve("ready"), lines);
                Files.writeString(folder.resolve("ready"), "bad\n", StandardOpenOption.APPEND);
                Files.move(folder.resolve("ready"), incoming.resolve(file + ".csv"));
                query.processAllAvailable();
                Dataset<Row> verdicts = spark.table("verdicts");
                assertThat(verdicts.count()).isEqualTo(100L * file);
                assertThat(verdicts.where("error is null").count()).isEqualTo(99L * file);
            }
        } finally {
            query.stop();
        }
        List<Row> seen = spark.sql(
                        "select value, label, probability, score, pValue, ood from verdicts where error is null")
                .collectAsList();
        List<Row> expected = expected(ScorerKinds.wood(), lines());
        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, 3)
                        .flatMap(file -> IntStream.range(file * 100, file * 100 + 99))
                        .mapToObj(expected::get)
                        .map(row -> RowFactory.create(
                                row.get(1), row.get(2), row.get(3), row.get(4), row.get(5), row.get(6)))
                        .toList());
    }
}
