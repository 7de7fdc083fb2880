package ai.wood.report;

import ai.wood.Matrix;
import java.util.Arrays;

/** Named scores, one row. */
record Series(String name, Matrix scores) {

    double min() {
        return Arrays.stream(scores.row(0)).min().orElseThrow();
    }

    double max() {
        return Arrays.stream(scores.row(0)).max().orElseThrow();
    }
}
