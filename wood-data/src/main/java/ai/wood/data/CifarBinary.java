package ai.wood.data;

import ai.wood.io.Input;
import ai.wood.io.InvalidFileException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The binary version of CIFAR-10 and CIFAR-100: records of one label byte (CIFAR-100: a coarse one, then the fine one
 * that counts), then 32 x 32 red, green and blue values.
 *
 * @see <a href="https://www.cs.toronto.edu/~kriz/cifar.html">the format's home</a>
 */
final class CifarBinary {

    private static final Shape SHAPE = Shape.COLOUR_32;

    private CifarBinary() {}

    /** The files of CIFAR-10, one after another. */
    static ArrayDataset read10(List<Path> files, List<String> classes) throws IOException {
        return read(files, 1, classes);
    }

    /** The files of CIFAR-100 with their fine labels, one after another. */
    static ArrayDataset read100(List<Path> files, List<String> classes) throws IOException {
        return read(files, 2, classes);
    }

    private static ArrayDataset read(List<Path> files, int labelBytes, List<String> classes) throws IOException {
        int record = labelBytes + SHAPE.length();
        long total = 0;
        for (Path file : files) {
            long bytes = Input.unpackedSize(file);
            if (bytes == 0 || bytes % record != 0) {
                throw new InvalidFileException(file + ": must be one or more records of " + record + " bytes but has "
                        + bytes + " bytes" + (bytes > record ? ", so it ends within a record at byte " + bytes : ""));
            }
            total += bytes / record;
        }
        if (total * SHAPE.length() > Integer.MAX_VALUE - 8) {
            throw new InvalidFileException(
                    files.get(0) + " and its companions: " + total + " images do not fit in 2 GiB");
        }
        byte[] values = new byte[(int) total * SHAPE.length()];
        int[] labels = new int[(int) total];
        Labels meaning = Labels.of(classes);
        int next = 0;
        for (Path file : files) {
            try (Input in = Input.open(file)) {
                for (long left = Input.unpackedSize(file) / record; left > 0 && next < labels.length; left--, next++) {
                    int number = in.readByte("a label");
                    for (int extra = 1; extra < labelBytes; extra++) {
                        number = in.readByte("a label");
                    }
                    labels[next] = meaning.parse(number, in.name(), in.offset() - 1);
                    in.read(values, next * SHAPE.length(), SHAPE.length(), "an image");
                }
                in.requireEnd();
            }
        }
        return ArrayDataset.wrap(SHAPE, values, labels).withClasses(classes);
    }
}
