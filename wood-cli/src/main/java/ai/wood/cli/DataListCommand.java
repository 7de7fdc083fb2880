package ai.wood.cli;

import ai.wood.Names;
import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.DatasetEntry;
import ai.wood.data.Noise;
import ai.wood.data.Outliers;
import ai.wood.data.Split;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What there is. */
@Command(
        name = "list",
        description = "Lists the datasets known by name: what is there and what is missing.",
        footer = {"", "Examples:", "  wood data list", "  wood data list --check --json"})
final class DataListCommand implements Callable<Integer> {

    private static final String ROW = "%-20s %-8s %7s  %-15s %-15s %-15s %9s  %s%n";

    @Spec
    private CommandSpec spec;

    @Mixin
    private DataFolder data;

    @Option(
            names = "--check",
            description = "Read everything that is there, and show how many samples were found and their hash.")
    private boolean check;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** One split: whether its files are there, and what reading them found. */
    private record Found(int published, boolean present, int samples, String hash) {
        String text() {
            String size = String.format(Locale.ROOT, "%,d", published);
            if (!present) {
                return "(" + size + ")";
            }
            return samples < 0 || samples == published ? size : String.format(Locale.ROOT, "%,d of %s", samples, size);
        }
    }

    @Override
    public Integer call() throws IOException {
        Catalogue catalogue = data.catalogue();
        Map<DatasetEntry, Map<Split, Found>> all = new LinkedHashMap<>();
        for (DatasetEntry known : Catalogue.entries()) {
            Map<Split, Found> splits = new LinkedHashMap<>();
            for (Split split : known.splits().keySet()) {
                splits.put(split, find(catalogue, known, split));
            }
            all.put(known, splits);
        }
        if (json) {
            printJson(catalogue, all);
        } else {
            print(catalogue, all);
        }
        return 0;
    }

    private Found find(Catalogue catalogue, DatasetEntry known, Split split) throws IOException {
        int published = known.split(split).size();
        boolean present = known.isPresent(catalogue.data(), split);
        if (!present || !check) {
            return new Found(published, present, -1, "");
        }
        Dataset dataset = known.open(catalogue.data(), split);
        return new Found(published, true, dataset.size(), dataset.hash());
    }

    private void print(Catalogue catalogue, Map<DatasetEntry, Map<Split, Found>> all) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        out.println("Data folder: " + catalogue.data() + "\n");
        out.printf(ROW, "name", "shape", "classes", "train", "validation", "test", "size", "licence");
        List<String> hashes = new ArrayList<>();
        for (Map.Entry<DatasetEntry, Map<Split, Found>> row : all.entrySet()) {
            DatasetEntry entry = row.getKey();
            Map<Split, Found> splits = row.getValue();
            out.printf(
                    ROW,
                    entry.name(),
                    entry.shape(),
                    entry.classes(),
                    text(splits.get(Split.TRAIN)),
                    text(splits.get(Split.VALIDATION)),
                    text(splits.get(Split.TEST)),
                    entry.downloads().isEmpty()
                            ? "bundled"
                            : size(catalogue.data().resolve(entry.folder())),
                    entry.licence());
            splits.forEach((split, found) -> hashes.add(entry.name() + " " + split + " " + found.hash()));
        }
        out.println("\nIn brackets: missing; get it with `wood data fetch NAME`."
                + (check ? "" : " Numbers are the published ones; --check counts."));
        if (check) {
            out.println("\nContent hashes:");
            hashes.stream().filter(line -> !line.endsWith(" ")).forEach(line -> out.println("  " + line));
        }
        out.println("Also: " + Arrays.stream(Noise.values()).map(Noise::id).collect(Collectors.joining(", ")) + ", "
                + Arrays.stream(Outliers.values()).map(o -> o.id() + ":NAME").collect(Collectors.joining(", "))
                + ", mix:NAME*WEIGHT+NAME*WEIGHT, folder:PATH, idx:PATH, npy:PATH");
    }

    private static String text(@Nullable Found found) {
        return found == null ? "-" : found.text();
    }

    private static String size(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return "-";
        }
        try (Stream<Path> walk = Files.walk(folder)) {
            long bytes = walk.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
            return String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
        }
    }

    private void printJson(Catalogue catalogue, Map<DatasetEntry, Map<Split, Found>> all) {
        Map<String, Object> datasets = new LinkedHashMap<>();
        all.forEach((known, splits) -> {
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("shape", known.shape().toString());
            values.put("classes", known.classes());
            values.put("licence", known.licence());
            splits.forEach((split, found) -> {
                Map<String, Object> part = new LinkedHashMap<>();
                part.put("published", found.published());
                part.put("present", found.present());
                if (found.samples() >= 0) {
                    part.put("samples", found.samples());
                    part.put("hash", found.hash());
                }
                values.put(Names.of(split), part);
            });
            datasets.put(known.name(), values);
        });
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("data", catalogue.data().toString());
        root.put("datasets", datasets);
        spec.commandLine().getOut().println(Json.pretty(root));
    }
}
