package ai.wood.spark;

import ai.wood.Verdict;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
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

    private void judgeBatch() {
        List<Row> batch = new ArrayList<>();
        List<Row> sound = new ArrayList<>();
        List<T> samples = new ArrayList<>();
        Map<Row, String> errors = new IdentityHashMap<>();
        long bytes = 0;
        while (rows.hasNext() && batch.size() < cells.batch() && bytes < BATCH_BYTES) {
            Row row = rows.next();
            bytes += cells.bytes(row);
            batch.add(row);
            try {
                samples.add(cells.read(row));
                sound.add(row);
            } catch (IOException e) {
                errors.put(row, String.valueOf(e.getMessage()));
            }
        }
        Map<Row, Verdict> verdicts = new IdentityHashMap<>();
        judge(sound, samples, verdicts, errors);
        batch.forEach(row -> judged.add(extended(row, verdicts.get(row), errors.get(row))));
    }

    /** Judges all samples at once. If one of them cannot be judged, each is judged alone. */
    private void judge(List<Row> sound, List<T> samples, Map<Row, Verdict> verdicts, Map<Row, String> errors) {
        if (samples.isEmpty()) {
            return;
        }
        try {
            List<Verdict> all = cells.judge(samples);
            for (int i = 0; i < all.size(); i++) {
                verdicts.put(sound.get(i), all.get(i));
            }
        } catch (IllegalArgumentException e) {
            if (samples.size() == 1) {
                errors.put(sound.get(0), String.valueOf(e.getMessage()));
                return;
            }
            for (int i = 0; i < samples.size(); i++) {
                judge(sound.subList(i, i + 1), samples.subList(i, i + 1), verdicts, errors);
            }
        }
    }

    private Row extended(Row row, @Nullable Verdict verdict, @Nullable String error) {
        if (verdict == null) {
            return extended(row, null, null, null, null, null, error);
        }
        String label = verdict.label() == Verdict.NO_LABEL ? null : cells.name(verdict.label());
        return extended(
                row, label, orNull(verdict.probability()), orNull(verdict.score()), verdict.pValue(), verdict.ood(), null);
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
