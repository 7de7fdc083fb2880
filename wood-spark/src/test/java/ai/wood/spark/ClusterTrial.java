package ai.wood.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Judges many rows on one machine, one worker, two workers, and two of which one is killed; compares what comes out, and prints
 * speed and memory. See {@code cluster-trial}.
 */
final class ClusterTrial {

    private static final Pattern SECONDS = Pattern.compile("judged (\\d+) rows in ([0-9.]+) s");
    private static final Pattern PEAK = Pattern.compile("VmHWM:\\s+(\\d+) kB");

    private final ScoringTrial trial;
    private final List<String> expected;

    private ClusterTrial(Path folder, int rows) throws IOException, InterruptedException {
        trial = new ScoringTrial(folder, rows, 100);
        long start = System.nanoTime();
        expected = trial.onOneMachine();
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(Locale.ROOT, "%-22s %8.0f rows/s, start of Java included%n", "wood score", rows / seconds);
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        int rows = Integer.parseInt(args[0]);
        Path folder = Files.createTempDirectory("wood-cluster-");
        System.out.printf(
                Locale.ROOT,
                "%d rows of %d logits; logs are in %s until all is well%n",
                rows,
                Toy.CLASSES.size(),
                folder);
        ClusterTrial trial = new ClusterTrial(folder, rows);
        try (Cluster cluster = new Cluster(folder)) {
            trial.run(cluster.withWorker(), "one worker", false);
            trial.run(cluster.withWorker(), "two workers", false);
            trial.run(cluster, "two, one killed", true);
        }
        delete(folder);
    }

    private void run(Cluster cluster, String what, boolean kill) throws IOException, InterruptedException {
        String name = what.replaceAll("\\W+", "-");
        Program job = trial.submitTo(cluster, name);
        Peaks peaks = new Peaks();
        if (kill) {
            trial.killWorkerInTheMiddle(cluster, job, name);
        }
        while (job.process().isAlive()) {
            peaks.look(job.process().toHandle(), cluster);
            Thread.sleep(100);
        }
        Matcher said = SECONDS.matcher(Files.readString(job.finished()));
        if (!said.find() || !trial.written(name).equals(expected)) {
            throw new AssertionError(what + ": the lines differ from those of one machine");
        }
        System.out.printf(
                Locale.ROOT,
                "%-22s %8.0f rows/s, driver %d MiB, executor %d MiB at most, same lines%n",
                what,
                Double.parseDouble(said.group(1)) / Double.parseDouble(said.group(2)),
                peaks.driver >> 10,
                peaks.executor >> 10);
    }

    /** The most memory that processes held, in KiB. */
    private static final class Peaks {
        private long driver;
        private long executor;

        private void look(ProcessHandle job, Cluster cluster) {
            driver = Math.max(driver, peak(job));
            executor = Math.max(
                    executor, cluster.executors().mapToLong(Peaks::peak).max().orElse(0));
        }

        private static long peak(ProcessHandle process) {
            try {
                Matcher peak = PEAK.matcher(Files.readString(Path.of("/proc/" + process.pid() + "/status")));
                return peak.find() ? Long.parseLong(peak.group(1)) : 0;
            } catch (IOException e) {
                return 0; // it has ended
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
