package ai.wood.data;

import ai.wood.data.transform.Transform;
import ai.wood.io.Input;
import ai.wood.io.InvalidFileException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Pictures in zip archives, as Omniglot has them; the folder of a picture is its class. Nothing is unpacked to disk.
 *
 * <p>A picture that several archives hold under one name counts once, whatever the name of their first folders:
 * Omniglot's two small archives share two alphabets.
 */
final class ImageZip {

    private static final int MAX_ENTRIES = 1_000_000;
    private static final int MAX_BYTES = 1 << 26;

    private ImageZip() {}

    /**
     * Reads all pictures of all archives.
     *
     * @param transform brings every picture to the given shape
     */
    static ArrayDataset read(List<Path> archives, Shape shape, Transform transform) throws IOException {
        Map<String, Image> images = new TreeMap<>();
        for (Path archive : archives) {
            Input.size(archive);
            try (ZipFile zip = new ZipFile(archive.toFile())) {
                if (zip.size() > MAX_ENTRIES) {
                    throw new InvalidFileException(
                            archive + ": may have " + MAX_ENTRIES + " entries but has " + zip.size());
                }
                for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
                    ZipEntry entry = all.nextElement();
                    String name = entry.getName().substring(entry.getName().indexOf('/') + 1);
                    if (!entry.isDirectory() && ImageFile.isNamedLikeOne(name) && !images.containsKey(name)) {
                        Image image = ImageFile.read(bytes(zip, entry, archive), archive + "!" + entry.getName());
                        images.put(name, transform.apply(image, new SplittableRandom(0)));
                    }
                }
            } catch (IOException | IllegalArgumentException e) {
                throw Input.named(archive.toString(), e);
            }
        }
        if (images.isEmpty()) {
            throw new InvalidFileException(archives + ": must hold pictures but hold none");
        }
        return dataset(images, shape);
    }

    private static byte[] bytes(ZipFile zip, ZipEntry entry, Path archive) throws IOException {
        try (InputStream in = zip.getInputStream(entry)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new InvalidFileException(archive + "!" + entry.getName() + ": a picture may have " + MAX_BYTES
                        + " bytes but this one has more");
            }
            return bytes;
        }
    }

    private static ArrayDataset dataset(Map<String, Image> images, Shape shape) {
        byte[] values = new byte[Math.multiplyExact(images.size(), shape.length())];
        int[] labels = new int[images.size()];
        List<String> classes = new ArrayList<>();
        int next = 0;
        for (Map.Entry<String, Image> entry : images.entrySet()) {
            String folder =
                    entry.getKey().substring(0, Math.max(0, entry.getKey().lastIndexOf('/')));
            if (classes.isEmpty() || !classes.get(classes.size() - 1).equals(folder)) {
                classes.add(folder);
            }
            entry.getValue().copy(0, values, next * shape.length(), shape.length());
            labels[next++] = classes.size() - 1;
        }
        return ArrayDataset.wrap(shape, values, labels).withClasses(classes);
    }
}
