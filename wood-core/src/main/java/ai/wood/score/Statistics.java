package ai.wood.score;

import ai.wood.Head;
import ai.wood.Matrix;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What {@link ai.wood.Scorer#statistics} tells, to make a scorer of: a number is a matrix of one element, a vector a matrix
 * of one row. What does not fit together is refused here, before anything is scored.
 */
record Statistics(Map<String, Matrix> matrices) {

    Matrix matrix(String name) {
        Matrix matrix = matrices.get(name);
        if (matrix == null || matrix.rows() == 0) {
            throw new IllegalArgumentException(
                    "the scorer needs the statistics '" + name + "' but there are " + matrices.keySet());
        }
        return matrix;
    }

    /** The matrix of a name, which must have so many columns. */
    Matrix matrix(String name, int columns) {
        return require(name, matrix(name), matrix(name).rows(), columns);
    }

    double[] vector(String name, int length) {
        return require(name, matrix(name), 1, length).row(0);
    }

    double number(String name) {
        return vector(name, 1)[0];
    }

    Head head() {
        return new Head(matrix("head.weights"), matrix("head.bias"));
    }

    /** Those whose names begin with a prefix, which is taken off. */
    Statistics under(String prefix) {
        Map<String, Matrix> under = new LinkedHashMap<>();
        matrices.forEach((name, matrix) -> {
            if (name.startsWith(prefix)) {
                under.put(name.substring(prefix.length()), matrix);
            }
        });
        return new Statistics(under);
    }

    Set<String> names() {
        return matrices.keySet();
    }

    /** In this order, so that files made of them are the same every time. */
    @SafeVarargs
    static Map<String, Matrix> of(Map.Entry<String, Matrix>... statistics) {
        Map<String, Matrix> all = new LinkedHashMap<>();
        for (Map.Entry<String, Matrix> one : statistics) {
            all.put(one.getKey(), one.getValue());
        }
        return all;
    }

    /** A head, and other statistics behind it. */
    @SafeVarargs
    static Map<String, Matrix> of(Head head, Map.Entry<String, Matrix>... statistics) {
        Map<String, Matrix> all = of(Map.entry("head.weights", head.weights()), Map.entry("head.bias", head.bias()));
        all.putAll(of(statistics));
        return all;
    }

    /** The same under longer names. */
    static Map<String, Matrix> prefixed(String prefix, Map<String, Matrix> statistics) {
        Map<String, Matrix> prefixed = new LinkedHashMap<>();
        statistics.forEach((name, matrix) -> prefixed.put(prefix + name, matrix));
        return prefixed;
    }

    private static Matrix require(String name, Matrix matrix, int rows, int columns) {
        if (matrix.rows() != rows || matrix.columns() != columns) {
            throw new IllegalArgumentException("the statistics '" + name + "' must be " + rows + " x " + columns
                    + " but are " + matrix.rows() + " x " + matrix.columns());
        }
        return matrix;
    }
}
