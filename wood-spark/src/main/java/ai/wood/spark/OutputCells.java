package ai.wood.spark;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Verdict;
import ai.wood.io.CsvLine;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.ml.linalg.Vector;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import scala.collection.Seq;

/**
 * The outputs of a classifier: logits or probabilities, and features, each as an array of numbers, a vector of Spark ML, or a
 * line of text. Logits may be NaN or infinite.
 */
record OutputCells(Detector detector, Map<Column, Integer> columns) implements Cells<Map<Column, double[]>> {

    /** A batch of so many numbers is judged on the task's own thread. */
    private static final int BATCH_ELEMENTS = 1 << 15;

    @Override
    public int batch() {
        return Math.max(1, BATCH_ELEMENTS / Math.max(1, detector.classes().size()));
    }

    @Override
    public long bytes(Row row) {
        return columns.values().stream().mapToLong(at -> bytes(row.get(at))).sum();
    }

    private static long bytes(@Nullable Object cell) {
        if (cell instanceof String line) {
            return 2L * line.length();
        }
        if (cell instanceof Vector vector) {
            return 8L * vector.size();
        }
        return cell instanceof Seq<?> numbers ? 16L * numbers.length() : 0;
    }

    @Override
    public Map<Column, double[]> read(Row row) throws IOException {
        Map<Column, double[]> cells = new EnumMap<>(Column.class);
        for (Map.Entry<Column, Integer> column : columns.entrySet()) {
            try {
                cells.put(column.getKey(), numbers(column.getKey(), row.get(column.getValue())));
            } catch (IllegalArgumentException e) {
                throw new IOException(e.getMessage(), e);
            }
        }
        return cells;
    }

    private double[] numbers(Column column, @Nullable Object cell) {
        double[] numbers = numbers(cell);
        int classes = detector.classes().size();
        if (column != Column.FEATURES && numbers.length != classes) {
            throw new IllegalArgumentException(
                    "there must be a number for each of " + classes + " classes but there are " + numbers.length);
        }
        if (column != Column.LOGITS) {
            Matrix.of(numbers).requireFinite(column == Column.FEATURES ? "features" : "probabilities");
        }
        return numbers;
    }

    private static double[] numbers(@Nullable Object cell) {
        if (cell instanceof String line) {
            return new CsvLine(line).anyNumbers();
        }
        if (cell instanceof Vector vector) {
            return vector.toArray();
        }
        if (!(cell instanceof Seq<?> elements)) {
            throw new IllegalArgumentException("there must be numbers but the cell is empty");
        }
        double[] numbers = new double[elements.length()];
        for (int i = 0; i < numbers.length; i++) {
            if (!(elements.apply(i) instanceof Number number)) {
                throw new IllegalArgumentException(
                        "number " + (i + 1) + " must be a number but is " + elements.apply(i));
            }
            numbers[i] = number.doubleValue();
        }
        return numbers;
    }

    @Override
    public List<Verdict> judge(List<Map<Column, double[]>> batch) {
        return detector.detect(Outputs.of(
                matrix(batch, Column.LOGITS), matrix(batch, Column.PROBABILITIES), matrix(batch, Column.FEATURES)));
    }

    private @Nullable Matrix matrix(List<Map<Column, double[]>> batch, Column column) {
        return columns.containsKey(column)
                ? Matrix.of(batch.stream().map(row -> row.get(column)).toArray(double[][]::new))
                : null;
    }

    @Override
    public String name(int label) {
        return detector.classes().get(label);
    }
}
