package ai.wood.data;

import ai.wood.Image;
import ai.wood.Shape;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.ComponentColorModel;
import java.awt.image.IndexColorModel;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.IntUnaryOperator;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/**
 * One picture in a file: JPEG, PNG, BMP, GIF, or whatever ImageIO has a plug-in for, such as WebP with
 * {@code com.twelvemonkeys.imageio:imageio-webp} on the class path, as the program has it.
 *
 * <p>Extents are read first and must be believable for the size of the file. Transparency is ignored, as Pillow's
 * {@code convert('RGB')} does, and inks (CMYK) become light as there. Grey pictures have one channel, all others three.
 */
public final class ImageFile {

    /** A file may be at most so large. */
    private static final int MAX_BYTES = 1 << 28;
    /** No format packs more pixels than this into a byte of an honest picture, beyond a first megapixel. */
    private static final long MAX_PIXELS_PER_BYTE = 8192;
    /** A progressive JPEG has about ten; each costs a walk over all pixels and needs but some bytes. */
    private static final int MAX_SCANS = 100;

    static final List<String> EXTENSIONS = List.of("jpg", "jpeg", "png", "bmp", "gif", "webp");

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
        return read(bytes, name, Shape.MAX_LENGTH / 3);
    }

    /**
     * Decodes a picture, unless its header claims more pixels than are allowed or believable; the name is for messages.
     */
    public static Image read(byte[] bytes, String name, long maxPixels) throws IOException {
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
                long most = Math.min(maxPixels, believable(bytes.length));
                check(reader.getWidth(0), reader.getHeight(0), most, name);
                checkScans(bytes, name);
                checkBmp(bytes, name);
                checkFrames(bytes, most, name);
                List<String> warnings = new ArrayList<>();
                reader.addIIOReadWarningListener((source, warning) -> warnings.add(warning));
                BufferedImage picture = reader.read(0);
                if (tellOfMissingPixels(warnings)) {
                    throw new EOFException();
                }
                return image(picture);
            } catch (IOException | RuntimeException e) { // decoders throw whatever damage makes them stumble over
                String message = String.valueOf(e.getMessage());
                throw message.startsWith(name)
                        ? Input.named(name, e)
                        : new IOException(
                                name + ": is damaged around byte " + in.getStreamPosition() + ": " + reason(e), e);
            } finally {
                reader.dispose();
            }
        }
    }

    /** Where a file was cut short the JPEG decoder makes pixels up and warns, while others fail. */
    private static boolean tellOfMissingPixels(List<String> warnings) {
        return warnings.stream().anyMatch(warning -> warning.startsWith("Truncated File"))
                && warnings.stream().anyMatch(warning -> warning.contains("premature end of data"));
    }

    private static String reason(Exception failure) {
        if (failure instanceof EOFException) {
            return "the file ends within the picture";
        }
        return failure instanceof IOException && failure.getMessage() != null
                ? failure.getMessage()
                : failure.toString();
    }

    private static long believable(int bytes) {
        return Math.min(Shape.MAX_LENGTH / 3, (1L << 20) + MAX_PIXELS_PER_BYTE * bytes);
    }

    private static void check(int width, int height, long maxPixels, String name) throws IOException {
        if (width < 1 || height < 1 || (long) width * height > maxPixels) {
            throw new TooCostlyException(name + ": a picture of this size in bytes may have at most " + maxPixels
                    + " pixels but claims " + width + " x " + height);
        }
    }

    /** Refuses a BMP around a JPEG or PNG, whose extents its own header does not tell. */
    private static void checkBmp(byte[] bytes, String name) throws IOException {
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        boolean isBmp = bytes.length >= 34 && bytes[0] == 'B' && bytes[1] == 'M' && header.getInt(14) >= 40;
        int compression = isBmp ? header.getInt(30) : 0;
        if (compression == 4 || compression == 5) {
            throw new TooCostlyException(name + ": a BMP must hold pixels but this one holds a JPEG or a PNG");
        }
    }

    /** Refuses a WebP with a frame that is larger than the picture claims to be, and than is allowed. */
    private static void checkFrames(byte[] bytes, long maxPixels, String name) throws IOException {
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        boolean isWebp = bytes.length >= 12
                && text(bytes, 0).equals("RIFF")
                && text(bytes, 8).equals("WEBP");
        for (long at = 12; isWebp && at + 8 <= bytes.length; ) {
            int body = (int) at + 8;
            String chunk = text(bytes, (int) at);
            if (chunk.equals("VP8 ") && body + 10 <= bytes.length) {
                check(file.getShort(body + 6) & 0x3fff, file.getShort(body + 8) & 0x3fff, maxPixels, name);
            } else if (chunk.equals("VP8L") && body + 5 <= bytes.length) {
                int extents = file.getInt(body + 1);
                check((extents & 0x3fff) + 1, (extents >>> 14 & 0x3fff) + 1, maxPixels, name);
            }
            long size = Integer.toUnsignedLong(file.getInt(body - 4));
            at = chunk.equals("ANMF") ? body + 16 : body + size + size % 2; // an animation's frames are chunks within
        }
    }

    private static String text(byte[] bytes, int at) {
        return new String(bytes, at, 4, StandardCharsets.ISO_8859_1);
    }

    /** Refuses a JPEG of more scans than an honest one has. Bytes behind its end are none of its own. */
    private static void checkScans(byte[] bytes, String name) throws IOException {
        boolean isJpeg = bytes.length > 2 && (bytes[0] & 0xff) == 0xff && (bytes[1] & 0xff) == 0xd8;
        int scans = 0;
        int at = 2;
        while (isJpeg && at + 3 < bytes.length) {
            int marker = (bytes[at] & 0xff) == 0xff ? bytes[at + 1] & 0xff : 0;
            if (marker == 0xd9) { // the end
                return;
            }
            boolean isSegment = marker >= 0xc0 && marker < 0xff && !(marker >= 0xd0 && marker <= 0xd8);
            scans += marker == 0xda ? 1 : 0;
            at += isSegment ? 2 + Math.max(2, ((bytes[at + 2] & 0xff) << 8) | (bytes[at + 3] & 0xff)) : 1;
            if (scans > MAX_SCANS) {
                throw new TooCostlyException(
                        name + ": a JPEG may have at most " + MAX_SCANS + " scans but this one has more");
            }
        }
    }

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
    private interface Rows {
        void read(int y, int[] row);
    }

    private static Image colour(int height, int width, Rows rows) {
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

    /** Writes an image as PNG. */
    public static void writePng(Image image, Path file) throws IOException {
        if (!ImageIO.write(picture(image), "png", file.toFile())) {
            throw new IOException(file + ": this Java platform cannot write PNG");
        }
    }

    /** An image as the bytes of a PNG file, for pages that hold their pictures. */
    public static byte[] png(Image image) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ImageOutputStream stream = new MemoryCacheImageOutputStream(bytes)) {
            if (!ImageIO.write(picture(image), "png", stream)) {
                throw new IllegalStateException("this Java platform cannot write PNG");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("memory can always be written", e);
        }
        return bytes.toByteArray();
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
