package ai.wood.spark;

import ai.wood.Verdict;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the cells of a column are judged, a batch at a time. */
interface Cells<T> {

    /** Cells in a batch, at most. */
    int batch();

    /** About how many bytes a row needs while its batch is gathered. */
    long bytes(@Nullable Object cell);

    /**
     * What a cell holds.
     *
     * @throws IOException saying why it cannot be judged
     */
    T read(@Nullable Object cell) throws IOException;

    /** A verdict for each of what was read. */
    List<Verdict> judge(List<T> batch);

    /** The name of a label. */
    String name(int label);
}
