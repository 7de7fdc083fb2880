package ai.wood.io;

import static java.nio.charset.StandardCharsets.UTF_8;

import ai.wood.Verdict;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** Writes verdicts, one row per sample, as JSON Lines, CSV or a NumPy array. */
public interface VerdictWriter {

    /** The endings of files that {@link #replace} writes. */
    List<String> ENDINGS = List.of(".jsonl", ".csv", ".npy");

    /**
     * Writes the verdicts of a batch.
     *
     * @param inputs what was judged: paths, or numbers of rows
     */
    void write(List<?> inputs, List<Verdict> verdicts) throws IOException;

    /** Writes verdicts to a {@link VerdictWriter}. */
    @FunctionalInterface
    interface Content {
        void writeTo(VerdictWriter writer) throws IOException;
    }

    /**
     * Refuses a file whose ending names no format.
     *
     * @throws IllegalArgumentException with the endings that do
     */
    static void requireEnding(Path file) {
        if (ENDINGS.stream().noneMatch(ending(file)::endsWith)) {
            throw new IllegalArgumentException(
                    file + ": the ending must name a format: " + String.join(", ", ENDINGS) + ".");
        }
    }

    private static String ending(Path file) {
        return file.toString().toLowerCase(Locale.ROOT);
    }

    /**
     * Replaces or creates a file of verdicts. Its ending chooses the format. An array has the columns label, score, pValue,
     * threshold and ood (0 or 1), with NaN for a missing number and -1 for a missing label.
     *
     * @param classes the names of the labels
     */
    static void replace(Path file, List<String> classes, Content content) throws IOException {
        requireEnding(file);
        AtomicFile.replace(file, channel -> {
            if (ending(file).endsWith(".npy")) {
                NpyWriter rows = NpyWriter.doubles(channel, 5);
                content.writeTo((inputs, verdicts) -> rows.write(numbers(verdicts)));
                rows.finish();
            } else if (ending(file).endsWith(".csv")) {
                write(channel, "input,label,probability,score,pValue,threshold,ood\n");
                content.writeTo((inputs, verdicts) ->
                        write(channel, lines(inputs, verdicts, (input, verdict) -> csv(input, verdict, classes))));
            } else {
                content.writeTo((inputs, verdicts) -> write(channel, jsonLines("input", inputs, verdicts, classes)));
            }
        });
    }

    private static void write(FileChannel channel, String text) throws IOException {
        AtomicFile.writeFully(channel, UTF_8.encode(text));
    }

    /**
     * One line of JSON per verdict.
     *
     * @param key the name of the first member
     */
    static String jsonLines(String key, List<?> inputs, List<Verdict> verdicts, List<String> classes) {
        return lines(inputs, verdicts, (input, verdict) -> json(key, input, verdict, classes));
    }

    private static String lines(List<?> inputs, List<Verdict> verdicts, BiFunction<Object, Verdict, String> format) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < verdicts.size(); i++) {
            text.append(format.apply(inputs.get(i), verdicts.get(i))).append('\n');
        }
        return text.toString();
    }

    /**
     * A verdict as one line of JSON without the line end. NaN and infinite numbers are null.
     *
     * @param key the name of the first member
     */
    static String json(String key, Object input, Verdict verdict, List<String> classes) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        json.put(key, input);
        json.put("label", name(verdict, classes));
        json.put("probability", finite(verdict.probability()));
        json.put("score", finite(verdict.score()));
        json.put("pValue", verdict.pValue());
        json.put("threshold", finite(verdict.threshold()));
        json.put("ood", verdict.ood());
        return JsonFile.node(json).toString();
    }

    private static @Nullable String name(Verdict verdict, List<String> classes) {
        return verdict.label() >= 0 && verdict.label() < classes.size() ? classes.get(verdict.label()) : null;
    }

    private static @Nullable Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    private static String csv(Object input, Verdict verdict, List<String> classes) {
        List<String> cells = new ArrayList<>();
        cells.add(quoted(input));
        cells.add(quoted(name(verdict, classes)));
        for (double value :
                new double[] {verdict.probability(), verdict.score(), verdict.pValue(), verdict.threshold()}) {
            cells.add(Double.isFinite(value) ? String.valueOf(value) : "");
        }
        cells.add(String.valueOf(verdict.ood()));
        return String.join(",", cells);
    }

    private static String quoted(@Nullable Object cell) {
        String text = cell == null ? "" : cell.toString();
        return text.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r')
                ? '"' + text.replace("\"", "\"\"") + '"'
                : text;
    }

    private static double[] numbers(List<Verdict> verdicts) {
        return verdicts.stream()
                .flatMapToDouble(verdict -> DoubleStream.of(
                        verdict.label(), verdict.score(), verdict.pValue(), verdict.threshold(), verdict.ood() ? 1 : 0))
                .toArray();
    }
}
