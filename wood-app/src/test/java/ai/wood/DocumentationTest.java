package ai.wood;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.cli.Main;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the documentation shows must compile and be understood by the command line. */
class DocumentationTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern COMMAND = Pattern.compile("(?m)^(?:\\./)?wood ([^#\n]*)");
    private static final Pattern SHELL = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);

    private static final String IMPORTS = Stream.of(
                    "ai.wood.*",
                    "ai.wood.calibrate.*",
                    "ai.wood.data.*",
                    "ai.wood.loss.*",
                    "ai.wood.metric.*",
                    "ai.wood.score.*",
                    "ai.wood.transport.*",
                    "java.nio.file.*",
                    "java.util.*")
            .map(name -> "import " + name + ";\n")
            .reduce("", String::concat);

    @TempDir
    Path folder;

    private static List<String> found(Pattern pattern) throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of(ROOT.resolve("README.md")),
                            docs.filter(doc -> doc.toString().endsWith(".md")))
                    .flatMap(doc -> pattern.matcher(read(doc)).results())
                    .map((MatchResult match) -> match.group(1))
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static List<String> javaSnippets() throws IOException {
        return found(JAVA);
    }

    static List<String> commands() throws IOException {
        return found(SHELL).stream()
                .flatMap(block -> COMMAND.matcher(block).results())
                .map(match -> match.group(1).strip())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("javaSnippets")
    void javaSnippetsCompile(String snippet) {
        String source = IMPORTS + "class Snippet { static void run() throws Exception {\n" + snippet + "\n} }";
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        List<String> options =
                List.of("-d", folder.toString(), "-classpath", System.getProperty("java.class.path"), "-proc:none");
        boolean compiled = compiler.getTask(messages, null, null, options, null, List.of(file))
                .call();
        assertThat(compiled).as(messages.toString()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void commandsAreUnderstood(String command) {
        assertThat(Main.commandLine().parseArgs(command.split(" +")).errors()).isEmpty();
    }
}
