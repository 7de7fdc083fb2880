package ai.wood.io;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/**
 * Numbers in text, one row a line ({@link CsvLine}). A first line without any number is a heading; empty lines and lines
 * starting with {@code #} are passed over.
 */
final class CsvRows implements RowReader {

    private static final int MAX_LINE = 1 << 24;

    private final Reader in;
    private final String name;
    private final char[] buffer = new char[1 << 15];
    private int position;
    private int end;
    private final StringBuilder characters = new StringBuilder();
    private CsvLine line = new CsvLine("");
    private long lineNumber;
    private final int columns;
    private boolean lineReady;
    private boolean finite = true;

    /**
     * Reads up to the first row.
     *
     * @param samples whether the rows are samples, so that a first row of 0, 1, 2 and so on is a header
     */
    CsvRows(InputStream in, String name, boolean samples) throws IOException {
        this.in = new InputStreamReader(in, StandardCharsets.UTF_8);
        this.name = name;
        if (!readLine()) {
            throw new IOException(name + ": there must be at least one row but the file is empty");
        }
        if (line.isHeading()) {
            if (line.text().chars().anyMatch(c -> c < ' ' && c != '\t')) {
                throw new IOException(name + ": must be text or a NumPy array but is neither."
                        + " Maybe it is compressed, or in UTF-16.");
            }
            if (!readLine()) {
                throw new IOException(name + ": there must be at least one row but there is only a heading");
            }
        }
        lineReady = true;
        columns = line.columns();
        if (samples && columns > 1 && line.isNumbered()) {
            requireOnly(line);
        }
    }

    /** Refuses further rows: a single row of 0, 1, 2 and so on has no samples below it, so it is no header. */
    private void requireOnly(CsvLine row) throws IOException {
        String place = place();
        if (readLine()) {
            throw new IOException(place + ": the row '" + CsvLine.shortened(row.text())
                    + "' numbers the columns, so it is a header and not a sample."
                    + " Write the file without it: in pandas, to_csv(file, index=False, header=False).");
        }
        line = row;
    }

    @Override
    public int columns() {
        return columns;
    }

    @Override
    public void acceptNonFinite() {
        finite = false;
    }

    @Override
    public String place() {
        return name + ", line " + lineNumber;
    }

    @Override
    public boolean next(double[] row) throws IOException {
        if (!lineReady && !readLine()) {
            return false;
        }
        lineReady = false;
        double[] numbers = numbers();
        if (numbers.length != columns) {
            throw new IOException(place() + ": every row must have " + columns
                    + " columns like the first but this one has " + numbers.length);
        }
        System.arraycopy(numbers, 0, row, 0, columns);
        return true;
    }

    private double[] numbers() throws IOException {
        try {
            return finite ? line.numbers() : line.anyNumbers();
        } catch (IllegalArgumentException e) {
            throw new IOException(place() + ", " + e.getMessage(), e);
        }
    }

    /** Reads the next line that is neither empty nor a comment; false at the end. */
    private boolean readLine() throws IOException {
        do {
            if (position == end && !fill()) {
                return false;
            }
            lineNumber++;
            characters.setLength(0);
            do {
                appendRest();
            } while (position == end && fill());
            position = Math.min(position + 1, end); // past the line feed
            line = new CsvLine(characters.toString());
        } while (line.holdsNothing());
        return true;
    }

    /** Appends what the buffer has of the line, without the line feed. */
    private void appendRest() throws IOException {
        int from = position;
        while (position < end && buffer[position] != '\n') {
            position++;
        }
        characters.append(buffer, from, position - from);
        if (characters.length() > MAX_LINE) {
            throw new IOException(place() + ": a line must have at most " + MAX_LINE
                    + " characters but this one is longer. Maybe this is not a text file.");
        }
    }

    private boolean fill() throws IOException {
        position = 0;
        end = Math.max(0, in.read(buffer));
        return end > 0;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
