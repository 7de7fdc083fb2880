package ai.wood.cli;

import ai.wood.data.Catalogue;
import ai.wood.data.DatasetEntry;
import ai.wood.data.FetchOptions;
import ai.wood.data.Fetcher;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Gets datasets from their public sources. */
@Command(
        name = "fetch",
        description = "Fetches datasets from their public sources, verifies and unpacks them.",
        footer = {
            "",
            "What was cut off goes on where it stopped. Mind the licences that `wood data list` shows.",
            "",
            "Examples:",
            "  wood data fetch cifar10 svhn",
            "  wood data fetch mnist --mirror https://mirror.example/datasets"
        })
final class DataFetchCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private DataFolder data;

    @Parameters(
            paramLabel = "NAME",
            arity = "1..*",
            completionCandidates = KnownNames.class,
            description = "Datasets as `wood data list` names them.")
    private List<String> names;

    @Option(
            names = "--mirror",
            paramLabel = "URL",
            description = "Ask this address first: for URL/cifar10/cifar-10-binary.tar.gz and so on. May be repeated.")
    private List<URI> mirrors = List.of();

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<DatasetEntry> wanted = names.stream().map(Catalogue::entry).toList();
        PrintWriter out = spec.commandLine().getOut();
        FetchOptions options = FetchOptions.DEFAULTS.withMirrors(mirrors);
        Path folder = data.catalogue().data();
        for (DatasetEntry dataset : wanted) {
            try (TaskBar bar = TaskBar.ofMegabytes()) {
                new Fetcher(folder, options, bar).fetch(dataset);
            }
            boolean bundled = dataset.downloads().isEmpty();
            out.println(
                    dataset.name() + ": " + (bundled ? "bundled" : "complete in " + folder.resolve(dataset.folder())));
        }
        return 0;
    }

    /** Names for completion. */
    static final class KnownNames implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Catalogue.entries().stream().map(DatasetEntry::name).iterator();
        }
    }
}
