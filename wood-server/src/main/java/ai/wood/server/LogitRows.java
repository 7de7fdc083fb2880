package ai.wood.server;

import ai.wood.Matrix;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code {"logits": [[...], ...]}}: a row a sample, a number a class. */
final class LogitRows {

    private static final int MAX_ROWS = 1000;

    private LogitRows() {}

    static Matrix read(byte[] body, int classes) {
        try (JsonParser parser = Json.parser(body)) {
            if (parser.nextToken() == JsonToken.START_OBJECT
                    && "logits".equals(parser.nextFieldName())
                    && parser.nextToken() == JsonToken.START_ARRAY) {
                List<double[]> rows = rows(parser, classes);
                if (!rows.isEmpty() && parser.nextToken() == JsonToken.END_OBJECT && parser.nextToken() == null) {
                    return Matrix.of(rows.toArray(double[][]::new));
                }
            }
        } catch (IOException e) {
            throw Problem.badRequest("the JSON is damaged");
        }
        throw Problem.badRequest("the JSON must be {\"logits\": [[...], ...]} with a row for each sample");
    }

    private static List<double[]> rows(JsonParser parser, int classes) throws IOException {
        List<double[]> rows = new ArrayList<>();
        while (parser.nextToken() == JsonToken.START_ARRAY) {
            if (rows.size() == MAX_ROWS) {
                throw Problem.tooLarge("a request may have at most " + MAX_ROWS + " rows");
            }
            rows.add(row(parser, classes));
        }
        return rows;
    }

    private static double[] row(JsonParser parser, int classes) throws IOException {
        double[] row = new double[classes];
        int[] count = {0};
        Json.numbers(parser, value -> {
            if (count[0] == classes || !Double.isFinite(value)) {
                throw oneEach(classes);
            }
            row[count[0]++] = value;
        });
        if (count[0] < classes) {
            throw oneEach(classes);
        }
        return row;
    }

    private static Problem oneEach(int classes) {
        return Problem.badRequest("a row must have one finite logit for each of " + classes + " classes");
    }
}
