package ai.wood.data.transform;

import ai.wood.data.Image;
import ai.wood.data.Shape;
import java.util.random.RandomGenerator;

/**
 * Turns colour into grey or grey into colour: {@code 0.299 red + 0.587 green + 0.114 blue} (ITU-R 601, in the fixed point
 * of Pillow's {@code convert('L')}), or the same grey three times.
 *
 * @param channels 1 for grey, 3 for colour
 */
public record Channels(int channels) implements Transform {

    public static final Channels GREY = new Channels(1);
    public static final Channels COLOUR = new Channels(3);

    public Channels {
        check(channels);
    }

    private static void check(int channels) {
        if (channels != 1 && channels != 3) {
            throw new IllegalArgumentException("images have 1 or 3 channels but " + channels + " were asked for");
        }
    }

    @Override
    public Shape shape(Shape input) {
        check(input.channels());
        return new Shape(channels, input.height(), input.width());
    }

    @Override
    public Image apply(Image image, RandomGenerator random) {
        Shape in = image.shape();
        Shape out = shape(in);
        if (in.equals(out)) {
            return image;
        }
        int area = in.area();
        byte[] values = new byte[out.length()];
        for (int i = 0; i < area && channels == 1; i++) {
            int luma = 19595 * image.get(i) + 38470 * image.get(area + i) + 7471 * image.get(2 * area + i);
            values[i] = (byte) ((luma + 0x8000) >> 16);
        }
        for (int c = 0; c < 3 && channels == 3; c++) {
            image.copy(0, values, c * area, area);
        }
        return Image.wrap(out, values);
    }
}
