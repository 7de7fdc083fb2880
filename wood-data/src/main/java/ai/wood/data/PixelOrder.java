package ai.wood.data;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * How values lie in an array of N images: N x H x W, N x H x W x C or N x C x H x W with C = 1 or 3.
 *
 * @param shape of an image
 * @param channelsLast whether the values of a pixel lie side by side
 */
record PixelOrder(Shape shape, boolean channelsLast) {

    /**
     * What the extents of an array tell.
     *
     * @param extents without N
     * @throws IllegalArgumentException where they are not those of images
     */
    static PixelOrder of(int... extents) {
        if (extents.length == 2) {
            return new PixelOrder(new Shape(1, extents[0], extents[1]), false);
        }
        boolean last = extents.length == 3 && isChannels(extents[2]);
        if (!last && !(extents.length == 3 && isChannels(extents[0]))) {
            throw new IllegalArgumentException("images must be N x H x W, N x H x W x C or N x C x H x W with 1 or 3"
                    + " channels but are N x "
                    + Arrays.stream(extents).mapToObj(String::valueOf).collect(Collectors.joining(" x ")));
        }
        return last
                ? new PixelOrder(new Shape(extents[2], extents[0], extents[1]), true)
                : new PixelOrder(new Shape(extents[0], extents[1], extents[2]), false);
    }

    private static boolean isChannels(int extent) {
        return extent == 1 || extent == 3;
    }

    /** Takes over the values of images, which have no labels yet. */
    ArrayDataset images(byte[] values) {
        int[] none = new int[values.length / shape.length()];
        Arrays.fill(none, Sample.UNLABELLED);
        for (int i = 0; channelsLast && i < none.length; i++) {
            toChannelsFirst(values, i * shape.length());
        }
        return ArrayDataset.wrap(shape, values, none);
    }

    private void toChannelsFirst(byte[] values, int start) {
        byte[] pixels = Arrays.copyOfRange(values, start, start + shape.length());
        for (int c = 0; c < shape.channels(); c++) {
            for (int i = 0; i < shape.area(); i++) {
                values[start + c * shape.area() + i] = pixels[i * shape.channels() + c];
            }
        }
    }
}
