package ai.wood.data;

import ai.wood.io.Input;
import ai.wood.io.InvalidFileException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * IDX files, the format of MNIST and its relatives: a magic number {@code 0x0000TTDD} (element type and number of
 * dimensions), the big-endian extents, the elements. Plain or gzipped; only unsigned bytes are read, in colour with either
 * {@link PixelOrder}.
 *
 * @see <a href="https://web.archive.org/web/20220331130319/https://yann.lecun.com/exdb/mnist/">the format's home</a>
 */
final class Idx {

    private static final int UNSIGNED_BYTES = 0x0800;

    private Idx() {}

    /** Images without labels. */
    static ArrayDataset read(Path images) throws IOException {
        try (Input in = Input.open(images)) {
            return read(in);
        }
    }

    /** Images and labels from 0 to 255. */
    static ArrayDataset read(Path images, Path labels) throws IOException {
        ArrayDataset dataset = read(images, labels, Labels.anyByte());
        return dataset.withClasses(dataset.classes().subList(0, dataset.largestLabel() + 1));
    }

    static ArrayDataset read(Path images, Path labels, Labels meaning) throws IOException {
        try (Input imageInput = Input.open(images);
                Input labelInput = Input.open(labels)) {
            return read(imageInput, labelInput, meaning);
        }
    }

    static ArrayDataset read(Input images) throws IOException {
        int[] extents = header(images, 3, 4);
        PixelOrder order = order(extents, images);
        Shape shape = order.shape();
        byte[] values = images.read((long) extents[0] * shape.length(), extents[0] + " images of " + shape);
        images.requireEnd();
        return order.images(values);
    }

    static ArrayDataset read(Input images, Input labels, Labels meaning) throws IOException {
        ArrayDataset unlabelled = read(images);
        int count = header(labels, 1, 1)[0];
        if (count != unlabelled.size()) {
            throw labels.fail("there must be as many labels as images but there are " + count + " labels and "
                    + unlabelled.size() + " images in " + images.name());
        }
        long start = labels.offset();
        byte[] bytes = labels.read(count, count + " labels");
        labels.requireEnd();
        int[] parsed = new int[count];
        for (int i = 0; i < count; i++) {
            parsed[i] = meaning.parse(bytes[i] & 0xff, labels.name(), start + i);
        }
        return unlabelled.withLabels(parsed, meaning.classes());
    }

    private static int[] header(Input in, int minDimensions, int maxDimensions) throws IOException {
        int magic = in.readInt("the IDX magic number");
        int dimensions = magic - UNSIGNED_BYTES;
        if (dimensions < minDimensions || dimensions > maxDimensions) {
            String hint = dimensions == 1
                    ? ". Maybe this is the label file."
                    : dimensions == 3 ? ". Maybe this is the image file." : "";
            throw new InvalidFileException(String.format(
                    "%s: IDX magic is 0x%08x but %s need 0x%08x%s",
                    in.name(), magic, maxDimensions == 1 ? "labels" : "images", UNSIGNED_BYTES + minDimensions, hint));
        }
        int[] extents = new int[dimensions];
        for (int d = 0; d < dimensions; d++) {
            extents[d] = in.readInt("the IDX header");
            if (extents[d] < 0 || (d > 0 && extents[d] == 0)) {
                throw in.fail("extent " + d + " is absurd: " + Integer.toUnsignedString(extents[d]));
            }
        }
        return extents;
    }

    private static PixelOrder order(int[] extents, Input in) throws IOException {
        try {
            return PixelOrder.of(Arrays.copyOfRange(extents, 1, extents.length));
        } catch (IllegalArgumentException e) {
            throw in.fail(String.valueOf(e.getMessage()), e);
        }
    }
}
