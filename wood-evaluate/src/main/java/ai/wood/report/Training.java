package ai.wood.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How a network was trained, as its run folder tells.
 *
 * @param options options, data hashes and versions: {@code options.json} and {@code training.json}
 * @param epochs what each came to, in order
 */
public record Training(JsonNode options, List<Epoch> epochs) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long LARGEST_OPTIONS = 1 << 20;
    private static final int MOST_EPOCHS = 100_000;

    public Training {
        epochs = List.copyOf(epochs);
    }

    /**
     * A line of {@code metrics.jsonl}; NaN where there is nothing to tell.
     *
     * @param epoch counted from 0
     * @param indLoss mean InD term of the training loss
     * @param oodLoss mean OOD term of the training loss, weight included
     * @param loss mean InD term on validation samples
     * @param accuracy on validation samples
     * @param auroc on validation samples
     * @param fnr95 on validation samples
     * @param best whether no earlier epoch was better
     */
    public record Epoch(
            int epoch,
            double indLoss,
            double oodLoss,
            double loss,
            double accuracy,
            double auroc,
            double fnr95,
            boolean best) {

        private static Epoch of(JsonNode line) {
            JsonNode validation = line.path("validation");
            return new Epoch(
                    line.path("epoch").asInt(),
                    number(line, "indLoss"),
                    number(line, "oodLoss"),
                    number(validation, "loss"),
                    number(validation, "accuracy"),
                    number(validation, "auroc"),
                    number(validation, "fnr95"),
                    line.path("best").asBoolean());
        }

        private static double number(JsonNode node, String key) {
            return node.path(key).asDouble(Double.NaN);
        }
    }

    /** Reads a run folder; a file that is not there leaves its part empty. */
    public static Training read(Path run) throws IOException {
        JsonNode options = json(run.resolve("options.json"));
        if (json(run.resolve("training.json")) instanceof ObjectNode training) { // since version 1.0
            options = training.set("options", options);
        }
        return new Training(options, epochs(run.resolve("metrics.jsonl")));
    }

    private static JsonNode json(Path file) throws IOException {
        if (!Files.exists(file)) {
            return MissingNode.getInstance();
        }
        if (Files.size(file) > LARGEST_OPTIONS) {
            throw new IOException(file + ": a file of options has at most " + LARGEST_OPTIONS
                    + " bytes but this one has " + Files.size(file));
        }
        return parse(Files.readString(file), file.toString());
    }

    private static List<Epoch> epochs(Path file) throws IOException {
        List<Epoch> epochs = new ArrayList<>();
        if (!Files.exists(file)) {
            return epochs;
        }
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            String line = lines.readLine();
            for (String next; line != null; line = next) {
                next = lines.readLine();
                if (epochs.size() == MOST_EPOCHS) {
                    throw new IOException(file + ": there are more than " + MOST_EPOCHS + " epochs");
                }
                try {
                    epochs.add(Epoch.of(parse(line, file + ", line " + (epochs.size() + 1))));
                } catch (IOException e) {
                    if (next != null || endsALine(file)) {
                        throw e;
                    } // else a full disk has cut it off
                }
            }
        }
        return epochs;
    }

    private static boolean endsALine(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer last = ByteBuffer.allocate(1);
            long size = channel.size();
            return size > 0 && channel.read(last, size - 1) == 1 && last.get(0) == '\n';
        }
    }

    private static JsonNode parse(String text, String place) throws IOException {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IOException(place + ": " + e.getOriginalMessage(), e);
        }
    }
}
