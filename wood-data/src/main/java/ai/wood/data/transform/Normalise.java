package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.List;

/**
 * The last step before a network: 8-bit values to floats, {@code (value / 255 - mean) / deviation} by channel.
 *
 * <p>The arithmetic is that of torchvision's {@code ToTensor} and {@code Normalize}, in float, so results agree with it
 * bit for bit. A single mean and deviation serve all channels. Immutable and safe to share.
 */
public final class Normalise {

    /** {@code value / 255}: what the paper's authors do with grey images. */
    public static final Normalise UNIT = of(0, 1);

    /** To -1..1, mean and deviation 0.5: what the paper's authors do with colour images. */
    public static final Normalise HALF = of(0.5, 0.5);

    /** The channel statistics of CIFAR-10's training images. */
    public static final Normalise CIFAR10 =
            new Normalise(List.of(0.4914, 0.4822, 0.4465), List.of(0.2470, 0.2435, 0.2616));

    private static final int LEVELS = 256;
    private static final int MAX_CHANNELS = 1024;

    private final List<Double> mean;
    private final List<Double> deviation;
    private final float[][] tables;

    /** One mean and one deviation per channel, or one of each for all channels. */
    public Normalise(List<Double> mean, List<Double> deviation) {
        if (mean.isEmpty() || mean.size() != deviation.size()) {
            throw new IllegalArgumentException("normalising needs as many means as deviations but has " + mean.size()
                    + " and " + deviation.size());
        }
        if (mean.size() > MAX_CHANNELS) {
            throw new IllegalArgumentException(
                    "images have at most " + MAX_CHANNELS + " channels but there are " + mean.size() + " means");
        }
        this.mean = List.copyOf(mean);
        this.deviation = List.copyOf(deviation);
        this.tables = new float[mean.size()][];
        for (int c = 0; c < tables.length; c++) {
            tables[c] = table(mean.get(c).floatValue(), deviation.get(c).floatValue());
        }
    }

    /** The same mean and deviation for all channels. */
    public static Normalise of(double mean, double deviation) {
        return new Normalise(List.of(mean), List.of(deviation));
    }

    /** What the paper's authors do with images of so many channels: {@link #UNIT} for grey ones, {@link #HALF} for colour. */
    public static Normalise authors(int channels) {
        return channels == 1 ? UNIT : HALF;
    }

    private static float[] table(float mean, float deviation) {
        if (!Float.isFinite(mean) || !(deviation > 0)) {
            throw new IllegalArgumentException(
                    "the mean must be finite and the deviation positive but they are " + mean + " and " + deviation);
        }
        float[] table = new float[LEVELS];
        for (int level = 0; level < LEVELS; level++) {
            table[level] = (level / 255f - mean) / deviation;
        }
        return table;
    }

    public List<Double> mean() {
        return mean;
    }

    public List<Double> deviation() {
        return deviation;
    }

    /**
     * Writes the image's floats in channel-row-column order. Those of an image that is normalised already stay as they are.
     *
     * @throws IllegalArgumentException where the image has another number of channels than there are means
     */
    public void write(Image image, float[] into, int at) {
        Shape shape = image.shape();
        check(shape);
        if (image.isNormalised()) {
            image.copyNormalised(into, at);
            return;
        }
        int area = shape.area();
        for (int c = 0; c < shape.channels(); c++) {
            float[] table = tables[tables.length == 1 ? 0 : c];
            int start = c * area;
            for (int i = 0; i < area; i++) {
                into[at + start + i] = table[image.get(start + i)];
            }
        }
    }

    /** Refuses images whose channels are not those of the means. */
    public void check(Shape shape) {
        if (tables.length != 1 && tables.length != shape.channels()) {
            throw new IllegalArgumentException("normalising is set for " + tables.length + " channels but images are "
                    + shape + ". Maybe convert them to grey or colour first.");
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Normalise that && mean.equals(that.mean) && deviation.equals(that.deviation);
    }

    @Override
    public int hashCode() {
        return 31 * mean.hashCode() + deviation.hashCode();
    }

    @Override
    public String toString() {
        return "Normalise[mean=" + mean + ", deviation=" + deviation + "]";
    }
}
