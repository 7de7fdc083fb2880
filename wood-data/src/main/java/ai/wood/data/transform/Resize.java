package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.random.RandomGenerator;

/**
 * Resizes with an antialiased triangle filter, bit for bit as Pillow's {@code resize(..., BILINEAR)} and therefore as
 * torchvision does with PIL images.
 *
 * <p>Every output value is a weighted mean of the input values within {@code max(1, scale)} of its centre, with weights
 * falling linearly to zero; rows first, then columns, rounded to 8 bits after each, in fixed point with 22 binary places.
 *
 * @see <a href="https://github.com/python-pillow/Pillow/blob/main/src/libImaging/Resample.c">Pillow's Resample.c</a>
 */
public record Resize(int height, int width) implements Transform {

    private static final int PRECISION = 22;

    /** The longest array of a Java VM. */
    private static final int MAX_SIZE = Integer.MAX_VALUE - 8;

    public Resize {
        if (height < 1 || width < 1) {
            throw new IllegalArgumentException("a size must be positive but is " + height + " x " + width);
        }
    }

    @Override
    public Shape shape(Shape input) {
        return new Shape(input.channels(), height, width);
    }

    @Override
    public Image apply(Image image, RandomGenerator random) {
        return apply(image);
    }

    /** The resized image; chance plays no part. */
    public Image apply(Image image) {
        Shape in = image.shape();
        if (in.height() == height && in.width() == width) {
            return image;
        }
        int rows = in.channels() * in.height();
        byte[] wide = image.toArray();
        if (in.width() != width) {
            wide = resample(wide, new Layout(rows, in.width(), 1), width);
        }
        if (in.height() != height) {
            wide = resample(wide, new Layout(in.channels(), in.height(), width), height);
        }
        return Image.wrap(shape(in), wide);
    }

    /** Lines of {@code length} elements, each element being {@code stride} neighbouring values. */
    private record Layout(int lines, int length, int stride) {}

    private static byte[] resample(byte[] values, Layout in, int length) {
        double scale = (double) in.length() / length;
        double support = Math.max(1, scale);
        byte[] result = new byte[size(in, length)];
        int[] weights = new int[(int) Math.ceil(support) * 2 + 1];
        for (int to = 0; to < length; to++) {
            double centre = (to + 0.5) * scale;
            int first = Math.max(0, (int) (centre - support + 0.5));
            int count = Math.min(in.length(), (int) (centre + support + 0.5)) - first;
            double[] exact = triangle(first, count, centre, support);
            fixedPoint(exact, weights);
            for (int line = 0; line < in.lines(); line++) {
                int from = (line * in.length() + first) * in.stride();
                int into = (line * length + to) * in.stride();
                for (int s = 0; s < in.stride(); s++) {
                    result[into + s] = mean(values, from + s, in.stride(), weights, count);
                }
            }
        }
        return result;
    }

    /** Number of values after resizing; the rows are resized first, so an image can be larger in between than at the end. */
    private static int size(Layout in, int length) {
        long size = (long) in.lines() * in.stride() * length;
        if (size > MAX_SIZE) {
            throw new IllegalArgumentException(
                    "resizing " + in.length() + " pixels to " + length + " needs an image of " + size
                            + " values but at most " + MAX_SIZE + " are possible. Crop or shrink the image first.");
        }
        return (int) size;
    }

    private static double[] triangle(int first, int count, double centre, double support) {
        double[] weights = new double[count];
        double sum = 0;
        for (int i = 0; i < count; i++) {
            weights[i] = Math.max(0, 1 - Math.abs((i + first - centre + 0.5) * (1 / support)));
            sum += weights[i];
        }
        for (int i = 0; i < count; i++) {
            weights[i] /= sum;
        }
        return weights;
    }

    private static void fixedPoint(double[] exact, int[] weights) {
        for (int i = 0; i < exact.length; i++) {
            weights[i] = (int) (0.5 + exact[i] * (1 << PRECISION));
        }
    }

    private static byte mean(byte[] values, int from, int stride, int[] weights, int count) {
        int sum = 1 << (PRECISION - 1);
        for (int i = 0; i < count; i++) {
            sum += (values[from + i * stride] & 0xff) * weights[i];
        }
        return (byte) Math.min(255, sum >> PRECISION);
    }
}
