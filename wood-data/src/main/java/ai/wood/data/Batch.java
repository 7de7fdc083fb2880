package ai.wood.data;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.Objects;

/**
 * Samples ready for a network: N x channels x height x width floats, InD first, then OOD, and their labels.
 *
 * <p>A batch is on loan: its loader overwrites it once the next one is asked for. Its memory lies outside the heap, in
 * native byte order, so that an engine can read it in place.
 */
public final class Batch {

    private final Shape shape;
    private final FloatBuffer values;
    private final int[] labels;
    private int epoch;
    private int step;
    private int ind;
    private int ood;

    Batch(Shape shape, int capacity) {
        this.shape = shape;
        long bytes = (long) Float.BYTES * capacity * shape.length();
        if (bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a batch may take at most 2 GiB but " + capacity + " images of " + shape
                    + " take " + bytes + " bytes");
        }
        this.values = ByteBuffer.allocateDirect((int) bytes)
                .order(ByteOrder.nativeOrder())
                .asFloatBuffer();
        this.labels = new int[capacity];
    }

    void begin(int epoch, int step, int ind, int ood) {
        this.epoch = epoch;
        this.step = step;
        this.ind = ind;
        this.ood = ood;
    }

    /** Called by several threads, each for its own places. */
    void put(int place, float[] image, int label) {
        values.put(place * shape.length(), image, 0, shape.length());
        labels[place] = label;
    }

    /** The epoch it belongs to, from 0. */
    public int epoch() {
        return epoch;
    }

    /** Its place in the epoch, from 0. */
    public int step() {
        return step;
    }

    /** The number of InD samples: places 0 to {@code ind() - 1}. */
    public int ind() {
        return ind;
    }

    /** The number of OOD samples: places {@code ind()} to {@code size() - 1}. */
    public int ood() {
        return ood;
    }

    public int size() {
        return ind + ood;
    }

    /** The shape of every image in it. */
    public Shape shape() {
        return shape;
    }

    /** The images' floats, {@code size() * shape().length()} of them, read-only and direct. */
    public FloatBuffer values() {
        return values.asReadOnlyBuffer().limit(size() * shape.length());
    }

    /** The labels, {@code size()} of them, read-only; {@link Sample#UNLABELLED} for OOD. */
    public IntBuffer labels() {
        return IntBuffer.wrap(labels).asReadOnlyBuffer().limit(size());
    }

    public int label(int place) {
        return labels[Objects.checkIndex(place, size())];
    }
}
