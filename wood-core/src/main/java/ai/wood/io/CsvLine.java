package ai.wood.io;

import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * A line of text with numbers in it, separated by commas, by semicolons, or by tabs and blanks alone. Empty lines and those
 * starting with {@code #} hold nothing; a line without any number is a heading.
 */
public record CsvLine(String text) {

    /** What some programs begin a file with. */
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private static final Pattern NUMBER_LIKE =
            Pattern.compile("[\"']?[-+]?(\\.?[0-9]|(nan|inf|infinity)[\"']?$)", Pattern.CASE_INSENSITIVE);

    private static final Pattern NOT_FINITE = Pattern.compile("[-+]?(nan|inf|infinity)", Pattern.CASE_INSENSITIVE);

    /** Stands for a number that is missing, or is a class of this name. */
    private static final Pattern MISSING = Pattern.compile("[\"']?(na|n/a|null|none)[\"']?", Pattern.CASE_INSENSITIVE);

    public CsvLine {
        text = text.startsWith(BYTE_ORDER_MARK) ? text.substring(1).strip() : text.strip();
    }

    /** Whether there is nothing to read: the line is empty, or a comment. */
    public boolean holdsNothing() {
        return text.isEmpty() || text.charAt(0) == '#';
    }

    /** Whether none of its cells is a number, or meant to be one, and some cell is a word that cannot be meant so. */
    public boolean isHeading() {
        boolean words = false;
        for (int start = 0; start <= text.length(); ) {
            int stop = cellEnd(start);
            String cell = cell(start, stop);
            if (cell.isEmpty() || NUMBER_LIKE.matcher(cell).lookingAt()) {
                return false;
            }
            words |= !MISSING.matcher(cell).matches();
            start = nextCell(stop);
        }
        return words;
    }

    /** Whether the cells are 0, 1, 2 and so on, as pandas names columns, possibly after the empty name of an index. */
    boolean isNumbered() {
        int column = cell(0, cellEnd(0)).isEmpty() ? -1 : 0;
        for (int start = 0; start <= text.length(); column++) {
            int stop = cellEnd(start);
            if (!cell(start, stop).equals(column < 0 ? "" : String.valueOf(column))) {
                return false;
            }
            start = nextCell(stop);
        }
        return true;
    }

    /** How many cells there are. */
    int columns() {
        int count = 0;
        for (int start = 0; start <= text.length(); start = nextCell(cellEnd(start))) {
            count++;
        }
        return count;
    }

    /**
     * The numbers of all cells.
     *
     * @throws IllegalArgumentException naming the column of a cell that is no finite decimal number, or where separators
     *     are mixed
     */
    public double[] numbers() {
        double[] numbers = anyNumbers();
        for (int i = 0; i < numbers.length; i++) {
            if (!Double.isFinite(numbers[i])) {
                throw new IllegalArgumentException(
                        "column " + (i + 1) + ": the number must be finite but is " + numbers[i]);
            }
        }
        return numbers;
    }

    /** The numbers of all cells, NaN and infinities among them: {@code nan}, {@code inf}, {@code -infinity}. */
    public double[] anyNumbers() {
        char separator = separator(cellEnd(0));
        double[] numbers = new double[16];
        int count = 0;
        for (int start = 0; start <= text.length(); ) {
            int stop = cellEnd(start);
            if (count == numbers.length) {
                numbers = Arrays.copyOf(numbers, 2 * count);
            }
            numbers[count] = number(cell(start, stop), count + 1);
            count++;
            if (stop < text.length() && separator(stop) != separator) {
                throw new IllegalArgumentException(
                        "numbers must be separated by commas or by semicolons or by blanks but here are two of these."
                                + " Maybe the commas are decimal ones, which must be points.");
            }
            start = nextCell(stop);
        }
        return Arrays.copyOf(numbers, count);
    }

    private static double number(String cell, int column) {
        double value;
        try {
            value = isNotFinite(cell) ? notFinite(cell) : Double.parseDouble(cell);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "column " + column + ": there must be a number but it reads '" + shortened(cell) + "'", e);
        }
        if (Double.isFinite(value) && !isDecimal(cell)) {
            throw new IllegalArgumentException("column " + column + ": there must be a number but it reads '"
                    + shortened(cell) + "'. Maybe write it in plain decimals, such as 1.5 or 2e-3.");
        }
        return value;
    }

    private static boolean isNotFinite(String cell) {
        return !cell.isEmpty()
                && Character.isLetter(cell.charAt(cell.length() - 1))
                && NOT_FINITE.matcher(cell).matches();
    }

    private static double notFinite(String cell) {
        double sign = cell.charAt(0) == '-' ? -1 : 1;
        return Character.toLowerCase(cell.charAt(cell.length() - 1)) == 'n'
                ? Double.NaN
                : sign * Double.POSITIVE_INFINITY;
    }

    /** Whether what Java takes for a number is one to others too: not {@code 1d}, not {@code 0x1p3}. */
    private static boolean isDecimal(String number) {
        char first = number.charAt(0);
        char last = number.charAt(number.length() - 1);
        return first > ' '
                && (last == '.' || (last >= '0' && last <= '9'))
                && number.indexOf('x') < 0
                && number.indexOf('X') < 0;
    }

    static String shortened(String cell) {
        return cell.length() <= 40 ? cell : cell.substring(0, 40) + "...";
    }

    private String cell(int start, int stop) {
        return text.substring(start, stop).strip();
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\t';
    }

    private int cellEnd(int start) {
        int i = start;
        while (i < text.length() && text.charAt(i) != ',' && text.charAt(i) != ';' && !isBlank(text.charAt(i))) {
            i++;
        }
        return i;
    }

    /** Passes one separator: blanks with at most one comma or semicolon among them. Past the end: length + 1. */
    private int nextCell(int stop) {
        int i = pastBlanks(stop);
        if (i == text.length()) {
            return i + 1;
        }
        return separator(stop) == ' ' ? i : pastBlanks(i + 1);
    }

    /** The comma or semicolon that a separator holds; a blank where it holds neither. */
    private char separator(int stop) {
        int i = pastBlanks(stop);
        return i < text.length() && (text.charAt(i) == ',' || text.charAt(i) == ';') ? text.charAt(i) : ' ';
    }

    private int pastBlanks(int start) {
        int i = start;
        while (i < text.length() && isBlank(text.charAt(i))) {
            i++;
        }
        return i;
    }
}
