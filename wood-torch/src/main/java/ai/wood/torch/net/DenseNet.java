package ai.wood.torch.net;

import ai.wood.torch.Architecture;
import ai.wood.torch.Layout;
import ai.wood.torch.Pass;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;

/**
 * A densely connected network of three blocks: each layer reads all feature maps before it and adds {@code growth} of
 * its own.
 *
 * <p>Source: Huang et al., "Densely connected convolutional networks", CVPR 2017.
 *
 * @param depth number of weighted layers: {@code 3 n + 4}, with n even for bottlenecks
 * @param first feature maps of the first convolution
 * @param growth feature maps each layer adds
 * @param bottleneck whether a 1 x 1 convolution to {@code 4 growth} maps comes before each 3 x 3 ("B")
 * @param reduction share of the feature maps a transition keeps; below 1 it compresses ("C")
 */
public record DenseNet(int depth, int first, int growth, boolean bottleneck, double reduction, NetworkOptions options)
        implements Architecture {

    private static final int BLOCKS = 3;

    /** The side of the window that {@link NetworkOptions#legacyPool} means, from the top left of each map. */
    public static final int LEGACY_WINDOW = 7;

    public DenseNet {
        if (depth < 7 || (depth - 4) % (bottleneck ? 6 : 3) != 0) {
            throw new IllegalArgumentException(
                    "the depth must be 4 plus a positive multiple of " + (bottleneck ? 6 : 3) + " but is " + depth);
        }
        if (first < 1 || growth < 1 || !(reduction > 0 && reduction <= 1)) {
            throw new IllegalArgumentException(
                    "feature maps and growth must be positive and reduction in (0, 1] but they are " + first + ", "
                            + growth + " and " + reduction);
        }
    }

    /** DenseNet: 16 feature maps at first, no bottlenecks. */
    public static DenseNet plain(int depth, int growth, NetworkOptions options) {
        return new DenseNet(depth, 16, growth, false, 1, options);
    }

    /** DenseNet-BC: twice the growth at first, bottlenecks, and transitions that halve the feature maps. */
    public static DenseNet bc(int depth, int growth, NetworkOptions options) {
        return new DenseNet(depth, 2 * growth, growth, true, 0.5, options);
    }

    @Override
    public Layout layout() {
        int channels = first;
        Layout layout = new Layout().convolution("conv1", options.channels(), channels, 3);
        for (int block = 1; block <= BLOCKS; block++) {
            for (int i = 0; i < layersPerBlock(); i++) {
                declareLayer(layout, layerName(block, i), channels);
                channels += growth;
            }
            if (block < BLOCKS) {
                int kept = (int) Math.floor(channels * reduction);
                layout.norm("trans" + block + ".bn1", channels)
                        .convolution("trans" + block + ".conv1", channels, kept, 1);
                channels = kept;
            }
        }
        return layout.norm("bn1", channels).head("fc", channels, options.classes());
    }

    private void declareLayer(Layout layout, String name, int channels) {
        layout.norm(name + ".bn1", channels);
        if (bottleneck) {
            layout.convolution(name + ".conv1", channels, 4 * growth, 1)
                    .norm(name + ".bn2", 4 * growth)
                    .convolution(name + ".conv2", 4 * growth, growth, 3);
        } else {
            layout.convolution(name + ".conv1", channels, growth, 3);
        }
    }

    @Override
    public Activations forward(Pass pass, Tensor images) {
        Tensor x = pass.convolution("conv1", images, 1, 1);
        for (int block = 1; block <= BLOCKS; block++) {
            x = pass.show("block" + block, block(pass, block, x));
            if (block < BLOCKS) {
                x = transition(pass, "trans" + block, x);
            }
        }
        Tensor features = pool(pass, pass.normRelu("bn1", x));
        return new Activations(pass.linear("fc", features), features);
    }

    private Tensor block(Pass pass, int block, Tensor x) {
        FeatureStack stack = FeatureStack.of(x, (int) x.size(1) + layersPerBlock() * growth);
        for (int i = 0; i < layersPerBlock(); i++) {
            String name = layerName(block, i);
            stack.add(maps -> layer(pass, name, maps));
        }
        return stack.maps();
    }

    private Tensor layer(Pass pass, String name, Tensor x) {
        if (!bottleneck) {
            Tensor activated = pass.normRelu(name + ".bn1", x);
            return pass.dropout(pass.convolution(name + ".conv1", activated, 1, 1), options.dropout());
        }
        Tensor inner = pass.normReluConvolution(name + ".bn1", name + ".conv1", name + ".bn2", x)
                .relu_();
        return pass.dropout(pass.convolution(name + ".conv2", inner, 1, 1), options.dropout());
    }

    private Tensor transition(Pass pass, String name, Tensor x) {
        return pass.layer(() -> {
            Tensor mixed = pass.normReluConvolution(name + ".bn1", name + ".conv1", null, x);
            return torch.avg_pool2d(pass.dropout(mixed, options.dropout()), 2, 2);
        });
    }

    private Tensor pool(Pass pass, Tensor x) {
        if (!options.legacyPool()) {
            return pass.globalPool(x);
        }
        return pass.globalPool(x.narrow(2, 0, LEGACY_WINDOW).narrow(3, 0, LEGACY_WINDOW));
    }

    private int layersPerBlock() {
        return (depth - 4) / (bottleneck ? 6 : 3);
    }

    private static String layerName(int block, int i) {
        return "block" + block + ".layer." + i;
    }
}
