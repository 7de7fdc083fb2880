package ai.wood.data;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Refuses pictures that would cost more to decode than they can be worth, before they are decoded. */
final class PictureCheck {

    /** No format packs more pixels than this into a byte of an honest picture, beyond a first megapixel. */
    private static final long MAX_PIXELS_PER_BYTE = 8192;

    /** A progressive JPEG has about ten; each costs a walk over all pixels and needs but some bytes. */
    private static final int MAX_SCANS = 100;

    private final byte[] bytes;
    private final ByteBuffer file;
    private final long maxPixels;
    private final String name;

    /** Of a file's bytes, which may have so many pixels, or as many as are believable; the name is for messages. */
    PictureCheck(byte[] bytes, long maxPixels, String name) {
        this.bytes = bytes;
        this.file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        this.maxPixels =
                Math.min(maxPixels, Math.min(Shape.MAX_LENGTH / 3, (1L << 20) + MAX_PIXELS_PER_BYTE * bytes.length));
        this.name = name;
    }

    /** Refuses a picture of these extents, as its decoder reads them, or one that hides what it costs. */
    void require(int width, int height) throws TooCostlyException {
        requireExtents(width, height);
        requireFewScans();
        requirePixels();
        requireFrames();
    }

    private void requireExtents(int width, int height) throws TooCostlyException {
        if (width < 1 || height < 1 || (long) width * height > maxPixels) {
            throw new TooCostlyException(name + ": a picture of this size in bytes may have at most " + maxPixels
                    + " pixels but claims " + width + " x " + height);
        }
    }

    /** Refuses a JPEG of more scans than an honest one has. Bytes behind its end are none of its own. */
    private void requireFewScans() throws TooCostlyException {
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

    /** Refuses a BMP around a JPEG or PNG, whose extents its own header does not tell. */
    private void requirePixels() throws TooCostlyException {
        boolean isBmp = bytes.length >= 34 && bytes[0] == 'B' && bytes[1] == 'M' && file.getInt(14) >= 40;
        int compression = isBmp ? file.getInt(30) : 0;
        if (compression == 4 || compression == 5) {
            throw new TooCostlyException(name + ": a BMP must hold pixels but this one holds a JPEG or a PNG");
        }
    }

    /** Refuses a WebP with a frame that is larger than the picture claims to be, and than is allowed. */
    private void requireFrames() throws TooCostlyException {
        boolean isWebp = bytes.length >= 12 && text(0).equals("RIFF") && text(8).equals("WEBP");
        for (long at = 12; isWebp && at + 8 <= bytes.length; ) {
            int body = (int) at + 8;
            String chunk = text((int) at);
            if (chunk.equals("VP8 ") && body + 10 <= bytes.length) {
                requireExtents(file.getShort(body + 6) & 0x3fff, file.getShort(body + 8) & 0x3fff);
            } else if (chunk.equals("VP8L") && body + 5 <= bytes.length) {
                int extents = file.getInt(body + 1);
                requireExtents((extents & 0x3fff) + 1, (extents >>> 14 & 0x3fff) + 1);
            }
            long size = Integer.toUnsignedLong(file.getInt(body - 4));
            at = chunk.equals("ANMF") ? body + 16 : body + size + size % 2; // an animation's frames are chunks within
        }
    }

    private String text(int at) {
        return new String(bytes, at, 4, StandardCharsets.ISO_8859_1);
    }
}
