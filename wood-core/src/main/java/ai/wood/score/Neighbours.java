package ai.wood.score;

import ai.wood.Matrix;
import ai.wood.RowFunction;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Samples among which the nearest to others are found, or those with the largest inner products, exactly.
 *
 * <p>Distances are summed in floats from differences, not from inner products, so that small ones keep their precision.
 * The samples lie in tiles, feature by feature, so that the inner loop runs over samples without a sum across them:
 * compiled, it takes sixteen at once. A tile stays in the cache while several queries pass over it.
 */
final class Neighbours {

    private static final int TILE = 256;
    private static final int QUERIES = 32;

    private final int size;
    private final int width;
    private final float[][][] tiles; // tile, feature, sample

    private Neighbours(int size, int width, float[][][] tiles) {
        this.size = size;
        this.width = width;
        this.tiles = tiles;
    }

    /** Copies the samples, at least one, all of one width. */
    static Neighbours of(int size, IntFunction<double[]> samples) {
        int width = samples.apply(0).length;
        float[][][] tiles = new float[(size + TILE - 1) / TILE][][];
        IntStream.range(0, tiles.length).parallel().forEach(t -> {
            int count = Math.min(TILE, size - t * TILE);
            tiles[t] = new float[width][count];
            for (int j = 0; j < count; j++) {
                double[] sample = samples.apply(t * TILE + j);
                for (int i = 0; i < width; i++) {
                    tiles[t][i][j] = (float) sample[i];
                }
            }
        });
        return new Neighbours(size, width, tiles);
    }

    /** How many numbers a sample has. */
    int width() {
        return width;
    }

    /** The samples, one a row, as they were copied. */
    Matrix samples() {
        if ((long) size * width > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("a detector keeps at most " + (Integer.MAX_VALUE - 8) + " numbers but "
                    + size + " samples have " + width + " each. Fit the scorer to fewer samples.");
        }
        float[] rows = new float[size * width];
        for (int r = 0; r < size; r++) {
            for (int i = 0; i < width; i++) {
                rows[r * width + i] = tiles[r / TILE][i][r % TILE];
            }
        }
        return Matrix.wrap(rows, width);
    }

    /** Divides a vector by its length; one without length stays as it is. */
    static double[] unit(double[] vector) {
        double length = length(vector);
        for (int i = 0; length > 0 && i < vector.length; i++) {
            vector[i] /= length;
        }
        return vector;
    }

    static double length(double[] vector) {
        return Math.sqrt(Arrays.stream(vector).map(x -> x * x).sum());
    }

    /** The number of neighbours to look at: {@code k}, or all samples if there are fewer. */
    int atMost(int k) {
        if (k < 1) {
            throw new IllegalArgumentException("the number of neighbours must be positive but is " + k);
        }
        return Math.min(k, size);
    }

    /**
     * Applies a function to the squared distances from each query to the {@code k} samples nearest to it, the largest
     * first and the others in no order. A query, as wide as the samples, that is not finite gives NaN.
     */
    double[] mapNearest(int count, IntFunction<double[]> queries, int k, RowFunction function) {
        return mapLeast(count, queries, k, Neighbours::squares, function);
    }

    /** The same with the {@code k} largest inner products, of which the function is given the negatives. */
    double[] mapMostAlike(int count, IntFunction<double[]> queries, int k, RowFunction function) {
        return mapLeast(count, queries, k, Neighbours::negativeProducts, function);
    }

    /** What is computed of a query and the samples of a tile. */
    private interface Measure {
        void compute(float[] query, float[][] tile, float[] into);
    }

    private double[] mapLeast(int count, IntFunction<double[]> queries, int k, Measure measure, RowFunction function) {
        double[] results = new double[count];
        IntStream.range(0, (count + QUERIES - 1) / QUERIES).parallel().forEach(block -> {
            int start = block * QUERIES;
            float[][] rows = IntStream.range(start, Math.min(count, start + QUERIES))
                    .mapToObj(r -> floats(queries.apply(r)))
                    .toArray(float[][]::new);
            double[][] least = least(rows, k, measure);
            for (int q = 0; q < rows.length; q++) {
                results[start + q] = least[q][0] < Double.POSITIVE_INFINITY ? function.apply(least[q]) : Double.NaN;
            }
        });
        return results;
    }

    private double[][] least(float[][] queries, int k, Measure measure) {
        double[][] least = new double[queries.length][k];
        for (double[] heap : least) {
            Arrays.fill(heap, Double.POSITIVE_INFINITY);
        }
        for (float[][] tile : tiles) {
            float[] values = new float[tile[0].length];
            for (int q = 0; q < queries.length; q++) {
                measure.compute(queries[q], tile, values);
                for (float value : values) {
                    if (value < least[q][0]) {
                        replaceLargest(least[q], value);
                    }
                }
            }
        }
        return least;
    }

    /** Squared distances from a query to the samples of a tile, four features at a time. */
    private static void squares(float[] query, float[][] tile, float[] into) {
        Arrays.fill(into, 0);
        int i = 0;
        for (; i + 3 < query.length; i += 4) {
            addSquares(query, i, tile[i], tile[i + 1], tile[i + 2], tile[i + 3], into);
        }
        for (; i < query.length; i++) {
            addSquares(query[i], tile[i], into);
        }
    }

    private static void addSquares(float[] query, int i, float[] a, float[] b, float[] c, float[] d, float[] into) {
        float q0 = query[i];
        float q1 = query[i + 1];
        float q2 = query[i + 2];
        float q3 = query[i + 3];
        for (int j = 0; j < into.length; j++) {
            float d0 = q0 - a[j];
            float d1 = q1 - b[j];
            float d2 = q2 - c[j];
            float d3 = q3 - d[j];
            into[j] += d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3;
        }
    }

    private static void addSquares(float q, float[] a, float[] into) {
        for (int j = 0; j < into.length; j++) {
            float d = q - a[j];
            into[j] += d * d;
        }
    }

    private static void negativeProducts(float[] query, float[][] tile, float[] into) {
        Arrays.fill(into, 0);
        int i = 0;
        for (; i + 3 < query.length; i += 4) {
            subtractProducts(query, i, tile[i], tile[i + 1], tile[i + 2], tile[i + 3], into);
        }
        for (; i < query.length; i++) {
            subtractProducts(query[i], tile[i], into);
        }
    }

    private static void subtractProducts(
            float[] query, int i, float[] a, float[] b, float[] c, float[] d, float[] into) {
        float q0 = query[i];
        float q1 = query[i + 1];
        float q2 = query[i + 2];
        float q3 = query[i + 3];
        for (int j = 0; j < into.length; j++) {
            into[j] -= q0 * a[j] + q1 * b[j] + q2 * c[j] + q3 * d[j];
        }
    }

    private static void subtractProducts(float q, float[] a, float[] into) {
        for (int j = 0; j < into.length; j++) {
            into[j] -= q * a[j];
        }
    }

    /** Puts a value in the place of the largest, the root of a heap, and lets it sink to where it belongs. */
    private static void replaceLargest(double[] heap, double value) {
        int at = 0;
        int child = 1;
        while (child < heap.length) {
            if (child + 1 < heap.length && heap[child + 1] > heap[child]) {
                child++;
            }
            if (heap[child] <= value) {
                break;
            }
            heap[at] = heap[child];
            at = child;
            child = 2 * at + 1;
        }
        heap[at] = value;
    }

    private static float[] floats(double[] query) {
        float[] floats = new float[query.length];
        for (int i = 0; i < query.length; i++) {
            floats[i] = (float) query[i];
        }
        return floats;
    }
}
