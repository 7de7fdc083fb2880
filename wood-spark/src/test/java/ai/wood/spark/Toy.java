package ai.wood.spark;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.ScorerKind;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/** A seeded classifier's logits, and detectors of them. */
final class Toy {

    static final List<String> CLASSES =
            List.of("ant", "bee", "\"c\"", "dögs", "elk", "fox", "gnu", "hen", "ibis", "jay");

    private Toy() {}

    /** Logits of samples of which one class leads, more or less clearly. */
    static double[] logits(SplittableRandom random) {
        double[] row = random.doubles(CLASSES.size()).toArray();
        row[random.nextInt(row.length)] += 8 * random.nextDouble();
        return row;
    }

    static Matrix logits(int rows, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[][] logits = new double[rows][];
        for (int i = 0; i < rows; i++) {
            logits[i] = logits(random);
        }
        return Matrix.of(logits);
    }

    static Detector detector(ScorerKind scorer) {
        return Detector.of(scorer)
                .classes(CLASSES)
                .fit(Outputs.ofLogits(logits(200, 1)))
                .calibrate(Outputs.ofLogits(logits(1000, 2)));
    }

    static Path detector(ScorerKind scorer, Path file) throws IOException {
        detector(scorer).save(file);
        return file;
    }

    /** Logits as text, under a heading. */
    static Path csv(int rows, Path file) throws IOException {
        SplittableRandom random = new SplittableRandom(3);
        try (BufferedWriter writer = Files.newBufferedWriter(file)) {
            writer.write(String.join(",", CLASSES) + "\n");
            for (int i = 0; i < rows; i++) {
                writer.write(line(logits(random)) + "\n");
            }
        }
        return file;
    }

    static String line(double[] row) {
        StringBuilder line = new StringBuilder();
        for (double value : row) {
            line.append(line.isEmpty() ? "" : ",").append(value);
        }
        return line.toString();
    }
}
