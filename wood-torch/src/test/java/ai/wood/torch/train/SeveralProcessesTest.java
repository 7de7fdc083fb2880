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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes that train one network together, left alone and disturbed. */
class SeveralProcessesTest {

    private static final String READY = "ready";
    private static final TrainOptions OPTIONS =
            TrainerTest.OPTIONS.withEpochs(2).withBatch(12, 6).withCheckpointEvery(2);

    /** Where nobody is to be missed. */
    private static final int LONG_TIMEOUT_SECONDS = 60;

    /** Where somebody will be, who has to be waited for; processes begin together, once all are there. */
    private static final int TIMEOUT_SECONDS = 4;

    /** Where nobody is to come. */
    private static final int SHORT_TIMEOUT_SECONDS = 2;

    @TempDir
    static Path folder;

    private final List<Process> processes = new ArrayList<>();
    private int port;

    /**
     * One of the processes: says that it is ready, and begins when it is told to.
     *
     * @param args run folder, rank, world, port, timeout in seconds, seed, and how many milliseconds a step takes longer
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        World world = new World(
                Integer.parseInt(args[2]),
                Integer.parseInt(args[1]),
                "127.0.0.1",
                Integer.parseInt(args[3]),
                Duration.ofSeconds(Integer.parseInt(args[4])));
        int pause = Integer.parseInt(args[6]);
        Trainer trainer = trainer(OPTIONS.withSeed(Long.parseLong(args[5])));
        System.out.println(READY);
        System.in.read();
        try {
            trainer.train(new RunFolder(Path.of(args[0])), Existing.RESUME, world, new TrainListener() {
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

    @AfterEach
    void endAll() {
        processes.forEach(Process::destroyForcibly);
    }

    /** As many processes as a world has, which begin together. */
    private List<Process> start(String run, int world, int timeout, int pause)
            throws IOException, InterruptedException {
        return start(run, world, timeout, pause, new long[world]);
    }

    /** The first processes of a world, one for each seed. */
    private List<Process> start(String run, int world, int timeout, int pause, long[] seeds)
            throws IOException, InterruptedException {
        try (ServerSocket socket = new ServerSocket(0)) {
            port = socket.getLocalPort();
        }
        List<Process> started = new ArrayList<>();
        for (int rank = 0; rank < seeds.length; rank++) {
            started.add(start(run, new long[] {rank, world, port, timeout, seeds[rank], pause}));
        }
        for (int rank = 0; rank < seeds.length; rank++) {
            while (started.get(rank).isAlive() && !told(run, rank).contains(READY)) {
                Thread.sleep(20);
            }
        }
        for (Process process : started) {
            process.getOutputStream().close();
        }
        return started;
    }

    private Process start(String run, long[] numbers) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        List<String> command = new ArrayList<>(List.of(
                java.toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                SeveralProcessesTest.class.getName(),
                folder.resolve(run).toString()));
        for (long number : numbers) {
            command.add(Long.toString(number));
        }
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output(run, (int) numbers[0]).toFile())
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

    private RunFolder trainedTogether(String run) throws IOException, InterruptedException {
        List<Process> both = start(run, 2, LONG_TIMEOUT_SECONDS, 0);
        for (int rank = 0; rank < 2; rank++) {
            assertThat(code(both.get(rank))).as(told(run, rank)).isZero();
        }
        return new RunFolder(folder.resolve(run));
    }

    /** A run that nobody disturbed, trained by the first test that wants it. */
    private RunFolder undisturbed() throws IOException, InterruptedException {
        RunFolder two = new RunFolder(folder.resolve("two"));
        return Files.exists(two.path()) ? two : trainedTogether("two");
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
        RunFolder two = undisturbed();
        List<Double> together = losses(told("two", 0));
        assertThat(losses(told("two", 1))).isEqualTo(together).hasSameSizeAs(alone);
        for (int i = 0; i < alone.size(); i++) {
            assertThat(together.get(i)).as("step " + i).isCloseTo(alone.get(i), offset(1e-3));
        }
        assertThat(two.best().validation().accuracy())
                .isCloseTo(one.best().validation().accuracy(), offset(0.02));
        assertThat(Files.readString(two.training())).contains("\"processes\" : 2");
    }

    @Test
    void aKilledRankIsNamedAndTheResumedRunEndsInTheSameBits() throws IOException, InterruptedException {
        List<Process> disturbed = start("killed", 2, TIMEOUT_SECONDS, 50);
        awaitSteps("killed", 1, 5);
        disturbed.get(1).destroyForcibly();
        assertThat(code(disturbed.get(0))).isEqualTo(2);
        assertThat(told("killed", 0)).contains("rank 1 was lost").contains("--resume");
        assertThat(Files.readAllBytes(trainedTogether("killed").network()))
                .isEqualTo(Files.readAllBytes(undisturbed().network()));
    }

    private static void hang(Process process) throws IOException, InterruptedException {
        assumeTrue(Files.isExecutable(Path.of("/bin/kill")), "needs kill to stop a process");
        new ProcessBuilder("/bin/kill", "-STOP", Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    @Test
    void ofThreeTheTwoThatAreLeftNameTheOneThatHangs() throws IOException, InterruptedException {
        List<Process> three = start("last-hangs", 3, TIMEOUT_SECONDS, 50);
        awaitSteps("last-hangs", 2, 3);
        hang(three.get(2));
        for (int rank = 0; rank < 2; rank++) {
            assertThat(code(three.get(rank))).isEqualTo(2);
            assertThat(told("last-hangs", rank)).contains("rank 2 was lost");
        }
    }

    @Test
    void whenTheFirstHangsTheOthersSaySo() throws IOException, InterruptedException {
        List<Process> both = start("first-hangs", 2, TIMEOUT_SECONDS, 50);
        awaitSteps("first-hangs", 1, 3);
        hang(both.get(0));
        assertThat(code(both.get(1))).isEqualTo(2);
        assertThat(told("first-hangs", 1)).contains("rank 0 does not answer");
    }

    @Test
    void otherOptionsAreRefusedWithTheRankAndTheDifference() throws IOException, InterruptedException {
        List<Process> both = start("differs", 2, LONG_TIMEOUT_SECONDS, 0, new long[] {0, 7});
        for (int rank = 0; rank < 2; rank++) {
            assertThat(code(both.get(rank))).isEqualTo(2);
            assertThat(told("differs", rank))
                    .contains("rank 1 differs from rank 0: options.seed is 7 there and 0 here")
                    .doesNotContain("step ");
        }
    }

    @Test
    void aRankThatFailsTellsTheOthersWhy() throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("fails"), "not a folder");
        List<Process> both = start("fails", 2, LONG_TIMEOUT_SECONDS, 0);
        assertThat(code(both.get(0))).isEqualTo(2);
        assertThat(code(both.get(1))).isEqualTo(2);
        assertThat(told("fails", 1)).contains("rank 0 stopped: ").contains(file.toString());
    }

    @Test
    void aRankThatDoesNotComeIsNamed() throws IOException, InterruptedException {
        List<Process> first = start("waits", 2, SHORT_TIMEOUT_SECONDS, 0, new long[1]);
        assertThat(code(first.get(0))).isEqualTo(2);
        assertThat(told("waits", 0))
                .contains("rank 1 did not come to 127.0.0.1:" + port + " within " + SHORT_TIMEOUT_SECONDS + " s");
    }

    @Test
    void whatCannotBeDividedIsRefused() {
        World world = new World(4, 0, "127.0.0.1", 1, Duration.ofSeconds(TIMEOUT_SECONDS));
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
                .hasMessageContaining("cannot train ConfidenceLoss[");
        assertThatThrownBy(() -> new World(2, 2, "host", 1, Duration.ofSeconds(1)))
                .hasMessageContaining("rank 2 of 2");
        assertThatThrownBy(() -> new World(2, 1, "host", 0, Duration.ofSeconds(1)))
                .hasMessageContaining("host:0");
        assertThatThrownBy(() -> new World(2, 1, "host", 1, Duration.ZERO)).hasMessageContaining("timeout");
    }
}
