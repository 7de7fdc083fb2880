package ai.wood;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the sources of all modules promise. The limits here may only become smaller. */
class SourcesTest {

    private static final Pattern PUBLIC_TYPE = Pattern.compile(
            "(?m)^public (?:(?:abstract|final|sealed|non-sealed|strictfp) )*(?:class|interface|enum|record|@interface) ");

    /** A word with two dashes in a text of the program. */
    private static final Pattern OPTION = Pattern.compile("\"(?:[^\"\\\\\n]|\\\\.)*(?<![\\w-])--[a-z]");

    private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|(?m)^\\s*//.*$");

    /** The goal is 120. */
    private static final int MOST_PUBLIC_TYPES = 204;

    /** The goal is 60. */
    private static final int MOST_PUBLIC_TYPES_OF_CORE = 72;

    /** Of packages with the name internal; the goal is 60. */
    private static final int MOST_PUBLIC_TYPES_INSIDE = 60;

    private static final Set<String> MODULES_BELOW_THE_COMMAND_LINE =
            Set.of("wood-core", "wood-data", "wood-torch", "wood-onnx", "wood-text", "wood-evaluate", "wood-server");

    /** Libraries whose messages name an option of the command line; to be cleared. */
    private static final Set<String> NAME_OPTIONS =
            Set.of("Demo", "DetectorServer", "Group", "Loader", "RunFolder", "Step", "TrainState", "Trainer");

    private static List<Path> sources() throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path module : modules.toList()) {
                Path main = module.resolve("src/main/java");
                if (Files.isDirectory(main)) {
                    try (Stream<Path> below = Files.walk(main)) {
                        below.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
                    }
                }
            }
        }
        return files;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String module(Path file) {
        return file.getName(1).toString();
    }

    @Test
    void publicTypesBecomeFewer() throws IOException {
        List<Path> files = sources().stream()
                .filter(file -> PUBLIC_TYPE.matcher(text(file)).find())
                .toList();
        List<Path> inside = files.stream()
                .filter(file -> file.toString().contains("/internal/"))
                .toList();
        List<Path> open = files.stream().filter(file -> !inside.contains(file)).toList();
        List<Path> core =
                open.stream().filter(file -> module(file).equals("wood-core")).toList();
        System.out.printf(
                "Public types: %d, of wood-core %d, in internal packages %d%n",
                open.size(), core.size(), inside.size());
        assertThat(open).hasSizeLessThanOrEqualTo(MOST_PUBLIC_TYPES);
        assertThat(core).hasSizeLessThanOrEqualTo(MOST_PUBLIC_TYPES_OF_CORE);
        assertThat(inside).hasSizeLessThanOrEqualTo(MOST_PUBLIC_TYPES_INSIDE);
    }

    @Test
    void librariesNameNoOptionsOfTheCommandLine() throws IOException {
        Set<String> found = sources().stream()
                .filter(file -> MODULES_BELOW_THE_COMMAND_LINE.contains(module(file)))
                .filter(file -> OPTION.matcher(COMMENT.matcher(text(file)).replaceAll(""))
                        .find())
                .map(file -> file.getFileName().toString().replace(".java", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        System.out.println("Libraries that name options: " + found);
        assertThat(NAME_OPTIONS).containsAll(found);
    }
}
