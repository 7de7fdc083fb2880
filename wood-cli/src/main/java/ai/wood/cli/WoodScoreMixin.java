package ai.wood.cli;

import ai.wood.Settings;
import ai.wood.evaluate.EvaluateOptions;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The WOOD score of a trained network, where it is to be another than the one it was trained with. */
final class WoodScoreMixin {

    /** The names of its options. */
    static final String NAMES = "--cost --temperature";

    @Option(
            names = "--cost",
            paramLabel = "COST",
            description = "Ground cost of the WOOD score: binary, dynamic, or a file with a K x K matrix."
                    + " Default: as the network was trained, else dynamic.")
    private @Nullable String cost;

    @Option(
            names = "--temperature",
            paramLabel = "T",
            description = "Divide logits for the WOOD score. Default: as the network was trained, else 1.")
    private @Nullable Double temperature;

    EvaluateOptions into(EvaluateOptions options) throws IOException {
        return options.withWood(settings());
    }

    /** The settings that were given. */
    Settings settings() throws IOException {
        Settings wood = cost == null ? Settings.NONE : Costs.setting(Costs.parse(cost));
        return temperature == null ? wood : wood.with("temperature", temperature);
    }
}
