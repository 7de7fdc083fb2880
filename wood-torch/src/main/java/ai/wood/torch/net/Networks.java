package ai.wood.torch.net;

import ai.wood.Names;
import ai.wood.torch.Architecture;
import java.util.Map;
import java.util.function.Function;

/** The catalogue of architectures, each under the name the command line and the run's files use. */
public enum Networks {
    /** The paper's network: 0.77 million parameters. */
    DENSENET_BC_100_12(options -> DenseNet.bc(100, 12, options)),
    /** The paper's network at a fifth of the depth. */
    DENSENET_BC_22_12(options -> DenseNet.bc(22, 12, options)),
    DENSENET_40_12(options -> DenseNet.plain(40, 12, options)),
    RESNET_18(options -> new ResNet(64, 4, 2, options)),
    RESNET_20(options -> new ResNet(16, 3, 3, options)),
    RESNET_56(options -> new ResNet(16, 3, 9, options)),
    WIDERESNET_40_2(options -> new WideResNet(40, 2, options)),
    WIDERESNET_28_10(options -> new WideResNet(28, 10, options)),
    SMALL_CNN(options -> new SmallCnn(32, options));

    @SuppressWarnings("ImmutableEnumChecker") // a function without state
    private final Function<NetworkOptions, Architecture> constructor;

    Networks(Function<NetworkOptions, Architecture> constructor) {
        this.constructor = constructor;
    }

    /** Such a network for a task, with the branches it asks for. */
    public Architecture with(NetworkOptions options) {
        Architecture network = constructor.apply(options);
        for (Map.Entry<String, Integer> branch : options.branches().entrySet()) {
            network = new Branched(network, branch.getKey(), branch.getValue());
        }
        return network;
    }

    /**
     * The architecture of a name as in {@code densenet-bc-100-12}.
     *
     * @throws IllegalArgumentException listing the known names
     */
    public static Networks byId(String id) {
        return Names.find("network", id, values(), Networks::id);
    }

    /** The name on the command line and in files: {@code densenet-bc-100-12}. */
    public String id() {
        return Names.of(this);
    }
}
