package ai.wood.data;

import ai.wood.Seed;
import ai.wood.io.NpyHeader;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.imageio.ImageIO;
import us.hebi.matlab.mat.types.MatlabType;
import us.hebi.matlab.mat.types.Matrix;
import us.hebi.matlab.mat.types.Sinks;

/** Small sound files of every format, as bytes, written by other hands than the readers under test where possible. */
final class Fixtures {

    /** A WebP picture of one pixel, as the WebP project's own encoder writes it. */
    private static final String WEBP = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA";

    /** {@code Image.new("CMYK", (8, 8), (80, 160, 0, 40)).save(f, "JPEG", quality=100, optimize=True)} in Pillow 9.4. */
    private static final String CMYK =
            "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"
                    + "AQEBAQEBAQEBAQEBAQEBAQEBAQEB/8AAFAgACAAIBEMRAE0RAFkRAEsRAP/EABUAAQEAAAAAAAAAAAAAAAAAAAkK/8QA"
                    + "FBABAAAAAAAAAAAAAAAAAAAAAP/aAA4EQwBNAFkASwAAPwBeB7r+FXD/2Q==";

    private Fixtures() {}

    static Image image(Shape shape, long seed) {
        return Noise.UNIFORM_NOISE.image(shape, new Seed(seed).random());
    }

    static byte[] idxImages(int... extents) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0x0800 + extents.length);
        int length = 1;
        for (int extent : extents) {
            out.writeInt(extent);
            length *= extent;
        }
        for (int i = 0; i < length; i++) {
            out.writeByte(i * 7);
        }
        return bytes.toByteArray();
    }

    static byte[] idxLabels(int... labels) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0x0801);
        out.writeInt(labels.length);
        for (int label : labels) {
            out.writeByte(label);
        }
        return bytes.toByteArray();
    }

    static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }

    static byte[] cifar(int labelBytes, int... labels) {
        byte[] bytes = new byte[labels.length * (labelBytes + 3072)];
        for (int i = 0; i < labels.length; i++) {
            int start = i * (labelBytes + 3072);
            bytes[start + labelBytes - 1] = (byte) labels[i];
            for (int j = 0; j < 3072; j++) {
                bytes[start + labelBytes + j] = (byte) (i + 3 * j);
            }
        }
        return bytes;
    }

    /** Value i, j, c, n of X is i + 4 j + 50 c + 7 n; y counts 1, 2, ... 10, 1, ... */
    static byte[] mat(int count, boolean packed, MatlabType labelType) throws IOException {
        Matrix x = us.hebi.matlab.mat.format.Mat5.newMatrix(new int[] {4, 5, 3, count}, MatlabType.UInt8);
        Matrix y = us.hebi.matlab.mat.format.Mat5.newMatrix(count, 1, labelType);
        for (int n = 0; n < count; n++) {
            for (int c = 0; c < 3; c++) {
                for (int j = 0; j < 5; j++) {
                    for (int i = 0; i < 4; i++) {
                        x.setInt(new int[] {i, j, c, n}, i + 4 * j + 50 * c + 7 * n);
                    }
                }
            }
            y.setDouble(n, n % 10 + 1);
        }
        ByteBuffer bytes = ByteBuffer.allocate(100_000).order(ByteOrder.LITTLE_ENDIAN);
        us.hebi.matlab.mat.format.Mat5.newWriter(Sinks.wrap(bytes))
                .setDeflateLevel(packed ? 6 : 0)
                .writeMat(us.hebi.matlab.mat.format.Mat5.newMatFile()
                        .addArray("note", us.hebi.matlab.mat.format.Mat5.newString("made for a test"))
                        .addArray("X", x)
                        .addArray("y", y));
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    static byte[] npy(String type, byte[] data, long... shape) {
        byte[] header = NpyHeader.bytes(type, shape);
        byte[] bytes = Arrays.copyOf(header, header.length + data.length);
        System.arraycopy(data, 0, bytes, header.length, data.length);
        return bytes;
    }

    /** Pairs of a name and bytes. */
    static byte[] zip(Object... entries) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(bytes)) {
            for (int i = 0; i < entries.length; i += 2) {
                out.putNextEntry(new ZipEntry((String) entries[i]));
                out.write((byte[]) entries[i + 1]);
            }
        }
        return bytes.toByteArray();
    }

    static String usps(int... digits) {
        StringBuilder text = new StringBuilder();
        for (int digit : digits) {
            text.append(digit);
            for (int i = 0; i < 256; i++) {
                text.append(String.format(Locale.ROOT, " %.3f", (i % 21 - 10) / 10.0));
            }
            text.append('\n');
        }
        return text.toString();
    }

    static byte[] picture(Image image, String format) throws IOException {
        BufferedImage picture;
        if (image.shape().channels() == 1) {
            picture = new BufferedImage(image.shape().width(), image.shape().height(), BufferedImage.TYPE_BYTE_GRAY);
            for (int i = 0; i < image.shape().length(); i++) {
                picture.getRaster()
                        .setSample(i % image.shape().width(), i / image.shape().width(), 0, image.get(i));
            }
        } else {
            picture = Pixels.picture(image);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        if (!ImageIO.write(picture, format, bytes)) {
            throw new IOException("no writer for " + format);
        }
        return bytes.toByteArray();
    }

    /** A JPEG of four inks. */
    static byte[] cmyk() {
        return Base64.getDecoder().decode(CMYK);
    }

    static byte[] webp() {
        return Base64.getDecoder().decode(WEBP);
    }
}
