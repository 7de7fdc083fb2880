package ai.wood.torch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.random.RandomGenerator;

/**
 * The named tensors of a network, in the order of its parameters, and how each one starts.
 *
 * <p>Names and shapes are those PyTorch gives to the same modules. Convolutions start He-normal by fan-out,
 * {@code N(0, 2 / (k k out))}; linear weights uniform in {@code +-1/sqrt(in)}; normalisations at one and zero.
 */
public final class Layout {

    /** What a tensor is for. */
    public enum Role {
        /** Trained, and shrunk by weight decay. */
        WEIGHT,
        /** Trained, but not shrunk: biases and normalisations. */
        OFFSET,
        /** Not trained by gradients: running statistics. */
        STATISTIC
    }

    /** Draws the values a tensor starts with. */
    @FunctionalInterface
    public interface Start {
        float[] draw(RandomGenerator random, int size);
    }

    /** One named tensor. */
    public record Slot(String name, Role role, List<Long> shape, Start start) {

        /** Number of elements. */
        public long size() {
            return shape.stream().reduce(1L, Math::multiplyExact);
        }

        /** The shape, as libtorch takes it. */
        public long[] dimensions() {
            return shape.stream().mapToLong(Long::longValue).toArray();
        }
    }

    private final List<Slot> slots = new ArrayList<>();
    private final Set<String> names = new TreeSet<>();
    private Optional<String> head = Optional.empty();

    /** A square convolution without bias: {@code NAME.weight}. */
    public Layout convolution(String name, int in, int out, int kernel) {
        double deviation = Math.sqrt(2.0 / ((double) kernel * kernel * out));
        return add(new Slot(
                name + ".weight",
                Role.WEIGHT,
                shape(out, in, kernel, kernel),
                each(random -> random.nextGaussian() * deviation)));
    }

    /** A batch normalisation: {@code NAME.weight}, {@code .bias}, {@code .running_mean}, {@code .running_var}. */
    public Layout norm(String name, int channels) {
        return add(constant(name + ".weight", Role.OFFSET, channels, 1))
                .add(constant(name + ".bias", Role.OFFSET, channels, 0))
                .add(constant(name + ".running_mean", Role.STATISTIC, channels, 0))
                .add(constant(name + ".running_var", Role.STATISTIC, channels, 1));
    }

    /** A fully connected layer: {@code NAME.weight} and {@code NAME.bias}. */
    public Layout linear(String name, int in, int out) {
        double bound = 1 / Math.sqrt(in);
        return add(new Slot(
                        name + ".weight",
                        Role.WEIGHT,
                        shape(out, in),
                        each(random -> random.nextDouble(-bound, bound))))
                .add(constant(name + ".bias", Role.OFFSET, out, 0));
    }

    /** The fully connected layer that makes logits of the features. */
    public Layout head(String name, int in, int out) {
        head = Optional.of(name);
        return linear(name, in, out);
    }

    /** The name of the layer that makes logits of the features, where there is such a one. */
    public Optional<String> head() {
        return head;
    }

    /**
     * Any other tensor.
     *
     * @throws IllegalArgumentException where the name is taken
     */
    public Layout add(Slot slot) {
        if (!names.add(slot.name())) {
            throw new IllegalArgumentException(
                    "a network names every tensor once but has two of '" + slot.name() + "'");
        }
        slots.add(slot);
        return this;
    }

    public List<Slot> slots() {
        return Collections.unmodifiableList(slots);
    }

    /** Whether there is a tensor of this name. */
    public boolean has(String name) {
        return names.contains(name);
    }

    /**
     * The tensor of a name.
     *
     * @throws IllegalArgumentException where there is none
     */
    public Slot slot(String name) {
        return slots.stream()
                .filter(slot -> slot.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the network has no tensor called '" + name + "'"));
    }

    /** Number of trained values. */
    public long parameters() {
        return slots.stream()
                .filter(slot -> slot.role() != Role.STATISTIC)
                .mapToLong(Slot::size)
                .sum();
    }

    private static Slot constant(String name, Role role, int size, float value) {
        return new Slot(name, role, shape(size), each(random -> value));
    }

    private static Start each(ToDoubleFunction<RandomGenerator> value) {
        return (random, size) -> {
            float[] values = new float[size];
            for (int i = 0; i < size; i++) {
                values[i] = (float) value.applyAsDouble(random);
            }
            return values;
        };
    }

    private static List<Long> shape(int... sizes) {
        return Arrays.stream(sizes).mapToObj(size -> (long) size).toList();
    }
}
