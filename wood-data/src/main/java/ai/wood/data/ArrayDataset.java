package ai.wood.data;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** A dataset in memory: all images in one byte array, and their labels. */
public final class ArrayDataset implements Dataset {

    /** More classes than any dataset has: a larger label is damaged, and would need a class name for each number below it. */
    static final int MAX_CLASSES = 100_000;

    private final String name;
    private final Split split;
    private final List<String> classes;
    private final Shape shape;
    private final byte[] values;
    private final int[] labels;

    private ArrayDataset(String name, Split split, List<String> classes, Shape shape, byte[] values, int[] labels) {
        this.name = name;
        this.split = split;
        this.classes = classes;
        this.shape = shape;
        this.values = values;
        this.labels = labels;
    }

    /**
     * Takes over images, one after another in channel-row-column order, and labels, without copying them; the caller
     * must not change them afterwards. It has no name or split yet; its classes are called 0, 1, 2 and so on.
     */
    public static ArrayDataset wrap(Shape shape, byte[] values, int[] labels) {
        if (values.length != (long) labels.length * shape.length()) {
            throw new IllegalArgumentException(labels.length + " images of " + shape + " need "
                    + (long) labels.length * shape.length() + " values but there are " + values.length);
        }
        for (int label : labels) {
            if (label < Sample.UNLABELLED || label >= MAX_CLASSES) {
                throw new IllegalArgumentException("labels must lie in " + Sample.UNLABELLED + " to "
                        + (MAX_CLASSES - 1) + " but one is " + label);
            }
        }
        int classes = 1 + IntStream.of(labels).max().orElse(Sample.UNLABELLED);
        List<String> names =
                IntStream.range(0, classes).mapToObj(String::valueOf).toList();
        return new ArrayDataset("array", Split.NONE, names, shape, values, labels);
    }

    /** Copies a dataset into memory; samples are read on all processors. */
    public static ArrayDataset copyOf(Dataset dataset) {
        int length = dataset.shape().length();
        if ((long) dataset.size() * length > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(dataset.name() + " may have 2 GiB to fit in an array but "
                    + dataset.size() + " images of " + dataset.shape() + " have more");
        }
        byte[] values = new byte[dataset.size() * length];
        int[] labels = new int[dataset.size()];
        IntStream.range(0, dataset.size()).parallel().forEach(i -> {
            Sample sample = dataset.get(i);
            sample.image().copy(0, values, i * length, length);
            labels[i] = sample.label();
        });
        return new ArrayDataset(dataset.name(), dataset.split(), dataset.classes(), dataset.shape(), values, labels);
    }

    public ArrayDataset withName(String name) {
        return new ArrayDataset(name, split, classes, shape, values, labels);
    }

    public ArrayDataset withSplit(Split split) {
        return new ArrayDataset(name, split, classes, shape, values, labels);
    }

    /** The same samples with other class names; there must be at least as many as there are labels. */
    public ArrayDataset withClasses(List<String> classes) {
        if (largestLabel() >= classes.size()) {
            throw new IllegalArgumentException(
                    "there are " + classes.size() + " class names but the largest label is " + largestLabel());
        }
        return new ArrayDataset(name, split, List.copyOf(classes), shape, values, labels);
    }

    /** The same images with labels and class names; every label must name a class. */
    ArrayDataset withLabels(int[] labels, List<String> classes) {
        return wrap(shape, values, labels).withClasses(classes).withName(name).withSplit(split);
    }

    /** The largest label there is, or {@link Sample#UNLABELLED}. */
    int largestLabel() {
        return IntStream.of(labels).max().orElse(Sample.UNLABELLED);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Split split() {
        return split;
    }

    @Override
    public List<String> classes() {
        return classes;
    }

    @Override
    public Shape shape() {
        return shape;
    }

    @Override
    public int size() {
        return labels.length;
    }

    @Override
    public Sample get(int index) {
        return new Sample(Image.wrap(shape, values, Objects.checkIndex(index, size()) * shape.length()), labels[index]);
    }

    @Override
    public int label(int index) {
        return labels[index];
    }

    @Override
    public String toString() {
        return "ArrayDataset[" + name + ", " + split + ", " + size() + " x " + shape + "]";
    }
}
