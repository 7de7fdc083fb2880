package ai.wood.spark;

import ai.wood.Verdict;
import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.Row;

/** How rows are judged, a batch at a time. */
interface Cells<T> {

    /** Rows in a batch, at most. */
    int batch();

    /** About how many bytes a row needs while its batch is gathered. */
    long bytes(Row row);

    /**
     * Reads the cells of a row that count.
     *
     * @throws IOException saying why the row cannot be judged
     */
    T read(Row row) throws IOException;

    /**
     * A verdict for each sample.
     *
     * @throws IllegalArgumentException if one of them cannot be judged
     */
    List<Verdict> judge(List<T> batch);

    /** The name of a label. */
    String name(int label);
}
