package ai.wood.torch.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.wood.Matrix;
import ai.wood.loss.CrossEntropy;
import ai.wood.loss.EnergyMargin;
import ai.wood.loss.Loss;
import ai.wood.loss.LossValue;
import ai.wood.loss.OutlierExposure;
import ai.wood.loss.WoodLoss;
import ai.wood.score.WoodScorer;
import ai.wood.torch.Devices;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Tensors;
import ai.wood.transport.GroundCost;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.bytedeco.pytorch.Device;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TensorLossTest {

    private static final int CLASSES = 7;
    private static final Device CPU = Devices.cpu();

    static Stream<Loss> losses() {
        return Stream.of(
                new CrossEntropy(),
                WoodLoss.of(GroundCost.binary(), 0.1),
                WoodLoss.of(GroundCost.dynamic(), 0.7),
                WoodLoss.of(GroundCost.dynamic(), 0.7).withTotalDerivative(),
                WoodLoss.of(GroundCost.custom(costs()), 0.4),
                new WoodLoss(new WoodScorer(GroundCost.binary(), 5), 0.3, false, 1),
                new WoodLoss(new WoodScorer(GroundCost.dynamic(), 20), 0.3, true, 1),
                new WoodLoss(new WoodScorer(GroundCost.dynamic(), 20), 0.3, false, 1),
                new WoodLoss(new WoodScorer(GroundCost.custom(costs()), 20), 0.3, false, 1),
                WoodLoss.of(GroundCost.dynamic(), 0.7).withTotalDerivative().withTemperature(4),
                new WoodLoss(new WoodScorer(GroundCost.binary(), 5), 0.3, false, 0.5),
                OutlierExposure.DEFAULTS,
                new EnergyMargin(-3, -1, 0.1),
                new Foreign(OutlierExposure.DEFAULTS));
    }

    /** A loss of a library user, of which there is no tensor version. */
    private record Foreign(Loss loss) implements Loss {

        @Override
        public double ind(double[] logits, int label, double[] gradient) {
            return loss.ind(logits, label, gradient);
        }

        @Override
        public double ood(double[] logits, double[] gradient) {
            return loss.ood(logits, gradient);
        }
    }

    @ParameterizedTest
    @MethodSource("losses")
    void valuesAndLogitGradientsAreThoseOfTheReference(Loss loss) {
        SplittableRandom random = new SplittableRandom(1);
        for (int trial = 0; trial < 20; trial++) {
            int ind = 1 + random.nextInt(12);
            int ood = trial == 0 ? 0 : random.nextInt(9);
            float[] indLogits = logits(random, ind);
            float[] oodLogits = logits(random, ood);
            int[] labels = random.ints(ind, 0, CLASSES).toArray();
            LossValue expected = loss.on(Matrix.wrap(indLogits, CLASSES), labels, Matrix.wrap(oodLogits, CLASSES));
            NativeScope.run(() -> {
                Tensor z = Tensors.of(concat(indLogits, oodLogits), CPU, ind + ood, CLASSES)
                        .set_requires_grad(true);
                TensorLoss tensors = TensorLoss.of(loss, CPU);
                TensorLoss.Parts parts =
                        tensors.on(z.narrow(0, 0, ind), Tensors.of(labels, CPU), z.narrow(0, ind, ood));
                parts.total().backward();
                tensors.close();
                assertThat(parts.total().item_double()).isCloseTo(expected.value(), within(1e-5));
                assertThat(Tensors.floats(z.grad()))
                        .containsExactly(concat(floats(expected.ind()), floats(expected.ood())), within(1e-5f));
            });
        }
    }

    @Test
    void partsTellInDAndOodApart() {
        float[] z = logits(new SplittableRandom(2), 5);
        int[] labels = {0, 1, 2};
        NativeScope.run(() -> {
            Tensor logits = Tensors.of(z, CPU, 5, CLASSES);
            Tensor ind = logits.narrow(0, 0, 3);
            TensorLoss.Parts plain =
                    TensorLoss.of(new CrossEntropy(), CPU).on(ind, Tensors.of(labels, CPU), logits.narrow(0, 3, 2));
            TensorLoss.Parts wood = TensorLoss.of(WoodLoss.of(GroundCost.binary(), 0.5), CPU)
                    .on(ind, Tensors.of(labels, CPU), logits.narrow(0, 3, 2));
            assertThat(plain.ood().item_double()).isZero();
            assertThat(wood.ind().item_double()).isEqualTo(plain.ind().item_double());
            assertThat(wood.ood().item_double()).isNegative();
        });
    }

    private static Matrix costs() {
        double[][] costs = new double[CLASSES][CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            for (int j = 0; j < CLASSES; j++) {
                costs[i][j] = Math.abs(i - j) / (double) CLASSES;
            }
        }
        return Matrix.of(costs);
    }

    private static float[] logits(SplittableRandom random, int rows) {
        float[] logits = new float[rows * CLASSES];
        for (int i = 0; i < logits.length; i++) {
            logits[i] = (float) (2 * random.nextGaussian());
        }
        return logits;
    }

    private static float[] concat(float[] a, float[] b) {
        float[] all = new float[a.length + b.length];
        System.arraycopy(a, 0, all, 0, a.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        return all;
    }

    private static float[] floats(Matrix matrix) {
        float[] values = new float[matrix.rows() * matrix.columns()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) matrix.get(i / CLASSES, i % CLASSES);
        }
        return values;
    }
}
