package ai.wood.cli;

import ai.wood.Names;
import ai.wood.Seed;
import ai.wood.data.Catalogue;
import ai.wood.data.ContactSheet;
import ai.wood.data.Dataset;
import ai.wood.data.Shape;
import ai.wood.data.Split;
import ai.wood.data.Subset;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A look at a dataset. */
@Command(
        name = "show",
        description = "Writes a contact sheet: a picture of some samples of a dataset, with their labels.",
        footer = {"", "Examples:", "  wood data show cifar10", "  wood data show patch-shuffled:cifar10 --count 40"})
final class DataShowCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private DataFolder data;

    @Parameters(
            paramLabel = "NAME",
            completionCandidates = DatasetNames.class,
            description = "A dataset as `wood data list` names it.")
    private String name;

    @Option(
            names = "--split",
            paramLabel = "SPLIT",
            defaultValue = "test",
            completionCandidates = SplitNames.class,
            description = "One of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private Split split;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "100",
            description = "How many samples, all classes as equally as can be. Default: ${DEFAULT-VALUE}.")
    private int count;

    @Option(
            names = "--columns",
            paramLabel = "N",
            defaultValue = "10",
            description = "Samples in a row. Default: ${DEFAULT-VALUE}.")
    private int columns;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "0",
            description = "Decides which samples. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(
            names = "--shape",
            paramLabel = "CxHxW",
            converter = ShapeConverter.class,
            description = "Fit images to channels x height x width, as a network would see them.")
    private @Nullable Shape shape;

    @Option(names = "--out", paramLabel = "FILE", description = "Where to write the PNG. Default: NAME.png.")
    private @Nullable Path file;

    @Override
    public Integer call() throws IOException {
        if (count < 1 || count > 10_000) {
            throw new IllegalArgumentException("--count must lie between 1 and 10,000 but is " + count);
        }
        Dataset dataset = data.catalogue().open(name, split, shape);
        Path target = file == null ? Path.of(name.replaceAll("[^A-Za-z0-9.-]+", "-") + ".png") : file;
        Catalogue.refuse(target, List.of(name));
        Dataset shown = Subset.random(dataset, count, new Seed(seed));
        new ContactSheet(columns, 64).write(shown, target);
        PrintWriter out = spec.commandLine().getOut();
        out.printf(
                "%s: %,d samples of %s, %d classes, split %s%n",
                dataset.name(),
                dataset.size(),
                dataset.shape(),
                dataset.classes().size(),
                Names.of(dataset.split()));
        out.println(target + ": " + shown.size() + " of them");
        return 0;
    }

    /** Names for help and completion. */
    static final class SplitNames implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(Split.values()).map(Names::of).iterator();
        }
    }
}
