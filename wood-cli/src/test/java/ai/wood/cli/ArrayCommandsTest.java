package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Seed;
import ai.wood.Verdict;
import ai.wood.io.NpyWriter;
import ai.wood.io.RowReader;
import ai.wood.score.ScorerKinds;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Detectors are made from arrays and applied to arrays. */
class ArrayCommandsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int CLASSES = 3;

    @TempDir
    Path folder;

    private record Answer(int code, String out, String err) {

        List<JsonNode> lines() throws IOException {
            List<JsonNode> lines = new ArrayList<>();
            for (String line : out.lines().toList()) {
                lines.add(JSON.readTree(line));
            }
            return lines;
        }

        Answer done() {
            assertThat(code).as(err).isZero();
            return this;
        }

        String refusal() {
            assertThat(code).as(out).isEqualTo(2);
            assertThat(err).doesNotContain("this should not have happened");
            return err;
        }
    }

    /** Words are separated by blanks; @ stands for the folder of the test. */
    private Answer wood(String line) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        String[] args = Arrays.stream(line.split(" +"))
                .map(word -> word.replace("@", folder + "/"))
                .toArray(String[]::new);
        int code = Main.run(new PrintWriter(out), new PrintWriter(err), args);
        return new Answer(code, out.toString(), err.toString());
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    /** Gaussian rows around a mean. */
    private static double[][] rows(int count, int columns, double mean, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[][] rows = new double[count][columns];
        for (double[] row : rows) {
            Arrays.setAll(row, i -> mean + random.nextGaussian());
        }
        return rows;
    }

    private void csv(String name, double[][] rows) throws IOException {
        file(
                name,
                Arrays.stream(rows)
                        .map(row -> Arrays.stream(row).mapToObj(String::valueOf).collect(Collectors.joining(",")))
                        .collect(Collectors.joining("\n", "", "\n")));
    }

    private void npy(String name, double[][] rows, boolean floats) throws IOException {
        try (FileChannel channel =
                FileChannel.open(folder.resolve(name), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            NpyWriter writer =
                    floats ? NpyWriter.floats(channel, rows[0].length) : NpyWriter.doubles(channel, rows[0].length);
            for (double[] row : rows) {
                writer.write(row);
            }
            writer.finish();
        }
    }

    /** InD samples v (held out) and x (new) and OOD samples w, as logits and features. */
    private void samples(int heldOut) throws IOException {
        logits("v.npy", heldOut, 1);
        npy("f.npy", rows(heldOut, 60, 1, 2), true);
        file(
                "y.csv",
                IntStream.range(0, heldOut).mapToObj(i -> i % CLASSES + "\n").collect(Collectors.joining()));
        logits("x.npy", 2000, 3);
        npy("g.npy", rows(2000, 60, 1, 4), true);
        npy("wz.npy", rows(100, CLASSES, 0, 5), true);
        npy("wf.npy", rows(100, 60, 0, 6), true);
    }

    /** Of row i the class i mod 3 leads. */
    private void logits(String name, int count, long seed) throws IOException {
        double[][] logits = rows(count, CLASSES, 0, seed);
        for (int i = 0; i < count; i++) {
            logits[i][i % CLASSES] += 4;
        }
        npy(name, logits, true);
    }

    private static double flagged(List<JsonNode> verdicts) {
        return verdicts.stream().filter(line -> line.path("ood").asBoolean()).count() / (double) verdicts.size();
    }

    @Test
    void theExampleOfTheIssueMakesADetectorAndUsesIt() throws IOException {
        samples(400);
        String made = wood("calibrate --logits @v.npy --features @f.npy --labels @y.csv --scorer knn -o @d.wood")
                .done()
                .out();
        assertThat(made).contains("200 fit the scorer, 200 calibrate it", "(conformal)", "knn", "at most 5%");
        List<JsonNode> verdicts =
                wood("detect @d.wood --logits @x.npy --features @g.npy").done().lines();
        assertThat(verdicts).hasSize(2000);
        assertThat(flagged(verdicts)).isBetween(0.01, 0.11);
        List<String> keys = new ArrayList<>();
        verdicts.get(7).fieldNames().forEachRemaining(keys::add);
        assertThat(keys).containsExactly("input", "label", "probability", "score", "pValue", "threshold", "ood");
        assertThat(verdicts.get(7).path("input").asInt()).isEqualTo(7);
        Detector detector = Detector.load(folder.resolve("d.wood"));
        List<Verdict> own = detector.detect(Outputs.ofLogits(RowReader.readAll(folder.resolve("x.npy")))
                .withFeatures(RowReader.readAll(folder.resolve("g.npy"))));
        for (int i = 0; i < own.size(); i++) {
            JsonNode line = verdicts.get(i);
            assertThat(line.path("label").asText())
                    .isEqualTo(String.valueOf(own.get(i).label()));
            assertThat(line.path("score").asDouble()).isEqualTo(own.get(i).score());
            assertThat(line.path("pValue").asDouble()).isEqualTo(own.get(i).pValue());
            assertThat(line.path("threshold").asDouble())
                    .isEqualTo(detector.thresholds().get(0));
            assertThat(line.path("ood").asBoolean()).isEqualTo(own.get(i).ood());
        }
        assertThat(flagged(wood("detect @d.wood --logits @wz.npy --features @wf.npy")
                        .done()
                        .lines()))
                .isGreaterThan(0.5);
    }

    /** Fitted and calibrated on the same 300 rows it would flag 56%. */
    @Test
    void theFalseAlarmRateHoldsForAScorerThatOverfits() throws IOException {
        samples(300);
        wood("calibrate --logits @v.npy --features @f.npy --labels @y.csv --scorer mahalanobis --tnr 0.9 -o @d.wood")
                .done();
        assertThat(flagged(wood("detect @d.wood --features @g.npy --logits @x.npy")
                        .done()
                        .lines()))
                .isBetween(0.04, 0.16);
    }

    @Test
    void featuresAloneMakeADetectorWithoutLabels() throws IOException {
        samples(300);
        wood("calibrate --features @f.npy -o @d.wood").done();
        JsonNode verdict =
                wood("detect @d.wood --features @g.npy").done().lines().get(0);
        assertThat(verdict.has("label")).isTrue();
        assertThat(verdict.path("label").isNull()).isTrue();
        assertThat(verdict.path("score").isDouble()).isTrue();
        assertThat(wood("calibrate --features @f.npy --scorer energy -o @e.wood")
                        .refusal())
                .contains("The scorer energy needs logits. Give --logits.");
        assertThat(wood("detect @d.wood --logits @x.npy").refusal())
                .contains("d.wood: The scorer knn needs features. Give --features.");
    }

    @Test
    void probabilitiesMakeADetectorWithClassNames() throws IOException {
        file("p.csv", "0.8,0.1,0.1\n0.2,0.7,0.1\n".repeat(60));
        file("names.txt", "ant\nbee\ncat\n");
        Answer made = wood("calibrate --probabilities @p.csv --scorer msp --classes @names.txt --tnr 0.5 -o @d.wood");
        assertThat(made.done().out()).contains("0 fit the scorer, 120 calibrate it");
        file("q.csv", "0.1,0.1,0.8\n0.3,0.4,0.3\n");
        List<JsonNode> verdicts =
                wood("detect @d.wood --probabilities @q.csv").done().lines();
        assertThat(verdicts).extracting(line -> line.path("label").asText()).containsExactly("cat", "bee");
        assertThat(verdicts).extracting(line -> line.path("ood").asBoolean()).containsExactly(false, true);
        file("two.txt", "ant\nbee\n");
        assertThat(wood("calibrate --probabilities @p.csv --scorer msp --classes @two.txt -o @e.wood")
                        .refusal())
                .contains("two.txt: there are 2 class names but the outputs have 3 classes");
    }

    @Test
    void aScorerWithNothingToFitCalibratesOnAllRows() throws IOException {
        samples(300);
        assertThat(wood("calibrate --logits @v.npy -o @d.wood").done().out())
                .contains("choice        wood (auto: there are no features", "0 fit the scorer, 300 calibrate it");
        assertThat(wood("calibrate --logits @v.npy --features @f.npy -o @d.wood")
                        .done()
                        .out())
                .contains("choice        knn (auto: there are features", "150 fit the scorer, 150 calibrate it");
    }

    @Test
    void theSeedDecidesTheSplit() throws IOException {
        samples(300);
        String line = "calibrate --features @f.npy --scorer knn --json -o @";
        String one = wood(line + "a.wood").done().out();
        assertThat(wood(line + "a.wood --seed 1").done().out()).isEqualTo(one);
        byte[] first = Files.readAllBytes(folder.resolve("a.wood"));
        String two = wood(line + "b.wood --seed 2").done().out();
        assertThat(JSON.readTree(two).path("threshold").asDouble())
                .isNotEqualTo(JSON.readTree(one).path("threshold").asDouble());
        wood(line + "c.wood").done();
        assertThat(Files.readAllBytes(folder.resolve("c.wood"))).isEqualTo(first);
    }

    @ParameterizedTest
    @CsvSource({"101, 0.5", "100, 0.25", "7, 0.5", "2, 0.5"})
    void aSplitTakesEveryRowOnceAndEveryLabelInProportion(int count, double fraction) {
        List<Integer> labels =
                IntStream.range(0, count).map(i -> i % 10 == 0 ? 1 : 0).boxed().toList();
        ArraySamples samples = new ArraySamples(
                Outputs.ofFeatures(Matrix.of(rows(count, 2, 0, 1))),
                labels,
                Optional.empty(),
                Map.of(),
                Map.of(),
                new Seed(1));
        ArraySamples.Parts parts = samples.split(samples.indices(), fraction, samples.seed());
        assertThat(IntStream.concat(Arrays.stream(parts.first()), Arrays.stream(parts.second()))
                        .sorted())
                .containsExactly(IntStream.range(0, count).boxed().toArray(Integer[]::new));
        for (int label : List.of(0, 1)) {
            long all = labels.stream().filter(each -> each == label).count();
            assertThat(Arrays.stream(parts.first())
                            .filter(i -> labels.get(i) == label)
                            .count())
                    .isBetween((long) Math.floor(all * fraction), (long) Math.ceil(all * fraction));
        }
    }

    @Test
    void trainingOutputsFitTheScorerAndAllRowsCalibrateIt() throws IOException {
        samples(300);
        npy("tf.npy", rows(500, 60, 0, 9), false);
        file("ty.csv", "0\n1\n".repeat(250));
        assertThat(wood("calibrate --features @f.npy --fit-features @tf.npy --fit-labels @ty.csv"
                                + " --scorer mahalanobis -o @d.wood")
                        .done()
                        .out())
                .contains("500 fit the scorer, 300 calibrate it");
        assertThat(wood("calibrate --features @f.npy --fit-features @f.npy --scorer knn -o @e.wood")
                        .refusal())
                .contains("fitted to the outputs it is to be calibrated on");
        assertThat(wood("calibrate --logits @v.npy --fit-logits @x.npy --scorer energy -o @e.wood")
                        .refusal())
                .contains("--fit-logits is for scorers that are fitted only");
        assertThat(wood("calibrate --features @f.npy --fit-features @v.npy --scorer knn -o @e.wood")
                        .refusal())
                .contains("f.npy: there are 60 features but", "v.npy has 3");
        assertThat(folder.resolve("e.wood")).doesNotExist();
    }

    @Test
    void aChosenScorerWithNothingToFitCalibratesOnAllRowsThatDidNotChooseIt() throws IOException {
        samples(400);
        String line = "calibrate --logits @v.npy --ood web=logits:@wz.npy -o @d.wood";
        assertThat(wood(line).done().out()).contains("0 fit the scorer, 50 choose it, 350 calibrate it");
    }

    @Test
    void autoTakesTheBestScorerOnOodSetsAndCalibratesOnOtherRows() throws IOException {
        samples(400);
        String line =
                "calibrate --logits @v.npy --features @f.npy --ood web=logits:@wz.npy,features:@wf.npy -o @d.wood";
        Answer answer = wood(line).done();
        assertThat(answer.out())
                .contains(
                        "FNR@95TNR",
                        "the lowest mean FNR on web",
                        "200 fit the scorer, 50 choose it, 150 calibrate it");
        JsonNode json = JSON.readTree(wood(line + " --json").done().out());
        assertThat(json.path("ranking").path(0).path("scorer").asText())
                .isEqualTo(json.path("scorer").asText());
        double before = 0;
        for (JsonNode each : json.path("ranking")) {
            assertThat(each.path("fnr95").asDouble()).isGreaterThanOrEqualTo(before);
            before = each.path("fnr95").asDouble();
        }
        assertThat(json.path("ranking").size()).isGreaterThan(10);
        assertThat(json.path("calibrationSamples").asInt()).isEqualTo(150);
        assertThat(wood("calibrate --logits @v.npy --scorer msp --ood a=logits:@wz.npy -o @e.wood")
                        .refusal())
                .contains("--ood is for --scorer auto only");
        assertThat(wood("calibrate --logits @v.npy --ood svhn -o @e.wood").refusal())
                .contains("'svhn' must be a set of arrays");
    }

    @Test
    void settingsOfTheScorerAreChecked() throws IOException {
        samples(300);
        String line = "calibrate --features @f.npy --scorer knn -o @d.wood --set ";
        wood(line + "k=5").done();
        assertThat(Detector.load(folder.resolve("d.wood")).settings().number("k"))
                .isEqualTo(5);
        assertThat(wood(line + "kk=5").refusal()).contains("there is no setting 'kk'");
        assertThat(wood(line + "k=five").refusal()).contains("must be a number but is five");
        assertThat(wood(line + "k=2.5").refusal()).contains("must be a whole number");
        wood("calibrate --logits @v.npy --scorer wood --cost binary --temperature 2 --lambda 3 -o @d.wood")
                .done();
        assertThat(Detector.load(folder.resolve("d.wood")).settings().toString())
                .contains("cost=binary", "temperature=2", "lambda=3");
    }

    @Test
    void methodsGiveDifferentThresholds() throws IOException {
        file("s.csv", IntStream.range(0, 99).mapToObj(i -> i + "\n").collect(Collectors.joining()));
        JsonNode conformal = JSON.readTree(wood("calibrate --ind-scores @s.csv --method conformal --json")
                .done()
                .out());
        assertThat(conformal.path("threshold").asDouble()).isEqualTo(94);
        assertThat(wood("calibrate --ind-scores @s.csv --method quantile --conformal")
                        .refusal())
                .contains("contradict each other");
        samples(300);
        assertThat(wood("calibrate --logits @v.npy -o @d.wood --method quantile")
                        .done()
                        .out())
                .contains("(quantile)");
        assertThat(Detector.load(folder.resolve("d.wood")).policy().conformal()).isFalse();
        wood("calibrate --logits @v.npy -o @d.wood --per-class --tnr 0.9").done();
        assertThat(Detector.load(folder.resolve("d.wood")).thresholds()).hasSize(CLASSES);
    }

    @Test
    void nonFiniteLogitsAreOodAndTheOthersAreNotAffected() throws IOException {
        samples(300);
        wood("calibrate --logits @v.npy --scorer energy -o @d.wood").done();
        double[][] rows = {
            {9, 0, 0}, {Double.NaN, 0, 0}, {Double.POSITIVE_INFINITY, 0, 0}, {9, Double.NEGATIVE_INFINITY, 0}
        };
        npy("bad.npy", rows, true);
        csv("bad.csv", rows);
        file("numpy.csv", "9,0,0\nnan,0,0\ninf,0,0\n9,-inf,0\n");
        for (String name : List.of("bad.npy", "bad.csv", "numpy.csv")) {
            List<JsonNode> verdicts =
                    wood("detect @d.wood --logits @" + name).done().lines();
            assertThat(verdicts)
                    .extracting(line -> line.path("ood").asBoolean())
                    .containsExactly(false, true, true, false);
            for (int row : new int[] {1, 2}) {
                assertThat(verdicts.get(row).path("score").isNull()).isTrue();
                assertThat(verdicts.get(row).path("pValue").asDouble()).isEqualTo(1.0 / 301);
            }
            assertThat(verdicts.get(3).path("score").isDouble()).isTrue();
            assertThat(wood("calibrate --logits @" + name + " -o @e.wood").refusal())
                    .contains("bad.npy".equals(name) ? name + ", row 2" : name + ", line 2")
                    .contains("finite");
            assertThat(wood("calibrate --logits @v.npy --fit-logits @" + name + " --scorer kl-matching -o @e.wood")
                            .refusal())
                    .contains(name + ", ");
        }
        file("bad-features.csv", "1,2\nnan,1\n");
        assertThat(wood("calibrate --features @bad-features.csv -o @e.wood").refusal())
                .contains("bad-features.csv, line 2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jsonl", "csv", "npy"})
    void verdictsAreWrittenInTheFormatOfTheEnding(String ending) throws IOException {
        samples(300);
        wood("calibrate --logits @v.npy --scorer energy -o @d.wood").done();
        npy("some.npy", new double[][] {{9, 0, 0}, {0, 0, 0}, {Double.NaN, 0, 0}}, false);
        Answer answer =
                wood("detect @d.wood --logits @some.npy -o @verdicts." + ending).done();
        assertThat(answer.out()).isEmpty();
        assertThat(answer.err().lines())
                .singleElement()
                .asString()
                .contains("3 samples, 2 of them OOD", "verdicts." + ending);
        Path file = folder.resolve("verdicts." + ending);
        List<JsonNode> printed =
                wood("detect @d.wood --logits @some.npy").done().lines();
        switch (ending) {
            case "npy" -> {
                try (RowReader reader = RowReader.open(file)) {
                    reader.acceptNonFinite();
                    Matrix rows = reader.readAll();
                    assertThat(rows.row(0))
                            .containsExactly(
                                    0,
                                    printed.get(0).path("score").asDouble(),
                                    printed.get(0).path("pValue").asDouble(),
                                    printed.get(0).path("threshold").asDouble(),
                                    0);
                    assertThat(rows.get(2, 1)).isNaN();
                    assertThat(rows.get(2, 4)).isEqualTo(1);
                }
            }
            case "csv" ->
                assertThat(Files.readAllLines(file))
                        .hasSize(4)
                        .startsWith("input,label,probability,score,pValue,threshold,ood")
                        .last()
                        .asString()
                        .startsWith("2,0,,,")
                        .endsWith("true");
            default ->
                assertThat(Files.readString(file))
                        .isEqualTo(wood("detect @d.wood --logits @some.npy").out());
        }
        assertThat(wood("detect @d.wood --logits @some.npy -o @verdicts.txt").refusal())
                .contains("must name a format: .jsonl, .csv, .npy");
        assertThat(wood("detect @d.wood --logits @some.npy -o @some.npy").refusal())
                .contains("would be lost");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "calibrate --logits @v.npy --features @g.npy -o @e.wood; v.npy has 300 rows but",
                "calibrate --logits @x.npy --labels @y.csv -o @e.wood; x.npy has 2000 rows but",
                "detect @d.wood --logits @v.npy --features @g.npy; v.npy has 300 rows but",
                "calibrate --logits @v.npy --probabilities @v.npy -o @e.wood; Give one of the two",
                "calibrate --logits @v.npy; Give -o FILE.wood",
                "calibrate; calibrate needs one of RUN, --ind-scores, or arrays",
                "calibrate run --logits @v.npy -o @e.wood; calibrate needs one of RUN",
                "calibrate run -o @e.wood; --out is for arrays only",
                "calibrate --logits @v.npy --fit-limit 3 -o @e.wood; --fit-limit is for RUN only",
                "calibrate --logits @p.csv -o @e.wood; p.csv: These rows are probabilities, not logits",
                "calibrate --probabilities @v.npy -o @e.wood; v.npy, row 1: ",
                "calibrate --logits @one.csv -o @e.wood; at least 2 classes",
                "calibrate --logits @v.npy --labels @v.npy -o @e.wood; v.npy: labels must be a single column",
                "calibrate --logits @v.npy --labels @half.csv -o @e.wood; half.csv, line 2: a label must be a whole number",
                "calibrate --logits @v.npy --labels @many.csv -o @e.wood; many.csv, line 2: a label must be",
                "calibrate --logits @v.npy --scorer vim -o @e.wood; The scorer vim needs",
                "calibrate --logits @v.npy --features @f.npy --scorer mahalanobis -o @e.wood; needs labels of the training outputs. Give --labels",
                "calibrate --logits @v.npy --fit-labels @y.csv --scorer kl-matching -o @e.wood; --fit-labels needs the training outputs",
                "calibrate --logits @v.npy --tnr 0.999 -o @e.wood; needs at least 999 scores",
                "calibrate --logits @v.npy -o @v.npy; would be lost",
                "detect @d.wood; detect needs images or arrays",
                "detect @d.wood photo.png --logits @v.npy; there are both",
                "detect @d.wood photo.png; images need a network but the detector has none. Give --logits",
                "detect @d.wood --logits @wf.npy; 3 classes but the outputs have 60"
            })
    void inputsThatDoNotFitAreNamed(String line, String message) throws IOException {
        samples(300);
        wood("calibrate --logits @v.npy --scorer energy -o @d.wood").done();
        file("p.csv", "0.5,0.5\n0.25,0.75\n");
        file("one.csv", "1\n2\n");
        file("half.csv", "0\n0.5\n");
        file("many.csv", "0\n3\n");
        assertThat(wood(line).refusal()).contains(message);
        assertThat(folder.resolve("e.wood")).doesNotExist();
    }

    @Test
    void manyBatchesGiveTheVerdictsOfOne() throws IOException {
        logits("v.npy", 300, 1);
        logits("x.npy", 200_000, 2);
        wood("calibrate --logits @v.npy --scorer energy -o @d.wood").done();
        wood("detect @d.wood --logits @x.npy -o @v.npy.npy").done();
        Matrix verdicts = RowReader.readAll(folder.resolve("v.npy.npy"));
        double[] scores =
                ScorerKinds.formula("energy").score(Outputs.ofLogits(RowReader.readAll(folder.resolve("x.npy"))));
        assertThat(verdicts.rows()).isEqualTo(200_000);
        for (int i = 0; i < scores.length; i++) {
            assertThat(verdicts.get(i, 1)).isEqualTo(scores[i]);
        }
    }

    @Test
    void scoresOfFloatsAreFloatsAndOfDoublesDoubles() throws IOException {
        samples(300);
        wood("score --logits @x.npy -o @s.npy").done();
        try (RowReader reader = RowReader.open(folder.resolve("s.npy"))) {
            assertThat(reader.hasFloats()).isTrue();
        }
        double[] scores =
                ScorerKinds.formula("wood").score(Outputs.ofLogits(RowReader.readAll(folder.resolve("x.npy"))));
        Matrix written = RowReader.readAll(folder.resolve("s.npy"));
        for (int i = 0; i < scores.length; i++) {
            assertThat(written.get(i, 0)).isEqualTo((float) scores[i]);
        }
        npy("d.npy", rows(10, 3, 0, 1), false);
        wood("score --logits @d.npy -o @t.npy").done();
        try (RowReader reader = RowReader.open(folder.resolve("t.npy"))) {
            assertThat(reader.hasFloats()).isFalse();
        }
    }

    @Test
    void rawScoresOfScorersThatLearnNeedTrainingOutputs() throws IOException {
        samples(300);
        List<Double> scores = wood("score --features @g.npy --scorer knn --fit-features @f.npy")
                .done()
                .out()
                .lines()
                .map(Double::valueOf)
                .toList();
        assertThat(scores).hasSize(2000);
        assertThat(wood("score --features @g.npy --scorer knn").refusal())
                .contains("The scorer knn needs training outputs to fit to. Give --fit-logits");
        wood("score --features @g.npy --scorer mahalanobis --fit-features @f.npy --fit-labels @y.csv")
                .done();
    }

    @Test
    void theOldFormOfDetectSaysWhatReplacesIt() throws IOException {
        samples(300);
        wood("calibrate --logits @v.npy --scorer energy -o @d.wood").done();
        Answer old = wood("score @d.wood --logits @x.npy").done();
        assertThat(old.err().lines()).singleElement().asString().contains("is now `wood detect DETECTOR`");
        assertThat(old.out().replace("{\"row\":", "{\"input\":"))
                .isEqualTo(wood("detect @d.wood --logits @x.npy").out());
    }
}
