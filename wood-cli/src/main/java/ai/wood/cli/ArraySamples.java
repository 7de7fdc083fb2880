package ai.wood.cli;

import ai.wood.FitData;
import ai.wood.Outputs;
import ai.wood.Seed;
import ai.wood.data.DatasetList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Samples in arrays, to make a detector from.
 *
 * @param all InD samples that did not train the network
 * @param labels their true labels; empty if unknown
 * @param training separate training outputs
 * @param ood OOD samples by the name of their set
 * @param hashes SHA-256 of the files by purpose, for the detector
 */
record ArraySamples(
        Outputs all,
        List<Integer> labels,
        Optional<FitData> training,
        Map<String, Outputs> ood,
        Map<String, String> hashes,
        Seed seed) {

    /** Samples for two purposes. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Parts(int[] first, int[] second) {}

    static ArraySamples read(ArrayOptions options) throws IOException {
        Inputs inputs = new Inputs();
        OutputFiles files = options.files();
        Outputs all = files.read(inputs);
        Path labelFile = options.labels();
        List<Integer> labels = labelFile == null ? List.of() : files.labels(labelFile, all, inputs);
        Optional<FitData> training = Optional.empty();
        Map<String, String> hashes = new TreeMap<>();
        hashes.put("calibration", files.hash());
        if (options.fit().given()) {
            FitData read = options.fit().read(inputs);
            requireSameColumns(files, all, options.fit().files(), read.requireTraining());
            training = Optional.of(read);
            hashes.put("fit", options.fit().files().hash());
        }
        Map<String, Outputs> ood = new LinkedHashMap<>();
        for (DatasetList.Item item : options.sets()) {
            OutputFiles set = OutputFiles.of(item);
            Outputs read = set.read(inputs);
            requireSameColumns(files, all, set, read);
            if (ood.put(item.name(), read) != null) {
                throw new IllegalArgumentException("There are two OOD sets '" + item.name() + "'. Rename one.");
            }
            hashes.put("choice " + item.name(), set.hash());
        }
        hashes.values().removeIf(String::isEmpty); // of standard input
        return new ArraySamples(all, labels, training, ood, hashes, new Seed(options.seed()));
    }

    private static void requireSameColumns(OutputFiles files, Outputs all, OutputFiles others, Outputs other)
            throws IOException {
        if (all.hasPredictions() && other.hasPredictions()) {
            requireSame(files, all.classes(), others, other.classes(), "classes");
        }
        if (all.hasFeatures() && other.hasFeatures()) {
            requireSame(
                    files, all.features().columns(), others, other.features().columns(), "features");
        }
    }

    private static void requireSame(OutputFiles files, int count, OutputFiles others, int other, String what)
            throws IOException {
        if (count != other) {
            throw new IOException(files.name() + ": there are " + count + " " + what + " but " + others.name() + " has "
                    + other + ".");
        }
    }

    /** The numbers of all samples. */
    int[] indices() {
        return IntStream.range(0, all.size()).toArray();
    }

    /** The numbers of all samples except some. */
    int[] without(int[] some) {
        Set<Integer> left = IntStream.of(some).boxed().collect(Collectors.toSet());
        return IntStream.of(indices()).filter(i -> !left.contains(i)).toArray();
    }

    /**
     * Splits samples at random, each label in proportion.
     *
     * @param fraction of the first part
     */
    Parts split(int[] samples, double fraction, Seed branch) {
        int[] order = Arrays.stream(branch.permutation(samples.length))
                .map(i -> samples[i])
                .toArray();
        if (!labels.isEmpty()) {
            order = Arrays.stream(order)
                    .boxed()
                    .sorted(Comparator.comparing(labels::get)) // stable: within a label the order stays random
                    .mapToInt(i -> i)
                    .toArray();
        }
        return new Parts(part(order, fraction, true), part(order, fraction, false));
    }

    /** Takes samples at regular distances, so that each run of equal labels gives its fraction. */
    private static int[] part(int[] order, double fraction, boolean first) {
        return IntStream.range(0, order.length)
                .filter(i -> first == ((long) ((i + 1) * fraction) > (long) (i * fraction)))
                .map(i -> order[i])
                .sorted()
                .toArray();
    }

    /** Training data of some samples. */
    FitData fitData(int... samples) {
        FitData data = FitData.of(all.select(samples));
        return labels.isEmpty()
                ? data
                : data.withLabels(Arrays.stream(samples).mapToObj(labels::get).toList());
    }
}
