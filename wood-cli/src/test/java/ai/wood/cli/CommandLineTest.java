package ai.wood.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.wood.evaluate.DataOptions;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {

    @TempDir
    Path folder;

    private record Answer(int code, String out, String err) {
        double[] numbers() {
            return out.lines().mapToDouble(Double::parseDouble).toArray();
        }

        JsonNode json() throws IOException {
            return new ObjectMapper().readTree(out);
        }
    }

    private static Answer wood(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(new PrintWriter(out), new PrintWriter(err), args);
        return new Answer(code, out.toString(), err.toString());
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    private String scores(String name, long seed, double mean, int count) throws IOException {
        Random random = new Random(seed);
        return file(
                name,
                IntStream.range(0, count)
                        .mapToObj(i -> String.valueOf(mean + random.nextGaussian()))
                        .collect(Collectors.joining("\n")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo --out=",
                "train --ind mnist-small --ood blobs --out=",
                "train --ind mnist-small --ood blobs --out run --from=",
                "tune --ind mnist-small --ood blobs --out=",
                "score --logits=",
                "score --logits z.csv --out=",
                "bundle run --out=",
                "evaluate run --ood blobs --report=",
                "calibrate --ind-scores=",
                "data list --data="
            })
    void emptyPathsAreRefusedByNameOfTheirOption(String line) {
        Answer answer = wood(line.split(" ", -1));
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err())
                .startsWith("wood: ")
                .contains("'" + line.replaceAll(".* (\\S+)=", "$1") + "'")
                .contains("a path must name a file or folder but is empty. Maybe a variable is not set.");
    }

    @Test
    void scoresProbabilitiesAndLogits() throws IOException {
        String probabilities = file("p.csv", "0.9,0.1\n0.5,0.5\n");
        assertThat(wood("score", "--probabilities", probabilities).numbers())
                .containsExactly(new double[] {0.18, 0.5}, within(1e-15));
        assertThat(wood("score", "--probabilities", probabilities, "--cost", "binary")
                        .numbers())
                .containsExactly(new double[] {0.1, 0.5}, within(1e-15));
        String logits = file("z.csv", Math.log(9) + ",0\n0,0\n");
        assertThat(wood("score", "--logits", logits).numbers())
                .containsExactly(new double[] {0.18, 0.5}, within(1e-14));
        assertThat(wood("score", "--logits", logits, "--scorer", "energy").numbers())
                .containsExactly(new double[] {-Math.log(10), -Math.log(2)}, within(1e-14));
        assertThat(wood("score", "--probabilities", probabilities, "--lambda", "2")
                        .numbers()[1])
                .isCloseTo(0.5 - Math.log(2) / 2, within(1e-14));
        String cost = file("cost.csv", "0,4\n2,0\n");
        assertThat(wood("score", "--probabilities", probabilities, "--cost", cost)
                        .numbers())
                .containsExactly(new double[] {0.2, 1}, within(1e-15));
    }

    @Test
    void rowsOfProbabilitiesAreRefusedAsLogits() throws IOException {
        Answer answer = wood("score", "--logits", file("p.csv", "0.9,0.1\n0.5,0.5\n"));
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.out()).isEmpty();
        assertThat(answer.err()).contains("These rows are probabilities, not logits", "Use --probabilities");
        assertThat(wood("score", "--logits", file("z.csv", "0.9,0.1\n")).code()).isZero();
    }

    @Test
    void scoresAreTheSameFromTextArrayFileAndStandardInput() throws IOException {
        Random random = new Random(3);
        StringBuilder text = new StringBuilder();
        for (int r = 0; r < 70_000; r++) {
            text.append(random.nextGaussian())
                    .append(',')
                    .append(random.nextGaussian())
                    .append(",0.25\n");
        }
        String input = file("z.csv", text.toString());
        double[] printed = wood("score", "--logits", input).numbers();
        assertThat(printed).hasSize(70_000);
        String array = folder.resolve("scores.npy").toString();
        assertThat(wood("score", "--logits", input, "--out", array).code()).isZero();
        assertThat(Arrays.equals(new Inputs().scores(Path.of(array)), printed)).isTrue();
        String written = folder.resolve("scores.txt").toString();
        assertThat(wood("score", "--logits", input, "--out", written).out()).isEmpty();
        assertThat(Arrays.equals(new Inputs().scores(Path.of(written)), printed))
                .isTrue();
        assertThat(Arrays.equals(
                        woodReading(text.toString(), "score", "--logits", "-").numbers(), printed))
                .isTrue();
    }

    private static Answer woodReading(String input, String... args) {
        InputStream standardInput = System.in;
        try {
            System.setIn(new ByteArrayInputStream(input.getBytes(UTF_8)));
            return wood(args);
        } finally {
            System.setIn(standardInput);
        }
    }

    @Test
    void everyFileOfNumbersMayBeStandardInput() throws IOException {
        String ood = scores("ood.txt", 2, 3, 50);
        String text = Files.readString(Path.of(scores("ind.txt", 1, 0, 100)));
        String ind = folder.resolve("ind.txt").toString();
        assertThat(woodReading(text, "calibrate", "--ind-scores", "-"))
                .isEqualTo(wood("calibrate", "--ind-scores", ind));
        assertThat(woodReading(text, "metrics", "--ind-scores", "-", "--ood-scores", ood))
                .isEqualTo(wood("metrics", "--ind-scores", ind, "--ood-scores", ood));
        String p = file("p.csv", "0.9,0.1\n");
        Answer fitted = woodReading("2,0\n0,2\n", "score", "--logits", p, "--scorer", "kl-matching", "--fit", "-");
        assertThat(fitted.numbers()).hasSize(1);
    }

    @Test
    void standardInputIsReadOnce() {
        Answer answer = woodReading("1\n2\n", "metrics", "--ind-scores", "-", "--ood-scores", "-");
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err())
                .isEqualTo("wood: standard input can be read once but - is given twice. Maybe save it to a file.\n");
    }

    @Test
    void oneColumnIsAskedForWhereScoresAreExpected() throws IOException {
        assertThat(wood("calibrate", "--ind-scores", file("two.csv", "1,2\n")).err())
                .contains("two.csv: there must be one number a row but there are 2");
        assertThat(woodReading("1,2\n", "calibrate", "--ind-scores", "-").err())
                .startsWith("wood: standard input: there must be one number a row but there are 2");
    }

    @Test
    void klMatchingIsFittedToAFile() throws IOException {
        String fit = file("fit.csv", "0.8,0.2\n0.6,0.4\n0.1,0.9\n");
        String input = file("p.csv", "0.7,0.3\n");
        assertThat(wood("score", "--probabilities", input, "--scorer", "kl-matching", "--fit", fit)
                        .numbers()[0])
                .isCloseTo(0, within(1e-12));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'0.5,0.5\n3\n' | line 2: every row must have 2 columns",
                "'0.5,0.5\n0.5,nan\n' | line 2, column 2: the number must be finite but is NaN",
                "'0.5,0.5\n0.5,NaN\n' | line 2, column 2: the number must be finite but is NaN",
                "'0.5,0.5\n1.5,-0.5\n' | line 2: column 2: a probability must not be negative but is -0.5",
                "'0.5,0.5\n0.5,0.6\n' | line 2: probabilities must sum to 1",
                "'' | the file is empty",
                "'1\n1\n' | at least 2 classes",
            })
    void badProbabilitiesAreExplainedWithExitCode2(String text, String message) throws IOException {
        Answer answer = wood("score", "--probabilities", file("bad.csv", text));
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err())
                .startsWith("wood: ")
                .contains("bad.csv")
                .contains(message)
                .doesNotContain("\tat ");
    }

    @Test
    void nothingIsWrittenWhenTheInputTurnsOutBad() throws IOException {
        Path out = Files.writeString(folder.resolve("scores.txt"), "old");
        Answer answer = wood("score", "--logits", file("z.csv", "1,2\n3,x\n"), "--out", out.toString());
        assertThat(answer.code()).isEqualTo(2);
        assertThat(out).hasContent("old");
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("scores.txt", "z.csv");
    }

    @Test
    void badCostsAreExplained() throws IOException {
        String input = file("p.csv", "0.5,0.5\n");
        assertThat(wood("score", "--probabilities", input, "--cost", file("c.csv", "0,1,2\n1,0,2\n"))
                        .err())
                .contains("c.csv: a cost matrix must be square, at least 2 x 2, but is 2 x 3");
        assertThat(wood("score", "--probabilities", input, "--cost", file("c.csv", "0,1\n-1,0\n"))
                        .err())
                .contains("row 2, column 1 holds -1.0");
        assertThat(wood("score", "--probabilities", input, "--cost", file("c.csv", "0,1,1\n1,0,1\n1,1,0\n"))
                        .err())
                .contains("the cost matrix is for 3 classes but the classifier has 2");
    }

    @Test
    void calibrateTellsThresholdAchievedTnrAndInterval() throws IOException {
        String scores = file(
                "s.txt", IntStream.rangeClosed(1, 100).mapToObj(String::valueOf).collect(Collectors.joining("\n")));
        JsonNode quantile = wood("calibrate", "--ind-scores", scores, "--json").json();
        assertThat(quantile.get("threshold").asDouble()).isCloseTo(95.05, within(1e-12));
        assertThat(quantile.get("achievedTnr").asDouble()).isEqualTo(0.95);
        JsonNode conformal = wood("calibrate", "--ind-scores", scores, "--conformal", "--json")
                .json();
        assertThat(conformal.get("threshold").asDouble()).isEqualTo(96);
        assertThat(conformal.get("achievedTnrInterval").get(0).asDouble()).isBetween(0.89, 0.91);
        assertThat(wood("calibrate", "--ind-scores", scores, "--conformal").out())
                .contains("96.0", "0.9600", "(95% Clopper-Pearson)");
        assertThat(wood("calibrate", "--ind-scores", scores, "--confidence", "0.999")
                        .out())
                .contains("(99.9% Clopper-Pearson)");
        assertThat(wood("calibrate", "--ind-scores", scores, "--conformal", "--tnr", "0.95")
                        .out())
                .contains("promise       at most 5% of new InD samples");
        assertThat(wood("calibrate", "--ind-scores", scores, "--conformal", "--tnr", "0.987654")
                        .out())
                .contains("promise       at most 1.2346% of new InD samples");
        Answer tooFew = wood("calibrate", "--ind-scores", scores, "--conformal", "--tnr", "0.999");
        assertThat(tooFew.code()).isEqualTo(2);
        assertThat(tooFew.err()).contains("needs at least 999 scores but there are 100. ", "--tnr: 0.99 at most");
        String many = file("many.txt", "1\n".repeat(20_000));
        assertThat(wood("calibrate", "--ind-scores", many, "--conformal", "--tnr", "0.99999")
                        .err())
                .contains("--tnr: 0.99995 at most");
        assertThat(wood("calibrate", "--ind-scores", many, "--conformal", "--tnr", "0.99995")
                        .code())
                .isZero();
        assertThat(wood("calibrate", "--ind-scores", scores, "--tnr", "1.5").code())
                .isEqualTo(2);
    }

    @Test
    void metricsPrintEveryFigureUnderItsStableKey() throws IOException {
        String ind = scores("ind.txt", 1, 0, 400);
        String ood = scores("ood.txt", 2, 2, 300);
        JsonNode json = wood("metrics", "--ind-scores", ind, "--ood-scores", ood, "--json")
                .json();
        for (String key : new String[] {"auroc", "fnr95", "fpr95_openood", "auprIn", "aupr", "detectionError"}) {
            double value = json.get(key).asDouble();
            assertThat(value).isBetween(0.0, 1.0);
            assertThat(json.get("intervals").get(key).get(0).asDouble()).isLessThanOrEqualTo(value);
            assertThat(json.get("intervals").get(key).get(1).asDouble()).isGreaterThanOrEqualTo(value);
        }
        assertThat(json.get("auroc").asDouble()).isBetween(0.88, 0.96);
        Answer text = wood("metrics", "--ind-scores", ind, "--ood-scores", ood, "--bootstrap", "0");
        assertThat(text.out())
                .contains("400 InD and 300 OOD", "FNR@95TNR", "FPR95 (OpenOOD)")
                .doesNotContain("..");
        Answer compared = wood(
                "metrics",
                "--ind-scores",
                ind,
                "--ood-scores",
                ood,
                "--bootstrap",
                "0",
                "--other-ind-scores",
                scores("i.txt", 3, 0, 400),
                "--other-ood-scores",
                scores("o.txt", 4, 0, 300));
        assertThat(compared.out()).contains("DeLong");
        assertThat(wood("metrics", "--ind-scores", ind, "--ood-scores", ood, "--other-ind-scores", ind)
                        .code())
                .isEqualTo(2);
    }

    @Test
    void decimalCommasAreTakenNeitherForColumnsNorForLogits() throws IOException {
        Answer tabs = wood("score", "--logits", file("t.tsv", "1,5\t2,5\t0,5\n"), "--scorer", "max-logit");
        assertThat(tabs.code()).isEqualTo(2);
        assertThat(tabs.err()).contains("t.tsv, line 1", "Maybe the commas are decimal ones");
        assertThat(wood("calibrate", "--ind-scores", file("s.csv", "1,5\n2,5\n"))
                        .err())
                .contains("there must be one number a row but there are 2", "decimal commas");
    }

    @Test
    void thresholdsOutOfReachAreExplained() throws IOException {
        String few = file("few.csv", "-1.7e308\n1.7e308\n");
        assertThat(wood("calibrate", "--ind-scores", few, "--conformal", "--tnr", "0.999999999999")
                        .err())
                .contains("needs at least 999999999999 scores but there are 2");
        assertThat(wood("calibrate", "--ind-scores", few, "--tnr", "0.5").out()).startsWith("threshold     0.0");
    }

    /** Little data and one epoch: enough to see every part work, not to show what WOOD can do. */
    @Test
    void demoTrainsChoosesMeasuresAndReportsTheSameTwice() throws IOException {
        Path out = folder.resolve("demo");
        Answer answer = demo(out);
        assertThat(answer.err()).isEmpty();
        assertThat(answer.code()).isZero();
        assertThat(answer.out())
                .contains(
                        "* largest mean of accuracy and AUROC on validation data", "fashion-mnist-small (seen by wood-")
                .contains("gaussian-noise (unseen)", "blobs (unseen)", "rotated:mnist-small (unseen)")
                .contains("patch-shuffled:mnist-small (unseen)", "mahalanobis")
                .doesNotContain("\r", "\u001b");
        assertThat(answer.out())
                .containsPattern("Network plain .* catches [0-9.]+% of the unseen OOD samples\\. Network wood-")
                .containsPattern("Network wood-.* of the OOD samples seen in training and");
        assertThat(DataOptions.read(out.resolve("plain")).ood()).isEmpty();
        String page = Files.readString(out.resolve("report.html"));
        assertThat(page)
                .contains("<script", "FNR@95TNR")
                .doesNotContain("src=", "href=", "url(http", "NaN", "mean little");
        assertThat(Files.readString(out.resolve("histogram.svg"))).startsWith("<svg");
        assertThat(out.resolve("wood-0.1/network.safetensors")).exists();
        assertThat(tables(demo(out))).isEqualTo(tables(answer)).contains("fashion-mnist-small");
    }

    @Test
    void theDemoLeavesOtherRunsAlone() throws IOException {
        Path other = Files.createDirectories(folder.resolve("wood-0.3"));
        DataOptions.of("cifar10", List.of()).write(other);
        Answer answer = demo(folder);
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains("there is another run", "--out");
        assertThat(folder.resolve("plain")).doesNotExist();
    }

    private static Answer demo(Path out) {
        return wood("demo", "--out", out.toString(), "--epochs", "1", "--limit", "150");
    }

    private static String tables(Answer answer) {
        return answer.out().substring(answer.out().indexOf("* largest"));
    }

    @Test
    void mistakesOnTheCommandLineAreAnsweredWithASuggestion() {
        assertThat(wood("scor").code()).isEqualTo(2);
        assertThat(wood("scor").err()).contains("Did you mean", "score");
        assertThat(wood("score").err()).contains("--logits");
        assertThat(wood("score", "--logits", "x", "--lamda", "3").err()).contains("--lambda");
        Answer missing = wood("score", "--logits", "no-such-file");
        assertThat(missing.code()).isEqualTo(2);
        assertThat(missing.err().strip()).isEqualTo("wood: no-such-file: there is no such file");
        assertThat(wood("score", "--logits", "no-such-file", "--debug").err()).contains("\tat ");
        assertThat(wood().out()).contains("Start with: wood demo");
        assertThat(wood("--version").out()).startsWith("wood ");
    }
}
