package ai.wood.torch.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.wood.torch.Devices;
import ai.wood.torch.NativeScope;
import ai.wood.torch.Tensors;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OptimisersTest {

    private static final int SIZE = 6;
    private static final int STEPS = 12;
    private static final double RATE = 0.05;
    private static final float[] DECAY = {0.1f, 0, 0.1f, 0, 0.1f, 0};

    /** Plain loops over doubles, as the optimisers' papers and PyTorch's documentation state them. */
    static void referenceStep(
            Optimisers kind, double[] w, double[] g, double[][] slots, int step, double rate, float[] decay) {
        for (int i = 0; i < w.length; i++) {
            double gradient = g[i] + (kind == Optimisers.ADAMW ? 0 : decay[i] * w[i]);
            if (kind == Optimisers.SGD) {
                slots[0][i] = 0.9 * slots[0][i] + gradient;
                w[i] -= rate * (gradient + 0.9 * slots[0][i]);
            } else {
                w[i] -= kind == Optimisers.ADAMW ? rate * decay[i] * w[i] : 0;
                slots[0][i] = 0.9 * slots[0][i] + 0.1 * gradient;
                slots[1][i] = 0.999 * slots[1][i] + 0.001 * gradient * gradient;
                double mean = slots[0][i] / (1 - Math.pow(0.9, step));
                double square = slots[1][i] / (1 - Math.pow(0.999, step));
                w[i] -= rate * mean / (Math.sqrt(square) + 1e-8);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void followsItsDefinition(Optimisers kind) {
        SplittableRandom random = new SplittableRandom(3);
        double[] expected = random.doubles(SIZE, -1, 1).map(x -> (float) x).toArray();
        double[][] expectedSlots = new double[2][SIZE];
        NativeScope.runWithoutGradients(() -> {
            Tensor weights = Tensors.of(floats(expected), Devices.cpu(), SIZE);
            Tensor decay = Tensors.of(DECAY, Devices.cpu(), SIZE);
            Map<String, Tensor> slots = new HashMap<>();
            kind.optimiser().slots().forEach(name -> slots.put(name, torch.zeros_like(weights)));
            for (int step = 1; step <= STEPS; step++) {
                double[] gradient =
                        random.doubles(SIZE, -1, 1).map(x -> (float) x).toArray();
                Tensor g = Tensors.of(floats(gradient), Devices.cpu(), SIZE);
                float[] dials = floats(kind.optimiser().dials(step, RATE));
                Tensor turned = Tensors.of(dials, Devices.cpu(), dials.length);
                kind.optimiser().update(weights, g, slots, new Optimiser.Moment(turned, decay));
                referenceStep(kind, expected, gradient, expectedSlots, step, RATE, DECAY);
            }
            assertThat(Tensors.floats(weights)).containsExactly(floats(expected), within(2e-6f));
        });
    }

    @Test
    void schedulesStartNearTheirPeakOrRiseToItAndNeverExceedIt() {
        for (Schedule schedule : Schedule.values()) {
            double largest = 0;
            for (int i = 0; i < 1000; i++) {
                double factor = schedule.factor(i / 1000.0);
                assertThat(factor).isBetween(0.0, 1.0);
                largest = Math.max(largest, factor);
            }
            assertThat(largest).isGreaterThan(0.99);
        }
        assertThat(Schedule.STEP.factor(0.49)).isEqualTo(1);
        assertThat(Schedule.STEP.factor(0.6)).isEqualTo(0.1);
        assertThat(Schedule.STEP.factor(0.8)).isEqualTo(0.01);
        assertThat(Schedule.COSINE.factor(0.5)).isCloseTo(0.5, within(1e-12));
        assertThat(Schedule.COSINE.factor(2 / 3.0)).isCloseTo(0.25, within(1e-12));
        assertThat(Schedule.ONE_CYCLE.factor(0)).isEqualTo(0.04);
        assertThat(Schedule.ONE_CYCLE.factor(0.15)).isCloseTo(0.52, within(1e-12));
        assertThat(Schedule.ONE_CYCLE.factor(0.3)).isEqualTo(1);
        assertThat(Schedule.ONE_CYCLE.factor(0.65)).isCloseTo(0.5, within(1e-12));
        assertThat(Schedule.ONE_CYCLE.factor(0.999)).isLessThan(1e-4);
    }

    private static float[] floats(double[] values) {
        float[] floats = new float[values.length];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) values[i];
        }
        return floats;
    }
}
