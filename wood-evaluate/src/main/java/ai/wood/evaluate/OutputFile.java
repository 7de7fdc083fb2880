package ai.wood.evaluate;

import ai.wood.FloatRows;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.data.Dataset;
import ai.wood.io.JsonFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * A file of outputs. All numbers are little-endian:
 *
 * <pre>
 *   8 bytes   length n of the header
 *   n bytes   header: JSON, padded with blanks to a multiple of 8
 *   rows      one a sample: label (32-bit integer), every column of every output (32-bit floats), checksum
 * </pre>
 *
 * The checksum is CRC-32C of the row's number, as a 32-bit integer, and of the row's bytes before it: a row that was torn,
 * moved or rotted is not believed, nor is any after it.
 */
final class OutputFile {

    private static final String FORMAT = "wood-outputs 1";
    private static final String LOGITS = "logits";
    private static final String PROBABILITIES = "probabilities";
    private static final String FEATURES = "features";
    private static final String LAYER = "layer:";
    private static final String BRANCH = "branch:";
    private static final int MAX_HEADER = 1 << 20;
    private static final long MAX_COLUMNS = 1 << 24;
    private static final int BUFFER_BYTES = 1 << 22;

    private final Path path;
    private final Header header;
    private final long start;
    private final int rows;
    private final FloatRows values;

    /**
     * What a file holds.
     *
     * @param network hash of the network
     * @param data hash of the dataset
     * @param name of the dataset, for people
     * @param size rows of the whole
     * @param columns width of each output, in their order
     */
    record Header(String format, String network, String data, String name, int size, Map<String, Integer> columns) {

        Header {
            long width = 0;
            for (Map.Entry<String, Integer> output : columns.entrySet()) {
                width += output.getValue();
                if (output.getValue() < 1 || width > MAX_COLUMNS || !isKnown(output.getKey())) {
                    throw new IllegalArgumentException(
                            "columns must be known, positive and not too many but are " + columns);
                }
            }
            if (!format.equals(FORMAT)
                    || size < 0
                    || columns.containsKey(LOGITS) == columns.containsKey(PROBABILITIES)) {
                throw new IllegalArgumentException(
                        "needs format '" + FORMAT + "', a size, and logits or probabilities");
            }
            columns = new LinkedHashMap<>(columns);
        }

        private static boolean isKnown(String output) {
            return output.equals(LOGITS)
                    || output.equals(PROBABILITIES)
                    || output.equals(FEATURES)
                    || output.startsWith(LAYER)
                    || output.startsWith(BRANCH);
        }

        /** Numbers in a row, label and checksum included. */
        int width() {
            return 2 + columns.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    private OutputFile(Path path, Header header, long start, int rows, FloatRows values) {
        this.path = path;
        this.header = header;
        this.start = start;
        this.rows = rows;
        this.values = values;
    }

    /** The beginning of a new file, for outputs like those given. */
    static byte[] header(String network, String data, Dataset dataset, Outputs like) {
        Map<String, Integer> columns = new LinkedHashMap<>();
        matrices(like).forEach((name, matrix) -> columns.put(name, matrix.columns()));
        byte[] json = JsonFile.bytes(new Header(FORMAT, network, data, dataset.name(), dataset.size(), columns));
        int padded = (json.length + 7) / 8 * 8;
        ByteBuffer bytes = ByteBuffer.allocate(8 + padded).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(padded).put(json);
        while (bytes.hasRemaining()) {
            bytes.put((byte) ' ');
        }
        return bytes.array();
    }

    /**
     * Opens a file and checks every row.
     *
     * @throws IOException where it is no file of outputs
     */
    static OutputFile open(Path path) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            Header header = readHeader(channel, path);
            long start = channel.position();
            int rows = wholeRows(channel, header);
            return new OutputFile(path, header, start, rows, FloatRows.map(channel, start, rows, header.width()));
        }
    }

    private static Header readHeader(FileChannel channel, Path path) throws IOException {
        String complaint = path + ": is no file of outputs";
        long length = channel.size() < 8 ? -1 : read(channel, 8).getLong();
        if (length < 2 || length > Math.min(MAX_HEADER, channel.size() - 8)) {
            throw new IOException(complaint + ": a header of " + length + " bytes cannot be. Maybe delete it.");
        }
        return JsonFile.parse(read(channel, (int) length).array(), Header.class, complaint + ". Maybe delete it");
    }

    private static ByteBuffer read(FileChannel channel, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
        return bytes.flip();
    }

    /** How many rows are whole, from the first on. */
    private static int wholeRows(FileChannel channel, Header header) throws IOException {
        int rowBytes = header.width() * Float.BYTES;
        int rowsPerRead = Math.max(1, BUFFER_BYTES / rowBytes);
        for (int row = 0; row < header.size(); ) {
            ByteBuffer bytes = read(channel, Math.min(rowsPerRead, header.size() - row) * rowBytes);
            for (int end = row + rowsPerRead; row < Math.min(end, header.size()); row++) {
                if (bytes.remaining() < rowBytes || !isWhole(bytes, row, rowBytes)) {
                    return row;
                }
                bytes.position(bytes.position() + rowBytes);
            }
        }
        return header.size();
    }

    private static boolean isWhole(ByteBuffer bytes, int row, int rowBytes) {
        int last = bytes.position() + rowBytes - Integer.BYTES;
        return bytes.getInt(last) == checksum(row, bytes.slice(bytes.position(), rowBytes - Integer.BYTES));
    }

    private static int checksum(int row, ByteBuffer bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(0, row));
        checksum.update(bytes);
        return (int) checksum.getValue();
    }

    Path path() {
        return path;
    }

    /** Rows that are there and whole. */
    int rows() {
        return rows;
    }

    /** Where the whole rows end. */
    long end() {
        return start + (long) rows * header.width() * Float.BYTES;
    }

    boolean isOf(String network, String data, int size) {
        return header.network().equals(network) && header.data().equals(data) && header.size() == size;
    }

    /** The bytes of rows, the first of which gets the given number. */
    ByteBuffer encode(int first, Dataset samples, Outputs outputs) throws IOException {
        Map<String, Matrix> matrices = matrices(outputs);
        int rowBytes = header.width() * Float.BYTES;
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(outputs.size(), rowBytes))
                .order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < outputs.size(); i++) {
            int begin = bytes.position();
            bytes.putInt(samples.label(i));
            for (Map.Entry<String, Integer> column : header.columns().entrySet()) {
                Matrix matrix = matrices.get(column.getKey());
                if (matrix == null || matrix.columns() != column.getValue()) {
                    throw new IOException(path + ": holds other outputs than the network gives. Maybe delete it.");
                }
                for (double value : matrix.row(i)) {
                    bytes.putFloat((float) value);
                }
            }
            bytes.putInt(checksum(first + i, bytes.slice(begin, rowBytes - Integer.BYTES)));
        }
        return bytes.flip();
    }

    private static Map<String, Matrix> matrices(Outputs outputs) {
        Map<String, Matrix> matrices = new LinkedHashMap<>();
        matrices.put(outputs.hasLogits() ? LOGITS : PROBABILITIES, outputs.predictions());
        if (outputs.hasFeatures()) {
            matrices.put(FEATURES, outputs.features());
        }
        outputs.layers().forEach((name, layer) -> matrices.put(LAYER + name, layer));
        outputs.branches().forEach((name, branch) -> matrices.put(BRANCH + name, branch));
        return matrices;
    }

    /** The whole rows as outputs that look into the file. */
    @SuppressWarnings("NullAway") // a header has logits or probabilities
    Outputs outputs() {
        Map<String, Matrix> matrices = new LinkedHashMap<>();
        int from = 1;
        for (Map.Entry<String, Integer> column : header.columns().entrySet()) {
            matrices.put(column.getKey(), Matrix.view(values, from, column.getValue()));
            from += column.getValue();
        }
        Outputs outputs = matrices.containsKey(LOGITS)
                ? Outputs.ofLogits(matrices.remove(LOGITS))
                : Outputs.ofProbabilities(matrices.remove(PROBABILITIES));
        Matrix features = matrices.remove(FEATURES);
        return (features == null ? outputs : outputs.withFeatures(features))
                .withLayers(named(LAYER, matrices))
                .withBranches(named(BRANCH, matrices));
    }

    private static Map<String, Matrix> named(String prefix, Map<String, Matrix> matrices) {
        Map<String, Matrix> named = new LinkedHashMap<>();
        matrices.forEach((name, matrix) -> {
            if (name.startsWith(prefix)) {
                named.put(name.substring(prefix.length()), matrix);
            }
        });
        return named;
    }
}
