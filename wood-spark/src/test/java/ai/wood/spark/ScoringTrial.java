package ai.wood.spark;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The same rows judged on one machine and on a cluster. */
final class ScoringTrial {

    private final Path folder;
    private final Path detector;
    private final Path rows;
    private final int splitBytes;

    /**
     * Makes the rows and the detector.
     *
     * @param tasks about as many as the cluster shall have to do
     */
    ScoringTrial(Path folder, int count, int tasks) throws IOException {
        this.folder = folder;
        detector = Toy.detector(ScorerKinds.byId("wood"), folder.resolve("detector.wood"));
        rows = Toy.csv(count, folder.resolve("rows.csv"));
        splitBytes = (int) (Files.size(rows) / tasks) + 1;
    }

    /** What {@code wood score} prints, sorted. */
    List<String> onOneMachine() throws IOException, InterruptedException {
        return sorted(Stream.of(Program.wood(folder, "single", "score", detector, "--logits", rows)));
    }

    Program submitTo(Cluster cluster, String name) throws IOException {
        List<String> options =
                List.of("--conf", "spark.hadoop.mapreduce.input.fileinputformat.split.maxsize=" + splitBytes);
        return cluster.submit(
                name,
                options,
                "--detector",
                detector,
                "--input",
                rows,
                "--format",
                "logits",
                "--output",
                output(name),
                "--output-format",
                "json");
    }

    private Path output(String name) {
        return folder.resolve(name);
    }

    /** What the job wrote, sorted. */
    List<String> written(String name) throws IOException {
        assertThat(output(name).resolve("_SUCCESS")).exists();
        try (Stream<Path> files = Files.list(output(name))) {
            return sorted(files.filter(file -> file.toString().endsWith(".json")));
        }
    }

    private static List<String> sorted(Stream<Path> files) throws IOException {
        List<String> lines = new ArrayList<>();
        for (Path file : files.toList()) {
            lines.addAll(Files.readAllLines(file));
        }
        lines.sort(null);
        return lines;
    }

    /** Waits until some tasks are done, and takes a worker away while others are not. */
    void killWorkerInTheMiddle(Cluster cluster, Program job, String name) throws IOException, InterruptedException {
        while (job.process().isAlive() && tasksDone(name) < 4) {
            Thread.sleep(10);
        }
        cluster.killWorker();
        assertThat(output(name).resolve("_SUCCESS"))
                .as("the job must still be running. Maybe there were too few tasks")
                .doesNotExist();
    }

    private long tasksDone(String name) throws IOException {
        Path attempts = output(name).resolve("_temporary/0");
        if (!Files.isDirectory(attempts)) {
            return 0;
        }
        try (Stream<Path> done = Files.list(attempts)) {
            return done.filter(path -> path.getFileName().toString().startsWith("task_"))
                    .count();
        }
    }
}
