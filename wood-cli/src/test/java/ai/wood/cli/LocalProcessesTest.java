package ai.wood.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.wood.torch.train.EpochMetrics;
import ai.wood.torch.train.RunFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code train --local-processes} as users start it. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LocalProcessesTest {

    @TempDir
    Path folder;

    private @Nullable Process started;

    private List<String> training(String run, String... more) {
        List<String> args = new ArrayList<>(List.of("train", "--ind", "mnist-small", "--ood", "fashion-mnist-small"));
        args.addAll(List.of("--network", "small-cnn", "--limit", "600", "--threads", "1"));
        args.addAll(List.of("--out", folder.resolve(run).toString()));
        args.addAll(Arrays.asList(more));
        return args;
    }

    private Process start(List<String> args) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:-UsePerfData", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(Main.class.getName());
        command.addAll(args);
        started = new ProcessBuilder(command)
                .redirectOutput(folder.resolve("out.txt").toFile())
                .redirectError(folder.resolve("err.txt").toFile())
                .start();
        return started;
    }

    private String told() throws IOException {
        return Files.readString(folder.resolve("out.txt"), UTF_8) + Files.readString(folder.resolve("err.txt"), UTF_8);
    }

    @AfterEach
    void endAll() {
        if (started != null) {
            started.descendants().forEach(ProcessHandle::destroyForcibly);
            started.destroyForcibly();
        }
    }

    @Test
    void twoProcessesLearnWhatOneLearns() throws IOException, InterruptedException {
        StringWriter err = new StringWriter();
        String[] one = training("one", "--epochs", "1").toArray(String[]::new);
        assertThat(Main.run(new PrintWriter(new StringWriter()), new PrintWriter(err), one))
                .as(err.toString())
                .isZero();
        Process two = start(training("two", "--epochs", "1", "--local-processes", "2"));
        assertThat(two.waitFor()).as(told()).isZero();
        assertThat(told()).contains("epoch 0: loss", "Run: ");
        EpochMetrics alone = new RunFolder(folder.resolve("one")).best();
        EpochMetrics together = new RunFolder(folder.resolve("two")).best();
        assertThat(together.steps()).isEqualTo(alone.steps());
        assertThat(together.indLoss()).isCloseTo(alone.indLoss(), offset(1e-3));
        assertThat(together.oodLoss()).isCloseTo(alone.oodLoss(), offset(1e-3));
        assertThat(folder.resolve("two/network.json")).hasSameTextualContentAs(folder.resolve("one/network.json"));
    }

    @Test
    void aKilledRankEndsAllAndTheRunGoesOn() throws IOException, InterruptedException {
        assumeTrue(Files.isDirectory(Path.of("/proc")), "Linux tells what a process was started with");
        String[] recipe = {"--epochs", "40", "--checkpoint-every", "5", "--timeout", "60"};
        List<String> args = training("run", recipe);
        args.addAll(List.of("--local-processes", "2"));
        Process all = start(args);
        awaitEpoch(all);
        rank(all, 1).destroyForcibly();
        assertThat(all.waitFor()).as(told()).isEqualTo(Main.BAD_INPUT);
        assertThat(told()).contains("wood: rank 1 was lost", "--resume").doesNotContain("\tat ", "frame #");

        Process resumed =
                start(List.of("train", "--resume", folder.resolve("run").toString()));
        awaitEpoch(resumed);
        resumed.destroy();
        resumed.waitFor();
        assertThat(told()).contains("wood: stopped with a checkpoint").doesNotContain("SIGSEGV", "was lost");
        assertThat(resumed.descendants()).isEmpty();
    }

    /** Until a line for an epoch was printed. */
    private void awaitEpoch(Process process) throws IOException, InterruptedException {
        while (process.isAlive() && !told().contains("epoch ")) {
            Thread.sleep(50);
        }
        assertThat(process.isAlive()).as(told()).isTrue();
    }

    private static ProcessHandle rank(Process all, int rank) throws IOException {
        for (ProcessHandle child : all.children().toList()) {
            Path arguments = Path.of("/proc", Long.toString(child.pid()), "cmdline");
            if (Files.readString(arguments).contains("--rank\0" + rank)) {
                return child;
            }
        }
        throw new AssertionError("there is no rank " + rank);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "--rank 1; --world",
                "--world 2 --rank 2 --rendezvous localhost:1; rank 2 of 2",
                "--world 2 --rank 0 --rendezvous localhost; HOST:PORT",
                "--world 2 --rank 0 --rendezvous localhost:0; 'localhost:0'",
                "--world 4 --rank 0 --rendezvous localhost:29500; 4 divides but has 50 and 10",
                "--world 2 --rank 0 --rendezvous localhost:1 --timeout 0; timeout",
                "--local-processes 0; --local-processes must be positive",
                "--local-processes 3 --world 2 --rank 0 --rendezvous localhost:1; --rank",
                "--address 10.0.0.1; --address is for processes with a --rank only"
            })
    void badOptionsAreNamed(String options, String hint) {
        StringWriter err = new StringWriter();
        String[] args = training("run", options.split(" ")).toArray(String[]::new);
        assertThat(Main.run(new PrintWriter(new StringWriter()), new PrintWriter(err), args))
                .isEqualTo(Main.BAD_INPUT);
        assertThat(err.toString()).startsWith("wood: ").contains(hint).doesNotContain("\tat ");
    }

    @ParameterizedTest
    @CsvSource({"0, 0, true", "2, 2, true", "2, 143, true", "143, 2, false", "2, 137, false", "0, 1, false"})
    void whatRankZeroHasNotToldIsPassedOn(int zero, int one, boolean explained) {
        assertThat(LocalProcesses.explained(1, List.of(zero, one))).isEqualTo(explained);
    }

    @Test
    void aDefectOfOneRankIsADefectOfAll() {
        assertThat(LocalProcesses.worst(List.of(0, 0))).isZero();
        assertThat(LocalProcesses.worst(List.of(2, 143))).isEqualTo(Main.BAD_INPUT);
        assertThat(LocalProcesses.worst(List.of(2, 1))).isEqualTo(Main.DEFECT);
    }

    @Test
    void ranksShareProcessorsAndTakeAGpuEach() {
        assertThat(LocalProcesses.arguments(List.of("train", "--local-processes", "2", "--threads", "3"), 2))
                .containsExactly("train", "--local-processes", "2", "--threads", "3");
        int all = Runtime.getRuntime().availableProcessors();
        assertThat(LocalProcesses.arguments(List.of("train", "--local-processes=1000"), 1000))
                .containsExactly(
                        "train", "--local-processes=1000", "--threads", Integer.toString(Math.max(1, all / 1000)));
        assertThat(LocalProcesses.gpu(1, null)).isEqualTo("1");
        assertThat(LocalProcesses.gpu(1, "4,7")).isEqualTo("7");
        assertThat(LocalProcesses.gpu(2, "4,7")).isEmpty();
    }
}
