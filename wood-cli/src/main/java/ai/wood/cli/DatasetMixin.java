package ai.wood.cli;

import ai.wood.data.Catalogue;
import ai.wood.data.Shape;
import ai.wood.evaluate.DataOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The datasets of a training, as options of a command. */
final class DatasetMixin {

    @Option(
            names = "--ind",
            paramLabel = "NAME",
            completionCandidates = DatasetNames.class,
            description = "The dataset to learn.")
    private @Nullable String ind;

    @Option(
            names = "--ood",
            paramLabel = "NAME",
            completionCandidates = DatasetNames.class,
            parameterConsumer = DatasetListConsumer.class,
            description = "OOD datasets. Several are mixed in equal parts, those of mix:A*3+B by weight. --loss plain"
                    + " needs none.")
    private List<String> ood = new ArrayList<>();

    @Mixin
    private DataFolder data;

    @Option(names = "--limit", paramLabel = "N", description = "Use only N random samples of each dataset.")
    private @Nullable Integer limit;

    @Option(
            names = "--shape",
            paramLabel = "CxHxW",
            converter = ShapeConverter.class,
            description =
                    "Fit images to channels x height x width. Default: their own shape. Images of a folder get the"
                            + " shape of the first one, or 3x64x64 if that one is larger or not square.")
    private @Nullable Shape shape;

    /** Returns the name of the InD dataset, or an empty one if the user has not named it. */
    String ind() {
        return ind == null ? "" : ind;
    }

    boolean hasOod() {
        return !ood.isEmpty();
    }

    Catalogue catalogue() {
        return data.catalogue();
    }

    /** Whether the user has chosen a shape. */
    boolean isShaped() {
        return shape != null;
    }

    /** Refuses to write a run into a folder of images that are read. */
    void requireOutside(Path run) throws IOException {
        Catalogue.refuse(run, List.of(ind()));
        Catalogue.refuse(run, ood);
    }

    /** Returns the samples to learn and to hold out. */
    DataOptions options(long seed) {
        return DataOptions.of(ind(), ood)
                .withLimit(limit == null ? 0 : limit)
                .withSeed(seed)
                .withShape(shape == null ? "" : shape.toString());
    }
}
