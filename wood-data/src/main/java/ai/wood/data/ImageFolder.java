package ai.wood.data;

import ai.wood.data.transform.Fit;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Pictures in a folder: each sub-folder is a class, in alphabetical order, or there are none and samples are unlabelled.
 *
 * <p>Pictures are decoded when they are asked for and fitted to one shape ({@link Fit}). Files that are not named like
 * pictures are passed over. A symbolic link must not lead out of the folder.
 */
public final class ImageFolder implements Dataset {

    /** What files must be called to be taken for pictures. */
    public static final String PICTURES = "*." + String.join(", *.", ImageFile.EXTENSIONS);

    private final String name;
    private final Split split;
    private final List<String> classes;
    private final List<LabelledFile> items;
    private final Fit fit;

    /** A picture and its label. */
    record LabelledFile(Path file, int label) {}

    ImageFolder(String name, Split split, List<String> classes, List<LabelledFile> items, Shape shape) {
        this.name = name;
        this.split = split;
        this.classes = List.copyOf(classes);
        this.items = List.copyOf(items);
        this.fit = new Fit(shape);
    }

    /**
     * Lists a folder.
     *
     * @param shape to fit pictures to, or null for the shape of the first one
     */
    public static ImageFolder open(Path folder, @Nullable Shape shape) throws IOException {
        return open(folder, shape, List.of());
    }

    /**
     * Lists a folder that is one part of a set.
     *
     * @param known the classes of another part, which keep their labels: those that it lacks come behind them
     */
    static ImageFolder open(Path folder, @Nullable Shape shape, List<String> known) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IOException(folder + ": must be a folder of pictures but "
                    + (Files.exists(folder) ? "is none" : "does not exist"));
        }
        Path root = folder.toRealPath();
        List<LabelledFile> items = new ArrayList<>();
        List<String> classes = new ArrayList<>(known);
        for (Path child : children(folder)) {
            String name = child.getFileName().toString();
            List<Path> pictures = Files.isDirectory(child) ? pictures(child, root) : List.of();
            if (!pictures.isEmpty() && !classes.contains(name)) {
                classes.add(name);
            }
            int label = classes.indexOf(name);
            pictures.forEach(picture -> items.add(new LabelledFile(picture, label)));
        }
        List<Path> loose = loosePictures(folder, root);
        if (!loose.isEmpty() && !items.isEmpty()) {
            throw new IOException(folder + ": pictures must lie in sub-folders, one per class, or all in the folder"
                    + " itself but both are there, such as " + loose.get(0) + " and "
                    + items.get(0).file());
        }
        loose.forEach(picture -> items.add(new LabelledFile(picture, Sample.UNLABELLED)));
        if (items.isEmpty()) {
            throw new IOException(folder + ": must hold pictures (JPEG, PNG, BMP, GIF, WebP) but holds none");
        }
        if (!loose.isEmpty()) {
            classes.clear();
        }
        Shape fitted = shape == null ? ImageFile.read(items.get(0).file()).shape() : shape;
        return new ImageFolder("folder:" + folder, Split.NONE, classes, items, fitted);
    }

    /** The names of the sub-folders that hold pictures, in alphabetical order. */
    static List<String> classes(Path folder) throws IOException {
        List<String> classes = new ArrayList<>();
        for (Path child : children(folder)) {
            if (Files.isDirectory(child) && !pictures(child).isEmpty()) {
                classes.add(child.getFileName().toString());
            }
        }
        return classes;
    }

    /** What of a folder's sub-folders is no picture, a sentence for each that has such files, or no picture at all. */
    static List<String> passedOver(Path folder) throws IOException {
        List<String> sentences = new ArrayList<>();
        for (Path child : children(folder)) {
            if (Files.isDirectory(child)) {
                List<Path> files = files(child, file -> true);
                long others =
                        files.stream().filter(file -> !isNamedLikeOne(file)).count();
                if (others == files.size()) {
                    sentences.add(
                            child + ": is no class, since none of its " + others + " files is called " + PICTURES);
                } else if (others > 0) {
                    sentences.add(child + ": " + others + " of its " + files.size()
                            + " files are passed over, since they are not called " + PICTURES);
                }
            }
        }
        return sentences;
    }

    /** By name, as strings, so that classes are the same on every system; without what systems and tools leave behind. */
    private static List<Path> children(Path folder) throws IOException {
        try (Stream<Path> list = Files.list(folder)) {
            return list.filter(child -> !isHidden(String.valueOf(child.getFileName())))
                    .sorted(Comparator.comparing(Path::toString))
                    .toList();
        }
    }

    /** Whether a folder or file of this name belongs to a system or a tool, not to the pictures. */
    static boolean isHidden(String name) {
        return name.startsWith(".") || name.startsWith("@") || name.equals("__MACOSX");
    }

    private static boolean leftBehind(Path below) {
        for (Path part : below) {
            if (isHidden(part.toString())) {
                return true;
            }
        }
        return false;
    }

    private static List<Path> loosePictures(Path folder, Path root) throws IOException {
        List<Path> pictures = new ArrayList<>();
        for (Path child : children(folder)) {
            if (ImageFile.isNamedLikeOne(child.getFileName().toString()) && !Files.isDirectory(child)) {
                pictures.add(inside(child, root));
            }
        }
        return pictures;
    }

    /** The pictures below a folder, sorted by path; none may lie outside the root. */
    static List<Path> pictures(Path folder, Path root) throws IOException {
        inside(folder, root);
        List<Path> pictures = pictures(folder);
        for (Path picture : pictures) {
            inside(picture, root);
        }
        return pictures;
    }

    /**
     * All files below a folder that are named like pictures, however deep, sorted by path, without what systems and tools
     * leave behind. The folder may be a link, and links to files may lead anywhere; links to further folders are not
     * followed.
     */
    public static List<Path> pictures(Path folder) throws IOException {
        return files(folder, ImageFolder::isNamedLikeOne);
    }

    private static boolean isNamedLikeOne(Path file) {
        return ImageFile.isNamedLikeOne(String.valueOf(file.getFileName()));
    }

    private static List<Path> files(Path folder, Predicate<Path> wanted) throws IOException {
        Path start = Files.isSymbolicLink(folder) ? folder.toRealPath() : folder;
        try (Stream<Path> walk = Files.walk(start)) {
            return walk.filter(wanted)
                    .filter(path -> !leftBehind(start.relativize(path)))
                    .filter(path -> !Files.isDirectory(path))
                    .map(path -> start.equals(folder) ? path : folder.resolve(start.relativize(path)))
                    .sorted(Comparator.comparing(ImageFolder::unixName))
                    .toList();
        } catch (UncheckedIOException e) {
            throw new IOException(folder + ": cannot be listed: " + e.getMessage(), e);
        }
    }

    private static String unixName(Path path) {
        return path.toString().replace(File.separatorChar, '/');
    }

    private static Path inside(Path path, Path root) throws IOException {
        if (Files.isSymbolicLink(path)
                && !(Files.exists(path) && path.toRealPath().startsWith(root))) {
            throw new IOException(path + ": a symbolic link must stay within " + root + " but leads to "
                    + Files.readSymbolicLink(path));
        }
        return path;
    }

    ImageFolder named(String name, Split split) {
        return new ImageFolder(name, split, classes, items, shape());
    }

    @Override
    public Sample get(int index) {
        LabelledFile item = items.get(index);
        try {
            Image image = ImageFile.read(item.file());
            return new Sample(fit.apply(image, new SplittableRandom(0)), item.label());
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
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
        return fit.target();
    }

    @Override
    public int size() {
        return items.size();
    }

    @Override
    public int label(int index) {
        return items.get(index).label();
    }
}
