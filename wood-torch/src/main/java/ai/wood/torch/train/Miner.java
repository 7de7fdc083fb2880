package ai.wood.torch.train;

import ai.wood.Scorer;
import ai.wood.Seed;
import ai.wood.data.Dataset;
import ai.wood.data.Subset;
import ai.wood.torch.TorchNetwork;
import ai.wood.torch.train.TrainOptions.Mining;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * Chooses the outliers of an epoch; the same network, seed and epoch give the same ones.
 *
 * @param outliers all there are, always the same at an index
 */
record Miner(Mining mining, Dataset outliers, Scorer scorer, Seed seed) {

    /** Indices are kept as floats, which are exact up to here. */
    private static final int MAX_OUTLIERS = 1 << 24;

    Miner {
        if (outliers.size() > MAX_OUTLIERS) {
            throw new IllegalArgumentException("mining is from at most " + MAX_OUTLIERS + " outliers but "
                    + outliers.name() + " has " + outliers.size());
        }
    }

    /** The indices of the chosen outliers. */
    int[] choose(TorchNetwork network, int epoch) {
        int size = mining.pool() == 0 ? outliers.size() : Math.min(mining.pool(), outliers.size());
        int[] pool = Arrays.copyOf(seed.at(epoch).permutation(outliers.size()), size);
        double[] scores =
                scorer.score(network.classify(Subset.of(outliers, pool).images()));
        int count = Math.max(1, (int) (Mining.SHARE * size));
        int from = Math.min((int) (mining.quantile() * size), size - count);
        return IntStream.range(0, size)
                .boxed()
                .sorted(Comparator.comparingDouble(i -> scores[i]))
                .skip(from)
                .limit(count)
                .mapToInt(i -> pool[i])
                .toArray();
    }
}
