package ai.wood.torch.net;

import ai.wood.torch.Architecture;
import ai.wood.torch.Layout;
import ai.wood.torch.Pass;
import org.bytedeco.pytorch.Tensor;

/**
 * A residual network for small images: a 3 x 3 stem, then groups of two-convolution blocks whose input is added to
 * their output. The first block of each later group halves the map and doubles the channels.
 *
 * <p>Where the shape changes, the shortcut is a 1 x 1 convolution with normalisation. Names are torchvision's.
 *
 * <p>Source: He et al., "Deep residual learning for image recognition", CVPR 2016.
 *
 * @param width channels of the first group
 * @param groups number of groups
 * @param blocks blocks in each group
 */
public record ResNet(int width, int groups, int blocks, NetworkOptions options) implements Architecture {

    public ResNet {
        if (width < 1 || groups < 1 || blocks < 1 || groups > 8) {
            throw new IllegalArgumentException("width, groups (at most 8) and blocks must be positive but are " + width
                    + ", " + groups + ", " + blocks);
        }
    }

    @Override
    public Layout layout() {
        Layout layout =
                new Layout().convolution("conv1", options.channels(), width, 3).norm("bn1", width);
        int in = width;
        for (int group = 1; group <= groups; group++) {
            int out = channels(group);
            for (int i = 0; i < blocks; i++) {
                String name = blockName(group, i);
                layout.convolution(name + ".conv1", in, out, 3)
                        .norm(name + ".bn1", out)
                        .convolution(name + ".conv2", out, out, 3)
                        .norm(name + ".bn2", out);
                if (changesShape(group, i)) {
                    layout.convolution(name + ".downsample.0", in, out, 1).norm(name + ".downsample.1", out);
                }
                in = out;
            }
        }
        return layout.head("fc", in, options.classes());
    }

    @Override
    public Activations forward(Pass pass, Tensor images) {
        Tensor x = pass.convolutionNorm("conv1", "bn1", images, 1, 1).relu_();
        for (int group = 1; group <= groups; group++) {
            for (int i = 0; i < blocks; i++) {
                x = block(pass, group, i, x);
            }
            pass.show("layer" + group, x);
        }
        Tensor features = pass.dropout(pass.globalPool(x), options.dropout());
        return new Activations(pass.linear("fc", features), features);
    }

    private static Tensor block(Pass pass, int group, int i, Tensor x) {
        String name = blockName(group, i);
        boolean changes = changesShape(group, i);
        int stride = changes ? 2 : 1;
        return pass.layer(() -> {
            Tensor inner = pass.convolutionNorm(name + ".conv1", name + ".bn1", x, stride, 1)
                    .relu_();
            Tensor residual = pass.convolutionNorm(name + ".conv2", name + ".bn2", inner, 1, 1);
            Tensor shortcut =
                    changes ? pass.convolutionNorm(name + ".downsample.0", name + ".downsample.1", x, stride, 0) : x;
            return residual.add_(shortcut).relu_();
        });
    }

    private int channels(int group) {
        return width << (group - 1);
    }

    private static boolean changesShape(int group, int i) {
        return group > 1 && i == 0;
    }

    private static String blockName(int group, int i) {
        return "layer" + group + "." + i;
    }
}
