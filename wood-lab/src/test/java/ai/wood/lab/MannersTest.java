package ai.wood.lab;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.wood.cli.Main;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** How the command line treats people. */
class MannersTest {

    private static final Pattern EXAMPLE = Pattern.compile("(?m)^  wood (.*)$");
    private static final String CONTROL = "[\\p{Cntrl}&&[^\n]]";

    @TempDir
    Path folder;

    private record Answer(int code, String out, String err) {}

    private static Answer wood(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(new PrintWriter(out), new PrintWriter(err), args);
        return new Answer(code, out.toString(), err.toString());
    }

    /** Every command, as in {@code data list}. */
    static List<String> commands() {
        return below(Main.commandLine(), "").toList();
    }

    private static Stream<String> below(CommandLine line, String start) {
        return line.getSubcommands().entrySet().stream()
                .flatMap(sub -> Stream.concat(
                        Stream.of(start + sub.getKey()), below(sub.getValue(), start + sub.getKey() + " ")));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandTeachesByExamplesThatItUnderstands(String command) {
        Answer help = wood((command + " --help").split(" "));
        assertThat(help.code()).isZero();
        assertThat(help.out()).contains("Example").contains("wood " + command);
        EXAMPLE.matcher(footer(command)).results().forEach(example -> {
            String[] args = example.group(1).split(" +");
            assertThat(Main.commandLine().parseArgs(args).errors()).isEmpty();
        });
    }

    @ParameterizedTest
    @MethodSource("commands")
    void helpBreaksParagraphsAndNeverExamples(String command) {
        String help = wood((command + " --help").split(" ")).out();
        String below = joined(help.substring(help.indexOf("Exit codes:")));
        footer(command)
                .lines()
                .filter(line -> line.startsWith("  "))
                .forEach(example -> assertThat(below.lines()).contains(example));
        assertThat(below.lines().filter(line -> !line.startsWith("  "))).allMatch(line -> line.length() <= 80);
        assertThat(below.replaceAll("(?m)^  .*$", "")).doesNotContainPattern("(?m)^(?=.{3,40}$).*[^.:\n]\n\\S");
    }

    @ParameterizedTest
    @CsvSource({
        "reproduce, 'table2, figures, timing, all'",
        "reproduce, 'fast, robust: 2.'",
        "data show, 'One of train, validation, test, none. Default: test.'"
    })
    void helpNamesValuesAsTheyAreTyped(String command, String values) {
        assertThat(wood((command + " --help").split(" ")).out()).contains(values);
    }

    /** What stands below the options, before it is broken into lines that fit the screen. */
    private static String footer(String command) {
        CommandLine line = Main.commandLine();
        for (String name : command.split(" ", -1)) {
            line = Objects.requireNonNull(line.getSubcommands().get(name));
        }
        return joined(String.join("\n", line.getCommandSpec().usageMessage().footer()));
    }

    /** With commands on one line each. */
    private static String joined(String text) {
        return text.replaceAll("\\\\\n *", "");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void helpThatNobodyWatchesHasNoControlCharacters(String command) {
        assertThat(wood((command + " --help").split(" ")).out()).doesNotContainPattern(CONTROL);
    }

    /** The tool {@code script} of util-linux lends a terminal. */
    @Test
    void coloursAreForTerminalsWithoutNoColor() throws IOException, InterruptedException {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/script")) && Files.exists(Path.of("/proc")),
                "needs Linux's script");
        assertThat(onTerminal(Map.of("TERM", "xterm"))).contains("Start here", "\u001b[");
        assertThat(onTerminal(Map.of("TERM", "xterm", "NO_COLOR", "1")))
                .contains("Start here")
                .doesNotContain("\u001b");
    }

    private static String onTerminal(Map<String, String> environment) throws IOException, InterruptedException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classes = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        String command = "'" + java + "' -cp '" + classes + "' " + Main.class.getName() + " --help";
        ProcessBuilder script = new ProcessBuilder("/usr/bin/script", "-qec", command, "/dev/null");
        script.environment().remove("NO_COLOR");
        script.environment().putAll(environment);
        Process process = script.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    @Test
    void helpGroupsEveryCommandByTask() {
        String help = wood("--help").out();
        assertThat(help)
                .contains("Start here\n", "Train\n", "Judge\n", "Measure\n")
                .doesNotContain("\nMore\n");
        for (String command : Main.commandLine().getSubcommands().keySet()) {
            assertThat(help).containsOnlyOnce("\n  " + command + " ");
        }
        assertThat(help.indexOf("  demo ")).isLessThan(help.indexOf("  train "));
        assertThat(help).doesNotContainPattern(CONTROL);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "doctor",
                "data list",
                "data show",
                "train",
                "tune",
                "adopt",
                "calibrate",
                "evaluate",
                "reproduce"
            })
    void theUsualFolderOfDataStandsOnOneLineOfHelp(String command) {
        assertThat(wood((command + " --help").split(" ")).out()).contains(".cache/wood");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "trian; Did you mean train? There are demo, doctor",
                "list; There are demo, doctor",
                "data lst; Did you mean list? There are list, fetch, show",
                "train --ind mnist-small --out x --loss wod; Did you mean wood?",
                "train --ind mnist-small --out x --scedule constant; --schedule",
                "train --ind mnist-small --out x --schedule constnt; Did you mean constant?",
                "bundle x -o y --engine tpu; expected one of torch, onnx, auto but was 'tpu'",
                "train --ind minst-small --ood blobs --out x; Did you mean mnist-small?",
                "train --ind mnist-small --ood rotatd:mnist-small --out x; Did you mean rotated:mnist-small?",
                "train --ind mnist-small --network smal-cnn --loss plain --out x; Did you mean small-cnn?",
                "train --ind mnist-small --ood blobs --network small-cnn --cost dynamc --out x; Did you mean dynamic?",
                "score --logits x --scorer enrgy; Did you mean energy?",
                "evaluate x --ood blobs --scorers enrgy; Did you mean energy?",
                "data fetch cifar-10; Did you mean cifar10?",
                "data show svnh; Did you mean svhn?"
            })
    void namesThatNobodyKnowsAreAnsweredWithTheNearest(String command, String hint) {
        Answer answer = wood(command.replace(" x", " " + folder.resolve("x")).split(" "));
        assertThat(answer.code()).isEqualTo(Main.BAD_INPUT);
        assertThat(answer.err()).startsWith("wood: ").contains(hint).doesNotContain("\tat ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"foo --help", "--help foo", "foo -h", "foo --version", "help foo", "data foo --help"})
    void anUnknownCommandIsRefusedWhereHelpIsAskedFor(String command) {
        Answer answer = wood(command.split(" "));
        assertThat(answer.code()).isEqualTo(Main.BAD_INPUT);
        assertThat(answer.err()).startsWith("wood: there is no command '").contains("There are ");
        assertThat(answer.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "calibrate; calibrate needs one of RUN, --ind-scores, or arrays",
                "calibrate x; data.json: a description of a run's data is needed but there is no such file. Maybe",
                "calibrate x --scorer odn; there is no scorer"
            })
    void whatARunLacksIsToldWithAHint(String command, String message) {
        Answer answer = wood(command.replace(" x", " " + folder.resolve("x")).split(" "));
        assertThat(answer.code()).isEqualTo(Main.BAD_INPUT);
        assertThat(answer.err()).startsWith("wood: ").contains(message);
    }

    @Test
    void versionIsToldToPeopleAndMachines() throws IOException {
        assertThat(wood("version").out()).isEqualTo(wood("--version").out()).startsWith("wood ");
        JsonNode json = new ObjectMapper().readTree(wood("version", "--json").out());
        assertThat(json.get("java").asText()).isEqualTo(Runtime.version().toString());
        assertThat(json.has("wood")).isTrue();
    }

    @Test
    void theDoctorTellsWhatTheMachineHas() throws IOException {
        Answer text = wood("doctor", "--data", folder.toString());
        assertThat(text.code()).as(text.out()).isZero();
        assertThat(text.out())
                .contains("libtorch", "oneDNN", "allocator", "Everything works.")
                .doesNotContainPattern(CONTROL);
        JsonNode json = new ObjectMapper()
                .readTree(wood("doctor", "--json", "--data", folder.toString()).out());
        assertThat(json.get("processors").asInt())
                .isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(json.at("/libtorch/version").asText()).isNotEmpty();
        assertThat(json.at("/libtorch/threads").asInt()).isPositive();
        assertThat(json.get("gpus").isInt()).isTrue();
        assertThat(json.get("data").asText()).isEqualTo(folder.toString());
        assertThat(json.get("datasets").toString()).isEqualTo("[\"mnist-small\",\"fashion-mnist-small\"]");
        assertThat(json.get("problems")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "version; ",
                "doctor; ",
                "data list; ",
                "calibrate; --ind-scores FOLDER/scores",
                "metrics; --ind-scores FOLDER/scores --ood-scores FOLDER/scores --other-ind-scores FOLDER/scores"
                        + " --other-ood-scores FOLDER/scores",
                "transport; --from FOLDER/row --to FOLDER/row --cost FOLDER/matrix",
                "bound; --ind 9 --ood 9 --ind-complexity 0 --ood-complexity 0 --min-probability 0.5"
            })
    void jsonHasTheKeysThatTheDocumentationPromises(String command, @Nullable String options) throws IOException {
        Files.writeString(folder.resolve("scores"), "1\n2\n3\n4\n");
        Files.writeString(folder.resolve("row"), "0.5,0.5\n");
        Files.writeString(folder.resolve("matrix"), "0,1\n1,0\n");
        String line = command + " --json " + (options == null ? "" : options.replace("FOLDER", folder.toString()));
        Answer answer = wood(line.strip().split(" +"));
        assertThat(answer.code()).as(answer.err()).isZero();
        String row = Files.readString(Path.of("../docs/cli.md"))
                .lines()
                .filter(text -> text.startsWith("| `" + command + "` |"))
                .findFirst()
                .orElseThrow();
        String keys = row.split("\\|", -1)[2].replaceAll("\\([^)]*\\)", "").replaceAll(":.*", "");
        List<String> promised = Pattern.compile("`(\\w+)`")
                .matcher(keys)
                .results()
                .map(match -> match.group(1))
                .toList();
        List<String> found = new ArrayList<>();
        new ObjectMapper().readTree(answer.out()).fieldNames().forEachRemaining(found::add);
        assertThat(found).isEqualTo(promised);
    }

    @Test
    void completionIsAScriptThatBashTakes() throws IOException, InterruptedException {
        assertThat(withCompletion("complete -p wood")).contains("_complete_wood");
    }

    @ParameterizedTest
    @CsvSource({
        "train --ind mn, mnist mnist-small",
        "tune --ood gauss, gaussian-noise",
        "train --no-a, --no-augment",
        "train --precision b, bf16",
        "evaluate run --ood sv, svhn",
        "evaluate run --near cifar100, cifar100",
        "evaluate run --tune-on blo, blobs",
        "evaluate run --scorers ener, energy",
        "adopt w --ind us, usps",
        "adopt w --network small, small-cnn",
        "data fetch mnist us, usps",
        "data show blo, blobs",
        "bench infer --engine o, onnx"
    })
    void completionOffersWhatMayBeTyped(String begun, String offered) throws IOException, InterruptedException {
        int last = begun.split(" ", -1).length;
        String ask = "compopt() { :; }; COMP_WORDS=(wood " + begun + ") COMP_CWORD=" + last
                + "; _complete_wood; echo ${COMPREPLY[@]}";
        assertThat(withCompletion(ask).strip()).isEqualTo(offered);
    }

    private String withCompletion(String ask) throws IOException, InterruptedException {
        Path script = Files.writeString(
                folder.resolve("completion"), wood("completion").out());
        Process bash = new ProcessBuilder("bash", "-c", "source '" + script + "' && " + ask)
                .redirectErrorStream(true)
                .start();
        String answer = new String(bash.getInputStream().readAllBytes(), UTF_8);
        assertThat(bash.waitFor()).as(answer).isZero();
        return answer;
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theLauncherLetsJavaNameEveryFile() throws IOException, InterruptedException {
        assertThat(launched("locale charmap", Map.of("LC_ALL", "C"))).isEqualTo("UTF-8\n");
    }

    /** Training takes and frees blocks of many megabytes, which only the first arena of glibc keeps. */
    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @CsvSource({
        "train --ind mnist,1",
        "bench train,1",
        "--debug train --ind mnist,1",
        "bench --debug train,1",
        "--debug score train,4",
        "tune,1",
        "reproduce table2,1",
        "score photos,4",
        "bench infer,4",
        "'',4"
    })
    void theLauncherTrainsInOneArena(String arguments, String arenas) throws IOException, InterruptedException {
        String tell = "echo $MALLOC_ARENA_MAX";
        String[] words = arguments.isEmpty() ? new String[0] : arguments.split(" ");
        assertThat(launched(tell, Map.of("MALLOC_ARENA_MAX", ""), words)).isEqualTo(arenas + "\n");
        assertThat(launched(tell, Map.of("MALLOC_ARENA_MAX", "7"), words)).isEqualTo("7\n");
    }

    /** What a launcher prints beside a program that is built already, with a shell command in the place of Java. */
    private String launched(String command, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        Path home = Files.createTempDirectory(folder, "home");
        Path launcher = Files.copy(Path.of("../wood"), home.resolve("wood"));
        Files.createFile(
                Files.createDirectories(home.resolve("wood-lab/target")).resolve("wood.jar"));
        Path java = Files.writeString(home.resolve("java"), "#!/bin/sh\n" + command + "\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.createSymbolicLink(home.resolve("mvn"), java);
        List<String> line = new ArrayList<>(List.of("bash", launcher.toString()));
        line.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(line).redirectError(Redirect.DISCARD);
        builder.environment().remove("JAVA_HOME");
        builder.environment().putAll(environment);
        builder.environment().merge("PATH", home.toString(), (old, own) -> own + ":" + old);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).isZero();
        return output;
    }
}
