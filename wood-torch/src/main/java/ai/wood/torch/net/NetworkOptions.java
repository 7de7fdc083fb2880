package ai.wood.torch.net;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a network of any architecture must know about its task.
 *
 * @param channels of the images: 1 for grey, 3 for colour
 * @param classes number of classes
 * @param dropout share of elements dropped in training, 0 for none
 * @param legacyPool whether a DenseNet ends in the WOOD authors' 7 x 7 window, which drops the last row and column of an
 *     8 x 8 map, instead of the global mean; checkpoints trained with their code need it
 * @param branches what the network says beside its classes: names, and how many numbers each gives
 */
public record NetworkOptions(
        int channels, int classes, double dropout, boolean legacyPool, Map<String, Integer> branches) {

    public NetworkOptions {
        branches = Collections.unmodifiableMap(new TreeMap<>(Map.copyOf(branches)));
        if (channels < 1 || classes < 2 || !(dropout >= 0 && dropout < 1)) {
            throw new IllegalArgumentException("a network needs at least 1 channel, 2 classes and a dropout in [0, 1)"
                    + " but got " + channels + ", " + classes + ", " + dropout);
        }
    }

    /** No dropout, global pooling, no branches. */
    public static NetworkOptions of(int channels, int classes) {
        return new NetworkOptions(channels, classes, 0, false, Map.of());
    }

    public NetworkOptions withDropout(double dropout) {
        return new NetworkOptions(channels, classes, dropout, legacyPool, branches);
    }

    public NetworkOptions withLegacyPool(boolean legacyPool) {
        return new NetworkOptions(channels, classes, dropout, legacyPool, branches);
    }

    public NetworkOptions withBranches(Map<String, Integer> branches) {
        return new NetworkOptions(channels, classes, dropout, legacyPool, branches);
    }
}
