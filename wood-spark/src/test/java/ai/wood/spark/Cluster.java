package ai.wood.spark;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Spark standalone cluster on this machine: a master and workers, each a process of its own, made of the artifacts that Maven
 * fetched. Needs the job jar, and so comes after {@code mvn package}.
 */
final class Cluster implements AutoCloseable {

    private static final Path TARGET = Path.of("target").toAbsolutePath();
    private static final Pattern URL = Pattern.compile("Starting Spark master at (spark://\\S+)");
    private static final long PATIENCE_MS = 120_000;

    private final Path folder;
    private final Program master;
    private final String url;
    private final List<Program> workers = new ArrayList<>();
    private int started;

    /** Starts a master. All it writes goes into the folder. */
    Cluster(Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        Path jars = Files.createDirectories(folder.resolve("spark/jars"));
        for (String jar :
                Files.readString(TARGET.resolve("spark.classpath")).strip().split(File.pathSeparator, -1)) {
            Files.createSymbolicLink(jars.resolve(Path.of(jar).getFileName()), Path.of(jar));
        }
        master = start(
                "master",
                "org.apache.spark.deploy.master.Master",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--webui-port",
                "0");
        url = said(master, URL).group(1);
    }

    private Program start(String name, String... mainAndArguments) throws IOException {
        return Program.start(folder, name, folder.resolve("spark/jars") + "/*", "1g", List.of(mainAndArguments));
    }

    /** Adds a worker of one core, and waits for the master to know it. */
    Cluster withWorker() throws IOException, InterruptedException {
        String name = "worker-" + started++;
        Program worker = start(
                name,
                "org.apache.spark.deploy.worker.Worker",
                "--host",
                "127.0.0.1",
                "--webui-port",
                "0",
                "--cores",
                "1",
                "--memory",
                "1500m",
                "--work-dir",
                folder.resolve(name).toString(),
                url);
        workers.add(worker);
        said(worker, Pattern.compile("Successfully registered with master"));
        return this;
    }

    /** Submits the job jar as a user does. Small splits make many tasks of few rows. */
    Program submit(String name, List<String> options, Object... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("org.apache.spark.deploy.SparkSubmit", "--master", url));
        for (String setting : List.of(
                "spark.driver.host=127.0.0.1",
                "spark.ui.enabled=false",
                "spark.executor.memory=1g",
                "spark.scheduler.minRegisteredResourcesRatio=1",
                "spark.scheduler.maxRegisteredResourcesWaitingTime=120s")) {
            command.addAll(List.of("--conf", setting));
        }
        command.addAll(options);
        command.addAll(List.of("--class", WoodScoringJob.class.getName(), jobJar().toString()));
        Stream.of(arguments).map(String::valueOf).forEach(command::add);
        return start(name, command.toArray(String[]::new));
    }

    static Path jobJar() throws IOException {
        try (Stream<Path> files = Files.list(TARGET)) {
            return files.filter(file -> file.toString().endsWith("-job.jar"))
                    .findFirst()
                    .orElseThrow(() -> new IOException(TARGET + ": the job jar is needed. Maybe run mvn package."));
        }
    }

    /** The executors of all workers. */
    Stream<ProcessHandle> executors() {
        return workers.stream().flatMap(worker -> worker.process().descendants());
    }

    /** Ends a worker and its executors at once, as a machine that loses its power. */
    void killWorker() {
        ProcessHandle worker = workers.remove(0).process().toHandle();
        List<ProcessHandle> executors = worker.descendants().toList();
        worker.destroyForcibly();
        executors.forEach(ProcessHandle::destroyForcibly);
    }

    private static Matcher said(Program program, Pattern pattern) throws IOException, InterruptedException {
        for (long waited = 0; waited < PATIENCE_MS && program.process().isAlive(); waited += 50) {
            Matcher matcher = pattern.matcher(Files.readString(program.log()));
            if (matcher.find()) {
                return matcher;
            }
            Thread.sleep(50);
        }
        throw new IOException(
                program.log() + ": '" + pattern + "' was expected but not said:\n" + Files.readString(program.log()));
    }

    @Override
    public void close() {
        while (!workers.isEmpty()) {
            killWorker();
        }
        master.process().destroyForcibly();
    }
}
