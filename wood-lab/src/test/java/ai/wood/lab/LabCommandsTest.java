package ai.wood.lab;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.wood.cli.Main;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabCommandsTest {

    @TempDir
    Path folder;

    private record Answer(int code, String out, String err) {
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

    @Test
    void transportTellsValueAndPlan() throws IOException {
        String from = file("p.csv", "0.5,0.5,0\n");
        String to = file("q.csv", "0\n0.5\n0.5\n");
        String cost = file("c.csv", "0,1,2\n1,0,1\n2,1,0\n");
        Answer exact = wood("transport", "--from", from, "--to", to, "--cost", cost);
        assertThat(exact.out()).contains("value  1.0", "costs  a metric", "plan");
        JsonNode json = wood("transport", "--from", from, "--to", to, "--cost", cost, "--lambda", "200", "--json")
                .json();
        assertThat(json.get("cost").asDouble()).isCloseTo(1, within(1e-6));
        assertThat(json.get("converged").asBoolean()).isTrue();
        assertThat(json.get("plan")).hasSize(3);
        String more = file("more.csv", "0.5,0.6\n");
        assertThat(wood("transport", "--from", from, "--to", more, "--cost", cost)
                        .err())
                .contains("more.csv: probabilities must sum to 1");
        assertThat(wood("transport", "--from", cost, "--to", to, "--cost", cost).err())
                .contains("one row or one column but the file is 3 x 3");
    }

    @Test
    void transportWithinOneClassIsNoMatterOfAxioms() throws IOException {
        String one = file("one.csv", "1\n");
        Answer answer = wood("transport", "--from", one, "--to", one, "--cost", file("cost.csv", "2\n"));
        assertThat(answer.code()).as(answer.err()).isZero();
        assertThat(answer.out()).startsWith("value  2.0").contains("plan").doesNotContain("costs");
    }

    @Test
    void boundTellsTheTheorem() throws IOException {
        String[] args = {
            "bound",
            "--ind",
            "50000",
            "--ood",
            "10000",
            "--ind-complexity",
            "0",
            "--ood-complexity",
            "0",
            "--min-probability",
            "1",
            "--json"
        };
        assertThat(wood(args).json().get("bound").asDouble())
                .isCloseTo(0.1 * 2 * Math.sqrt(Math.log(20) / 20_000), within(1e-12));
        args[10] = "1e-300";
        assertThat(wood(args).json().get("bound").asText()).isEqualTo("Infinity");
    }

    @Test
    void transportThatDoesNotConvergeFails() throws IOException {
        Path from = Files.writeString(folder.resolve("p.csv"), "0.5,0.5\n");
        Path to = Files.writeString(folder.resolve("q.csv"), "0.2,0.8\n");
        Path cost = Files.writeString(folder.resolve("m.csv"), "0,1\n1,0\n");
        Answer answer = wood(
                "transport",
                "--from",
                from.toString(),
                "--to",
                to.toString(),
                "--cost",
                cost.toString(),
                "--lambda",
                "1e10");
        assertThat(answer.code()).isEqualTo(Main.BAD_INPUT);
        assertThat(answer.err()).contains("did not converge");
    }

    @Test
    void negativeCostsAreRefusedBeforeAnythingIsPrinted() throws IOException {
        Path from = Files.writeString(folder.resolve("from"), "0.5,0.5\n");
        Path cost = Files.writeString(folder.resolve("cost"), "0,-1\n1,0\n");
        for (String form : List.of("--debug", "--json")) {
            Answer answer = wood(
                    "transport", "--from", from.toString(), "--to", from.toString(), "--cost", cost.toString(), form);
            assertThat(answer.code()).isEqualTo(Main.BAD_INPUT);
            assertThat(answer.err()).contains("costs must be finite and not negative but row 1 holds -1.0");
            assertThat(answer.out()).isEmpty();
        }
    }

    /** Where nobody asks the training whether to stop: libtorch must not be taken down under its feet. */
    @Test
    void stoppedAmidNativeWorkItEndsWithoutACrash() throws IOException, InterruptedException {
        assumeTrue(Files.exists(Path.of("/proc/self/maps")), "signals are sent as Linux does");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> command = new ArrayList<>(List.of(java, "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-cp"));
        command.addAll(List.of(classes, Main.class.getName(), "bench", "train", "--network", "resnet-18"));
        Process bench = new ProcessBuilder(command).redirectErrorStream(true).start();
        Path maps = Path.of("/proc", Long.toString(bench.pid()), "maps");
        while (bench.isAlive() && !Files.readString(maps).contains("libtorch_cpu")) {
            Thread.sleep(20);
        }
        Thread.sleep(5000); // steps take a second or so
        bench.toHandle().destroy(); // leaves its output readable
        assertThat(new String(bench.getInputStream().readAllBytes(), UTF_8)).doesNotContain("SIGSEGV", "SIGABRT");
        assertThat(bench.waitFor()).isEqualTo(143);
    }

    @Test
    void benchRefusesBatchesOfNothing() {
        Answer answer = wood("bench", "infer", "--network", "small-cnn", "--batch", "1,-3");
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains("--batch must be positive but is -3");
        assertThat(answer.out()).isEmpty();
    }

    @Test
    void benchPrintsImagesPerSecond() {
        Answer train = wood("bench", "train", "--network", "small-cnn", "--ind-batch", "4", "--ood-batch", "2");
        assertThat(train.out()).as(train.err()).matches("(?s).*\\d+\\.\\d images/s\\s*");
        Answer infer = wood("bench", "infer", "--network", "small-cnn", "--batch", "4");
        assertThat(infer.out()).as(infer.err()).matches("(?s).*\\d+\\.\\d images/s\\s*");
    }

    @Test
    void benchRefusesToMeasureNothing() {
        Answer answer = wood("bench", "infer", "--network", "small-cnn", "--rounds", "0");
        assertThat(answer.code()).isEqualTo(Main.BAD_INPUT);
        assertThat(answer.err()).startsWith("wood: ").contains("--rounds must be positive");
    }

    @Test
    void aDistributionMayBeStandardInput() throws IOException {
        InputStream standardInput = System.in;
        try {
            System.setIn(new ByteArrayInputStream("0.5\n0.5\n".getBytes(UTF_8)));
            String cost = file("cost.csv", "0,1\n1,0\n");
            Answer answer = wood("transport", "--from", file("p.csv", "0.9,0.1\n"), "--to", "-", "--cost", cost);
            assertThat(answer.out()).startsWith("value  0.4");
        } finally {
            System.setIn(standardInput);
        }
    }

    @Test
    void bothEnginesAreMeasuredInOneRun() {
        Answer both = wood("bench infer --network small-cnn --engine auto --batch 1,3 --rounds 1".split(" "));
        assertThat(both.code()).as(both.err()).isZero();
        assertThat(both.out().lines()).hasSize(2).allMatch(line -> line.contains("auto takes"));
        Answer one = wood("bench infer --network small-cnn --engine onnx --batch 2 --rounds 1".split(" "));
        assertThat(one.out()).as(one.err()).contains("images/s");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "reproduce table2 --quick --epochs 0; --epochs must be positive but is 0",
                "reproduce table2 --quick --pairs a/b; there is no pair 'a/b'",
                "bench infer --engine onnx --device cpu; --device is for libtorch only, but the engine is onnx",
                "bench infer --engine onnx --precision bf16; --precision is for libtorch only",
                "bench serve --engine onnx --precision bf16; --precision is for libtorch only",
                "bench serve --requests 0; --requests must be positive but is 0",
                "bench serve --single -1; --single must be positive but is -1",
                "bench serve --attacks 0; --attacks must be positive but is 0",
                "reproduce table2 --quick --limit 0; --limit must be positive but is 0",
                "reproduce table2 --quick --beta -1; beta must be finite and not negative",
                "bench serve --engine auto; --engine must be torch or onnx but is auto",
                "reproduce timing --epochs 3; --epochs is for networks only, but timing has none",
                "reproduce all --quick --preset fast; --preset is for the paper's network only, but --quick"
            })
    void anOptionThatCannotApplyIsRefusedByName(String line, String message) {
        Answer answer = wood(line.split(" "));
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err()).contains(message);
    }
}
