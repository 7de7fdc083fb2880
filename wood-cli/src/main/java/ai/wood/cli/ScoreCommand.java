package ai.wood.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import ai.wood.FitData;
import ai.wood.Outputs;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.cli.Detection.Target;
import ai.wood.io.AtomicFile;
import ai.wood.io.NpyWriter;
import ai.wood.score.ScorerKinds;
import ai.wood.score.WoodScorer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Outputs in, one score per row out, in constant memory. */
@Command(
        name = "score",
        description = {
            "Scores a classifier's outputs without a detector: one score per row, larger = more OOD.",
            "For verdicts use wood detect."
        },
        footer = {
            "",
            "Input is CSV text or a NumPy .npy array, one sample per row, of any size. Scores of 32-bit arrays are written to"
                    + " .npy files as 32-bit numbers.",
            "",
            "Scorers that learn from data need training outputs: --fit-logits, --fit-features, --fit-labels.",
            "",
            "Examples:",
            "  wood score --logits test.npy -o scores.npy",
            "  wood score --probabilities test.csv --scorer wood --cost binary",
            "  cat logits.csv | wood score --logits - --scorer energy > scores.txt",
            "  wood score --features test.npy --scorer knn --fit-features train.npy"
        })
final class ScoreCommand implements Callable<Integer> {

    private final Inputs inputs = new Inputs();

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "DETECTOR PATH",
            hidden = true,
            description = "The old form of wood detect: a detector, then images.")
    private List<Path> paths = List.of();

    @Mixin
    private OutputOptions outputs;

    @Mixin
    private FitOptions fit;

    @Mixin
    private DeviceName device;

    @Option(
            names = "--scorer",
            paramLabel = "NAME",
            defaultValue = "wood",
            completionCandidates = ScorerNeeds.ArrayScorerIds.class,
            description = "One of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private String scorer;

    @Option(
            names = "--cost",
            paramLabel = "COST",
            defaultValue = "dynamic",
            description = "Ground cost of the WOOD score: binary, dynamic, or a file with a K x K matrix."
                    + " Default: ${DEFAULT-VALUE}.")
    private String cost;

    @Option(
            names = "--lambda",
            paramLabel = "L",
            defaultValue = "Infinity",
            description = "Entropic (Sinkhorn) version of the WOOD score with this weight. Default: exact.")
    private double lambda;

    @Option(
            names = "--temperature",
            paramLabel = "T",
            defaultValue = "1",
            description = "Divide the logits by T first. Default: ${DEFAULT-VALUE}.")
    private double temperature;

    @Option(names = "--fit", paramLabel = "FILE", hidden = true, description = "The old name of --fit-logits.")
    private @Nullable Path oldFit;

    @Option(
            names = {"-o", "--out"},
            paramLabel = "FILE",
            description = "Write here; *.npy as a NumPy array. Default: print.")
    private @Nullable Path out;

    @Override
    public Integer call() throws IOException {
        OutputFiles files = outputs.files();
        if (files.isEmpty() ? paths.size() < 2 : paths.size() > 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "score needs --logits, --probabilities or --features. For verdicts: wood detect DETECTOR INPUT...");
        }
        new OptionRules(spec)
                .onlyFor("images", files.isEmpty(), "outputs need no network", "--device")
                .onlyFor(
                        "outputs without a detector",
                        paths.isEmpty(),
                        "this one has its own scorer and prints",
                        "--scorer --cost --lambda --temperature --fit --out " + FitOptions.NAMES);
        return paths.isEmpty() ? scores(files) : verdicts(files);
    }

    /** The old form of {@code wood detect}. */
    private int verdicts(OutputFiles files) throws IOException {
        spec.commandLine()
                .getErr()
                .println("wood: `wood score DETECTOR` is now `wood detect DETECTOR`. The old form will be removed.");
        Detection detection = new Detection(
                paths.get(0), spec.commandLine().getOut(), spec.commandLine().getErr());
        return files.isEmpty()
                ? detection.images(paths.subList(1, paths.size()), new Target(null, "file"), device.name())
                : detection.arrays(files, new Target(null, "row"));
    }

    private int scores(OutputFiles files) throws IOException {
        ScorerKind kind = ScorerKinds.byId(scorer);
        String found = "the scorer is " + scorer;
        new OptionRules(spec)
                .onlyFor("scorer wood", kind == ScorerKinds.wood(), found, "--cost --lambda")
                .onlyFor("logits", files.logits() != null, "there are none", "--temperature")
                .onlyFor(
                        "scorers that are fitted", !ScorerNeeds.nothingToFit(kind), found, "--fit " + FitOptions.NAMES);
        files.refuseAsTarget(out);
        fit.files().refuseAsTarget(out);
        try (OutputReader reader = OutputReader.open(files, inputs)) {
            Outputs first = reader.next();
            FitData data = fitData(files);
            Set<Requirement> provided = EnumSet.noneOf(Requirement.class);
            provided.addAll(data.provides());
            provided.removeIf(Requirement::ofOutputs);
            provided.addAll(first.provides());
            ScorerNeeds.require(kind, provided);
            Scorer fitted = ScorerNeeds.fit(kind, data, settings(kind));
            write(first, reader, fitted);
        }
        return 0;
    }

    private FitData fitData(OutputFiles files) throws IOException {
        if (oldFit != null) {
            OutputFiles old =
                    files.logits() != null ? new OutputFiles(oldFit, null, null) : new OutputFiles(null, oldFit, null);
            old.refuseAsTarget(out);
            return FitData.of(old.read(inputs));
        }
        return fit.given() ? fit.read(inputs) : FitData.NONE;
    }

    private Settings settings(ScorerKind kind) throws IOException {
        Settings settings =
                kind == ScorerKinds.wood() ? new WoodScorer(Costs.parse(cost), lambda).settings() : Settings.NONE;
        return (temperature == 1 ? settings : settings.with("temperature", temperature)).over(kind.settings());
    }

    /** Takes the scores of one batch. */
    private interface Sink {
        void accept(double[] scores) throws IOException;
    }

    private void write(Outputs first, OutputReader reader, Scorer fitted) throws IOException {
        if (out == null) {
            each(first, reader, fitted, scores -> spec.commandLine().getOut().print(text(scores)));
            return;
        }
        boolean npy = out.toString().endsWith(".npy");
        AtomicFile.replace(out, channel -> {
            if (npy) {
                NpyWriter writer = reader.hasFloats() ? NpyWriter.floats(channel, 1) : NpyWriter.doubles(channel, 1);
                each(first, reader, fitted, writer::write);
                writer.finish();
            } else {
                each(first, reader, fitted, scores -> AtomicFile.writeFully(channel, US_ASCII.encode(text(scores))));
            }
        });
    }

    private static void each(Outputs first, OutputReader reader, Scorer fitted, Sink sink) throws IOException {
        for (Outputs batch = first; batch.size() > 0; batch = next(reader)) {
            sink.accept(fitted.score(batch));
        }
    }

    /** A file that cannot be read is not the fault of the file that is written. */
    private static Outputs next(OutputReader reader) {
        try {
            return reader.next();
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private static String text(double[] scores) {
        StringBuilder text = new StringBuilder(scores.length * 22);
        for (double score : scores) {
            text.append(score).append('\n');
        }
        return text.toString();
    }
}
