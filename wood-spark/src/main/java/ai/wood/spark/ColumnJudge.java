package ai.wood.spark;

import java.util.Iterator;
import java.util.Map;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;

/** What executors do with a partition: judge columns of its rows. */
record ColumnJudge(BroadcastDetector detector, Map<Column, Integer> columns, long maxPixels)
        implements MapPartitionsFunction<Row, Row> {

    @Override
    public Iterator<Row> call(Iterator<Row> rows) {
        Integer image = columns.get(Column.IMAGES);
        return image != null
                ? new JudgedRows<>(rows, new ImageCells(detector.images(), image, maxPixels))
                : new JudgedRows<>(rows, new OutputCells(detector.outputs(), columns));
    }
}
