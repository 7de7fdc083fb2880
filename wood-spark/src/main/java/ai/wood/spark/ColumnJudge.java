package ai.wood.spark;

import java.util.Iterator;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;

/** What executors do with a partition: judge a column of its rows. */
record ColumnJudge(ShippedDetector detector, int column, Content content, long maxPixels)
        implements MapPartitionsFunction<Row, Row> {

    @Override
    public Iterator<Row> call(Iterator<Row> rows) {
        Cells<?> cells = content.cells(detector.shared(content == Content.PICTURES), maxPixels);
        return new JudgedRows<>(rows, column, cells);
    }
}
