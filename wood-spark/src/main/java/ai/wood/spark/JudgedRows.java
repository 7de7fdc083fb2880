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
    private final Cells<T> cells;
    private final Queue<Row> judged = new ArrayDeque<>();

    JudgedRows(Iterator<Row> rows, Cells<T> cells) {
        this.rows = rows;
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

    /** A row on its way to its verdict. */
    private static final class Entry<T> {
        private final Row row;
        private @Nullable T sample;
        private @Nullable Verdict verdict;
        private @Nullable String error;

        Entry(Row row) {
            this.row = row;
        }
    }

    private void judgeBatch() {
        List<Entry<T>> batch = new ArrayList<>();
        long bytes = 0;
        while (rows.hasNext() && batch.size() < cells.batch() && bytes < BATCH_BYTES) {
            Entry<T> entry = new Entry<>(rows.next());
            bytes += cells.bytes(entry.row);
            batch.add(entry);
            try {
                entry.sample = cells.read(entry.row);
            } catch (IOException e) {
                entry.error = String.valueOf(e.getMessage());
            }
        }
        judge(batch.stream().filter(entry -> entry.error == null).toList());
        batch.forEach(entry -> judged.add(extended(entry.row, entry.verdict, entry.error)));
    }

    /** Judges all samples at once. If one of them cannot be judged, each is judged alone. */
    @SuppressWarnings("NullAway") // those without an error have a sample
    private void judge(List<Entry<T>> entries) {
        if (entries.isEmpty()) {
            return;
        }
        try {
            List<Verdict> verdicts =
                    cells.judge(entries.stream().map(entry -> entry.sample).toList());
            for (int i = 0; i < verdicts.size(); i++) {
                entries.get(i).verdict = verdicts.get(i);
            }
        } catch (IllegalArgumentException e) {
            if (entries.size() == 1) {
                entries.get(0).error = String.valueOf(e.getMessage());
            } else {
                entries.forEach(entry -> judge(List.of(entry)));
            }
        }
    }

    private Row extended(Row row, @Nullable Verdict verdict, @Nullable String error) {
        if (verdict == null) {
            return extended(row, null, null, null, null, null, error);
        }
        String label = verdict.label() == Verdict.NO_LABEL ? null : cells.name(verdict.label());
        return extended(
                row,
                label,
                orNull(verdict.probability()),
                orNull(verdict.score()),
                verdict.pValue(),
                verdict.ood(),
                null);
    }

    private static @Nullable Double orNull(double value) {
        return Double.isNaN(value) ? null : value;
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
