package ai.wood.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PicturesTest {

    @TempDir
    static Path folder;

    private static Path detector = Path.of("");
    private static Path pictures = Path.of("");

    private final SparkSession spark = LocalSpark.session();

    @BeforeAll
    static void train() throws IOException, InterruptedException {
        detector = Pictures.detector(folder);
        pictures = Pictures.write(folder.resolve("pictures"));
    }

    private Map<String, Row> judged() throws IOException {
        return judgedBy(detector);
    }

    private Map<String, Row> judgedBy(Path detector) throws IOException {
        Map<String, Row> judged = new TreeMap<>();
        Dataset<Row> rows = Format.IMAGES.read(spark, pictures.toString());
        for (Row row : WoodScoring.judge(rows, "content", detector.toString())
                .drop("content")
                .collectAsList()) {
            judged.put(row.getString(0).substring(row.getString(0).lastIndexOf("pictures/") + 9), row);
        }
        return judged;
    }

    private static Row row(Map<String, Row> rows, String name) {
        return Objects.requireNonNull(rows.get(name), name);
    }

    @Test
    void badPicturesSayWhyAndTheOthersAreJudgedAsOnOneMachine() throws IOException, InterruptedException {
        Map<String, Row> judged = judged();
        assertThat(judged).hasSize(2 * Pictures.EACH + 3);
        assertThat(row(judged, "text.gif").getString(6)).contains("a picture (JPEG, PNG, BMP, GIF, WebP) is needed");
        assertThat(row(judged, "cut.png").getString(6)).contains("is damaged");
        assertThat(row(judged, "tiny.webp").isNullAt(6)).isTrue();
        for (String set : List.of("mnist-small", "fashion-mnist-small")) {
            List<String> lines = Files.readAllLines(
                    Program.wood(folder, "score", "score", detector, pictures.resolve(set), "--device", "cpu"));
            assertThat(lines).hasSize(Pictures.EACH);
            for (String line : lines) {
                JsonNode one = new ObjectMapper().readTree(line);
                String file = one.get("file").asText();
                same(row(judged, set + file.substring(file.lastIndexOf('/'))), one);
            }
        }
    }

    /** The last bits depend on how many pictures libtorch is given at once. */
    private static void same(Row row, JsonNode one) {
        assertThat(row.getString(1)).isEqualTo(one.get("label").asText());
        assertThat(row.getDouble(2)).isCloseTo(one.get("probability").asDouble(), within(1e-6));
        assertThat(row.getDouble(3)).isCloseTo(one.get("score").asDouble(), within(1e-6));
        assertThat(row.getDouble(4)).isCloseTo(one.get("pValue").asDouble(), within(0.05));
        assertThat(row.getBoolean(5)).isEqualTo(one.get("ood").asBoolean());
    }

    @Test
    void aDetectorWithAnOnnxNetworkSaysTheSame() throws IOException, InterruptedException {
        Path file = folder.resolve("network.onnx");
        Path adopted = folder.resolve("adopted");
        Path onnx = folder.resolve("onnx.wood");
        Program.wood(folder, "export", "export", folder.resolve("run"), "--onnx", file);
        Program.wood(folder, "adopt", "adopt", file, "--ind", "mnist-small", "--out", adopted);
        Program.wood(folder, "calibrate", "calibrate", adopted);
        Program.wood(folder, "bundle", "bundle", adopted, "-o", onnx);
        Map<String, Row> judged = judgedBy(onnx);
        judged().forEach((name, row) -> {
            Row other = row(judged, name);
            assertThat(other.isNullAt(6)).isEqualTo(row.isNullAt(6));
            if (row.isNullAt(6)) {
                assertThat(other.getString(1)).isEqualTo(row.getString(1));
                assertThat(other.getDouble(2)).isCloseTo(row.getDouble(2), within(1e-4));
                assertThat(other.getDouble(3)).isCloseTo(row.getDouble(3), within(1e-4));
            }
        });
    }

    @Test
    void aHugeFileIsNotReadAtAll() throws IOException {
        Path huge = pictures.resolve("huge.png");
        try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(5L << 30); // without any blocks on the disk
            assertThat(row(judged(), "huge.png").getString(6)).contains("of at most 67108864 bytes");
        } finally {
            Files.delete(huge);
        }
    }

    @Test
    void aPictureOfTooManyPixelsIsNotDecoded() throws IOException {
        spark.conf().set("spark.wood.maxPixels", 783);
        try {
            assertThat(row(judged(), "mnist-small/0.png").getString(6)).contains("783 pixels but claims 28 x 28");
        } finally {
            spark.conf().unset("spark.wood.maxPixels");
        }
    }

    @Test
    void logitsCanBeJudgedByTheDetectorOfANetwork() throws IOException {
        Dataset<Row> rows = spark.sql("select array(9, 0, 0, 0, 0, 0, 0, 0, 0, 0) as logits");
        Dataset<Row> judged = WoodScoring.judge(rows, "logits", detector.toString());
        assertThat(judged.first().<String>getAs("label")).isEqualTo("0");
    }

    @Test
    void aScorerThatLooksAtFeaturesJudgesNoLogits() throws IOException, InterruptedException {
        Path run = folder.resolve("run");
        Program.wood(folder, "calibrate", "calibrate", run, "--scorer", "mahalanobis", "--device", "cpu");
        Dataset<Row> rows = spark.sql("select array(9, 0, 0, 0, 0, 0, 0, 0, 0, 0) as logits");
        assertThatThrownBy(() -> WoodScoring.judge(rows, "logits", run.toString()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the scorer 'mahalanobis' needs features");
    }
}
