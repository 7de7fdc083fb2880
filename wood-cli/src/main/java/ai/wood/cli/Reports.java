package ai.wood.cli;

import ai.wood.evaluate.Comparison;
import ai.wood.report.Report;
import ai.wood.report.Training;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

/** Reports that tell how they were made: the command that was given, versions, and what the runs have on record. */
public final class Reports {

    private Reports() {}

    /**
     * A report of networks.
     *
     * @param spec the command that makes it
     * @param runs the run folder of each network, by its name
     * @throws IOException where a run's record is damaged
     */
    public static Report of(CommandSpec spec, List<Comparison> comparisons, Map<String, Path> runs) throws IOException {
        Map<String, Training> trainings = new HashMap<>();
        for (Map.Entry<String, Path> run : runs.entrySet()) {
            trainings.put(run.getKey(), Training.read(run.getValue()));
        }
        Map<String, String> about = new LinkedHashMap<>();
        about.put("command", command(spec));
        about.put("version", String.join(" ", new VersionCommand().getVersion()));
        return new Report(comparisons, trainings, about);
    }

    private static String command(CommandSpec spec) {
        return spec.root().commandLine().getParseResult().originalArgs().stream()
                .map(word -> word.matches("[\\w./:,=@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" ", "wood ", ""));
    }
}
