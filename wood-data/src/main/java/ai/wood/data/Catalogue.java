package ai.wood.data;

import ai.wood.Names;
import ai.wood.Seed;
import ai.wood.data.transform.Fit;
import ai.wood.io.AtomicFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Datasets by name.
 *
 * <table>
 * <caption>names</caption>
 * <tr><td>{@code mnist}, {@code cifar10} ...</td><td>a {@link DatasetEntry} of a {@link DatasetProvider}</td></tr>
 * <tr><td>{@code gaussian-noise} ...</td><td>{@link Noise}, 10,000 images</td></tr>
 * <tr><td>{@code patch-shuffled:NAME} ...</td><td>{@link Outliers} made from another dataset</td></tr>
 * <tr><td>{@code mix:NAME*WEIGHT+NAME*WEIGHT} ...</td><td>a {@link Mixture}; a weight not given is 1; see {@link
 * DatasetList}</td></tr>
 * <tr><td>{@code folder:PATH}</td><td>pictures, {@link ImageFolder}</td></tr>
 * <tr><td>{@code idx:PATH}</td><td>an IDX image file, the format of MNIST; its label file where it lies beside it</td></tr>
 * <tr><td>{@code npy:PATH}</td><td>an {@code .npy} or {@code .npz} file of images</td></tr>
 * </table>
 *
 * @param data the folder below which known datasets lie, each in a folder of its own
 */
public record Catalogue(Path data) {

    /** The environment variable that names the data folder. */
    public static final String VARIABLE = "WOOD_DATA";

    /** How names begin that tell where files are. */
    public static final Set<String> FILES =
            Arrays.stream(FileKind.values()).map(kind -> kind.id() + ":").collect(Collectors.toUnmodifiableSet());

    private static final String LEARNT = "train";
    private static final Set<String> PARTS = Set.of(LEARNT, "val", "test");

    /** What parts beside the one that is learnt are called elsewhere, too. */
    private static final Set<String> OTHER_PARTS = Set.of("val", "valid", "validation", "test", "testing");

    private static final Pattern WEIGHTED = Pattern.compile("(.+)\\*(\\d{1,9}(?:\\.\\d{1,9})?)");
    private static final int NOISE_SIZE = 10_000;
    /** A folder of pictures up to this many values is decoded once and kept; a larger one, every time. */
    private static final long KEPT = 1L << 29;

    /** Datasets that are known by where their files are. */
    private enum FileKind {
        FOLDER,
        IDX,
        NPY;

        String id() {
            return Names.of(this);
        }
    }

    /** Data in the given folder, else in that named by {@value #VARIABLE}, else in {@code .cache/wood} at home. */
    public static Catalogue at(@Nullable Path folder) {
        if (folder != null) {
            return new Catalogue(folder);
        }
        String variable = System.getenv(VARIABLE);
        return new Catalogue(
                variable == null || variable.isBlank()
                        ? Path.of(System.getProperty("user.home"), ".cache", "wood")
                        : Path.of(variable));
    }

    /**
     * A name and its weight in a mixture.
     *
     * @param weight 1 where none is given
     */
    public record Weighted(String name, double weight) {
        public Weighted {
            if (!(weight > 0)) {
                throw new IllegalArgumentException("a weight must be positive but that of " + name + " is " + weight);
            }
        }
    }

    /**
     * The datasets of all {@link DatasetProvider providers} that the thread's class loader finds, in the order found.
     *
     * @throws IllegalStateException if two of them have one name
     */
    public static List<DatasetEntry> entries() {
        Map<String, DatasetEntry> entries = new LinkedHashMap<>();
        for (DatasetProvider provider : ServiceLoader.load(DatasetProvider.class)) {
            for (DatasetEntry entry : provider.datasets()) {
                if (entries.put(entry.name(), entry) != null) {
                    throw new IllegalStateException(
                            "two providers have a dataset called " + entry.name() + ". Rename or remove that of "
                                    + provider.getClass().getName() + ".");
                }
            }
        }
        return List.copyOf(entries.values());
    }

    /**
     * The dataset of that name.
     *
     * @throws IllegalArgumentException with the nearest name and all names
     */
    public static DatasetEntry entry(String name) {
        return Names.find("dataset", name, entries().toArray(DatasetEntry[]::new), DatasetEntry::name);
    }

    private static Optional<DatasetEntry> find(String name) {
        return entries().stream().filter(entry -> entry.name().equals(name)).findFirst();
    }

    /** The names that stand for a dataset by themselves. */
    public static List<String> names() {
        return Stream.concat(
                        entries().stream().map(DatasetEntry::name),
                        Arrays.stream(Noise.values()).map(Noise::id))
                .toList();
    }

    /** The family of a dataset ({@link DatasetEntry#family}); noise is a family of its own. */
    public static Optional<String> family(String name) {
        return find(Noise.values(), name, Noise::id).isPresent()
                ? Optional.of("noise")
                : find(name).flatMap(DatasetEntry::family);
    }

    /** The same dataset, named by somebody in another working directory; files that are not there keep their names. */
    public static String named(String name, Path directory) {
        if (DatasetList.isMixture(name)) {
            return DatasetList.withParts(
                    name,
                    DatasetList.parts(name).stream()
                            .map(part -> named(part, directory))
                            .toList());
        }
        Matcher weighted = WEIGHTED.matcher(name);
        if (weighted.matches()) {
            return named(weighted.group(1), directory) + "*" + weighted.group(2);
        }
        int colon = name.indexOf(':');
        String kind = name.substring(0, colon + 1);
        String rest = name.substring(colon + 1);
        if (!FILES.contains(kind)) {
            return colon < 0 ? name : kind + named(rest, directory);
        }
        Path there = directory.resolve(rest);
        return Files.exists(there) ? kind + there : name;
    }

    /** What a name stands for: the parts of a mixture, or itself. */
    public static List<Weighted> parts(String name) {
        return DatasetList.isMixture(name)
                ? DatasetList.parts(name).stream().map(Catalogue::weighted).toList()
                : List.of(new Weighted(name, 1));
    }

    /** Whether two names are of sets made from the same collection, such as images cropped or resized. */
    public static boolean ofOneSource(String one, String other) {
        Optional<String> folder = find(one).map(DatasetEntry::folder);
        return folder.isPresent() && folder.equals(find(other).map(DatasetEntry::folder));
    }

    private static Weighted weighted(String part) {
        requireNoMixture(part, "another", "give each an option of its own");
        Matcher weighted = WEIGHTED.matcher(part);
        return weighted.matches()
                ? new Weighted(weighted.group(1), Double.parseDouble(weighted.group(2)))
                : new Weighted(part, 1);
    }

    /**
     * Opens a dataset in its own shape.
     *
     * @throws IllegalArgumentException where there is no such name, or it has no such split
     * @throws IOException where a file is missing or damaged
     */
    public Dataset open(String name, Split split) throws IOException {
        return open(name, split, null);
    }

    /** Opens a dataset and fits it to a shape ({@link Fit}), so that it suits a network; null for its own shape. */
    public Dataset open(String name, Split split, @Nullable Shape shape) throws IOException {
        return open(name, split, shape, whole -> whole);
    }

    /**
     * The same of a part of the samples: what is made of samples is made of those of the part, what is mixed are parts.
     *
     * @param part of any dataset the same part, whatever is made of it
     */
    public Dataset open(String name, Split split, @Nullable Shape shape, UnaryOperator<Dataset> part)
            throws IOException {
        try {
            Optional<Noise> noise = find(Noise.values(), name, Noise::id);
            if (noise.isPresent()) {
                Shape own = shape == null ? Shape.COLOUR_32 : shape;
                return part.apply(noise.get().dataset(own, NOISE_SIZE, split, new Seed(0)));
            }
            if (DatasetList.isMixture(name)) {
                return mixture(name, split, shape, part);
            }
            int colon = name.indexOf(':');
            if (colon > 0) {
                return derived(name.substring(0, colon), name.substring(colon + 1), split, shape, part);
            }
            DatasetEntry entry = find(name).orElseThrow(() -> unknown(name));
            return part.apply(fit(entry.open(data, split), shape));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private Dataset derived(String kind, String rest, Split split, @Nullable Shape shape, UnaryOperator<Dataset> part)
            throws IOException {
        Optional<Outliers> outliers = find(Outliers.values(), kind, Outliers::id);
        if (outliers.isPresent()) {
            requireNoMixture(rest, kind + ":NAME", "mix what that makes");
            return outliers.get().of(open(rest, split, shape, part), new Seed(0));
        }
        String name = kind + ":" + rest;
        FileKind files = find(FileKind.values(), kind, FileKind::id).orElseThrow(() -> unknown(name));
        Path path = Path.of(rest);
        return part.apply(
                switch (files) {
                    case FOLDER -> folder(path, split, shape);
                    case IDX -> fit(idx(path).withName(name), shape);
                    case NPY -> fit(NpyImages.read(path).withName(name), shape);
                });
    }

    private Mixture mixture(String name, Split split, @Nullable Shape shape, UnaryOperator<Dataset> part)
            throws IOException {
        List<Mixture.Component> opened = new ArrayList<>();
        Shape common = shape;
        for (Weighted weighted : parts(name)) {
            try {
                Dataset dataset = open(weighted.name(), split, common, part);
                common = dataset.shape();
                opened.add(new Mixture.Component(dataset, weighted.weight()));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "part " + (opened.size() + 1) + " of '" + name + "': " + e.getMessage(), e);
            }
        }
        return new Mixture(opened, new Seed(0));
    }

    /** Which of a mixture's samples are held out is known only where its parts are. */
    private static void requireNoMixture(String name, String outer, String hint) {
        if (DatasetList.isMixture(name)) {
            throw new IllegalArgumentException(
                    "a mixture must be the outermost but stands within " + outer + ". Maybe " + hint + ".");
        }
    }

    /**
     * Refuses to have something written where a dataset lies: it would be lost, or be taken for one of its samples.
     *
     * @throws IOException naming the file
     */
    public static void refuse(Path file, List<String> names) throws IOException {
        for (String name : names) {
            for (Weighted part : parts(name)) {
                Optional<Path> place = place(part.name());
                if (place.isPresent() && AtomicFile.real(file).startsWith(AtomicFile.real(place.get()))) {
                    throw new IOException(file + ": must not be written into the dataset " + part.name()
                            + ". Maybe name another place.");
                }
            }
        }
    }

    /** Where the files are that a set is or is made of; of sets that are known by name nothing. */
    private static Optional<Path> place(String name) {
        int colon = name.indexOf(':');
        String rest = name.substring(colon + 1);
        return colon < 0
                ? Optional.empty()
                : FILES.contains(name.substring(0, colon + 1)) ? Optional.of(Path.of(rest)) : place(rest);
    }

    /** What is passed over in a folder that is to be learnt, a sentence for each of its folders; of other names nothing. */
    public List<String> passedOver(String name) throws IOException {
        Optional<Path> path = folder(name);
        if (path.isEmpty()) {
            return List.of();
        }
        boolean parted = isParted(folders(path.get()));
        return ImageFolder.passedOver(parted ? path.get().resolve(LEARNT) : path.get());
    }

    /** The shape of the first picture of a folder that is to be learnt; of other names nothing. */
    public Optional<Shape> ofPictures(String name) throws IOException {
        Optional<Path> path = folder(name);
        return path.isEmpty()
                ? Optional.empty()
                : Optional.of(pictures(path.get(), Split.TRAIN, null).shape());
    }

    /** The folder of pictures that a name tells of. */
    private static Optional<Path> folder(String name) {
        String folder = FileKind.FOLDER.id() + ":";
        return name.startsWith(folder) ? Optional.of(Path.of(name.substring(folder.length()))) : Optional.empty();
    }

    private static Dataset folder(Path path, Split split, @Nullable Shape shape) throws IOException {
        ImageFolder folder = pictures(path, split, shape);
        return (long) folder.size() * folder.shape().length() <= KEPT ? ArrayDataset.copyOf(folder) : folder;
    }

    /** A folder whose folders are all called train, val or test is taken to be split so; labels are those of train. */
    private static ImageFolder pictures(Path path, Split split, @Nullable Shape shape) throws IOException {
        String part = split == Split.VALIDATION ? "val" : split.name().toLowerCase(Locale.ROOT);
        List<String> inside = folders(path);
        boolean parted = split != Split.NONE && isParted(inside);
        if (!parted && split != Split.NONE) {
            requireClasses(path, inside);
        }
        if (parted && !inside.contains(part)) {
            throw new IOException(path + ": is split into " + String.join(" and ", inside) + " but has no folder "
                    + part + ", which is needed here. Maybe name one of them, as in folder:"
                    + path.resolve(inside.get(0)));
        }
        boolean labelled = parted && inside.contains(LEARNT) && !part.equals(LEARNT);
        List<String> classes = labelled ? ImageFolder.classes(path.resolve(LEARNT)) : List.of();
        ImageFolder folder = ImageFolder.open(parted ? path.resolve(part) : path, shape, classes);
        return folder.named("folder:" + path, parted ? split : Split.NONE);
    }

    private static boolean isParted(List<String> inside) {
        return !inside.isEmpty() && PARTS.containsAll(inside);
    }

    /** Refuses parts that are called otherwise, or have something beside them: they would pass for classes. */
    private static void requireClasses(Path path, List<String> inside) throws IOException {
        List<String> small =
                inside.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
        List<String> odd = inside.stream().filter(name -> !PARTS.contains(name)).toList();
        if (small.contains(LEARNT) && small.stream().anyMatch(OTHER_PARTS::contains)) {
            throw new IOException(
                    path + ": a folder that is split must hold train, val and test, nothing else, but has "
                            + String.join(" and ", odd) + ". Maybe rename or move them, or name one part, as in folder:"
                            + path.resolve(inside.get(small.indexOf(LEARNT))));
        }
    }

    private static List<String> folders(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(path)) {
            return all.filter(Files::isDirectory)
                    .map(folder -> String.valueOf(folder.getFileName()))
                    .filter(name -> !ImageFolder.isHidden(name))
                    .sorted()
                    .toList();
        }
    }

    private static ArrayDataset idx(Path images) throws IOException {
        String own = String.valueOf(images.getFileName()).replaceAll("\\.gz$", "");
        String name = own.replace("images", "labels").replaceAll("idx[34]", "idx1");
        for (String labels : name.equals(own) ? List.<String>of() : List.of(name, name + ".gz")) {
            Path file = images.resolveSibling(labels);
            if (Files.exists(file)) {
                return Idx.read(images, file);
            }
        }
        return Idx.read(images);
    }

    private static Dataset fit(Dataset dataset, @Nullable Shape shape) {
        if (shape == null || shape.equals(dataset.shape())) {
            return dataset;
        }
        Dataset fitted = TransformedDataset.of(dataset, new Fit(shape));
        return dataset instanceof ArrayDataset ? ArrayDataset.copyOf(fitted) : fitted;
    }

    private static <T> Optional<T> find(T[] all, String id, Function<T, String> name) {
        return Arrays.stream(all).filter(one -> name.apply(one).equals(id)).findFirst();
    }

    private static IllegalArgumentException unknown(String name) {
        if (isFolder(name)) {
            return new IllegalArgumentException(
                    "there is no dataset '" + name + "'. Did you mean folder:" + name + "?");
        }
        List<String> known = new ArrayList<>(names());
        int colon = name.indexOf(':');
        String of = colon < 0 ? ":NAME" : name.substring(colon);
        Arrays.stream(Outliers.values()).map(outliers -> outliers.id() + of).forEach(known::add);
        String at = colon < 0 ? ":PATH" : of;
        known.add("mix:NAME*WEIGHT+NAME*WEIGHT");
        Arrays.stream(FileKind.values()).map(files -> files.id() + at).forEach(known::add);
        return Names.unknown("dataset", name, known);
    }

    private static boolean isFolder(String name) {
        try {
            return Files.isDirectory(Path.of(name));
        } catch (InvalidPathException e) { // a colon, on Windows
            return false;
        }
    }
}
