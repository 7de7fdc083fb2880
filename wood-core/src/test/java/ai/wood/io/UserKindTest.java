package ai.wood.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import ai.wood.Detector;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.ThresholdPolicy;
import ai.wood.Toy;
import ai.wood.Verdict;
import ai.wood.score.ScorerKinds;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A kind of scorer in a user's own jar is found, fitted, saved and loaded like a built-in one. */
class UserKindTest {

    /** The sum of absolute differences from the mean of each feature, to a power. */
    private static final String SOURCE = """
            package own;

            import ai.wood.FitData;
            import ai.wood.Matrix;
            import ai.wood.Outputs;
            import ai.wood.Parameters;
            import ai.wood.Requirement;
            import ai.wood.Scorer;
            import ai.wood.ScorerKind;
            import ai.wood.Settings;
            import java.util.Map;
            import java.util.Set;

            public final class OwnKind implements ScorerKind {
                private record Fitted(Matrix means, double power) implements Scorer {
                    @Override
                    public double[] score(Outputs outputs) {
                        return outputs.features().mapRows(row -> {
                            double sum = 0;
                            for (int i = 0; i < row.length; i++) {
                                sum += Math.pow(Math.abs(row[i] - means.get(0, i)), power);
                            }
                            return sum;
                        });
                    }

                    @Override
                    public Map<String, Matrix> parameters() {
                        return Map.of("means", means);
                    }
                }

                @Override
                public String id() {
                    return "ID";
                }

                @Override
                public Set<Requirement> requires() {
                    return Set.of(Requirement.FEATURES, Requirement.TRAINING);
                }

                @Override
                public Settings settings() {
                    return Settings.NONE.with("power", 2).with("word", "usual");
                }

                @Override
                public Scorer fit(FitData data, Settings settings) {
                    Matrix rows = data.requireTraining().features();
                    double[] means = new double[rows.columns()];
                    for (int r = 0; r < rows.rows(); r++) {
                        for (int i = 0; i < means.length; i++) {
                            means[i] += rows.get(r, i) / rows.rows();
                        }
                    }
                    return new Fitted(Matrix.of(means), settings.number("power"));
                }

                @Override
                public Scorer restore(Parameters saved) {
                    return new Fitted(saved.matrix("means"), saved.settings().number("power"));
                }
            }
            """;

    @TempDir
    Path folder;

    private Path jar;

    @BeforeEach
    void compile() throws IOException {
        jar = jar("own-scorers.jar", "own-distance");
    }

    private Path jar(String name, String id) throws IOException {
        Path source = folder.resolve(name + ".src/own/OwnKind.java");
        Path classes = Files.createDirectories(folder.resolve(name + ".classes"));
        Files.createDirectories(source.getParent());
        Files.writeString(source, SOURCE.replace("\"ID\"", '"' + id + '"'));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(
                            complaints,
                            manager,
                            null,
                            List.of("-proc:none", "-cp", core().toString(), "-d", classes.toString()),
                            null,
                            manager.getJavaFileObjects(source))
                    .call();
            assertThat(compiled).as("%s", complaints).isTrue();
        }
        Path made = folder.resolve(name);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(made))) {
            for (String file : List.of("own/OwnKind.class", "own/OwnKind$Fitted.class")) {
                out.putNextEntry(new JarEntry(file));
                Files.copy(classes.resolve(file), out);
            }
            out.putNextEntry(new JarEntry("META-INF/services/ai.wood.ScorerKind"));
            out.write("own.OwnKind\n".getBytes(StandardCharsets.UTF_8));
        }
        return made;
    }

    private static Path core() {
        try {
            return Path.of(ScorerKind.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private interface Work<T> {
        T run() throws IOException;
    }

    /** Runs with these jars in the context class loader of the thread. */
    private static <T> T with(List<Path> jars, Work<T> work) throws IOException {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        URL[] urls = new URL[jars.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = jars.get(i).toUri().toURL();
        }
        try (URLClassLoader loader = new URLClassLoader(urls, before)) {
            Thread.currentThread().setContextClassLoader(loader);
            return work.run();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @Test
    void aKindOfAUsersJarIsFittedSavedAndLoaded() throws IOException {
        Path file = folder.resolve("detector.wood");
        Path run = Files.createDirectories(folder.resolve("run"));
        List<Verdict> verdicts = with(List.of(jar), () -> {
            ScorerKind own = ScorerKinds.byId("own-distance");
            assertThat(ScorerKinds.ids()).contains("own-distance", "knn");
            Settings settings = Settings.NONE.with("power", 1.5).with("word", "unusual");
            Detector detector = Toy.detector(own, settings, ThresholdPolicy.conformal(0.9));
            detector.save(file);
            DetectorFile.saveInto(run, detector, Set.of());
            return detector.detect(Toy.QUERIES);
        });
        with(
                List.of(jar),
                () -> { // another class loader, as in another process
                    Detector loaded = Detector.load(file);
                    assertThat(loaded.kind().id()).isEqualTo("own-distance");
                    assertThat(loaded.settings())
                            .isEqualTo(Settings.NONE.with("power", 1.5).with("word", "unusual"));
                    assertThat(loaded.detect(Toy.QUERIES)).isEqualTo(verdicts);
                    return loaded;
                });
        for (Path path : List.of(file, run)) {
            assertThatExceptionOfType(UnknownScorerException.class)
                    .isThrownBy(() -> Detector.load(path))
                    .withMessageStartingWith(path.toString())
                    .withMessageContainingAll("'own-distance'", "own-scorers.jar");
        }
    }

    @Test
    void twoKindsOfOneNameAreRefused() throws IOException {
        Path knn = jar("clash.jar", "knn");
        with(List.of(knn), () -> {
            assertThatIllegalStateException()
                    .isThrownBy(ScorerKinds::all)
                    .withMessageContainingAll("two scorers have the id 'knn'", "own.OwnKind");
            return knn;
        });
    }
}
