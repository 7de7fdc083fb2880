package ai.wood.torch.train;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.torch.train.RunFolder.Existing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real process, killed without warning at random moments, against one that was left alone. */
class KilledTrainingTest {

    private static final int KILLS = 3;
    private static final TrainOptions OPTIONS =
            TrainerTest.OPTIONS.withEpochs(8).withCheckpointEvery(2);

    @TempDir
    Path folder;

    /** The process that is killed: trains to the end, or goes on where it was. */
    public static void main(String[] args) throws IOException {
        Trainer trainer = TrainerTest.trainer(OPTIONS, TrainerTest.LOSS);
        trainer.train(new RunFolder(Path.of(args[0])), Existing.RESUME, new TrainListener() {
            @Override
            public void step(long done, long total, double loss) {
                try {
                    Thread.sleep(5);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
    }

    @Test
    void killedAtRandomMomentsItEndsInTheSameBits() throws IOException, InterruptedException {
        RunFolder whole = new RunFolder(folder.resolve("whole"));
        TrainerTest.trainer(OPTIONS, TrainerTest.LOSS).train(whole, Existing.REFUSE, TrainListener.NONE);
        RunFolder killed = new RunFolder(folder.resolve("killed"));
        SplittableRandom random = new SplittableRandom(5);
        int kills = 0;
        for (int i = 0; i < KILLS; i++) {
            byte[] before = state(killed);
            Process process = start(killed);
            while (Arrays.equals(state(killed), before) && process.isAlive()) {
                Thread.sleep(10); // it is to get somewhere
            }
            if (!process.waitFor(random.nextInt(0, 300), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
                kills++;
            }
        }
        assertThat(kills).as("kills before the end").isPositive();
        assertThat(start(killed).waitFor()).isZero();
        assertThat(Files.readAllBytes(killed.network())).isEqualTo(Files.readAllBytes(whole.network()));
        assertThat(Files.readAllLines(killed.metrics())).hasSameSizeAs(Files.readAllLines(whole.metrics()));
    }

    private static byte[] state(RunFolder run) throws IOException {
        return Files.exists(run.state()) ? Files.readAllBytes(run.state()) : new byte[0];
    }

    private static Process start(RunFolder run) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return new ProcessBuilder(
                        java.toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        KilledTrainingTest.class.getName(),
                        run.path().toString())
                .inheritIO()
                .start();
    }
}
