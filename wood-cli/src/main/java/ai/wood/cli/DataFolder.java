package ai.wood.cli;

import ai.wood.data.Catalogue;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that says where data lies. */
public final class DataFolder {

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Where data lies. Default: .cache/wood at home, unless WOOD_DATA says otherwise.")
    private @Nullable Path folder;

    public Catalogue catalogue() {
        return Catalogue.at(folder);
    }
}
