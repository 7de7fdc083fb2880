package ai.wood.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Matrix;
import ai.wood.Seeded;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Laws of every loss in the catalogue. */
class LossKindTest {

    private static final int CLASSES = 6;
    private static final int[] LABELS = {0, 5, 2, 2};
    private static final List<String> SETTINGS = Arrays.stream(LossSettings.class.getRecordComponents())
            .map(component -> component.getName())
            .toList();

    static Stream<LossKind> kinds() {
        return LossKind.all().stream();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void theGradientIsThatOfTheValueWithDefaultSettings(LossKind kind) {
        LossSettings withTotal = new LossSettings(null, LossSettings.DEFAULTS.cost(), 10, true, 2, 3);
        Loss loss = kind.create(withTotal);
        int width = CLASSES
                + loss.branches().values().stream().mapToInt(Integer::intValue).sum();
        Seeded seeded = new Seeded(3);
        double[][] ind =
                IntStream.range(0, 4).mapToObj(i -> seeded.logits(width)).toArray(double[][]::new);
        double[][] ood =
                IntStream.range(0, 3).mapToObj(i -> seeded.logits(width)).toArray(double[][]::new);
        LossValue value = loss.on(Matrix.of(ind), LABELS, Matrix.of(ood));
        assertThat(loss.usesOod()).isEqualTo(!value.ood().equals(Matrix.of(new double[3][width])));
        for (double[][] part : List.of(ind, ood)) {
            Matrix gradient = part == ind ? value.ind() : value.ood();
            for (int r = 0; r < part.length; r++) {
                for (int k = 0; k < width; k++) {
                    assertThat(gradient.get(r, k)).isCloseTo(slope(loss, ind, ood, part[r], k), within(1e-6));
                }
            }
        }
    }

    private static double slope(Loss loss, double[][] ind, double[][] ood, double[] row, int k) {
        double h = 1e-5;
        double before = row[k];
        row[k] = before + h;
        double more = loss.on(Matrix.of(ind), LABELS, Matrix.of(ood)).value();
        row[k] = before - h;
        double less = loss.on(Matrix.of(ind), LABELS, Matrix.of(ood)).value();
        row[k] = before;
        return (more - less) / (2 * h);
    }

    @Test
    void namesAreUniqueAndSettingsExist() {
        assertThat(LossKind.all())
                .extracting(LossKind::id)
                .doesNotHaveDuplicates()
                .contains("wood", "plain", "oe");
        assertThat(LossKind.all()).allSatisfy(kind -> {
            assertThat(SETTINGS).containsAll(kind.settings());
            assertThat(kind.description()).isNotBlank();
        });
    }

    @Test
    void aMisspelledNameGetsTheClosestMatch() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LossKind.byId("enrgy"))
                .withMessageContaining("Did you mean energy?");
    }

    /** A loss of a user. */
    public static final class Uniform implements LossKind {

        @Override
        public String id() {
            return "uniform";
        }

        @Override
        public String description() {
            return "a loss from another jar";
        }

        @Override
        public Loss create(LossSettings settings) {
            return new OutlierExposure(3);
        }
    }

    @Test
    void aLossOfAnotherJarIsFoundByItsName(@TempDir Path jar) throws IOException {
        Path services = Files.createDirectories(jar.resolve("META-INF/services"));
        Files.writeString(services.resolve(LossKind.class.getName()), Uniform.class.getName());
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        assertThatIllegalArgumentException().isThrownBy(() -> LossKind.byId("uniform"));
        try (URLClassLoader plugins = new URLClassLoader(new URL[] {jar.toUri().toURL()}, before)) {
            Thread.currentThread().setContextClassLoader(plugins);
            assertThat(LossKind.byId("uniform").create(LossSettings.DEFAULTS)).isEqualTo(new OutlierExposure(3));
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }
}
