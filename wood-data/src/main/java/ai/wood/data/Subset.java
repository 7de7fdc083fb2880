package ai.wood.data;

import ai.wood.Seed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/** Some samples of a dataset, in the dataset's order. */
public final class Subset implements Derived {

    private final Dataset whole;
    private final int[] indices;
    private final Split split;

    private Subset(Dataset whole, int[] indices, Split split) {
        this.whole = whole;
        this.indices = indices;
        this.split = split;
    }

    /** The samples at the given indices. */
    public static Subset of(Dataset whole, int... indices) {
        for (int index : indices) {
            if (index < 0 || index >= whole.size()) {
                throw new IllegalArgumentException(
                        whole.name() + " has " + whole.size() + " samples but index " + index + " was asked for");
            }
        }
        return new Subset(whole, indices.clone(), whole.split());
    }

    /** So many samples at random, every class as equally present as can be; all of them where there are not more. */
    public static Subset random(Dataset whole, int size, Seed seed) {
        List<int[]> rounds = rounds(whole, seed);
        int[] chosen = rounds.stream()
                .flatMapToInt(Arrays::stream)
                .limit(size)
                .sorted()
                .toArray();
        return new Subset(whole, chosen, whole.split());
    }

    /**
     * So many samples at random, every class in its proportion; all of them where there are not more. Classes too small for a
     * sample each have their proportion together.
     */
    public static Subset proportional(Dataset whole, int size, Seed seed) {
        int[] chosen = groups(whole, seed, group -> (long) size * group.length < whole.size()).stream()
                .flatMap(group -> IntStream.range(0, group.length)
                        .mapToObj(i -> new RankedIndex((i + 0.5) / group.length, group[i])))
                .sorted(Comparator.comparingDouble(
                        RankedIndex::share)) // stable: of equal ones those of the first class
                .limit(size)
                .mapToInt(RankedIndex::index)
                .sorted()
                .toArray();
        return new Subset(whole, chosen, whole.split());
    }

    /** Where a sample stands among those of its class. */
    private record RankedIndex(double share, int index) {}

    /**
     * Parts the dataset at random, class by class, so that every part has every class in proportion.
     *
     * <p>The parts do not overlap, and together they hold every sample. Of a class of n samples a part gets its share of
     * n, rounded so that the parts add up. Of classes so small that a part would get nothing it gets its share of all of
     * them together.
     *
     * @param shares of the parts, positive, with sum 1; each part is of the split it is filed under
     */
    public static Map<Split, Subset> stratified(Dataset whole, Map<Split, Double> shares, Seed seed) {
        double sum = shares.values().stream().mapToDouble(Double::doubleValue).sum();
        if (shares.values().stream().anyMatch(share -> !(share > 0)) || !(Math.abs(sum - 1) < 1e-9)) {
            throw new IllegalArgumentException("shares must be positive and sum to 1 but are " + shares);
        }
        Predicate<int[]> isSmall =
                group -> parted(List.of(group), shares).values().stream().anyMatch(List::isEmpty);
        Map<Split, Subset> result = new TreeMap<>();
        parted(groups(whole, seed, isSmall), shares)
                .forEach((split, list) -> result.put(
                        split,
                        new Subset(
                                whole, list.stream().mapToInt(i -> i).sorted().toArray(), split)));
        return result;
    }

    /** Parts every group by the shares, each rounded so that the parts of a group add up. */
    private static Map<Split, List<Integer>> parted(List<int[]> groups, Map<Split, Double> shares) {
        Map<Split, List<Integer>> parts = new TreeMap<>();
        shares.keySet().forEach(split -> parts.put(split, new ArrayList<>()));
        for (int[] group : groups) {
            double upTo = 0;
            int from = 0;
            for (Map.Entry<Split, List<Integer>> part : parts.entrySet()) {
                upTo += shares.getOrDefault(part.getKey(), 0.0);
                int to = (int) Math.round(Math.min(1, upTo) * group.length);
                for (; from < to; from++) {
                    part.getValue().add(group[from]);
                }
            }
        }
        return parts;
    }

    /** The indices of every class in random order, those of small classes together. */
    private static List<int[]> groups(Dataset whole, Seed seed, Predicate<int[]> isSmall) {
        List<int[]> groups = new ArrayList<>();
        Set<Integer> small = new HashSet<>();
        groups(whole, seed).forEach((label, group) -> {
            if (isSmall.test(group)) {
                small.add(label);
            } else {
                groups.add(group);
            }
        });
        if (!small.isEmpty()) {
            groups.add(IntStream.of(seed.permutation(whole.size()))
                    .filter(i -> small.contains(whole.label(i)))
                    .toArray());
        }
        return groups;
    }

    /** The indices of every class in random order, by label. */
    private static Map<Integer, int[]> groups(Dataset whole, Seed seed) {
        Map<Integer, List<Integer>> byLabel = new TreeMap<>();
        for (int i = 0; i < whole.size(); i++) {
            byLabel.computeIfAbsent(whole.label(i), label -> new ArrayList<>()).add(i);
        }
        Map<Integer, int[]> groups = new TreeMap<>();
        byLabel.forEach((label, members) -> groups.put(
                label,
                IntStream.of(seed.at(label).permutation(members.size()))
                        .map(members::get)
                        .toArray()));
        return groups;
    }

    /** One sample of every class, then another one of every class that has one, and so on. */
    private static List<int[]> rounds(Dataset whole, Seed seed) {
        Map<Integer, int[]> groups = groups(whole, seed);
        int longest =
                groups.values().stream().mapToInt(group -> group.length).max().orElse(0);
        return IntStream.range(0, longest)
                .mapToObj(round -> groups.values().stream()
                        .filter(group -> round < group.length)
                        .mapToInt(group -> group[round])
                        .toArray())
                .toList();
    }

    @Override
    public Dataset original() {
        return whole;
    }

    @Override
    public Split split() {
        return split;
    }

    @Override
    public int size() {
        return indices.length;
    }

    /** The index in the whole dataset of the sample at an index in this one. */
    public int indexInWhole(int index) {
        return indices[index];
    }

    @Override
    public Sample get(int index) {
        return whole.get(indices[index]);
    }

    @Override
    public Sample draw(int index, RandomGenerator random) {
        return whole.draw(indices[index], random);
    }

    @Override
    public int label(int index) {
        return whole.label(indices[index]);
    }
}
