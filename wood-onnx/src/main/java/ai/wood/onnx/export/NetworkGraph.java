package ai.wood.onnx.export;

import ai.wood.onnx.export.OnnxExport.Description;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Every family of the catalogue as a graph. The names of the layers state how deep a network is and where it has shortcuts. */
record NetworkGraph(GraphLayers layers) {

    /** A DenseNet with the pooling of the paper's code reads only this many rows and columns of its last maps. */
    private static final int LEGACY_WINDOW = 7;

    /**
     * Names of a network's outputs in the graph.
     *
     * @param logits count x classes
     * @param features count x width
     * @param branches additional outputs, by their names in the network
     */
    record Said(String logits, String features, Map<String, String> branches) {

        String branch(String name) {
            String branch = branches.get(name);
            if (branch == null) {
                throw new IllegalArgumentException("the scorer needs a network with the branch '" + name
                        + "' but this one has " + branches.keySet());
            }
            return branch;
        }
    }

    /**
     * Adds a network to the graph.
     *
     * @throws IllegalArgumentException for one of another family
     */
    Said of(Description network, String images) throws IOException {
        String features = features(network, images);
        Map<String, String> branches = new LinkedHashMap<>();
        for (String branch : network.branches()) {
            branches.put(branch, layers.linear(branch, features));
        }
        return new Said(layers.linear("fc", features), features, branches);
    }

    private String features(Description network, String images) throws IOException {
        String id = network.id();
        if (id.startsWith("densenet")) {
            return dense(network.legacyPool(), images);
        } else if (id.startsWith("resnet")) {
            return residual(images);
        } else if (id.startsWith("wideresnet")) {
            return wide(images);
        } else if (id.startsWith("small-cnn")) {
            return small(images);
        }
        throw new IllegalArgumentException(
                "only a DenseNet, ResNet, WideResNet or SmallCnn can be written as ONNX but the network is " + id);
    }

    private String dense(boolean legacyPool, String images) throws IOException {
        String x = layers.convolution("conv1", images, 1, 1);
        for (int block = 1; layers.has("block" + block + ".layer.0.bn1"); block++) {
            for (int i = 0; layers.has("block" + block + ".layer." + i + ".bn1"); i++) {
                x = layers.concatenation(x, denseLayer("block" + block + ".layer." + i, x));
            }
            String transition = "trans" + block;
            if (layers.has(transition + ".conv1")) {
                String mixed = layers.convolution(transition + ".conv1", layers.normRelu(transition + ".bn1", x), 1, 0);
                x = layers.averagePool(mixed, 2);
            }
        }
        String maps = layers.normRelu("bn1", x);
        return layers.globalPool(legacyPool ? layers.corner(maps, LEGACY_WINDOW) : maps);
    }

    private String denseLayer(String name, String x) throws IOException {
        String activated = layers.normRelu(name + ".bn1", x);
        if (!layers.has(name + ".conv2")) {
            return layers.convolution(name + ".conv1", activated, 1, 1);
        }
        String inner = layers.relu(layers.convolutionNorm(name + ".conv1", name + ".bn2", activated, 1, 0));
        return layers.convolution(name + ".conv2", inner, 1, 1);
    }

    private String residual(String images) throws IOException {
        String x = layers.relu(layers.convolutionNorm("conv1", "bn1", images, 1, 1));
        for (int group = 1; layers.has("layer" + group + ".0.conv1"); group++) {
            for (int i = 0; layers.has("layer" + group + "." + i + ".conv1"); i++) {
                x = residualBlock("layer" + group + "." + i, x);
            }
        }
        return layers.globalPool(x);
    }

    private String residualBlock(String name, String x) throws IOException {
        boolean shrinks = layers.has(name + ".downsample.0");
        int stride = shrinks ? 2 : 1;
        String inner = layers.relu(layers.convolutionNorm(name + ".conv1", name + ".bn1", x, stride, 1));
        String residual = layers.convolutionNorm(name + ".conv2", name + ".bn2", inner, 1, 1);
        String shortcut =
                shrinks ? layers.convolutionNorm(name + ".downsample.0", name + ".downsample.1", x, stride, 0) : x;
        return layers.relu(layers.sum(residual, shortcut));
    }

    private String wide(String images) throws IOException {
        String x = layers.convolution("conv1", images, 1, 1);
        for (int group = 1; layers.has("block" + group + ".layer.0.conv1"); group++) {
            for (int i = 0; layers.has("block" + group + ".layer." + i + ".conv1"); i++) {
                x = wideBlock("block" + group + ".layer." + i, x, group > 1 && i == 0 ? 2 : 1);
            }
        }
        return layers.globalPool(layers.normRelu("bn1", x));
    }

    private String wideBlock(String name, String x, int stride) throws IOException {
        String activated = layers.normRelu(name + ".bn1", x);
        String inner = layers.relu(layers.convolutionNorm(name + ".conv1", name + ".bn2", activated, stride, 1));
        String residual = layers.convolution(name + ".conv2", inner, 1, 1);
        String shortcut = layers.has(name + ".convShortcut")
                ? layers.convolution(name + ".convShortcut", activated, stride, 0)
                : x;
        return layers.sum(residual, shortcut);
    }

    private String small(String images) throws IOException {
        String x = images;
        for (int i = 1; layers.has("conv" + i); i++) {
            String activated = layers.relu(layers.convolutionNorm("conv" + i, "bn" + i, x, 1, 1));
            x = layers.has("conv" + (i + 1)) ? layers.maxPool(activated, 2) : activated;
        }
        return layers.globalPool(x);
    }
}
