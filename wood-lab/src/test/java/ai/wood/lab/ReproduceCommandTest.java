package ai.wood.lab;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.cli.Main;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReproduceCommandTest {

    @TempDir
    Path folder;

    @Test
    void tableAndFiguresAreMadeOnceAndReadAgain() throws IOException {
        String first = reproduce("figures", "--limit", "400", "--epochs", "10", "--beta", "1");
        assertThat(first).contains("mnist-small / fashion-mnist-small", "(0.8754 / 0.741)", "(<0.000001 / >0.999999)");
        JsonNode cells = new ObjectMapper()
                .readTree(folder.resolve("table2.json").toFile())
                .path("cells");
        assertThat(cells).hasSize(8);
        for (JsonNode cell : cells) {
            assertThat(cell.path("accuracy").asDouble()).isGreaterThan(0.4);
            assertThat(cell.path("auroc").asDouble()).isBetween(0.2, 1.0);
        }
        assertThat(cells.get(3).path("auroc").asDouble())
                .as("WOOD on the set it was trained against")
                .isGreaterThan(0.8);
        assertThat(folder.resolve("figures/mnist-small-fashion-mnist-small-dynamic"))
                .isDirectoryContaining("glob:**.svg");
        Path network = folder.resolve("mnist-small-plain/network.safetensors");
        FileTime trained = Files.getLastModifiedTime(network);
        String pair = "mnist-small/fashion-mnist-small";
        byte[] json = Files.readAllBytes(folder.resolve("table2.json"));
        String second = reproduce("table2", "--limit", "400", "--epochs", "10", "--beta", "1", "--pairs", pair);
        assertThat(table(second)).hasSize(2).isEqualTo(table(first).subList(0, 2));
        assertThat(Files.getLastModifiedTime(network)).isEqualTo(trained);
        assertThat(folder.resolve("table2.json")).hasBinaryContent(json);
        assertThat(table(Files.readString(folder.resolve("table2.md"))))
                .as("rows of other pairs stay")
                .isEqualTo(table(first));
        assertThat(refusal("table2", "--limit", "400", "--epochs", "10", "--beta", "2", "--pairs", pair))
                .contains("all rows must be made with the same options", "beta=1.0", "beta=2.0", "another --out");
        assertThat(folder.resolve("table2.json")).hasBinaryContent(json);
    }

    @Test
    void rowsThatAreMadeAtTheSameTimeStandInOneTable() throws IOException {
        String[] pairs = {"mnist-small/fashion-mnist-small", "fashion-mnist-small/mnist-small"};
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> row(pairs[0]));
        row(pairs[1]);
        other.join();
        assertThat(table(Files.readString(folder.resolve("table2.md"))))
                .as("the head, and a row each")
                .hasSize(3);
    }

    /** Whoever comes later adds to what is there by then. */
    @Test
    void noRowIsLostHoweverCloseTheyCome() throws IOException {
        MeasuredTable.Options options = new MeasuredTable.Options(false, "fast", false, 1, 1, 0, "fp32", 0);
        List<Table2.Pair> pairs = Table2.pairs();
        for (int round = 0; round < 20; round++) {
            Path out = Files.createDirectories(folder.resolve("round-" + round));
            CompletableFuture.allOf(pairs.stream()
                            .map(pair -> CompletableFuture.runAsync(() -> {
                                try {
                                    MeasuredTable.add(out, options, pairs, cells(pair));
                                } catch (IOException e) {
                                    throw new UncheckedIOException(e);
                                }
                            }))
                            .toArray(CompletableFuture[]::new))
                    .join();
            assertThat(table(Files.readString(out.resolve("table2.md"))))
                    .as("the head, and a row each")
                    .hasSize(1 + pairs.size());
        }
    }

    @SuppressWarnings("NullAway") // the table does not look at outputs
    private static List<Table2.Cell> cells(Table2.Pair pair) {
        return Arrays.stream(Table2.Method.values())
                .map(method -> new Table2.Cell(pair, method, new Table2.Figures(0, 1), 0.9, null, Path.of("run")))
                .toList();
    }

    private void row(String pair) {
        reproduce("table2", "--limit", "200", "--epochs", "1", "--pairs", pair);
    }

    @Test
    void aTableThatDoesNotTellItsOptionsIsRefusedWithAHint() throws IOException {
        Files.writeString(folder.resolve("table2.json"), "{\"cells\": []}");
        assertThat(refusal("table2", "--limit", "200", "--epochs", "1"))
                .contains("table2.json: is not a table with the options of its rows", "earlier version", "delete it");
        assertThat(folder).as("nothing is trained").isDirectoryNotContaining("glob:**-plain");
    }

    @Test
    void theLossAndTheScoreCanBeThoseOfThePapersCode() throws IOException {
        String pair = "mnist-small/fashion-mnist-small";
        reproduce("table2", "--limit", "200", "--epochs", "1", "--authors", "--pairs", pair);
        JsonNode table =
                new ObjectMapper().readTree(folder.resolve("table2.json").toFile());
        assertThat(table.path("options").path("authors").asBoolean()).isTrue();
        assertThat(table.path("options").path("beta").asDouble()).isEqualTo(0.1);
        for (String cost : List.of("binary", "dynamic")) {
            Path options = folder.resolve("mnist-small-fashion-mnist-small-" + cost + "/training.json");
            assertThat(Files.readString(options)).contains("AuthorsLoss");
        }
        Path run = folder.resolve("mnist-small-fashion-mnist-small-binary");
        Path json = folder.resolve("binary.json");
        StringWriter err = new StringWriter();
        String[] evaluate = {
            "evaluate",
            run.toString(),
            "--ood",
            "fashion-mnist-small",
            "--scorers",
            "wood-authors-binary",
            "--limit",
            "200",
            "--fit-limit",
            "200",
            "-o",
            json.toString()
        };
        assertThat(Main.run(new PrintWriter(new StringWriter()), new PrintWriter(err), evaluate))
                .as(err.toString())
                .isZero();
        JsonNode set = new ObjectMapper()
                .readTree(json.toFile())
                .path("scorers")
                .path(0)
                .path("sets")
                .path(0);
        JsonNode cell = table.path("cells").path(2);
        assertThat(cell.path("auroc").asDouble())
                .isEqualTo(set.path("auroc").path("value").asDouble())
                .isPositive();
    }

    private static List<String> table(String text) {
        return text.lines().filter(line -> line.startsWith("| ")).toList();
    }

    @Test
    void timingIsPrintedForEveryNumberOfClasses() {
        assertThat(reproduce("timing")).contains("30.7", "| 10 |", "| 100 |");
        assertThat(folder.resolve("timing.md")).isNotEmptyFile();
    }

    @Test
    void thePapersTableHasFivePairsOfFourMethods() {
        assertThat(Table2.pairs())
                .hasSize(5)
                .allSatisfy(pair -> assertThat(pair.printed()).hasSameSizeAs(Table2.Method.values()));
    }

    private String reproduce(String what, String... options) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        assertThat(run(what, options, out, err)).as(err.toString()).isZero();
        return out.toString();
    }

    private String refusal(String what, String... options) {
        StringWriter err = new StringWriter();
        assertThat(run(what, options, new StringWriter(), err)).isEqualTo(2);
        return err.toString();
    }

    private int run(String what, String[] options, StringWriter out, StringWriter err) {
        List<String> args = new ArrayList<>(List.of("reproduce", what, "--quick", "--out", folder.toString()));
        args.addAll(Arrays.asList(options));
        return Main.run(new PrintWriter(out), new PrintWriter(err), args.toArray(String[]::new));
    }
}
