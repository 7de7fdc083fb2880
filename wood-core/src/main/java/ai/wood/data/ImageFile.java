package ai.wood.data;

import ai.wood.Image;
import ai.wood.Shape;
import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.ComponentColorModel;
import java.awt.image.IndexColorModel;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Locale;
import java.util.Set;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/**
 * One picture in a file: JPEG, PNG, BMP, GIF, WebP, or whatever ImageIO has a plug-in for.
 *
 * <p>Extents are read first and must be believable for the size of the file. Transparency is ignored, as Pillow's
 * {@code convert('RGB')} does. Grey pictures have one channel, all others three.
 */
public final class ImageFile {

    /** A file may be at most so large. */
    private static final int MAX_BYTES = 1 << 28;
    /** No format packs more pixels than this into a byte of an honest picture, beyond a first megapixel. */
    private static final long MAX_PIXELS_PER_BYTE = 8192;

    private static final Set<String> EXTENSIONS = Set.of("jpg", "jpeg", "png", "bmp", "gif", "webp");

    static {
        ImageIO.setUseCache(false);
    }

    private ImageFile() {}

    /** Whether the name looks like that of a picture. */
    static boolean isNamedLikeOne(String name) {
        return EXTENSIONS.contains(name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT));
    }

    public static Image read(Path file) throws IOException {
        long size = Input.size(file);
        if (size > MAX_BYTES) {
            throw new IOException(file + ": a picture may have " + MAX_BYTES + " bytes but this file has " + size);
        }
        return read(Files.readAllBytes(file), file.toString());
    }

    /** Decodes a picture; the name is for messages. */
    static Image read(byte[] bytes, String name) throws IOException {
        if (bytes.length == 0) {
            throw new IOException(name + ": a picture is needed but the file is empty");
        }
        try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(bytes))) {
            Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
            if (!readers.hasNext()) {
                throw new IOException(name + ": at byte 0: a picture (JPEG, PNG, BMP, GIF, WebP) is needed but this is"
                        + " none of these");
            }
            ImageReader reader = readers.next();
            try {
                reader.setInput(in, true, true);
                check(reader.getWidth(0), reader.getHeight(0), bytes.length, name);
                return image(reader.read(0));
            } catch (IOException e) {
                throw e.getMessage() != null && e.getMessage().startsWith(name) ? e : damaged(name, in, e);
            } catch (RuntimeException | StackOverflowError e) {
                throw damaged(name, in, e); // decoders throw whatever a damaged file makes them stumble over
            } finally {
                reader.dispose();
            }
        }
    }

    private static IOException damaged(String name, ImageInputStream in, Throwable cause) throws IOException {
        return new IOException(
                name + ": the picture cannot be decoded around byte " + in.getStreamPosition() + ": " + cause, cause);
    }

    private static void check(int width, int height, int bytes, String name) throws IOException {
        long pixels = (long) width * height;
        long believed = Math.min(Shape.MAX_LENGTH / 3, (1L << 20) + MAX_PIXELS_PER_BYTE * bytes);
        if (width < 1 || height < 1 || pixels > believed) {
            throw new IOException(name + ": a picture of " + bytes + " bytes may have at most " + believed
                    + " pixels but claims " + width + " x " + height);
        }
    }

    /**
     * The values of a decoded picture. Grey ones come as they are stored, without a change of gamma; so do those of one
     * byte per channel, which is also the fast way.
     */
    static Image image(BufferedImage picture) {
        ColorModel model = picture.getColorModel();
        if (model instanceof ComponentColorModel && model.getNumColorComponents() == 1) {
            return grey(picture.getRaster(), model.getComponentSize(0));
        }
        if (model instanceof IndexColorModel palette && picture.getRaster().getNumBands() == 1) {
            return indexed(picture.getRaster(), palette);
        }
        return picture.getType() == BufferedImage.TYPE_3BYTE_BGR ? stored(picture.getRaster()) : converted(picture);
    }

    private static Image grey(Raster raster, int bits) {
        Shape shape = new Shape(1, raster.getHeight(), raster.getWidth());
        int[] samples =
                raster.getSamples(raster.getMinX(), raster.getMinY(), shape.width(), shape.height(), 0, (int[]) null);
        byte[] values = new byte[samples.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) (bits > 8 ? samples[i] >> (bits - 8) : samples[i]);
        }
        return Image.wrap(shape, values);
    }

    private static Image indexed(Raster raster, IndexColorModel palette) {
        int[] colours = new int[palette.getMapSize()];
        palette.getRGBs(colours);
        int[] pixels = raster.getSamples(
                raster.getMinX(), raster.getMinY(), raster.getWidth(), raster.getHeight(), 0, (int[]) null);
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = colours[Math.min(pixels[i], colours.length - 1)];
        }
        return colour(pixels, new Shape(3, raster.getHeight(), raster.getWidth()));
    }

    private static Image stored(Raster raster) {
        Shape shape = new Shape(3, raster.getHeight(), raster.getWidth());
        int[] samples =
                raster.getPixels(raster.getMinX(), raster.getMinY(), shape.width(), shape.height(), (int[]) null);
        byte[] values = new byte[samples.length];
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < shape.area(); i++) {
                values[c * shape.area() + i] = (byte) samples[3 * i + c];
            }
        }
        return Image.wrap(shape, values);
    }

    private static Image converted(BufferedImage picture) {
        int width = picture.getWidth();
        int height = picture.getHeight();
        return colour(picture.getRGB(0, 0, width, height, null, 0, width), new Shape(3, height, width));
    }

    private static Image colour(int[] pixels, Shape shape) {
        int area = shape.area();
        byte[] values = new byte[shape.length()];
        for (int i = 0; i < area; i++) {
            values[i] = (byte) (pixels[i] >> 16);
            values[area + i] = (byte) (pixels[i] >> 8);
            values[2 * area + i] = (byte) pixels[i];
        }
        return Image.wrap(shape, values);
    }

    /** Writes an image as PNG. */
    public static void writePng(Image image, Path file) throws IOException {
        if (!ImageIO.write(picture(image), "png", file.toFile())) {
            throw new IOException(file + ": this Java platform cannot write PNG");
        }
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
