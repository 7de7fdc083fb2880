package ai.wood.spark;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Verdict;
import ai.wood.bundle.Bundle;
import ai.wood.io.CsvLine;
import java.io.IOException;
import java.util.List;
import org.apache.spark.ml.linalg.Vector;
import org.jspecify.annotations.Nullable;
import scala.collection.Seq;

/** Logits, as an array of numbers, a vector of Spark ML, or a line of text. */
record LogitCells(Bundle bundle) implements Cells<double[]> {

    /** A batch of so many numbers is judged on the task's own thread. */
    private static final int BATCH_ELEMENTS = 1 << 15;

    @Override
    public int batch() {
        return Math.max(1, BATCH_ELEMENTS / bundle.classes().size());
    }

    @Override
    public long bytes(@Nullable Object cell) {
        if (cell instanceof String line) {
            return 2L * line.length();
        }
        if (cell instanceof Vector vector) {
            return 8L * vector.size();
        }
        return cell instanceof Seq<?> numbers ? 16L * numbers.length() : 0;
    }

    @Override
    public double[] read(@Nullable Object cell) throws IOException {
        try {
            double[] logits = cell instanceof String line ? new CsvLine(line).numbers() : numbers(cell);
            if (logits.length != bundle.classes().size()) {
                throw new IllegalArgumentException("there must be a logit for each of "
                        + bundle.classes().size() + " classes but there are " + logits.length);
            }
            return logits;
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static double[] numbers(@Nullable Object cell) {
        if (cell instanceof Vector vector) {
            return vector.toArray();
        }
        if (!(cell instanceof Seq<?> elements)) {
            throw new IllegalArgumentException("there must be logits but there are none");
        }
        double[] numbers = new double[elements.length()];
        for (int i = 0; i < numbers.length; i++) {
            if (!(elements.apply(i) instanceof Number number) || !Double.isFinite(number.doubleValue())) {
                throw new IllegalArgumentException(
                        "logit " + (i + 1) + " must be a finite number but is " + elements.apply(i));
            }
            numbers[i] = number.doubleValue();
        }
        return numbers;
    }

    @Override
    public List<Verdict> judge(List<double[]> batch) {
        return bundle.detector().judge(Outputs.ofLogits(Matrix.of(batch.toArray(double[][]::new))));
    }

    @Override
    public String name(int label) {
        return bundle.classes().get(label);
    }
}
