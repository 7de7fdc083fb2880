package ai.wood.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Matrix;
import ai.wood.Probabilities;
import ai.wood.cli.Main;
import ai.wood.loss.CrossEntropy;
import ai.wood.loss.LossKind;
import ai.wood.loss.LossSettings;
import ai.wood.loss.LossValue;
import ai.wood.torch.NativeScope;
import ai.wood.torch.train.TensorLoss;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The loss of the published code, in the catalogue because this module is on the class path. */
class AuthorsLossTest {

    private static final int CLASSES = 6;
    private static final int[] LABELS = {4, 1};

    @TempDir
    Path folder;

    private static float[] logits(int rows, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] logits = new float[rows * CLASSES];
        for (int i = 0; i < logits.length; i++) {
            logits[i] = (float) (3 * random.nextGaussian());
        }
        return logits;
    }

    @Test
    void theGradientLacksTwoFactors() {
        Matrix ind = Matrix.wrap(logits(2, 1), CLASSES);
        Matrix ood = Matrix.wrap(logits(3, 2), CLASSES);
        LossValue authors = new AuthorsLoss(AuthorsScorer.DYNAMIC, 0.1).on(ind, LABELS, ood);
        LossValue paper = new CrossEntropy().on(ind, LABELS, ood);
        for (int r = 0; r < 2; r++) {
            double[] f = ind.row(r);
            Probabilities.softmax(f);
            for (int k = 0; k < CLASSES; k++) {
                assertThat(authors.ind().get(r, k)).isCloseTo(paper.ind().get(r, k) * f[LABELS[r]], within(1e-15));
            }
        }
        double[] gradient = new double[CLASSES];
        new AuthorsLoss(AuthorsScorer.DYNAMIC, 0.1).ood(ood.row(2), gradient);
        assertThat(authors.ood().row(2)).containsExactly(gradient, within(1e-15));
    }

    @ParameterizedTest
    @EnumSource(AuthorsScorer.class)
    void tensorsGiveTheSameValueAndGradient(AuthorsScorer scorer) {
        AuthorsLoss loss = new AuthorsLoss(scorer, 0.1);
        float[] ind = logits(2, 3);
        float[] ood = logits(5, 4);
        LossValue expected = loss.on(Matrix.wrap(ind, CLASSES), LABELS, Matrix.wrap(ood, CLASSES));
        NativeScope.run(() -> {
            Tensor indLogits = Tensor.create(ind).reshape(2, CLASSES).set_requires_grad(true);
            Tensor oodLogits = Tensor.create(ood).reshape(5, CLASSES).set_requires_grad(true);
            Tensor labels = Tensor.create(new long[] {LABELS[0], LABELS[1]});
            TensorLoss tensors = TensorLoss.of(loss, new Device("cpu"));
            assertThat(new AuthorsTensors().of(new CrossEntropy(), new Device("cpu")))
                    .isEmpty();
            TensorLoss.Parts parts = tensors.on(indLogits, labels, oodLogits);
            parts.total().backward();
            assertThat(parts.total().item_double()).isCloseTo(expected.value(), within(1e-5));
            requireClose(indLogits.grad(), expected.ind());
            requireClose(oodLogits.grad(), expected.ood());
            Tensor none = torch.zeros(0, CLASSES);
            assertThat(tensors.on(indLogits, labels, none).ood().item_double()).isZero();
        });
    }

    private static void requireClose(Tensor gradient, Matrix expected) {
        Tensor flat = gradient.contiguous().reshape(-1);
        for (int i = 0; i < flat.numel(); i++) {
            assertThat(flat.select(0, i).item_double()).isCloseTo(expected.get(i / CLASSES, i % CLASSES), within(1e-5));
        }
    }

    @Test
    void theCatalogueHasItWithTwoCosts() {
        LossKind kind = LossKind.byId("authors");
        assertThat(kind.create(LossSettings.DEFAULTS)).isEqualTo(new AuthorsLoss(AuthorsScorer.DYNAMIC, 0.1));
        assertThat(kind.create(LossSettings.DEFAULTS).needsWholeBatch()).isTrue();
        GroundCost custom = GroundCost.custom(Matrix.wrap(new double[] {0, 1, 1, 0}, 2));
        LossSettings settings = new LossSettings(null, custom, 1, false, 1, 1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> kind.create(settings))
                .withMessageContaining("the loss 'authors' has the costs binary and dynamic");
    }

    @Test
    void theCommandLineTrainsWithIt() throws IOException {
        StringWriter err = new StringWriter();
        String line = "train --ind mnist-small --ood fashion-mnist-small --network small-cnn --limit 100 --epochs 1"
                + " --loss authors --cost binary --out " + folder.resolve("run");
        int code = Main.run(new PrintWriter(new StringWriter()), new PrintWriter(err), line.split(" ", -1));
        assertThat(code).as(err.toString()).isZero();
        assertThat(Files.readString(folder.resolve("run/training.json")))
                .contains("AuthorsLoss[score=BINARY, beta=0.1]");
    }
}
