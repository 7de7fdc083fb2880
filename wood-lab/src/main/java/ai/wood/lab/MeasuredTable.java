package ai.wood.lab;

import ai.wood.Names;
import ai.wood.io.AtomicFile;
import ai.wood.io.JsonFile;
import ai.wood.io.LockFile;
import ai.wood.lab.Table2.Cell;
import ai.wood.lab.Table2.Figures;
import ai.wood.lab.Table2.Pair;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * {@code table2.json} and {@code table2.md} of a folder: what was measured, beside what the paper prints. Rows stay when other
 * pairs are measured.
 *
 * @param options that all rows were made with
 * @param cells of all rows, in the paper's order
 */
record MeasuredTable(Options options, List<Entry> cells) {

    private static final List<String> ORDER = Stream.concat(Table2.pairs().stream(), Table2.bundledPairs().stream())
            .map(Pair::id)
            .toList();

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    MeasuredTable {
        cells = List.copyOf(cells);
    }

    /** What decides the figures. */
    record Options(
            boolean quick,
            String preset,
            boolean authors,
            int epochs,
            double beta,
            int limit,
            String precision,
            long seed) {}

    /** A cell in a file. */
    record Entry(
            String ind,
            String ood,
            String method,
            double fnr95,
            double auroc,
            double accuracy,
            double printedFnr95,
            double printedAuroc,
            String run) {

        static Entry of(Cell cell) {
            return new Entry(
                    cell.pair().ind(),
                    cell.pair().ood(),
                    Names.of(cell.method()),
                    cell.measured().fnr(),
                    cell.measured().auroc(),
                    cell.accuracy(),
                    cell.printed().fnr(),
                    cell.printed().auroc(),
                    String.valueOf(cell.run().getFileName()));
        }

        String pair() {
            return ind + "/" + ood;
        }

        String text() {
            return new Figures(fnr95, auroc).text() + " (" + new Figures(printedFnr95, printedAuroc).printed() + ")";
        }
    }

    /**
     * The table that a folder has, or one without rows.
     *
     * @param pairs that are to be measured
     * @throws IOException where it has rows of other pairs, made with other options, or does not tell with which
     */
    static MeasuredTable open(Path folder, Options options, List<Pair> pairs) throws IOException {
        Path file = json(folder);
        MeasuredTable empty = new MeasuredTable(options, List.of());
        if (!Files.exists(file)) {
            return empty;
        }
        MeasuredTable there = read(file);
        if (there.options.equals(options)) {
            return there;
        }
        List<String> measured = pairs.stream().map(Pair::id).toList();
        if (!there.cells.stream().map(Entry::pair).allMatch(measured::contains)) {
            throw new IOException(file + ": all rows must be made with the same options but those of other pairs were"
                    + " with " + there.options + ", and these would be with " + options
                    + ". Maybe choose another --out.");
        }
        return empty;
    }

    private static MeasuredTable read(Path file) throws IOException {
        try {
            return JsonFile.read(file, MeasuredTable.class, "a table with the options of its rows");
        } catch (IOException e) {
            throw new IOException(
                    e.getMessage() + ". Maybe an earlier version wrote it: delete it, and rows are made again from the"
                            + " networks beside it.",
                    e);
        }
    }

    private static Path json(Path folder) {
        return folder.resolve("table2.json");
    }

    /** Puts the row of a pair into the table that a folder has by now: other processes may add theirs. */
    static MeasuredTable add(Path folder, Options options, List<Pair> pairs, List<Cell> row) throws IOException {
        Path file = json(folder).resolveSibling("table2.json.lock");
        LockFile lock = LockFile.await(file, PATIENCE, file + ": another process holds the table");
        try (lock) {
            MeasuredTable table = open(folder, options, pairs).with(row);
            table.write(folder);
            return table;
        }
    }

    /** The same with the row of a pair, in place of the one it may have. */
    MeasuredTable with(List<Cell> row) {
        List<Entry> entries = row.stream().map(Entry::of).toList();
        Stream<Entry> others =
                cells.stream().filter(cell -> !cell.pair().equals(entries.get(0).pair()));
        return new MeasuredTable(
                options,
                Stream.concat(others, entries.stream())
                        .sorted(Comparator.comparingInt(cell -> ORDER.indexOf(cell.pair())))
                        .toList());
    }

    /** The rows of some pairs only. */
    MeasuredTable of(List<Pair> pairs) {
        List<String> ids = pairs.stream().map(Pair::id).toList();
        return new MeasuredTable(
                options,
                cells.stream().filter(cell -> ids.contains(cell.pair())).toList());
    }

    private void write(Path folder) throws IOException {
        JsonFile.write(json(folder), this);
        AtomicFile.replace(folder.resolve("table2.md"), markdown());
    }

    String markdown() {
        StringBuilder text = new StringBuilder(
                "FNR@95TNR / AUROC, measured and (printed in the paper); accuracy on InD"
                        + " test samples, of the plain network and of the two WOOD networks.\n\n"
                        + "| InD / OOD | ODIN | Mahalanobis | WOOD binary | WOOD dynamic | accuracy |\n|---|---|---|---|---|---|\n");
        int methods = Table2.Method.values().length;
        for (int row = 0; row + methods <= cells.size(); row += methods) {
            List<Entry> of = cells.subList(row, row + methods);
            text.append("| ").append(of.get(0).ind).append(" / ").append(of.get(0).ood);
            of.forEach(cell -> text.append(" | ").append(cell.text()));
            text.append(String.format(
                    Locale.ROOT,
                    " | %.2f%%, %.2f%%, %.2f%% |%n",
                    100 * of.get(0).accuracy,
                    100 * of.get(2).accuracy,
                    100 * of.get(3).accuracy));
        }
        return text.toString();
    }
}
