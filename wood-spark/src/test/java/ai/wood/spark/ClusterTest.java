package ai.wood.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The job jar on a real cluster: a master and two workers. */
@Timeout(900)
class ClusterTest {

    private static final int ROWS = 20_000;
    private static final List<String> ENGINE = List.of("wood-torch", "pytorch", "javacpp", "openblas", "cuda");

    @TempDir
    Path folder;

    @Test
    void twoWorkersSayTheSameAsOneMachineThoughOneIsKilled() throws IOException, InterruptedException {
        ScoringTrial trial = new ScoringTrial(folder, ROWS, 40);
        List<String> expected = trial.onOneMachine();
        assertThat(expected).hasSize(ROWS);
        try (Cluster cluster = new Cluster(folder).withWorker().withWorker()) {
            String summary = Files.readString(trial.submitTo(cluster, "whole").finished());
            assertThat(trial.written("whole")).isEqualTo(expected);
            assertThat(summary)
                    .startsWith("wood: judged 20000 rows in ")
                    .contains(" s, " + ood(expected) + " OOD, 0 with");

            Program job = trial.submitTo(cluster, "killed");
            trial.killWorkerInTheMiddle(cluster, job, "killed");
            summary = Files.readString(job.finished());
            assertThat(trial.written("killed")).isEqualTo(expected);
            assertThat(Files.readString(job.log())).contains("Lost executor");
            assertThat(summary).startsWith("wood: judged 20000 rows in ");
        }
    }

    private static long ood(List<String> lines) {
        return lines.stream().filter(line -> line.contains("\"ood\":true")).count();
    }

    @Test
    void picturesAreJudgedByTheEngineThatIsSubmitted() throws IOException, InterruptedException {
        Path detector = Pictures.detector(folder);
        Path pictures = Pictures.write(folder.resolve("pictures"));
        Object[] arguments = {
            "--detector",
            detector,
            "--input",
            pictures,
            "--format",
            "images",
            "--output",
            folder.resolve("judged"),
            "--output-format",
            "json"
        };
        try (Cluster cluster = new Cluster(folder).withWorker()) {
            Program without = cluster.submit("without", List.of(), arguments);
            assertThat(without.process().waitFor()).isEqualTo(2);
            assertThat(Files.readString(without.log()))
                    .contains("wood: " + detector + ": the classifier has the format 'torch' but the class path");

            String summary = Files.readString(cluster.submit("with", List.of("--jars", engine()), arguments)
                    .finished());
            assertThat(summary).startsWith("wood: judged 103 rows").contains("2 with errors");
        }
        try (Stream<Path> files = Files.list(folder.resolve("judged"))) {
            List<String> lines = files.filter(file -> file.toString().endsWith(".json"))
                    .flatMap(ClusterTest::lines)
                    .toList();
            assertThat(lines).hasSize(103).anyMatch(line -> line.matches(".*tiny.webp\",\"label\":.*"));
        }
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** What the class path of the tests has for networks. */
    private static String engine() {
        return Stream.of(Program.classPath().split(File.pathSeparator, -1))
                .filter(jar -> ENGINE.stream()
                        .anyMatch(name -> Path.of(jar).getFileName().toString().startsWith(name + "-")))
                .collect(Collectors.joining(","));
    }

    @Test
    void badInputEndsTheJobWithALine() throws IOException, InterruptedException {
        ScoringTrial trial = new ScoringTrial(folder, 10, 1);
        Files.createDirectory(folder.resolve("there"));
        try (Cluster cluster = new Cluster(folder).withWorker()) {
            Program job = trial.submitTo(cluster, "there");
            assertThat(job.process().waitFor()).isEqualTo(2);
            assertThat(Files.readString(job.log()))
                    .contains("wood: [PATH_ALREADY_EXISTS]")
                    .doesNotContain("\tat ai.wood");
        }
    }
}
