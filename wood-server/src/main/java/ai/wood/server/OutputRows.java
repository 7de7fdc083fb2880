package ai.wood.server;

import ai.wood.Matrix;
import ai.wood.Outputs;
import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * Reads the outputs of a classifier elsewhere, one row per sample:
 * {@code {"logits": [[...]], "features": [[...]], "layers": {"block1": [[...]]}}}. There may be {@code probabilities} instead
 * of logits, or features alone. Logits may be NaN or infinite.
 */
final class OutputRows {

    private static final int MAX_ROWS = 1000;

    private final Map<String, Matrix> matrices = new LinkedHashMap<>();
    private final Map<String, Matrix> layers = new LinkedHashMap<>();

    private OutputRows() {}

    static Outputs read(byte[] body) {
        OutputRows rows = new OutputRows();
        try {
            HttpJson.read(body, body.length, rows::member);
            return rows.outputs();
        } catch (IllegalArgumentException e) { // rows that differ in length, no distribution, NaN in features
            throw Problem.badRequest(String.valueOf(e.getMessage()));
        }
    }

    private void member(JsonParser parser, String name) throws IOException {
        switch (name) {
            case "logits", "probabilities", "features" -> matrices.put(name, matrix(parser, name));
            case "layers" -> HttpJson.members(parser, (values, layer) -> layers.put(layer, matrix(values, layer)));
            default -> throw Problem.badRequest("the JSON must have logits, probabilities, features or layers only");
        }
    }

    private Outputs outputs() {
        layers.forEach((name, layer) -> layer.requireFinite("layer " + name));
        Matrix features = matrices.get("features");
        if (features != null) {
            features.requireFinite("features");
        }
        return Outputs.of(matrices.get("logits"), matrices.get("probabilities"), features)
                .withLayers(layers);
    }

    /** Reads a list of rows. */
    private static Matrix matrix(JsonParser parser, String name) throws IOException {
        List<double[]> rows = new ArrayList<>();
        HttpJson.elements(parser, () -> {
            if (rows.size() == MAX_ROWS) {
                throw Problem.tooLarge("a request may have at most " + MAX_ROWS + " rows");
            }
            DoubleStream.Builder row = DoubleStream.builder();
            HttpJson.elements(parser, () -> row.add(HttpJson.number(parser)));
            rows.add(row.build().toArray());
        });
        if (rows.isEmpty() || rows.get(0).length == 0) {
            throw Problem.badRequest(name + " must have at least one row of numbers");
        }
        return Matrix.of(rows.toArray(double[][]::new));
    }
}
