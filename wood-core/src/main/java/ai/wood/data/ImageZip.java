package ai.wood.data;

import ai.wood.Sample;
import ai.wood.Shape;
import ai.wood.data.transform.Transform;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Pictures in zip archives, as Omniglot has them; the folder of a picture is its class. Nothing is unpacked to disk. */
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
        Map<String, List<byte[]>> classes = new TreeMap<>();
        for (Path archive : archives) {
            Input.size(archive);
            try (ZipFile zip = new ZipFile(archive.toFile())) {
                if (zip.size() > MAX_ENTRIES) {
                    throw new IOException(archive + ": may have " + MAX_ENTRIES + " entries but has " + zip.size());
                }
                for (ZipEntry entry : zip.stream()
                        .sorted((a, b) -> a.getName().compareTo(b.getName()))
                        .toList()) {
                    if (!entry.isDirectory() && ImageFile.isNamedLikeOne(entry.getName())) {
                        byte[] values = transform
                                .apply(
                                        ImageFile.read(bytes(zip, entry, archive), archive + "!" + entry.getName()),
                                        new SplittableRandom(0))
                                .toArray();
                        classes.computeIfAbsent(folder(entry.getName()), name -> new ArrayList<>())
                                .add(values);
                    }
                }
            } catch (IllegalArgumentException e) {
                throw new IOException(archive + ": the archive is damaged: " + e.getMessage(), e);
            }
        }
        return dataset(classes, shape, archives);
    }

    private static byte[] bytes(ZipFile zip, ZipEntry entry, Path archive) throws IOException {
        try (InputStream in = zip.getInputStream(entry)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new IOException(archive + "!" + entry.getName() + ": a picture may have " + MAX_BYTES
                        + " bytes but this one has more");
            }
            return bytes;
        }
    }

    private static String folder(String entry) {
        int end = Math.max(0, entry.lastIndexOf('/'));
        return entry.substring(Math.min(end, entry.indexOf('/') + 1), end);
    }

    private static ArrayDataset dataset(Map<String, List<byte[]>> classes, Shape shape, List<Path> archives)
            throws IOException {
        int size = classes.values().stream().mapToInt(List::size).sum();
        if (size == 0) {
            throw new IOException(archives + ": must hold pictures but hold none");
        }
        byte[] values = new byte[Math.multiplyExact(size, shape.length())];
        int[] labels = new int[size];
        Arrays.fill(labels, Sample.UNLABELLED);
        int next = 0;
        int label = 0;
        for (List<byte[]> images : classes.values()) {
            for (byte[] image : images) {
                System.arraycopy(image, 0, values, next * shape.length(), shape.length());
                labels[next++] = label;
            }
            label++;
        }
        return ArrayDataset.wrap(shape, values, labels).withClasses(List.copyOf(classes.keySet()));
    }
}
