package ai.wood.data;

import ai.wood.io.Input;
import ai.wood.io.InvalidFileException;
import ai.wood.io.NpyHeader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * Images in NumPy arrays of unsigned bytes: N x H x W, N x H x W x C or N x C x H x W with C = 1 or 3.
 *
 * <p>An {@code .npz} archive must hold one such array, under any name, and may hold one array of N integers or booleans, the
 * labels.
 */
final class NpyImages {

    private static final int MAX_ENTRIES = 64;

    private NpyImages() {}

    /** An array and where it came from. */
    private record NpyArray(String name, NpyHeader header, ByteBuffer data) {
        static NpyArray read(InputStream stream, String name, long size) throws IOException {
            InputStream in = new BufferedInputStream(stream);
            NpyHeader header = NpyHeader.read(in, name);
            long bytes = width(header, name);
            for (long extent : header.shape()) {
                if (extent > 0 && bytes > Long.MAX_VALUE / extent) {
                    throw new InvalidFileException(name + ": the shape in the header is absurd: " + header.shape());
                }
                bytes *= extent;
            }
            try (Input input = Input.rest(in, name, header.length(), size)) {
                byte[] data = input.read(bytes, "an array of shape " + header.shape());
                input.requireEnd();
                return new NpyArray(name, header, ByteBuffer.wrap(data).order(header.order()));
            }
        }

        private static int width(NpyHeader header, String name) throws IOException {
            return switch (header.type()) {
                case "u1", "i1", "b1" -> 1;
                case "i2", "u2" -> 2;
                case "i4", "u4" -> 4;
                case "i8", "u8" -> 8;
                default ->
                    throw new InvalidFileException(
                            name + ": images need elements of type u1 and labels integers but these are "
                                    + header.type() + ". Maybe save a.astype(numpy.uint8).");
            };
        }

        boolean isImages() {
            return header.type().equals("u1") && header.shape().size() >= 3;
        }
    }

    static ArrayDataset read(Path file) throws IOException {
        long size = Input.size(file);
        byte[] start = new byte[4];
        try (InputStream in = Files.newInputStream(file)) {
            in.readNBytes(start, 0, start.length);
        }
        if (start[0] == 'P' && start[1] == 'K') {
            return readArchive(file);
        }
        try (InputStream in = Files.newInputStream(file)) {
            return images(NpyArray.read(in, file.toString(), size), null);
        }
    }

    private static ArrayDataset readArchive(Path file) throws IOException {
        NpyArray images = null;
        NpyArray labels = null;
        try (ZipFile zip = new ZipFile(file.toFile())) {
            if (zip.size() > MAX_ENTRIES) {
                throw new InvalidFileException(
                        file + ": an archive of images may have " + MAX_ENTRIES + " arrays but has " + zip.size());
            }
            for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
                ZipEntry zipped = all.nextElement();
                String name = file + "!" + zipped.getName();
                long size = Math.max(zipped.getCompressedSize(), 1) * Input.MAX_DEFLATE_RATIO;
                NpyArray entry = NpyArray.read(zip.getInputStream(zipped), name, size);
                if (entry.isImages() && images == null) {
                    images = entry;
                } else if (!entry.isImages() && labels == null) {
                    labels = entry;
                } else {
                    throw new InvalidFileException(
                            name + ": an archive must hold one array of images and at most one of labels"
                                    + " but this is a second one");
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            throw Input.named(file.toString(), e);
        }
        if (images == null) {
            throw new InvalidFileException(
                    file + ": an archive must hold an array of images (u1, three or four dimensions)");
        }
        return images(images, labels);
    }

    private static ArrayDataset images(NpyArray images, @Nullable NpyArray labels) throws IOException {
        List<Long> extents = images.header().shape();
        if (!images.isImages()) {
            throw new InvalidFileException(
                    images.name() + ": images must be unsigned bytes (u1), N x H x W or more, but are " + extents
                            + " of " + images.header().type());
        }
        ArrayDataset dataset;
        try {
            dataset = PixelOrder.of(
                            extents.stream().skip(1).mapToInt(Math::toIntExact).toArray())
                    .images(images.data().array());
        } catch (ArithmeticException e) {
            throw new InvalidFileException(images.name() + ": the shape in the header is absurd: " + extents, e);
        } catch (IllegalArgumentException e) {
            throw new InvalidFileException(images.name() + ": " + e.getMessage(), e);
        }
        return labels == null ? dataset : labelled(dataset, labels);
    }

    private static ArrayDataset labelled(ArrayDataset images, NpyArray labels) throws IOException {
        if (!labels.header().shape().equals(List.of((long) images.size()))) {
            throw new InvalidFileException(labels.name() + ": there must be one label for each of " + images.size()
                    + " images but the shape is " + labels.header().shape());
        }
        int width = NpyArray.width(labels.header(), labels.name());
        int[] parsed = new int[images.size()];
        Labels meaning = Labels.of(IntStream.range(0, ArrayDataset.MAX_CLASSES)
                .mapToObj(String::valueOf)
                .toList());
        for (int i = 0; i < parsed.length; i++) {
            long number = integer(labels.data(), i * width, labels.header().type());
            int small = number == (int) number ? (int) number : -1;
            parsed[i] = meaning.parse(small, labels.name(), labels.header().length() + (long) i * width);
        }
        int classes = 1 + IntStream.of(parsed).max().orElse(Sample.UNLABELLED);
        return images.withLabels(parsed, meaning.classes().subList(0, classes));
    }

    /** A number, by its type; an unsigned one of 64 bits that is too large comes out negative. */
    private static long integer(ByteBuffer data, int at, String type) {
        return switch (type) {
            case "i1" -> data.get(at);
            case "u1", "b1" -> Byte.toUnsignedInt(data.get(at));
            case "i2" -> data.getShort(at);
            case "u2" -> Short.toUnsignedInt(data.getShort(at));
            case "i4" -> data.getInt(at);
            case "u4" -> Integer.toUnsignedLong(data.getInt(at));
            default -> data.getLong(at);
        };
    }
}
