package ai.wood.data;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is known about a dataset before it is read.
 *
 * @param folder its folder below the data folder
 * @param shape of its images
 * @param classes their number
 * @param licence of the data
 * @param splits those that it has, with their published sizes
 * @param downloads what to fetch; empty where it is bundled
 */
public record Facts(
        String folder, Shape shape, int classes, String licence, Map<Split, Part> splits, List<Download> downloads) {

    /**
     * A split as published.
     *
     * @param size its number of samples
     * @param files it is read from, below the dataset's folder; each may have {@code .gz} appended
     */
    public record Part(int size, List<String> files) {}

    public Facts {
        splits = Collections.unmodifiableMap(new TreeMap<>(splits));
        downloads = List.copyOf(downloads);
    }

    /**
     * The split as published.
     *
     * @throws IllegalArgumentException where the dataset has no such split
     */
    public Part part(Split split) {
        Part part = splits.get(split);
        if (part == null) {
            throw new IllegalArgumentException(folder + " has the splits " + splits.keySet() + " but " + split
                    + " was asked for" + (split == Split.VALIDATION ? ". Maybe hold out a part of TRAIN." : ""));
        }
        return part;
    }

    static Facts of(String folder, Shape shape, int classes, String licence) {
        return new Facts(folder, shape, classes, licence, Map.of(), List.of());
    }

    static Facts bundled(String folder, String licence) {
        return of(folder, Shapes.GREY_28, 10, licence);
    }

    static Facts tinyImageNet() {
        return of("tiny-imagenet-200", Shapes.COLOUR_32, 200, "research use")
                .train(100_000, "wnids.txt", "words.txt", "train")
                .with(
                        Split.VALIDATION,
                        10_000,
                        List.of("wnids.txt", "words.txt", "val/images", "val/val_annotations.txt"))
                .test(10_000, "wnids.txt", "test/images")
                .from(Download.archive(
                        "http://cs231n.stanford.edu/tiny-imagenet-200.zip", "90528d7ca1a48142e341f4ef8d21d0de", ""));
    }

    Facts train(int size, String... files) {
        return with(Split.TRAIN, size, List.of(files));
    }

    Facts test(int size, String... files) {
        return with(Split.TEST, size, List.of(files));
    }

    Facts from(Download... files) {
        return new Facts(folder, shape, classes, licence, splits, List.of(files));
    }

    private Facts with(Split split, int size, List<String> files) {
        Map<Split, Part> more = new TreeMap<>(splits);
        more.put(split, new Part(size, files));
        return new Facts(folder, shape, classes, licence, more, downloads);
    }
}
