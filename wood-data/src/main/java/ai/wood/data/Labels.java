package ai.wood.data;

import ai.wood.io.InvalidFileException;
import java.io.IOException;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * How the numbers in a label file name classes.
 *
 * @param classes the class names in the order of our labels, which count from 0
 * @param fromFile our label for a number in the file; anything outside 0..K-1 where the number is not allowed
 */
record Labels(List<String> classes, IntUnaryOperator fromFile) {

    Labels {
        classes = List.copyOf(classes);
    }

    /** The file counts classes from 0, as we do. */
    static Labels of(List<String> classes) {
        return new Labels(classes, number -> number);
    }

    /** The file counts classes from 1. */
    static Labels fromOne(List<String> classes) {
        return new Labels(classes, number -> number - 1);
    }

    /** SVHN counts from 1 to 10, where 10 stands for the digit 0. */
    static Labels svhn() {
        return new Labels(KnownClasses.DIGITS, number -> number == 10 ? 0 : number == 0 ? -1 : number);
    }

    /** Any byte will do; classes are called 0, 1, 2 and so on. */
    static Labels anyByte() {
        return of(IntStream.range(0, 256).mapToObj(String::valueOf).toList());
    }

    /** Our label for a number read from a file just before the given offset. */
    int parse(int number, String file, long offset) throws IOException {
        int label = fromFile.applyAsInt(number);
        if (label < 0 || label >= classes.size()) {
            throw new InvalidFileException(file + ": at byte " + offset + ": there are " + classes.size()
                    + " classes but the label is " + number);
        }
        return label;
    }
}
