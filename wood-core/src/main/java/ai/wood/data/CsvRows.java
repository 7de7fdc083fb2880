package ai.wood.data;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Numbers in text, one row a line, separated by commas, semicolons, tabs or blanks. A first line without any number is a
 * heading; empty lines and lines starting with {@code #} are passed over.
 */
final class CsvRows implements RowReader {

    private static final int MAX_LINE = 1 << 24;

    private final Reader in;
    private final String name;
    private final char[] buffer = new char[1 << 15];
    private int position;
    private int end;
    private final StringBuilder line = new StringBuilder();
    private long lineNumber;
    private final int columns;
    private boolean lineReady;

    CsvRows(InputStream in, String name) throws IOException {
        this.in = new InputStreamReader(in, StandardCharsets.UTF_8);
        this.name = name;
        if (!readLine()) {
            throw new IOException(name + ": there must be at least one row but the file is empty");
        }
        if (isHeading()) {
            if (!readLine()) {
                throw new IOException(name + ": there must be at least one row but there is only a heading");
            }
        }
        lineReady = true;
        columns = cells().size();
    }

    @Override
    public int columns() {
        return columns;
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
        int column = 0;
        for (int start = 0; start <= line.length(); column++) {
            int stop = cellEnd(start);
            if (column >= columns) {
                throw wrongLength(cells().size());
            }
            row[column] = number(line.substring(start, stop).strip(), column);
            start = nextCell(stop);
        }
        if (column != columns) {
            throw wrongLength(column);
        }
        return true;
    }

    private IOException wrongLength(int found) {
        return new IOException(
                place() + ": every row must have " + columns + " columns like the first but this one has " + found);
    }

    private double number(String cell, int column) throws IOException {
        double value;
        try {
            value = Double.parseDouble(cell);
        } catch (NumberFormatException e) {
            throw new IOException(
                    place() + ", column " + (column + 1) + ": there must be a number but it reads '" + shortened(cell)
                            + "'",
                    e);
        }
        if (!Double.isFinite(value)) {
            throw new IOException(place() + ", column " + (column + 1) + ": the number must be finite but is " + value);
        }
        return value;
    }

    private static String shortened(String cell) {
        return cell.length() <= 40 ? cell : cell.substring(0, 40) + "...";
    }

    private boolean isHeading() {
        return cells().stream().noneMatch(cell -> {
            try {
                Double.parseDouble(cell);
                return true;
            } catch (NumberFormatException e) {
                return cell.isEmpty();
            }
        });
    }

    private List<String> cells() {
        List<String> cells = new ArrayList<>();
        for (int start = 0; start <= line.length(); ) {
            int stop = cellEnd(start);
            cells.add(line.substring(start, stop).strip());
            start = nextCell(stop);
        }
        return cells;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private int cellEnd(int start) {
        int i = start;
        while (i < line.length() && line.charAt(i) != ',' && line.charAt(i) != ';' && !isBlank(line.charAt(i))) {
            i++;
        }
        return i;
    }

    /** Passes one separator: blanks with at most one comma or semicolon among them. Past the end: length + 1. */
    private int nextCell(int stop) {
        int i = stop;
        while (i < line.length() && isBlank(line.charAt(i))) {
            i++;
        }
        if (i == line.length()) {
            return i + 1;
        }
        if (line.charAt(i) == ',' || line.charAt(i) == ';') {
            i++;
            while (i < line.length() && isBlank(line.charAt(i))) {
                i++;
            }
        }
        return i;
    }

    /** Reads the next line that is neither empty nor a comment, without blanks around it; false at the end. */
    private boolean readLine() throws IOException {
        while (true) {
            line.setLength(0);
            int c = read();
            if (c < 0) {
                return false;
            }
            lineNumber++;
            for (; c >= 0 && c != '\n'; c = read()) {
                if (line.length() == MAX_LINE) {
                    throw new IOException(place() + ": a line must have at most " + MAX_LINE
                            + " characters but this one is longer. Maybe this is not a text file.");
                }
                line.append((char) c);
            }
            trim();
            if (line.length() > 0 && line.charAt(0) != '#') {
                return true;
            }
        }
    }

    private void trim() {
        String stripped = line.toString().strip();
        if (stripped.length() < line.length()) {
            line.setLength(0);
            line.append(stripped);
        }
    }

    private int read() throws IOException {
        if (position == end) {
            end = in.read(buffer);
            position = 0;
            if (end <= 0) {
                end = 0;
                return -1;
            }
        }
        return buffer[position++];
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
