package ai.wood.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.wood.torch.net.DenseNet;
import ai.wood.torch.net.NetworkOptions;
import java.util.SplittableRandom;
import org.bytedeco.pytorch.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Layers run as one against layers run one by one, with normalisations as training may leave them. */
class FoldedNormsTest {

    private static final Architecture NETWORK = DenseNet.bc(22, 6, NetworkOptions.of(1, 3));

    /** What the factors of normalisations are like. */
    private enum Factors {
        POSITIVE,
        OF_BOTH_SIGNS,
        SOME_ZERO,
        SOME_TINY;

        float draw(SplittableRandom random) {
            float usual = (float) random.nextDouble(0.5, 1.5);
            return switch (this) {
                case POSITIVE -> usual;
                case OF_BOTH_SIGNS -> random.nextBoolean() ? usual : -usual;
                case SOME_ZERO -> random.nextBoolean() ? usual : 0;
                case SOME_TINY -> random.nextBoolean() ? -usual : 1e-38f; // the bound would be infinite
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    void foldedAndPlainPassesAgree(Factors factors) {
        check(NETWORK, factors);
    }

    @Test
    void aConvolutionMayServeSeveralNormalisations() {
        check(new Shared(), Factors.OF_BOTH_SIGNS);
    }

    private static void check(Architecture network, Factors factors) {
        NativeScope.runWithoutGradients(() -> {
            Weights weights = Weights.initial(network.layout(), 1, Devices.cpu());
            shake(weights, factors);
            Tensor images = random(3, 4 * 144).view(4, 1, 12, 12);
            float[] plain = logits(network, Pass.evaluation(weights), images);
            try (FoldedNorms folded = FoldedNorms.of(weights, Precision.FP32)) {
                assertThat(logits(network, Pass.evaluation(weights, folded), images))
                        .containsExactly(plain, within(1e-4f));
            }
        });
    }

    private static float[] logits(Architecture network, Pass pass, Tensor images) {
        return Tensors.floats(network.forward(pass, images).logits());
    }

    /** One convolution again and again, between different normalisations. */
    private record Shared() implements Architecture {

        @Override
        public Layout layout() {
            return new Layout()
                    .convolution("stem", 1, 4, 3)
                    .convolution("conv", 4, 4, 1)
                    .norm("bn1", 4)
                    .norm("bn2", 4)
                    .head("fc", 4, 3);
        }

        @Override
        public Activations forward(Pass pass, Tensor images) {
            Tensor x = pass.convolution("stem", images, 1, 1);
            x = pass.convolutionNorm("conv", "bn1", x, 1, 0);
            x = pass.convolutionNorm("conv", "bn2", x, 1, 0);
            x = pass.normReluConvolution("bn1", "conv", "bn2", x);
            x = pass.normReluConvolution("bn2", "conv", "bn1", x);
            x = pass.normReluConvolution("bn2", "conv", null, x);
            Tensor features = pass.globalPool(x);
            return new Activations(pass.linear("fc", features), features);
        }
    }

    private static void shake(Weights weights, Factors factors) {
        SplittableRandom random = new SplittableRandom(2);
        for (Layout.Slot slot : weights.layout().slots()) {
            String name = slot.name();
            Tensor tensor = weights.view(name);
            float[] values = Tensors.floats(tensor);
            for (int i = 0; i < values.length; i++) {
                if (name.endsWith("running_var")) {
                    values[i] = (float) random.nextDouble(0.2, 2);
                } else if (name.endsWith("running_mean") || (name.contains("bn") && name.endsWith("bias"))) {
                    values[i] = (float) random.nextGaussian() / 2;
                } else if (name.contains("bn") && name.endsWith("weight")) {
                    values[i] = factors.draw(random);
                }
            }
            tensor.copy_(Tensors.of(values, Devices.cpu(), values.length).view_as(tensor));
        }
    }

    private static Tensor random(long seed, int count) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return Tensors.of(values, Devices.cpu(), count);
    }
}
