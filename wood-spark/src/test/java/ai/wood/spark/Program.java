package ai.wood.spark;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.launcher.JavaModuleOptions;

/**
 * A Java program in a process of its own.
 *
 * @param out what it prints
 * @param log what it says on the error stream
 */
record Program(Process process, Path out, Path log) {

    static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** Starts the main class of a class path, with what Spark asks of Java 17. */
    static Program start(Path folder, String name, String classPath, String heap, List<String> mainAndArguments)
            throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx" + heap));
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptionArray()));
        command.addAll(mainAndArguments);
        Path out = folder.resolve(name + ".out");
        Path log = folder.resolve(name + ".log");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(log.toFile());
        builder.environment().put("CLASSPATH", classPath); // ONNX Runtime 1.29 crashes behind a long command line
        builder.environment().put("SPARK_HOME", folder.resolve("spark").toString());
        builder.environment().put("SPARK_SCALA_VERSION", "2.13");
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        return new Program(builder.start(), out, log);
    }

    /** Runs the single-machine command, and gives what it prints. */
    static Path wood(Path folder, String name, Object... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Main.class.getName()));
        Stream.of(arguments).map(String::valueOf).forEach(command::add);
        return start(folder, name, classPath(), "2g", command).finished();
    }

    /** Waits for it to end well, and gives what it printed. */
    Path finished() throws IOException, InterruptedException {
        int code = process.waitFor();
        assertThat(code).as(Files.readString(log)).isZero();
        return out;
    }
}
