package ai.wood.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * All ranks of a training on this machine, each a process of this program. What rank 0 says passes through. When one
 * fails, the others have some seconds to find out and say which one it was; then they are stopped.
 */
final class LocalProcesses {

    /** The others need up to fifteen to find out who was lost. */
    private static final int NOTICE_SECONDS = 30;

    /** Longer than a training takes to stop with a checkpoint. */
    private static final int STOP_SECONDS = 40;

    /** Done, and stopped by Ctrl-C or on request: nothing to add. */
    private static final Set<Integer> EXPLAINED = Set.of(0, 130, 143);

    private static final int TOLD_LINES = 20;

    private final List<Process> processes = new ArrayList<>();
    private final List<Path> errors = new ArrayList<>(); // what ranks other than 0 have told
    private final int count;

    private LocalProcesses(int count) {
        this.count = count;
    }

    /**
     * Runs a command line in several processes.
     *
     * @param args the arguments of this process
     * @return the exit code of them all
     */
    static int run(int count, List<String> args, PrintWriter err) throws IOException {
        LocalProcesses all = new LocalProcesses(count);
        Runnable onExit = all::stop;
        Exit.before(onExit);
        try {
            all.start(args);
            all.await();
            return all.code(err);
        } finally {
            all.stop();
            all.clear();
            Exit.forget(onExit);
        }
    }

    private void start(List<String> args) throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        for (int rank = 0; rank < count; rank++) {
            List<String> command = program(rank);
            command.addAll(arguments(args, count));
            command.addAll(List.of("--world", Integer.toString(count), "--rank", Integer.toString(rank)));
            command.addAll(List.of("--rendezvous", "127.0.0.1:" + port));
            start(rank, new ProcessBuilder(command));
        }
    }

    private void start(int rank, ProcessBuilder builder) throws IOException {
        Path told = Files.createTempFile("wood-rank", ".txt");
        errors.add(told);
        builder.environment().put("CUDA_VISIBLE_DEVICES", gpu(rank, System.getenv("CUDA_VISIBLE_DEVICES")));
        if (rank == 0) {
            builder.inheritIO();
        } else {
            builder.redirectOutput(Redirect.DISCARD).redirectError(told.toFile());
        }
        processes.add(builder.start());
    }

    /** The Java machine, its options and the program. */
    private static List<String> program(int rank) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        if (rank > 0) {
            command.add("-Dwood.terminal=false");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        return command;
    }

    /** The arguments of a rank: the same ones, and its part of the processors. */
    static List<String> arguments(List<String> args, int count) {
        List<String> all = new ArrayList<>(args);
        if (args.stream().noneMatch(arg -> arg.equals("--threads") || arg.startsWith("--threads="))) {
            int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / count);
            all.addAll(List.of("--threads", Integer.toString(threads)));
        }
        return all;
    }

    /** The GPU of a rank among those that may be seen, or none. */
    static String gpu(int rank, @Nullable String visible) {
        if (visible == null) {
            return Integer.toString(rank);
        }
        String[] gpus = visible.split(",", -1);
        return rank < gpus.length ? gpus[rank] : "";
    }

    /** Until all are done, or one has failed and the others had time to notice. */
    private void await() {
        for (List<Process> alive = alive(); !alive.isEmpty(); alive = alive()) {
            CompletableFuture.anyOf(alive.stream().map(Process::onExit).toArray(CompletableFuture<?>[]::new))
                    .join();
            if (processes.stream().anyMatch(process -> !process.isAlive() && process.exitValue() != 0)) {
                awaitAll(NOTICE_SECONDS);
                return;
            }
        }
    }

    private List<Process> alive() {
        return processes.stream().filter(Process::isAlive).toList();
    }

    private void awaitAll(int seconds) {
        CompletableFuture.allOf(processes.stream().map(Process::onExit).toArray(CompletableFuture<?>[]::new))
                .completeOnTimeout(null, seconds, TimeUnit.SECONDS)
                .join();
    }

    /** Ends those that are still there: asks first. */
    private void stop() {
        if (processes.stream().anyMatch(Process::isAlive)) {
            processes.forEach(Process::destroy);
            awaitAll(STOP_SECONDS);
            processes.forEach(Process::destroyForcibly);
        }
    }

    private int code(PrintWriter err) throws IOException {
        stop();
        List<Integer> codes = processes.stream().map(Process::exitValue).toList();
        for (int rank = 0; rank < count; rank++) {
            if (!explained(rank, codes)) {
                err.println("wood: rank " + rank + " ended with exit code " + codes.get(rank) + ".");
                List<String> told = Files.readAllLines(errors.get(rank));
                told.subList(Math.max(0, told.size() - TOLD_LINES), told.size()).forEach(err::println);
            }
        }
        return worst(codes);
    }

    /** The exit code of all of them: a defect of one is one. */
    static int worst(List<Integer> codes) {
        if (codes.contains(Main.DEFECT)) {
            return Main.DEFECT;
        }
        return codes.stream().allMatch(code -> code == 0) ? 0 : Main.BAD_INPUT;
    }

    /** Whether a user has read why a rank ended: rank 0 tells why, unless it was itself stopped before it knew. */
    static boolean explained(int rank, List<Integer> codes) {
        int code = codes.get(rank);
        return EXPLAINED.contains(code) || (code == Main.BAD_INPUT && codes.get(0) == Main.BAD_INPUT);
    }

    private void clear() throws IOException {
        for (Path file : errors) {
            Files.deleteIfExists(file);
        }
    }
}
