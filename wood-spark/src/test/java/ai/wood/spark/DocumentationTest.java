package ai.wood.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** What {@code docs/spark.md} shows must compile and be understood. */
class DocumentationTest {

    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern SUBMIT = Pattern.compile("(?m)^spark-submit .*-job\\.jar (.*)$");

    @TempDir
    Path folder;

    private static List<String> found(Pattern pattern) throws IOException {
        return pattern.matcher(Files.readString(Path.of("../docs/spark.md")))
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }

    static List<String> snippets() throws IOException {
        return found(JAVA);
    }

    static List<String> commands() throws IOException {
        return found(SUBMIT);
    }

    @ParameterizedTest
    @MethodSource("snippets")
    void snippetsCompile(String snippet) {
        String source = "import ai.wood.spark.*; import org.apache.spark.sql.*; import java.util.Map;\n"
                + "class Snippet { static void run(SparkSession spark) throws Exception {\n" + snippet + "\n} }";
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        StringWriter messages = new StringWriter();
        List<String> options = List.of("-d", folder.toString(), "-classpath", Program.classPath(), "-proc:none");
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(messages, null, null, options, null, List.of(file))
                .call();
        assertThat(compiled).as(messages.toString()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void commandsAreUnderstood(String command) {
        CommandLine line = new CommandLine(new WoodScoringJob()).setCaseInsensitiveEnumValuesAllowed(true);
        assertThat(line.parseArgs(command.split(" ", -1)).errors()).isEmpty();
    }
}
