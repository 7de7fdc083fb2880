package ai.wood.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import ai.wood.Detector;
import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Probabilities;
import ai.wood.Requirement;
import ai.wood.Scorer;
import ai.wood.ScorerKind;
import ai.wood.Settings;
import ai.wood.Verdict;
import ai.wood.io.AtomicFile;
import ai.wood.io.NpyWriter;
import ai.wood.io.RowReader;
import ai.wood.score.ScorerKinds;
import ai.wood.score.WoodScorer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Logits or probabilities in, one score a row out; in constant memory. */
@Command(
        name = "score",
        description = {
            "Scores a classifier's outputs: one score a row, larger = more OOD.",
            "Or judges pictures or outputs by a detector, from a bundle or a run folder: a line of JSON each."
        },
        exitCodeList = {
            "0:done",
            "1:a defect in this program; --debug shows where",
            "2:bad input or options, or some pictures could not be read"
        },
        footer = {
            "",
            "Pictures are given as files, or folders of them, however deep; they are fitted to the network's shape. Those",
            "that cannot be read are named on the error stream and passed over. The detector is made by wood calibrate, and brings",
            "its own scorer and options.",
            "",
            "Other input is CSV text or a NumPy .npy array, one sample a row, one class a column; any size, in constant memory.",
            "",
            "Examples:",
            "  wood score --logits test.npy --out scores.npy",
            "  wood score --probabilities test.csv --scorer wood --cost binary",
            "  cat logits.csv | wood score --logits - --scorer energy > scores.txt",
            "  wood score --logits test.npy --scorer kl-matching --fit validation.npy",
            "  wood score run photos/ one-more.jpg",
            "  wood score detector.wood photos/",
            "  wood score detector.wood --logits test.npy"
        })
final class ScoreCommand implements Callable<Integer> {

    private static final int BATCH_ELEMENTS = 1 << 18;

    private final Inputs inputs = new Inputs();

    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "DETECTOR PATH",
            description = "A bundle or a run folder with a detector, then pictures and folders of them.")
    private List<Path> paths = List.of();

    @ArgGroup(exclusive = true)
    private Source source = new Source();

    @Mixin
    private DeviceName device;

    /** Where the outputs come from and what they are. */
    static final class Source {
        @Option(names = "--logits", paramLabel = "FILE", description = "Logits; - for standard input.")
        @Nullable
        Path logits;

        @Option(names = "--probabilities", paramLabel = "FILE", description = "Probabilities; - for standard input.")
        @Nullable
        Path probabilities;
    }

    @Option(
            names = "--scorer",
            paramLabel = "NAME",
            defaultValue = "wood",
            completionCandidates = ScorerIds.class,
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

    @Option(
            names = "--fit",
            paramLabel = "FILE",
            description = "Held-out InD outputs, for kl-matching; - for standard input.")
    private @Nullable Path fit;

    @Option(names = "--out", paramLabel = "FILE", description = "Write here; *.npy as a NumPy array. Default: print.")
    private @Nullable Path out;

    @Override
    public Integer call() throws IOException {
        boolean outputs = source.logits != null || source.probabilities != null;
        if (outputs ? paths.size() > 1 : paths.size() < 2) {
            throw new ParameterException(
                    spec.commandLine(), "score needs --logits FILE, --probabilities FILE, or DETECTOR and PATH ...");
        }
        new OptionRules(spec)
                .onlyFor("pictures", !outputs, "outputs need no network", "--device")
                .onlyFor(
                        "outputs without a detector",
                        paths.isEmpty(),
                        "this one has its own scorer and prints",
                        "--scorer --cost --lambda --temperature --fit --out");
        return paths.isEmpty() ? scoreOutputs() : outputs ? judgeOutputs() : judgePictures();
    }

    private int judgeOutputs() throws IOException {
        PrintWriter printer = spec.commandLine().getOut();
        Detector detector = Detector.load(paths.get(0));
        requireJudgedBy(detector);
        try (RowReader reader = reader()) {
            AtomicLong row = new AtomicLong();
            eachBatch(reader, batch -> {
                for (Verdict verdict : detector.detect(outputs(batch))) {
                    printer.println(ImageJudge.line("row", row.getAndIncrement(), verdict, detector));
                }
            });
        }
        return 0;
    }

    private void requireJudgedBy(Detector detector) throws IOException {
        Optional<Requirement> more = ImageJudge.beyondPredictions(detector.kind());
        if (more.isPresent()) {
            throw new IOException(
                    paths.get(0) + ": the scorer " + detector.kind().id() + " needs "
                            + more.get().description()
                            + " but there are logits or probabilities only. Maybe "
                            + (detector.classifier().isPresent() ? "give pictures" : "bundle its run with the network")
                            + ", or calibrate with a scorer of `wood score --help`.");
        }
    }

    private int judgePictures() throws IOException {
        PrintWriter err = spec.commandLine().getErr();
        ImageJudge judge = new ImageJudge(spec.commandLine().getOut(), err);
        return judge.judge(paths.get(0), paths.subList(1, paths.size()), device.name()) ? 0 : Main.BAD_INPUT;
    }

    private int scoreOutputs() throws IOException {
        ScorerKind named = ScorerKinds.byId(scorer);
        ImageJudge.beyondPredictions(named).ifPresent(more -> {
            throw new IllegalArgumentException(scorer + " needs " + more.description()
                    + " but there are logits or probabilities only. Maybe take a scorer of `wood score --help`, or give"
                    + " the network to `wood evaluate` and `wood calibrate`.");
        });
        String found = "the scorer is " + scorer;
        new OptionRules(spec)
                .onlyFor("scorer wood", named == ScorerKinds.wood(), found, "--cost --lambda")
                .onlyFor("logits", source.logits != null, "these are probabilities", "--temperature")
                .onlyFor("scorers that are fitted", named.requires().contains(Requirement.TRAINING), found, "--fit");
        Path target = out;
        if (target != null) {
            for (Path input : new Path[] {source.logits, source.probabilities, fit}) {
                if (input != null) {
                    AtomicFile.refuse(target, input, "one that is read");
                }
            }
        }
        FitData fitData = fit == null ? FitData.NONE : FitData.of(outputs(fitRows(fit)));
        fitData.require(named);
        Scorer chosen = named.fit(fitData, settings(named));
        try (RowReader reader = reader()) {
            if (out == null) {
                print(reader, chosen);
            } else {
                boolean npy = out.toString().endsWith(".npy");
                AtomicFile.replace(out, channel -> {
                    if (npy) {
                        writeNpy(reader, chosen, channel);
                    } else {
                        writeText(reader, chosen, channel);
                    }
                });
            }
        }
        return 0;
    }

    private RowReader reader() throws IOException {
        Path input = Optional.ofNullable(source.logits)
                .or(() -> Optional.ofNullable(source.probabilities))
                .orElseThrow();
        RowReader reader = inputs.open(input);
        if (reader.columns() < 2) {
            reader.close();
            throw new IOException(
                    Inputs.name(input) + ": a classifier has at least 2 classes, a column each, but there is 1");
        }
        return reader;
    }

    private Settings settings(ScorerKind kind) throws IOException {
        Settings settings =
                kind == ScorerKinds.wood() ? new WoodScorer(Costs.parse(cost), lambda).settings() : Settings.NONE;
        return (temperature == 1 ? settings : settings.with("temperature", temperature)).over(kind.settings());
    }

    private Matrix fitRows(Path file) throws IOException {
        List<double[]> rows = new ArrayList<>();
        try (RowReader reader = inputs.open(file)) {
            eachBatch(reader, batch -> {
                for (int i = 0; i < batch.rows(); i++) {
                    rows.add(batch.row(i));
                }
            });
        }
        return Matrix.of(rows.toArray(double[][]::new));
    }

    private Outputs outputs(Matrix values) {
        return source.logits != null ? Outputs.ofLogits(values) : Outputs.ofProbabilities(values);
    }

    /** Takes one batch, or what came of it. */
    @FunctionalInterface
    private interface Sink<T> {
        void accept(T batch) throws IOException;
    }

    private void eachBatch(RowReader reader, Sink<Matrix> sink) throws IOException {
        int rows = Math.max(1, BATCH_ELEMENTS / reader.columns());
        Consumer<double[]> check = source.probabilities == null ? row -> {} : Probabilities::check;
        for (Matrix batch = next(reader, rows, check); batch.rows() > 0; batch = next(reader, rows, check)) {
            if (source.logits != null && Probabilities.looksLikeProbabilities(batch)) {
                throw new IllegalArgumentException("These rows are probabilities, not logits: no value is negative and"
                        + " every row sums to 1. Use --probabilities instead of --logits.");
            }
            sink.accept(batch);
        }
    }

    /** What cannot be read is not the fault of the file that is written. */
    private static Matrix next(RowReader reader, int rows, Consumer<double[]> check) {
        try {
            return reader.nextBatch(rows, check);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
    }

    private void scoreAll(RowReader reader, Scorer chosen, Sink<double[]> sink) throws IOException {
        eachBatch(reader, batch -> sink.accept(chosen.score(outputs(batch))));
    }

    private void print(RowReader reader, Scorer chosen) throws IOException {
        PrintWriter printer = spec.commandLine().getOut();
        scoreAll(reader, chosen, scores -> printer.print(text(scores)));
    }

    private void writeText(RowReader reader, Scorer chosen, FileChannel channel) throws IOException {
        scoreAll(reader, chosen, scores -> AtomicFile.writeFully(channel, US_ASCII.encode(text(scores))));
    }

    private void writeNpy(RowReader reader, Scorer chosen, FileChannel channel) throws IOException {
        NpyWriter writer = NpyWriter.doubles(channel, 1);
        scoreAll(reader, chosen, writer::write);
        writer.finish();
    }

    private static String text(double[] scores) {
        StringBuilder text = new StringBuilder(scores.length * 22);
        for (double score : scores) {
            text.append(score).append('\n');
        }
        return text.toString();
    }

    /** Names for help and completion. */
    static final class ScorerIds implements Iterable<String> {

        private static final Set<Requirement> USABLE =
                Set.of(Requirement.LOGITS, Requirement.PREDICTIONS, Requirement.TRAINING);

        @Override
        public Iterator<String> iterator() {
            return ScorerKinds.all().stream()
                    .filter(kind -> USABLE.containsAll(kind.requires()))
                    .map(ScorerKind::id)
                    .iterator();
        }
    }
}
