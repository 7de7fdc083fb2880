package ai.wood.torch.train;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.offset;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.wood.loss.ConfidenceLoss;
import ai.wood.score.WoodScorer;
import ai.wood.torch.net.NetworkOptions;
import ai.wood.torch.net.SmallCnn;
import ai.wood.torch.train.RunFolder.Existing;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes that train one network together, left alone and disturbed. */
class SeveralProcessesTest {

    private static final TrainOptions OPTIONS =
            TrainerTest.OPTIONS.withEpochs(2).withBatch(12, 6).withCheckpointEvery(2);

    /** Long enough for processes to start on a busy machine, short enough to wait for in a test. */
    private static final int TIMEOUT_SECONDS = 8;

    /** Where nobody is to come. */
    private static final int SHORT_TIMEOUT_SECONDS = 2;

    @TempDir
    Path folder;

    private final List<Process> processes = new ArrayList<>();
    private int port;

    /**
     * One of the processes.
     *
     * @param args run folder, rank, world, port, timeout in seconds, seed, and how many milliseconds a step takes longer
     */
    public static void main(String[] args) throws InterruptedException {
        World world = new World(
                Integer.parseInt(args[2]),
                Integer.parseInt(args[1]),
                "127.0.0.1",
                Integer.parseInt(args[3]),
                Duration.ofSeconds(Integer.parseInt(args[4])));
        int pause = Integer.parseInt(args[6]);
        try {
            trainer(OPTIONS.withSeed(Long.parseLong(args[5])))
                    .train(new RunFolder(Path.of(args[0])), Existing.RESUME, world, new TrainListener() {
                        @Override
                        public void step(long done, long total, double loss) {
                            System.out.println("step " + loss);
                            try {
                                Thread.sleep(pause);
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        }
                    });
        } catch (IOException e) {
            System.out.println(e.getMessage());
            System.exit(2);
        }
    }

    private static Trainer trainer(TrainOptions options) {
        return new Trainer(
                new SmallCnn(8, NetworkOptions.of(1, ToyData.CLASSES)),
                TrainerTest.LOSS,
                new WoodScorer(GroundCost.dynamic()),
                ToyData.data(),
                options);
    }

    @BeforeEach
    void choosePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
    }

    @AfterEach
    void endAll() {
        processes.forEach(Process::destroyForcibly);
    }

    private Process start(String run, int rank, int world, long seed, int pause) throws IOException {
        return start(run, rank, world, TIMEOUT_SECONDS, seed, pause);
    }

    private Process start(String run, int rank, int world, int timeout, long seed, int pause) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        List<String> command = new ArrayList<>(List.of(
                java.toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                SeveralProcessesTest.class.getName(),
                folder.resolve(run).toString()));
        for (long number : new long[] {rank, world, port, timeout, seed, pause}) {
            command.add(Long.toString(number));
        }
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output(run, rank).toFile())
                .start();
        processes.add(process);
        return process;
    }

    private Path output(String run, int rank) {
        return folder.resolve(run + "-" + rank + ".txt");
    }

    private String told(String run, int rank) throws IOException {
        return Files.readString(output(run, rank), UTF_8);
    }

    private static int code(Process process) throws InterruptedException {
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("ends").isTrue();
        return process.exitValue();
    }

    private void awaitSteps(String run, int rank, int steps) throws IOException, InterruptedException {
        Process process = processes.get(processes.size() - 1);
        while (process.isAlive() && losses(told(run, rank)).size() < steps) {
            Thread.sleep(20);
        }
    }

    private static List<Double> losses(String output) {
        return output.lines()
                .filter(line -> line.startsWith("step "))
                .map(line -> Double.parseDouble(line.substring(5)))
                .toList();
    }

    @Test
    void lossesAreThoseOfOneProcess() throws IOException, InterruptedException {
        List<Double> alone = new ArrayList<>();
        RunFolder one = new RunFolder(folder.resolve("one"));
        trainer(OPTIONS).train(one, Existing.REFUSE, new TrainListener() {
            @Override
            public void step(long done, long total, double loss) {
                alone.add(loss);
            }
        });
        Process first = start("two", 0, 2, 0, 0);
        Process second = start("two", 1, 2, 0, 0);
        assertThat(code(first)).as(told("two", 0)).isZero();
        assertThat(code(second)).as(told("two", 1)).isZero();
        List<Double> together = losses(told("two", 0));
        assertThat(losses(told("two", 1))).isEqualTo(together).hasSameSizeAs(alone);
        for (int i = 0; i < alone.size(); i++) {
            assertThat(together.get(i)).as("step " + i).isCloseTo(alone.get(i), offset(1e-3));
        }
        RunFolder two = new RunFolder(folder.resolve("two"));
        assertThat(two.best().validation().accuracy())
                .isCloseTo(one.best().validation().accuracy(), offset(0.02));
        assertThat(Files.readString(two.options())).contains("\"processes\" : 2");
    }

    @Test
    void aKilledRankIsNamedAndTheResumedRunEndsInTheSameBits() throws IOException, InterruptedException {
        Process first = start("whole", 0, 2, 0, 0);
        Process second = start("whole", 1, 2, 0, 0);
        assertThat(code(first)).as(told("whole", 0)).isZero();
        assertThat(code(second)).as(told("whole", 1)).isZero();

        choosePort();
        first = start("killed", 0, 2, 0, 50);
        second = start("killed", 1, 2, 0, 50);
        awaitSteps("killed", 1, 5);
        second.destroyForcibly();
        assertThat(code(first)).isEqualTo(2);
        assertThat(told("killed", 0)).contains("rank 1 was lost").contains("--resume");

        choosePort();
        first = start("killed", 0, 2, 0, 0);
        second = start("killed", 1, 2, 0, 0);
        assertThat(code(first)).as(told("killed", 0)).isZero();
        assertThat(code(second)).as(told("killed", 1)).isZero();
        assertThat(Files.readAllBytes(new RunFolder(folder.resolve("killed")).network()))
                .isEqualTo(Files.readAllBytes(new RunFolder(folder.resolve("whole")).network()));
    }

    private static void hang(Process process) throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(Path.of("/bin/kill")), "needs kill to stop a process");
        new ProcessBuilder("/bin/kill", "-STOP", Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    @Test
    void ofThreeTheTwoThatAreLeftNameTheOneThatHangs() throws IOException, InterruptedException {
        Process first = start("hung", 0, 3, 0, 50);
        Process second = start("hung", 1, 3, 0, 50);
        Process third = start("hung", 2, 3, 0, 50);
        awaitSteps("hung", 2, 3);
        hang(third);
        assertThat(code(first)).isEqualTo(2);
        assertThat(code(second)).isEqualTo(2);
        assertThat(told("hung", 0)).contains("rank 2 was lost");
        assertThat(told("hung", 1)).contains("rank 2 was lost");
    }

    @Test
    void whenTheFirstHangsTheOthersSaySo() throws IOException, InterruptedException {
        Process first = start("hung", 0, 2, 0, 50);
        Process second = start("hung", 1, 2, 0, 50);
        awaitSteps("hung", 1, 3);
        hang(first);
        assertThat(code(second)).isEqualTo(2);
        assertThat(told("hung", 1)).contains("rank 0 does not answer");
    }

    @Test
    void otherOptionsAreRefusedWithTheRankAndTheDifference() throws IOException, InterruptedException {
        Process first = start("run", 0, 2, 0, 0);
        Process second = start("run", 1, 2, 7, 0);
        assertThat(code(first)).isEqualTo(2);
        assertThat(code(second)).isEqualTo(2);
        for (int rank = 0; rank < 2; rank++) {
            assertThat(told("run", rank))
                    .contains("rank 1 differs from rank 0: options.seed is 7 there and 0 here")
                    .doesNotContain("step ");
        }
    }

    @Test
    void aRankThatFailsTellsTheOthersWhy() throws IOException, InterruptedException {
        Files.writeString(folder.resolve("run"), "not a folder");
        Process first = start("run", 0, 2, 0, 0);
        Process second = start("run", 1, 2, 0, 0);
        assertThat(code(first)).isEqualTo(2);
        assertThat(code(second)).isEqualTo(2);
        assertThat(told("run", 1))
                .contains("rank 0 stopped: ")
                .contains(folder.resolve("run").toString());
    }

    @Test
    void aRankThatDoesNotComeIsNamed() throws IOException, InterruptedException {
        Process first = start("run", 0, 2, SHORT_TIMEOUT_SECONDS, 0, 0);
        assertThat(code(first)).isEqualTo(2);
        assertThat(told("run", 0))
                .contains("rank 1 did not come to 127.0.0.1:" + port + " within " + SHORT_TIMEOUT_SECONDS + " s");
    }

    @Test
    void whatCannotBeDividedIsRefused() {
        World world = new World(4, 0, "127.0.0.1", port, Duration.ofSeconds(TIMEOUT_SECONDS));
        RunFolder run = new RunFolder(folder.resolve("run"));
        assertThatThrownBy(() -> trainer(OPTIONS).train(run, Existing.REFUSE, world, TrainListener.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("4 divides but has 12 and 6");
        Trainer confidence = new Trainer(
                TrainerTest.NETWORK,
                ConfidenceLoss.DEFAULTS,
                new WoodScorer(GroundCost.dynamic()),
                ToyData.data(),
                OPTIONS.withBatch(12, 8));
        assertThatThrownBy(() -> confidence.train(run, Existing.REFUSE, world, TrainListener.NONE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("confidence loss");
        assertThatThrownBy(() -> new World(2, 2, "host", 1, Duration.ofSeconds(1)))
                .hasMessageContaining("rank 2 of 2");
        assertThatThrownBy(() -> new World(2, 1, "host", 0, Duration.ofSeconds(1)))
                .hasMessageContaining("host:0");
        assertThatThrownBy(() -> new World(2, 1, "host", 1, Duration.ZERO)).hasMessageContaining("timeout");
    }
}
