package ai.wood.data;

import ai.wood.io.AtomicFile;
import ai.wood.io.Input;
import ai.wood.io.InvalidFileException;
import ai.wood.io.Signature;
import java.awt.image.BufferedImage;
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
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/**
 * One picture in a file: JPEG, PNG, BMP, GIF, and WebP where {@code com.twelvemonkeys.imageio:imageio-webp} is on the class
 * path, as the program has it.
 *
 * <p>Extents are read first and must be believable for the size of the file. Transparency is ignored, as Pillow's
 * {@code convert('RGB')} does, and inks (CMYK) become light as there. Grey pictures have one channel, all others three.
 */
public final class ImageFile {

    /** A file may be at most so large. */
    private static final int MAX_BYTES = 1 << 28;

    static final List<String> EXTENSIONS = List.of("jpg", "jpeg", "png", "bmp", "gif", "webp");

    private static final byte[] PROFILE = "ICC_PROFILE\0".getBytes(StandardCharsets.US_ASCII);

    private ImageFile() {}

    /** Whether the name looks like that of a picture. */
    static boolean isNamedLikeOne(String name) {
        return EXTENSIONS.contains(name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT));
    }

    public static Image read(Path file) throws IOException {
        long size = Input.size(file);
        if (size > MAX_BYTES) {
            throw new InvalidFileException(
                    file + ": a picture may have " + MAX_BYTES + " bytes but this file has " + size);
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
            throw new InvalidFileException(name + ": a picture is needed but the file is empty");
        }
        byte[] plain = withoutProfile(bytes);
        try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(plain))) {
            ImageReader reader = reader(in, name);
            try {
                reader.setInput(in, true, true);
                new PictureCheck(bytes, maxPixels, name).require(reader.getWidth(0), reader.getHeight(0));
                List<String> warnings = new ArrayList<>();
                reader.addIIOReadWarningListener((source, warning) -> warnings.add(warning));
                BufferedImage picture = reader.read(0);
                if (tellOfMissingPixels(warnings)) {
                    throw new EOFException();
                }
                return Pixels.image(picture);
            } catch (IOException | RuntimeException e) { // decoders throw whatever damage makes them stumble over
                String message = String.valueOf(e.getMessage());
                throw message.startsWith(name)
                        ? Input.named(name, e)
                        : new InvalidFileException(
                                name + ": is damaged around byte " + in.getStreamPosition() + ": " + reason(e), e);
            } finally {
                reader.dispose();
            }
        }
    }

    /**
     * A picture whose colour profile is not found: Java would convert its values, which Pillow and with it those who train
     * networks take as they are.
     */
    private static byte[] withoutProfile(byte[] bytes) {
        if (Signature.JPEG.begins(bytes)) {
            return jpegWithoutProfile(bytes);
        }
        return Signature.WEBP.begins(bytes) ? webpWithoutProfile(bytes) : bytes;
    }

    private static byte[] webpWithoutProfile(byte[] bytes) {
        byte[] plain = bytes.clone();
        ByteBuffer sizes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (long at = 12; at + 9 <= bytes.length; ) {
            int chunk = (int) at;
            if (isAt(bytes, chunk, "VP8X")) {
                plain[chunk + 8] &= ~0x20; // has no profile
            } else if (isAt(bytes, chunk, "ICCP")) {
                plain[chunk] = 'x'; // a chunk that nobody knows
            }
            long size = Integer.toUnsignedLong(sizes.getInt(chunk + 4));
            at += 8 + size + size % 2;
        }
        return plain;
    }

    private static boolean isAt(byte[] bytes, int at, String mark) {
        byte[] wanted = mark.getBytes(StandardCharsets.US_ASCII);
        return at + wanted.length <= bytes.length
                && Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length);
    }

    private static byte[] jpegWithoutProfile(byte[] bytes) {
        byte[] plain = bytes.clone();
        int at = 2;
        while (at + 4 + PROFILE.length <= bytes.length && (bytes[at] & 0xff) == 0xff) {
            int marker = bytes[at + 1] & 0xff;
            if (marker == 0xda) {
                break; // pixels
            }
            if (marker == 0xe2 && Arrays.equals(bytes, at + 4, at + 4 + PROFILE.length, PROFILE, 0, PROFILE.length)) {
                plain[at + 1] = (byte) 0xef; // an application's own, which nobody knows
            }
            at += marker == 0xff ? 1 : 2 + Math.max(2, ((bytes[at + 2] & 0xff) << 8) | (bytes[at + 3] & 0xff));
        }
        return plain;
    }

    /** A reader of one of the formats whose extents can be checked; a TIFF's tiles could be of any size. */
    private static ImageReader reader(ImageInputStream in, String name) throws IOException {
        Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
        while (readers.hasNext()) {
            ImageReader reader = readers.next();
            for (String format : reader.getOriginatingProvider().getFormatNames()) {
                if (EXTENSIONS.contains(format.toLowerCase(Locale.ROOT))) {
                    return reader;
                }
            }
            reader.dispose();
        }
        throw new InvalidFileException(
                name + ": at byte 0: a picture (JPEG, PNG, BMP, GIF, WebP) is needed but this is none of these");
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

    /** Writes an image as PNG. */
    public static void writePng(Image image, Path file) throws IOException {
        AtomicFile.replace(file, png(image));
    }

    /** An image as the bytes of a PNG file, for pages that hold their pictures. */
    public static byte[] png(Image image) {
        return png(Pixels.picture(image));
    }

    static byte[] png(BufferedImage picture) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ImageOutputStream stream = new MemoryCacheImageOutputStream(bytes)) {
            if (!ImageIO.write(picture, "png", stream)) {
                throw new IllegalStateException("this Java platform cannot write PNG");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("memory can always be written", e);
        }
        return bytes.toByteArray();
    }
}
