package ai.wood;

/** A number for each row of a matrix. */
@FunctionalInterface
public interface RowFunction {

    /** The value of a row; the array is a scratch copy that may be overwritten and must not be kept. */
    double apply(double[] row);

    /**
     * The value of a row that is stored as floats from {@code start} on, as many as {@code scratch} has places. Functions
     * fast enough to notice the copy override this; they must neither change the data nor keep it.
     */
    default double apply(float[] data, int start, double[] scratch) {
        for (int i = 0; i < scratch.length; i++) {
            scratch[i] = data[start + i];
        }
        return apply(scratch);
    }
}
