package ai.wood.data;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.AbstractList;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * A finite list of samples of one shape, always in the same order.
 *
 * <p>Implementations are immutable and safe to share between threads. A dataset that reads files on demand throws
 * {@link java.io.UncheckedIOException} from {@link #get}.
 */
public interface Dataset {

    /** The name in the catalogue, or whatever tells a reader what this is. */
    String name();

    /** What it may be used for. */
    Split split();

    /** The class names in the order of their labels; empty where samples are unlabelled. */
    List<String> classes();

    /** The shape of every image. */
    Shape shape();

    int size();

    /** The sample at an index from 0 to {@code size() - 1}; the same one every time. */
    Sample get(int index);

    /**
     * The sample as training sees it: a set that makes its images by chance, such as noise or crops, makes a new one
     * from the generator each time; every other set gives {@link #get}.
     */
    default Sample draw(int index, RandomGenerator random) {
        return get(index);
    }

    /** Whether {@link #draw} makes images that {@link #get} does not give. */
    default boolean varies() {
        return false;
    }

    /** The label of a sample, for those who do not need its image. */
    default int label(int index) {
        return get(index).label();
    }

    /** The labels of all samples, in their order. */
    default int[] labels() {
        return IntStream.range(0, size()).map(this::label).toArray();
    }

    /** The images of all samples, each read when it is asked for. */
    default List<Image> images() {
        return new AbstractList<>() {
            @Override
            public Image get(int index) {
                return Dataset.this.get(index).image();
            }

            @Override
            public int size() {
                return Dataset.this.size();
            }
        };
    }

    /**
     * SHA-256 of the contents, in hexadecimal: the shape, then label and values of every sample in order. Name, split
     * and class names do not count, so equal data have equal hashes wherever they came from.
     */
    default String hash() {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
        digest.update((shape() + "\n").getBytes(StandardCharsets.US_ASCII));
        byte[] bytes = new byte[Integer.BYTES + shape().length()];
        for (int i = 0; i < size(); i++) {
            Sample sample = get(i);
            for (int b = 0; b < Integer.BYTES; b++) {
                bytes[b] = (byte) (sample.label() >> (8 * b));
            }
            sample.image().copy(0, bytes, Integer.BYTES, shape().length());
            digest.update(bytes);
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
