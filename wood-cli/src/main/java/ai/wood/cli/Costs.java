package ai.wood.cli;

import ai.wood.Matrix;
import ai.wood.Names;
import ai.wood.Settings;
import ai.wood.io.RowReader;
import ai.wood.transport.CustomCost;
import ai.wood.transport.GroundCost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Ground costs by name or file. */
final class Costs {

    private static final List<String> KNOWN = List.of("binary", "dynamic", "or a file with a matrix");

    private Costs() {}

    static GroundCost parse(String cost) throws IOException {
        return switch (cost) {
            case "binary" -> GroundCost.binary();
            case "dynamic" -> GroundCost.dynamic();
            default -> {
                if (cost.isEmpty() || !Files.exists(Path.of(cost))) {
                    throw new IOException(
                            Names.unknown("ground cost", cost, KNOWN).getMessage());
                }
                Matrix matrix = RowReader.readMatrix(Path.of(cost));
                try {
                    yield GroundCost.custom(matrix);
                } catch (IllegalArgumentException e) {
                    throw new IOException(cost + ": " + e.getMessage(), e);
                }
            }
        };
    }

    /** The setting of the WOOD score that selects this cost. */
    static Settings setting(GroundCost cost) {
        return cost instanceof CustomCost custom
                ? Settings.NONE.with("cost", custom.matrix())
                : Settings.NONE.with("cost", cost.toString());
    }
}
