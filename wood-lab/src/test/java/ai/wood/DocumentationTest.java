package ai.wood;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.cli.Main;
import ai.wood.data.Image;
import ai.wood.data.ImageFile;
import ai.wood.data.Shape;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the documentation shows must compile and be understood by the command line. */
class DocumentationTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern IMPORT = Pattern.compile("(?m)^import [\\w.*]+;\n");
    private static final Pattern COMMAND = Pattern.compile("(?m)^(?:\\./)?wood ([^#\n]*)");
    private static final Pattern RUN = Pattern.compile("<!-- run -->\n```(java|sh)\n(.*?)```", Pattern.DOTALL);
    private static final Pattern VARIABLE = Pattern.compile("(?m)^(\\w+)=\"(.*)\"$");
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]*)(?:#([^)]+))?\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
    private static final Pattern SHELL = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);

    private static final String IMPORTS = Stream.of(
                    "ai.wood.*",
                    "ai.wood.calibrate.*",
                    "ai.wood.data.*",
                    "ai.wood.evaluate.*",
                    "ai.wood.io.*",
                    "ai.wood.loss.*",
                    "ai.wood.metric.*",
                    "ai.wood.onnx.*",
                    "ai.wood.score.*",
                    "ai.wood.torch.net.*",
                    "ai.wood.torch.train.*",
                    "ai.wood.transport.*",
                    "java.nio.file.*",
                    "java.util.*",
                    "java.util.concurrent.*",
                    "java.util.stream.Stream")
            .map(name -> "import " + name + ";\n")
            .reduce("", String::concat);

    @TempDir
    Path folder;

    /** All pages. */
    static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")
                                    .map(ROOT::resolve),
                            docs.filter(doc -> doc.toString().endsWith(".md")))
                    .toList();
        }
    }

    private static List<String> found(Pattern pattern) throws IOException {
        return pages().stream()
                .flatMap(doc -> pattern.matcher(read(doc)).results())
                .map((MatchResult match) -> match.group(1))
                .toList();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without those for Spark, which wood-spark compiles. */
    static List<String> javaSnippets() throws IOException {
        return found(JAVA).stream()
                .filter(snippet -> !snippet.contains("spark."))
                .toList();
    }

    static List<String> commands() throws IOException {
        return found(SHELL).stream()
                .flatMap(block -> COMMAND.matcher(expanded(block)).results())
                .map(match -> match.group(1).strip())
                .toList();
    }

    /** The shell's variables put in where they are used. */
    private static String expanded(String block) {
        String expanded = block;
        for (MatchResult variable : VARIABLE.matcher(block).results().toList()) {
            expanded = expanded.replace("$" + variable.group(1), variable.group(2));
        }
        return expanded;
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linksLeadSomewhere(Path page) {
        for (MatchResult link : LINK.matcher(read(page)).results().toList()) {
            String target = link.group(1);
            Path to = target.isEmpty() ? page : page.resolveSibling(target);
            assertThat(to).as("%s: %s", page.getFileName(), link.group()).exists();
            if (link.group(2) != null) {
                assertThat(anchors(to))
                        .as("%s: %s", page.getFileName(), link.group())
                        .contains(link.group(2));
            }
        }
    }

    /** What GitHub calls the headings of a page. */
    private static List<String> anchors(Path page) {
        return HEADING.matcher(read(page))
                .results()
                .map(heading -> heading.group(1).toLowerCase(Locale.ROOT).replaceAll("[^\\w -]", ""))
                .map(heading -> heading.replace(' ', '-'))
                .toList();
    }

    /** A threshold holds only for the scorer that it was calibrated with. */
    @Test
    void scoresOfOneBlockThatCalibratesComeFromOneScorer() throws IOException {
        Pattern scorer = Pattern.compile("(?m)^wood score .*?(--scorer \\S+|$)");
        List<String> blocks = found(SHELL).stream()
                .filter(block -> block.contains("calibrate --ind-scores"))
                .toList();
        assertThat(blocks)
                .isNotEmpty()
                .allSatisfy(block -> assertThat(scorer.matcher(block)
                                .results()
                                .map(match -> match.group(1))
                                .distinct())
                        .hasSizeLessThan(2));
    }

    @ParameterizedTest
    @MethodSource("javaSnippets")
    void javaSnippetsCompile(String snippet) {
        compile(snippet);
    }

    /** With the imports that it shows, or else with those that all have. */
    private void compile(String snippet) {
        String own = IMPORT.matcher(snippet).results().map(MatchResult::group).collect(Collectors.joining());
        String source = (own.isEmpty() ? IMPORTS : own)
                + "class Snippet { public static void main(String[] args) throws Exception {\n"
                + IMPORT.matcher(snippet).replaceAll("") + "\n} }";
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

    /** Block after block, in one folder with pictures and logits, each as a process of its own. */
    @Test
    void theGuideRunsAsPrinted() throws IOException, InterruptedException {
        SplittableRandom random = new SplittableRandom(1);
        for (String name : List.of("photos/dark", "photos/bright", "others", "new-photos")) {
            pictures(Files.createDirectories(folder.resolve(name)), name, random);
        }
        Files.write(folder.resolve("validation.npy"), logits(200, 4, random));
        Files.write(folder.resolve("incoming.npy"), logits(20, 1, random));
        List<MatchResult> blocks =
                RUN.matcher(read(ROOT.resolve("docs/guide.md"))).results().toList();
        assertThat(blocks).hasSizeGreaterThan(5);
        for (MatchResult block : blocks) {
            if (block.group(1).equals("java")) {
                compile(block.group(2));
                run("Snippet");
            } else {
                for (String line : block.group(2).lines().toList()) {
                    run((Main.class.getName() + line.substring("wood".length())).split(" +"));
                }
            }
        }
    }

    private static void pictures(Path to, String name, SplittableRandom random) throws IOException {
        for (int i = 0; i < (name.startsWith("photos") ? 100 : 60); i++) {
            Shape shape = i % 2 == 0 ? new Shape(3, 20, 30) : new Shape(1, 40, 25);
            byte[] values = new byte[shape.length()];
            int least = name.endsWith("bright") ? 150 : 0;
            int most = name.endsWith("dark") ? 100 : 256;
            for (int v = 0; v < values.length; v++) {
                values[v] = (byte) random.nextInt(least, most);
            }
            ImageFile.writePng(Image.of(shape, values), to.resolve(i + ".png"));
        }
    }

    /** Ten classes, of which one leads. */
    private static byte[] logits(int rows, double lead, SplittableRandom random) {
        String header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + rows + ", 10), }";
        header += " ".repeat(128 - 10 - header.length() - 1) + "\n";
        ByteBuffer bytes = ByteBuffer.allocate(128 + rows * 80).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0}).putShort((short) header.length());
        bytes.put(header.getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < rows * 10; i++) {
            bytes.putDouble(random.nextDouble() + (i % 10 == 3 ? lead : 0));
        }
        return bytes.array();
    }

    private void run(String... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", folder + File.pathSeparator + classes));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(String.join(" ", args) + "\n" + output).isZero();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void commandsAreUnderstood(String command) {
        assertThat(Main.commandLine().parseArgs(command.split(" +")).errors()).isEmpty();
    }
}
