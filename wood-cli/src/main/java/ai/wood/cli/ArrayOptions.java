package ai.wood.cli;

import ai.wood.Settings;
import ai.wood.data.DatasetList;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of {@code calibrate} for arrays. */
final class ArrayOptions {

    /** The names of those that stand for nothing but arrays. */
    static final String NAMES =
            OutputOptions.NAMES + " --labels " + FitOptions.NAMES + " --seed --classes --ood --set --lambda --out";

    @Mixin
    private OutputOptions outputs;

    @Option(
            names = "--labels",
            paramLabel = "FILE",
            description = "True labels of the rows: one whole number from 0 per row.")
    private @Nullable Path labels;

    @Mixin
    private FitOptions fit;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "Decides which rows fit the scorer and which calibrate it. Default: ${DEFAULT-VALUE}.")
    private long seed;

    @Option(names = "--classes", paramLabel = "FILE", description = "Names of the classes, one per line.")
    private @Nullable Path classes;

    @Option(
            names = "--ood",
            paramLabel = "NAME=logits:F,features:F",
            description = "OOD samples on which --scorer auto compares the scorers. May be repeated.")
    private List<String> ood = new ArrayList<>();

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "A setting of the scorer, such as k=20. May be repeated.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--lambda",
            paramLabel = "L",
            description = "Entropic (Sinkhorn) version of the WOOD score with this weight. Default: exact.")
    private @Nullable Double lambda;

    @Option(
            names = {"-o", "--out"},
            paramLabel = "FILE.wood",
            description = "The detector file to write.")
    private @Nullable Path out;

    OutputFiles files() {
        return outputs.files();
    }

    @Nullable
    Path labels() {
        return labels;
    }

    FitOptions fit() {
        return fit;
    }

    long seed() {
        return seed;
    }

    /** Refuses to overwrite an input. */
    void refuseAsTarget(Path target) throws IOException {
        files().refuseAsTarget(target);
        fit.files().refuseAsTarget(target);
    }

    Path out() {
        if (out == null) {
            throw new IllegalArgumentException("A detector from arrays needs a file. Give -o FILE.wood.");
        }
        return out;
    }

    /** The settings of the scorer that have options. */
    Settings settings(Settings wood) {
        Settings all = lambda == null ? wood : wood.with("lambda", lambda);
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            all = with(all, setting.getKey(), setting.getValue());
        }
        return all;
    }

    private static Settings with(Settings settings, String name, String value) {
        try {
            return settings.with(name, Double.parseDouble(value));
        } catch (NumberFormatException e) {
            return settings.with(name, value);
        }
    }

    /** The OOD sets. */
    List<DatasetList.Item> sets() {
        List<DatasetList.Item> sets =
                ood.stream().flatMap(list -> DatasetList.parse(list).stream()).toList();
        sets.stream().filter(set -> OutputFiles.of(set).isEmpty()).findFirst().ifPresent(set -> {
            throw new IllegalArgumentException(
                    "--ood '" + set.name() + "' must be a set of arrays here. Write NAME=logits:FILE,features:FILE.");
        });
        return sets;
    }

    /** The names of the classes; empty if none are given. */
    List<String> classes(int expected) throws IOException {
        if (classes == null) {
            return List.of();
        }
        List<String> names;
        try {
            names = Files.readString(classes)
                    .replaceFirst("^\uFEFF", "") // the mark that some editors begin a file with
                    .lines()
                    .map(String::strip)
                    .toList();
        } catch (MalformedInputException e) {
            throw new IOException(classes + ": class names must be UTF-8 text, one per line.", e);
        }
        int blank = names.indexOf("");
        if (blank >= 0) {
            throw new IOException(classes + ", line " + (blank + 1) + ": a class name must not be empty.");
        }
        if (names.size() != expected) {
            throw new IOException(classes + ": there are " + names.size() + " class names but the outputs have "
                    + expected + " classes. Write one name per line.");
        }
        return names;
    }
}
