package ai.wood.data;

import ai.wood.io.InvalidFileException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A dataset with a name: its files, where to download them, how to read them, and how it relates to other datasets.
 *
 * <pre>{@code
 * DatasetEntry.named("ships", new Shape(3, 32, 32), 4)
 *         .family("satellite")
 *         .test(2000, "ships.npy")
 *         .from(Download.file("https://example.org/ships.npy", null))
 *         .readBy((files, split) -> read(files.get(0)));
 * }</pre>
 *
 * @param name unique; lower-case letters, digits, dots, hyphens and underscores
 * @param folder its folder below the data folder
 * @param shape of its images
 * @param classes their number
 * @param licence of the data
 * @param family what kind of images it has. Two datasets of one family are near each other, two datasets of different
 *     families are far. A dataset without a family is neither near nor far.
 * @param splits with their published sizes and files
 * @param downloads the files to fetch; empty if there is nothing to fetch
 * @param reader of its files
 */
public record DatasetEntry(
        String name,
        String folder,
        Shape shape,
        int classes,
        String licence,
        Optional<String> family,
        Map<Split, SplitFiles> splits,
        List<Download> downloads,
        SplitReader reader) {

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,99}");

    /**
     * A split as published.
     *
     * @param size its number of samples
     * @param files it is read from, below the dataset's folder; each may have {@code .gz} appended
     */
    public record SplitFiles(int size, List<String> files) {}

    /** Reads the files of a split. They exist and have the order of {@link SplitFiles#files}. */
    @FunctionalInterface
    public interface SplitReader {
        Dataset read(List<Path> files, Split split) throws IOException;
    }

    public DatasetEntry {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "a dataset's name must have lower-case letters, digits and . _ - only" + " but is '" + name + "'");
        }
        splits = Collections.unmodifiableMap(new TreeMap<>(splits));
        downloads = List.copyOf(downloads);
    }

    /** Begins an entry; its folder is called like the dataset. */
    public static Builder named(String name, Shape shape, int classes) {
        return new Builder(name, shape, classes);
    }

    /** Collects what an entry consists of. */
    public static final class Builder {
        private final String name;
        private final Shape shape;
        private final int classes;
        private final Map<Split, SplitFiles> splits = new TreeMap<>();
        private String folder;
        private String licence = "unknown";
        private @Nullable String family;
        private List<Download> downloads = List.of();

        private Builder(String name, Shape shape, int classes) {
            this.name = name;
            this.shape = shape;
            this.classes = classes;
            this.folder = name;
        }

        public Builder folder(String name) {
            folder = name;
            return this;
        }

        public Builder licence(String name) {
            licence = name;
            return this;
        }

        public Builder family(String name) {
            family = name;
            return this;
        }

        public Builder split(Split split, int size, String... files) {
            splits.put(split, new SplitFiles(size, List.of(files)));
            return this;
        }

        public Builder train(int size, String... files) {
            return split(Split.TRAIN, size, files);
        }

        public Builder test(int size, String... files) {
            return split(Split.TEST, size, files);
        }

        public Builder from(Download... files) {
            downloads = List.of(files);
            return this;
        }

        /** Completes the entry. */
        public DatasetEntry readBy(SplitReader reader) {
            return new DatasetEntry(
                    name, folder, shape, classes, licence, Optional.ofNullable(family), splits, downloads, reader);
        }
    }

    /**
     * The split as published.
     *
     * @throws IllegalArgumentException if the dataset has no such split
     */
    public SplitFiles split(Split split) {
        SplitFiles found = splits.get(split);
        if (found == null) {
            throw new IllegalArgumentException(name + " has the splits " + splits.keySet() + " but " + split
                    + " was asked for" + (split == Split.VALIDATION ? ". Maybe hold out a part of TRAIN." : ""));
        }
        return found;
    }

    /** Whether all files of the split exist below the given data folder. */
    public boolean isPresent(Path data, Split split) {
        return splits.containsKey(split)
                && files(data, split).stream().allMatch(Files::exists)
                && unpacking(data).isEmpty();
    }

    /** An archive that still exists: it is deleted once it is unpacked completely. */
    private Optional<Path> unpacking(Path data) {
        return downloads.stream()
                .filter(Download::isArchive)
                .map(download -> data.resolve(folder).resolve(download.fileName()))
                .filter(Files::exists)
                .findFirst();
    }

    /**
     * Reads a split from the files below the given data folder.
     *
     * @throws IOException if a file is missing, unreadable or damaged
     * @throws IllegalArgumentException if the dataset has no such split
     */
    public Dataset open(Path data, Split split) throws IOException {
        List<Path> files = files(data, split);
        for (Path file : files) {
            if (!Files.exists(file)) {
                throw new IOException(file + ": does not exist. Maybe run `wood data fetch " + name + "`.");
            }
        }
        Optional<Path> archive = unpacking(data);
        if (archive.isPresent()) {
            throw new IOException(archive.get() + ": was not unpacked to the end. Maybe run `wood data fetch " + name
                    + "`, which goes on with it.");
        }
        Dataset dataset = read(files, split);
        return dataset instanceof ArrayDataset array ? array.withName(name).withSplit(split) : dataset;
    }

    private Dataset read(List<Path> files, Split split) throws IOException {
        try {
            try {
                return reader.read(files, split);
            } catch (UncheckedIOException e) { // from pictures decoded on several threads
                throw Objects.requireNonNull(e.getCause());
            }
        } catch (InvalidFileException e) {
            if (downloads.isEmpty()) {
                throw e;
            }
            throw new InvalidFileException(
                    e.getMessage() + ". Maybe the file is damaged: delete it and run `wood data fetch " + name + "`.",
                    e);
        }
    }

    /** The files of a split, packed or not. */
    private List<Path> files(Path data, Split split) {
        return split(split).files().stream()
                .map(file -> {
                    Path plain = data.resolve(folder).resolve(file);
                    Path packed = plain.resolveSibling(plain.getFileName() + ".gz");
                    return !Files.exists(plain) && Files.exists(packed) ? packed : plain;
                })
                .toList();
    }
}
