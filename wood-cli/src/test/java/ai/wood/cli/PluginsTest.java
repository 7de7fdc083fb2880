package ai.wood.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.ScorerKind;
import ai.wood.score.ScorerKinds;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A scorer in a user's own jar works in every command once its folder is named. */
class PluginsTest {

    /** The difference between the mean of the largest logits in training and the largest logit. */
    private static final String SOURCE = """
            package own;

            import ai.wood.*;
            import java.util.Arrays;
            import java.util.Map;
            import java.util.Set;

            public final class OwnKind implements ScorerKind {
                private record Fitted(double mean) implements Scorer {
                    @Override
                    public double[] score(Outputs outputs) {
                        return outputs.logits().mapRows(row -> mean - Arrays.stream(row).max().orElseThrow());
                    }

                    @Override
                    public Map<String, Matrix> parameters() {
                        return Map.of("mean", Matrix.of(new double[] {mean}));
                    }
                }

                @Override
                public String id() {
                    return "own-margin";
                }

                @Override
                public Set<Requirement> requires() {
                    return Set.of(Requirement.LOGITS, Requirement.TRAINING);
                }

                @Override
                public Settings settings() {
                    return Settings.NONE.with("offset", 0);
                }

                @Override
                public Scorer fit(FitData data, Settings settings) {
                    if (settings.number("offset") < 0) {
                        throw new IllegalStateException("a defect of the scorer");
                    }
                    double[] largest = data.requireTraining()
                            .logits()
                            .mapRows(row -> Arrays.stream(row).max().orElseThrow());
                    return new Fitted(Arrays.stream(largest).average().orElseThrow() + settings.number("offset"));
                }

                @Override
                public Scorer restore(Parameters saved) {
                    return new Fitted(saved.matrix("mean").get(0, 0));
                }
            }
            """;

    @TempDir
    Path folder;

    private Path plugins;
    private String detector;

    private record Answer(int code, String out, String err) {}

    private static Answer wood(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Main.run(new PrintWriter(out), new PrintWriter(err), args);
        return new Answer(code, out.toString(), err.toString());
    }

    private Answer withPlugins(String... args) {
        return wood(Stream.concat(Arrays.stream(args), Stream.of("--plugins", plugins.toString()))
                .toArray(String[]::new));
    }

    @BeforeEach
    void compile() throws IOException, URISyntaxException {
        plugins = Files.createDirectories(folder.resolve("plugins"));
        detector = folder.resolve("own.wood").toString();
        Path source = folder.resolve("own/OwnKind.java");
        Path classes = Files.createDirectories(folder.resolve("classes"));
        Files.createDirectories(source.getParent());
        Files.writeString(source, SOURCE);
        Path core = Path.of(ScorerKind.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of("-proc:none", "-cp", core.toString(), "-d", classes.toString());
            boolean compiled = compiler.getTask(
                            complaints, manager, null, options, null, manager.getJavaFileObjects(source))
                    .call();
            assertThat(compiled).as("%s", complaints).isTrue();
        }
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(plugins.resolve("own-scorers.jar")))) {
            for (String file : List.of("own/OwnKind.class", "own/OwnKind$Fitted.class")) {
                out.putNextEntry(new JarEntry(file));
                Files.copy(classes.resolve(file), out);
            }
            out.putNextEntry(new JarEntry("META-INF/services/ai.wood.ScorerKind"));
            out.write("own.OwnKind\n".getBytes(StandardCharsets.UTF_8));
        }
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            rows.append(5 + i % 7).append(",0,").append(i % 3).append('\n');
        }
        Files.writeString(folder.resolve("v.csv"), rows);
        Files.writeString(folder.resolve("x.csv"), "9,0,0\n1,0,0\n");
    }

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    private Answer calibrated(String... more) {
        List<String> args = new ArrayList<>(
                List.of("calibrate", "--logits", file("v.csv"), "--scorer", "own-margin", "-o", detector));
        args.addAll(List.of(more));
        return withPlugins(args.toArray(String[]::new));
    }

    @Test
    void aScorerOfAJarCalibratesDetectsAndScores() throws IOException {
        Answer made = calibrated("--set", "offset=1");
        assertThat(made.code()).as(made.err()).isZero();
        assertThat(made.out()).contains("own-margin", "50 fit the scorer, 50 calibrate it");
        Answer found = withPlugins("detect", detector, "--logits", file("x.csv"));
        assertThat(found.code()).as(found.err()).isZero();
        List<String> lines = found.out().lines().toList();
        assertThat(new ObjectMapper().readTree(lines.get(0)).path("ood").asBoolean())
                .isFalse();
        JsonNode ood = new ObjectMapper().readTree(lines.get(1));
        assertThat(ood.path("ood").asBoolean()).isTrue();
        assertThat(ood.path("score").asDouble()).isBetween(7.0, 9.0);
        assertThat(withPlugins(
                                "score",
                                "--logits",
                                file("x.csv"),
                                "--scorer",
                                "own-margin",
                                "--fit-logits",
                                file("v.csv"))
                        .out()
                        .lines())
                .hasSize(2);
        assertThat(withPlugins("calibrate", "--help").out()).contains("own-margin");
    }

    @Test
    void withoutTheJarTheMessageNamesScorerAndJarAndWhatToDo() {
        assertThat(calibrated().code()).isZero();
        Answer answer = wood("detect", detector, "--logits", file("x.csv"));
        assertThat(answer.code()).isEqualTo(2);
        assertThat(answer.err())
                .startsWith("wood: " + detector)
                .contains("'own-margin'", "own-scorers.jar", "Load the jar with --plugins DIR or WOOD_PLUGINS");
        assertThat(ScorerKinds.ids()).doesNotContain("own-margin");
    }

    @Test
    void aDefectOfTheScorerIsShownAsADefect() {
        Answer answer = calibrated("--set", "offset=-1");
        assertThat(answer.code()).isEqualTo(1);
        assertThat(answer.err()).contains("this should not have happened", "a defect of the scorer");
    }

    @Test
    void aFolderWithoutJarsIsRefused() throws IOException {
        Path empty = Files.createDirectories(folder.resolve("empty"));
        assertThat(wood("version", "--plugins", empty.toString()))
                .isEqualTo(new Answer(
                        2,
                        "",
                        "wood: The folder of plugins '" + empty + "' contains no .jar file. Copy your jars into it."
                                + System.lineSeparator()));
        assertThat(wood("version", "--plugins=" + folder.resolve("none")).err()).contains("is missing");
        assertThat(wood("version", "--plugins", file("v.csv")).err()).contains("is not a folder");
    }

    private ProcessBuilder process(String... args) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName()));
        command.addAll(List.of(args));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(new File(file("err.txt")));
        builder.environment().put("WOOD_PLUGINS", plugins.toString());
        return builder;
    }

    @Test
    void theServerLoadsTheJarsOfTheVariable() throws IOException, InterruptedException {
        assertThat(calibrated().code()).isZero();
        Process server = process("serve", detector, "--port", "0").start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(server.getInputStream(), StandardCharsets.UTF_8))) {
            String address = out.readLine();
            assertThat(address).as(Files.readString(folder.resolve("err.txt"))).isNotNull();
            HttpRequest request = HttpRequest.newBuilder(URI.create(address.strip() + "v1/judge-logits"))
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString("{\"logits\":[[9,0,0],[1,0,0]]}"))
                    .build();
            String answer = HttpClient.newHttpClient()
                    .send(request, BodyHandlers.ofString())
                    .body();
            JsonNode verdicts = new ObjectMapper().readTree(answer).path("verdicts");
            assertThat(verdicts).as(answer).hasSize(2);
            assertThat(verdicts.path(1).path("ood").asBoolean()).isTrue();
        } finally {
            server.destroy();
            server.waitFor();
        }
    }
}
