package ai.wood.cli;

import ai.wood.data.Catalogue;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that says where data lies. */
final class DataFolder {

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Where data lies. Default: what WOOD_DATA says, else .cache/wood at home.")
    private @Nullable Path folder;

    Catalogue catalogue() {
        return Catalogue.at(folder);
    }
}
