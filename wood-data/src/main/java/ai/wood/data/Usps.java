package ai.wood.data;

import ai.wood.io.Input;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;

/**
 * The USPS digits as text ({@code zip.train.gz}, {@code zip.test.gz}): a line per image, its digit, then 256 numbers
 * from -1 (paper) to 1 (ink), row by row.
 *
 * @see <a href="https://hastie.su.domains/ElemStatLearn/">The Elements of Statistical Learning</a>, which uses them
 */
final class Usps {

    private static final Shape SHAPE = new Shape(1, 16, 16);
    /** A line has 257 numbers; even with ten digits each it stays below this. */
    private static final int MAX_LINE = 8192;

    /** Ten times as many as there are, so that a packed file cannot swell without end. */
    private static final int MAX_IMAGES = 100_000;

    private Usps() {}

    static ArrayDataset read(Path file) throws IOException {
        try (Input in = Input.open(file)) {
            return read(in);
        }
    }

    static ArrayDataset read(Input in) throws IOException {
        Labels meaning = Labels.of(KnownClasses.DIGITS);
        ByteArrayOutputStream images = new ByteArrayOutputStream();
        List<Integer> labels = new ArrayList<>();
        for (String line = in.readLine(MAX_LINE); line != null; line = in.readLine(MAX_LINE)) {
            StringTokenizer numbers = new StringTokenizer(line);
            if (!numbers.hasMoreTokens()) {
                continue;
            }
            if (numbers.countTokens() != SHAPE.length() + 1) {
                throw in.fail("a line must have " + (SHAPE.length() + 1) + " numbers but the one before has "
                        + numbers.countTokens());
            }
            if (labels.size() == MAX_IMAGES) {
                throw in.fail("a file of digits may have " + MAX_IMAGES + " lines but goes on");
            }
            double label = number(numbers, 0, 255, in);
            if (label != Math.rint(label)) {
                throw in.fail("a label must be a whole number but is " + label);
            }
            labels.add(meaning.parse((int) label, in.name(), in.offset()));
            for (int i = 0; i < SHAPE.length(); i++) {
                images.write((int) Math.round((number(numbers, -1, 1, in) + 1) * 127.5));
            }
        }
        if (labels.isEmpty()) {
            throw in.fail("a file of digits must have at least one line but has none");
        }
        int[] all = labels.stream().mapToInt(Integer::intValue).toArray();
        return ArrayDataset.wrap(SHAPE, images.toByteArray(), all).withClasses(KnownClasses.DIGITS);
    }

    private static double number(StringTokenizer numbers, double min, double max, Input in) throws IOException {
        String token = numbers.nextToken();
        try {
            double value = Double.parseDouble(token);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw in.fail("a number must stand in the line before but there is " + token, e);
        }
        throw in.fail("a number in the line before must lie between " + min + " and " + max + " but is " + token);
    }
}
