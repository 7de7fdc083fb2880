package ai.wood.torch.net;

import ai.wood.torch.Architecture;
import ai.wood.torch.Layout;
import ai.wood.torch.Pass;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * A small network in LeNet's spirit, for demonstrations and tests: three normalised 3 x 3 convolutions, the first two
 * followed by pooling, then the global mean and one linear layer.
 *
 * @param width channels of the first convolution; the others have twice and four times as many
 */
public record SmallCnn(int width, NetworkOptions options) implements Architecture {

    private static final int LAYERS = 3;

    public SmallCnn {
        if (width < 1) {
            throw new IllegalArgumentException("the width must be positive but is " + width);
        }
    }

    @Override
    public Layout layout() {
        Layout layout = new Layout();
        int in = options.channels();
        for (int i = 1; i <= LAYERS; i++) {
            int out = width << (i - 1);
            layout.convolution("conv" + i, in, out, 3).norm("bn" + i, out);
            in = out;
        }
        return layout.head("fc", in, options.classes());
    }

    @Override
    public Activations forward(Pass pass, Tensor images) {
        Tensor x = images;
        for (int i = 1; i <= LAYERS; i++) {
            x = layer(pass, i, x);
        }
        Tensor features = pass.dropout(pass.globalPool(x), options.dropout());
        return new Activations(pass.linear("fc", features), features);
    }

    private static Tensor layer(Pass pass, int i, Tensor x) {
        return pass.layer(() -> {
            Tensor activated =
                    pass.convolutionNorm("conv" + i, "bn" + i, x, 1, 1).relu_();
            return pass.show("conv" + i, i < LAYERS ? torch.max_pool2d(activated, 2, 2) : activated);
        });
    }
}
