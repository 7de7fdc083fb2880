package ai.wood.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name files of outputs. */
final class OutputOptions {

    static final String NAMES = "--logits --probabilities --features";

    @Option(
            names = "--logits",
            paramLabel = "FILE",
            description = "Logits, one row per sample (.npy or .csv); - for standard input.")
    private @Nullable Path logits;

    @Option(
            names = "--probabilities",
            paramLabel = "FILE",
            description = "Probabilities instead of logits, one row per sample.")
    private @Nullable Path probabilities;

    @Option(
            names = "--features",
            paramLabel = "FILE",
            description = "Features, one row per sample: the input of the network's last layer.")
    private @Nullable Path features;

    OutputFiles files() {
        return new OutputFiles(logits, probabilities, features);
    }
}
