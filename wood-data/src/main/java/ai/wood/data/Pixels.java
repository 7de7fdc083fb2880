package ai.wood.data;

import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.ComponentColorModel;
import java.awt.image.IndexColorModel;
import java.awt.image.Raster;
import java.util.function.IntUnaryOperator;

/** Between our images and those of Java's own library, which come in many layouts. */
final class Pixels {

    private Pixels() {}

    /**
     * The values of a decoded picture. Grey ones come as they are stored, without a change of gamma; so do those of one or two
     * bytes per channel, which is also the fast way. Of two bytes the upper one counts.
     */
    static Image image(BufferedImage picture) {
        ColorModel model = picture.getColorModel();
        if (model instanceof ComponentColorModel && model.getNumColorComponents() == 1) {
            int spare = Math.max(0, model.getComponentSize(0) - 8);
            return grey(picture.getRaster(), value -> value >> spare);
        }
        if (model instanceof IndexColorModel palette && picture.getRaster().getNumBands() == 1) {
            return indexed(picture.getRaster(), palette);
        }
        if (model.getColorSpace().getType() == ColorSpace.TYPE_CMYK
                && model.getNumComponents() == 4
                && model.getComponentSize(0) == 8) {
            return inks(picture.getRaster());
        }
        int bits = model.getComponentSize(0);
        boolean plain = model instanceof ComponentColorModel
                && model.getColorSpace().isCS_sRGB()
                && !model.isAlphaPremultiplied()
                && (bits == 8 || bits == 16);
        return plain ? stored(picture.getRaster(), bits - 8) : converted(picture);
    }

    private static Image grey(Raster raster, IntUnaryOperator level) {
        Shape shape = new Shape(1, raster.getHeight(), raster.getWidth());
        byte[] values = new byte[shape.length()];
        int[] row = new int[shape.width()];
        for (int y = 0; y < shape.height(); y++) {
            raster.getSamples(raster.getMinX(), raster.getMinY() + y, row.length, 1, 0, row);
            for (int x = 0; x < row.length; x++) {
                values[y * row.length + x] = (byte) level.applyAsInt(row[x]);
            }
        }
        return Image.wrap(shape, values);
    }

    private static Image indexed(Raster raster, IndexColorModel palette) {
        int[] colours = new int[palette.getMapSize()];
        palette.getRGBs(colours);
        if (isGreyScale(colours)) {
            return grey(raster, value -> colours[Math.min(value, colours.length - 1)]);
        }
        return colour(raster.getHeight(), raster.getWidth(), (y, row) -> {
            raster.getSamples(raster.getMinX(), raster.getMinY() + y, row.length, 1, 0, row);
            for (int x = 0; x < row.length; x++) {
                row[x] = colours[Math.min(row[x], colours.length - 1)];
            }
        });
    }

    /** Whether a palette leads from black to white in equal steps, as that of a picture with few bits of grey does. */
    private static boolean isGreyScale(int[] colours) {
        for (int i = 0; i < colours.length; i++) {
            if ((colours[i] & 0xffffff) != 255 * i / Math.max(1, colours.length - 1) * 0x010101) {
                return false;
            }
        }
        return colours.length > 1;
    }

    /** Cyan, magenta, yellow and black, each of which takes its share of the light, as in Pillow. */
    private static Image inks(Raster raster) {
        int[] bands = new int[4 * raster.getWidth()];
        return colour(raster.getHeight(), raster.getWidth(), (y, row) -> {
            raster.getPixels(raster.getMinX(), raster.getMinY() + y, row.length, 1, bands);
            for (int x = 0; x < row.length; x++) {
                int light = 255 - bands[4 * x + 3];
                row[x] = light(light, bands[4 * x]) << 16
                        | light(light, bands[4 * x + 1]) << 8
                        | light(light, bands[4 * x + 2]);
            }
        });
    }

    /** What an ink leaves of light. */
    private static int light(int light, int ink) {
        return light - (light * ink + 127) / 255;
    }

    private static Image stored(Raster raster, int spare) {
        int count = raster.getNumBands(); // with transparency or without
        int[] bands = new int[count * raster.getWidth()];
        return colour(raster.getHeight(), raster.getWidth(), (y, row) -> {
            raster.getPixels(raster.getMinX(), raster.getMinY() + y, row.length, 1, bands);
            for (int x = 0; x < row.length; x++) {
                int at = count * x;
                row[x] = bands[at] >> spare << 16 | bands[at + 1] >> spare << 8 | bands[at + 2] >> spare;
            }
        });
    }

    private static Image converted(BufferedImage picture) {
        return colour(
                picture.getHeight(),
                picture.getWidth(),
                (y, row) -> picture.getRGB(0, y, row.length, 1, row, 0, row.length));
    }

    /** Fills a row with pixels, red in bits 16 to 23, green in 8 to 15, blue in 0 to 7. */
    @FunctionalInterface
    private interface PixelRows {
        void read(int y, int[] row);
    }

    private static Image colour(int height, int width, PixelRows rows) {
        Shape shape = new Shape(3, height, width);
        int area = shape.area();
        byte[] values = new byte[shape.length()];
        int[] row = new int[width];
        for (int y = 0; y < height; y++) {
            rows.read(y, row);
            for (int x = 0; x < width; x++) {
                int i = y * width + x;
                values[i] = (byte) (row[x] >> 16);
                values[area + i] = (byte) (row[x] >> 8);
                values[2 * area + i] = (byte) row[x];
            }
        }
        return Image.wrap(shape, values);
    }

    /** The image for painting on a screen. */
    static BufferedImage picture(Image image) {
        Shape shape = image.shape();
        BufferedImage picture = new BufferedImage(shape.width(), shape.height(), BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < shape.height(); y++) {
            for (int x = 0; x < shape.width(); x++) {
                int red = image.get(0, y, x);
                int green = shape.channels() == 3 ? image.get(1, y, x) : red;
                int blue = shape.channels() == 3 ? image.get(2, y, x) : red;
                picture.setRGB(x, y, red << 16 | green << 8 | blue);
            }
        }
        return picture;
    }
}
