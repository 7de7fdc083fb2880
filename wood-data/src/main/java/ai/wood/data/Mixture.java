package ai.wood.data;

import ai.wood.Seed;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * Several OOD sources as one: every sample comes from a part chosen at random by the parts' weights, and is a random one
 * of that part. Samples are unlabelled.
 *
 * <p>It is as large as its parts together, but samples may repeat. It counts as test split as soon as one part does.
 */
public final class Mixture implements Dataset {

    private final List<Component> parts;
    private final double[] upTo;
    private final Seed seed;

    /**
     * One source.
     *
     * @param weight positive; shares are weights over their sum
     */
    public record Component(Dataset dataset, double weight) {
        public Component {
            if (!(weight > 0 && weight < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException(
                        "a weight must be positive but that of " + dataset.name() + " is " + weight);
            }
            if (dataset.size() == 0) {
                throw new IllegalArgumentException(dataset.name() + " has no samples to draw from."
                        + " Maybe there are too few of them to hold some out.");
            }
        }
    }

    /** The parts must have one shape. */
    public Mixture(List<Component> parts, Seed seed) {
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a mixture needs at least one part");
        }
        Shape shape = parts.get(0).dataset().shape();
        for (Component part : parts) {
            if (!part.dataset().shape().equals(shape)) {
                throw new IllegalArgumentException("the parts of a mixture must have one shape but "
                        + parts.get(0).dataset().name() + " is " + shape + " and "
                        + part.dataset().name() + " is " + part.dataset().shape());
            }
        }
        this.parts = List.copyOf(parts);
        this.upTo = parts.stream().mapToDouble(Component::weight).toArray();
        Arrays.parallelPrefix(upTo, Double::sum);
        this.seed = seed;
    }

    /** What it is made of. */
    public List<Component> parts() {
        return parts;
    }

    @Override
    public Sample get(int index) {
        RandomGenerator random = seed.at(index).random();
        Dataset part = parts.get(choose(random)).dataset();
        return unlabelled(part.get(random.nextInt(part.size())));
    }

    @Override
    public Sample draw(int index, RandomGenerator random) {
        Dataset part = parts.get(choose(random)).dataset();
        return unlabelled(part.draw(random.nextInt(part.size()), random));
    }

    /** Draws which part the next sample comes from. */
    int choose(RandomGenerator random) {
        double point = random.nextDouble() * upTo[upTo.length - 1];
        int i = 0;
        while (i < upTo.length - 1 && point >= upTo[i]) {
            i++;
        }
        return i;
    }

    private static Sample unlabelled(Sample sample) {
        return new Sample(sample.image(), Sample.UNLABELLED);
    }

    @Override
    public String name() {
        return parts.stream().map(part -> part.dataset().name()).collect(Collectors.joining("+"));
    }

    @Override
    public Split split() {
        List<Split> splits =
                parts.stream().map(part -> part.dataset().split()).distinct().toList();
        return splits.contains(Split.TEST) ? Split.TEST : splits.size() == 1 ? splits.get(0) : Split.NONE;
    }

    @Override
    public List<String> classes() {
        return List.of();
    }

    @Override
    public Shape shape() {
        return parts.get(0).dataset().shape();
    }

    @Override
    public int size() {
        long sum = parts.stream().mapToLong(part -> part.dataset().size()).sum();
        return (int) Math.min(Integer.MAX_VALUE, sum);
    }

    @Override
    public int label(int index) {
        return Sample.UNLABELLED;
    }

    /** Always: which sample of which part comes is drawn anew each time. */
    @Override
    public boolean varies() {
        return true;
    }
}
