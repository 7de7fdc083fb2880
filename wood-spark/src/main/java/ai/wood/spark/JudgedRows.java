package ai.wood.spark;

import ai.wood.Verdict;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.jspecify.annotations.Nullable;

/** Rows with their verdicts. One batch is held at a time, however many rows there are. */
final class JudgedRows<T> implements Iterator<Row> {

    private static final long BATCH_BYTES = 1 << 26;

    private final Iterator<Row> rows;
    private final int column;
    private final Cells<T> cells;
    private final Queue<Row> judged = new ArrayDeque<>();

    JudgedRows(Iterator<Row> rows, int column, Cells<T> cells) {
        this.rows = rows;
        this.column = column;
        this.cells = cells;
    }

    @Override
    public boolean hasNext() {
        return !judged.isEmpty() || rows.hasNext();
    }

    @Override
    public Row next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        if (judged.isEmpty()) {
            judgeBatch();
        }
        return judged.remove();
    }

    /** A row, and why it cannot be judged. */
    private record Taken(Row row, @Nullable String error) {}

    private void judgeBatch() {
        List<Taken> batch = new ArrayList<>();
        List<T> readable = new ArrayList<>();
        long bytes = 0;
        while (rows.hasNext() && batch.size() < cells.batch() && bytes < BATCH_BYTES) {
            Row row = rows.next();
            bytes += cells.bytes(row.get(column));
            batch.add(new Taken(row, read(row, readable)));
        }
        Iterator<Verdict> verdicts = readable.isEmpty()
                ? List.<Verdict>of().iterator()
                : cells.judge(readable).iterator();
        for (Taken taken : batch) {
            judged.add(taken.error == null ? judged(taken.row, verdicts.next()) : failed(taken.row, taken.error));
        }
    }

    private @Nullable String read(Row row, List<T> readable) {
        try {
            readable.add(cells.read(row.get(column)));
            return null;
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    private Row judged(Row row, Verdict verdict) {
        return extended(
                row,
                cells.name(verdict.label()),
                verdict.probability(),
                verdict.score(),
                verdict.pValue(),
                verdict.ood(),
                null);
    }

    private static Row failed(Row row, String error) {
        return extended(row, null, null, null, null, null, error);
    }

    private static Row extended(Row row, @Nullable Object... verdict) {
        @Nullable Object[] values = new @Nullable Object[row.size() + verdict.length];
        for (int i = 0; i < row.size(); i++) {
            values[i] = row.get(i);
        }
        System.arraycopy(verdict, 0, values, row.size(), verdict.length);
        return RowFactory.create(values);
    }
}
