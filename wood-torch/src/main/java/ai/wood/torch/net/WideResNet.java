package ai.wood.torch.net;

import ai.wood.torch.Architecture;
import ai.wood.torch.Layout;
import ai.wood.torch.Pass;
import org.bytedeco.pytorch.Tensor;

/**
 * A wide residual network: three groups of pre-activated blocks, {@code widen} times as wide as a ResNet of the same
 * depth.
 *
 * <p>Source: Zagoruyko and Komodakis, "Wide residual networks", BMVC 2016; names as in the PyTorch code that Outlier
 * Exposure and its successors use.
 *
 * @param depth number of weighted layers: {@code 6 n + 4}
 * @param widen factor on the widths 16, 32 and 64
 */
public record WideResNet(int depth, int widen, NetworkOptions options) implements Architecture {

    private static final int GROUPS = 3;
    private static final int STEM = 16;

    public WideResNet {
        if (depth < 10 || (depth - 4) % 6 != 0 || widen < 1) {
            throw new IllegalArgumentException("the depth must be 4 plus a positive multiple of 6 and the factor"
                    + " positive but they are " + depth + " and " + widen);
        }
    }

    @Override
    public Layout layout() {
        Layout layout = new Layout().convolution("conv1", options.channels(), STEM, 3);
        int in = STEM;
        for (int group = 1; group <= GROUPS; group++) {
            int out = channels(group);
            for (int i = 0; i < blocks(); i++) {
                String name = blockName(group, i);
                layout.norm(name + ".bn1", in)
                        .convolution(name + ".conv1", in, out, 3)
                        .norm(name + ".bn2", out)
                        .convolution(name + ".conv2", out, out, 3);
                if (in != out) {
                    layout.convolution(name + ".convShortcut", in, out, 1);
                }
                in = out;
            }
        }
        return layout.norm("bn1", in).head("fc", in, options.classes());
    }

    @Override
    public Activations forward(Pass pass, Tensor images) {
        Tensor x = pass.convolution("conv1", images, 1, 1);
        for (int group = 1; group <= GROUPS; group++) {
            for (int i = 0; i < blocks(); i++) {
                x = block(pass, group, i, x);
            }
            pass.show("block" + group, x);
        }
        Tensor features = pass.globalPool(pass.normRelu("bn1", x));
        return new Activations(pass.linear("fc", features), features);
    }

    private Tensor block(Pass pass, int group, int i, Tensor x) {
        String name = blockName(group, i);
        boolean widens = i == 0 && channels(group) != (group == 1 ? STEM : channels(group - 1));
        int stride = group > 1 && i == 0 ? 2 : 1;
        return pass.layer(() -> {
            Tensor activated = pass.normRelu(name + ".bn1", x);
            Tensor inner = pass.convolutionNorm(name + ".conv1", name + ".bn2", activated, stride, 1)
                    .relu_();
            Tensor residual = pass.convolution(name + ".conv2", pass.dropout(inner, options.dropout()), 1, 1);
            Tensor shortcut = widens ? pass.convolution(name + ".convShortcut", activated, stride, 0) : x;
            return residual.add_(shortcut);
        });
    }

    private int channels(int group) {
        return (STEM * widen) << (group - 1);
    }

    private int blocks() {
        return (depth - 4) / 6;
    }

    private static String blockName(int group, int i) {
        return "block" + group + ".layer." + i;
    }
}
