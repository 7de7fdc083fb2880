package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.random.RandomGenerator;

/**
 * Gaussian blur, cut off at three deviations; beyond the edge the edge's values go on.
 *
 * @param deviation of the bell curve, in pixels
 */
public record Blur(double deviation) implements Transform {

    public Blur {
        if (!(deviation > 0 && deviation <= 1000)) {
            throw new IllegalArgumentException("the deviation must be positive and at most 1000 but is " + deviation);
        }
    }

    @Override
    public Image apply(Image image, RandomGenerator random) {
        Shape shape = image.shape();
        float[] values = new float[shape.length()];
        for (int i = 0; i < values.length; i++) {
            values[i] = image.get(i);
        }
        blur(values, shape);
        byte[] rounded = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            rounded[i] = (byte) Math.round(values[i]);
        }
        return Image.wrap(shape, rounded);
    }

    /** Blurs values in channel-row-column order in place. */
    public void blur(float[] values, Shape shape) {
        float[] weights = weights();
        float[] line = new float[Math.max(shape.width(), shape.height())];
        for (int c = 0; c < shape.channels(); c++) {
            int start = c * shape.area();
            for (int y = 0; y < shape.height(); y++) {
                blurLine(values, start + y * shape.width(), 1, shape.width(), line, weights);
            }
            for (int x = 0; x < shape.width(); x++) {
                blurLine(values, start + x, shape.width(), shape.height(), line, weights);
            }
        }
    }

    private float[] weights() {
        int radius = (int) Math.ceil(3 * deviation);
        float[] weights = new float[2 * radius + 1];
        double sum = 0;
        for (int i = -radius; i <= radius; i++) {
            sum += Math.exp(-i * i / (2 * deviation * deviation));
        }
        for (int i = -radius; i <= radius; i++) {
            weights[radius + i] = (float) (Math.exp(-i * i / (2 * deviation * deviation)) / sum);
        }
        return weights;
    }

    private static void blurLine(float[] values, int start, int stride, int length, float[] line, float[] weights) {
        for (int i = 0; i < length; i++) {
            line[i] = values[start + i * stride];
        }
        int radius = weights.length / 2;
        for (int i = 0; i < length; i++) {
            float sum = 0;
            for (int w = 0; w < weights.length; w++) {
                sum += weights[w] * line[Math.min(length - 1, Math.max(0, i + w - radius))];
            }
            values[start + i * stride] = sum;
        }
    }
}
