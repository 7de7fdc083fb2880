package ai.wood.cli;

import ai.wood.Matrix;
import ai.wood.data.RowReader;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Path;

/** Ground costs by name or file. */
final class Costs {

    private Costs() {}

    static GroundCost parse(String cost) throws IOException {
        return switch (cost) {
            case "binary" -> GroundCost.binary();
            case "dynamic" -> GroundCost.dynamic();
            default -> {
                Matrix matrix = RowReader.readAll(Path.of(cost));
                try {
                    yield GroundCost.custom(matrix);
                } catch (IllegalArgumentException e) {
                    throw new IOException(cost + ": " + e.getMessage(), e);
                }
            }
        };
    }
}
