package ai.wood.data;

import ai.wood.Classifier;
import ai.wood.Head;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.io.Parts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A classifier whose logits and features are the first values of an image, times the number in its file. */
public final class EchoFormat implements ClassifierFormat {

    static final String PART = "network.txt";
    static final int CLASSES = 3;
    static final int WIDTH = 6;

    /** Classifiers that were opened and not closed. */
    static final AtomicInteger OPEN = new AtomicInteger();

    @Override
    public String name() {
        return "echo";
    }

    @Override
    public List<String> parts() {
        return List.of(PART);
    }

    @Override
    public Description describe(Parts parts) {
        throw new UnsupportedOperationException("the detector file describes it");
    }

    @Override
    public Classifier<Image> open(Parts parts, String device) throws IOException {
        double factor;
        try (InputStream in = parts.open(PART)) {
            factor = Double.parseDouble(new String(in.readAllBytes(), StandardCharsets.US_ASCII));
        }
        OPEN.incrementAndGet();
        return new Classifier<>() {
            @Override
            public Outputs classify(List<Image> images) {
                return Outputs.ofLogits(rows(images, CLASSES, factor)).withFeatures(rows(images, WIDTH, factor));
            }

            @Override
            public Optional<Head> head() {
                int classes = factor < 0 ? CLASSES + 1 : CLASSES;
                return Optional.of(new Head(
                        Matrix.wrap(new double[classes * WIDTH], WIDTH), Matrix.wrap(new double[classes], classes)));
            }

            @Override
            public void close() {
                OPEN.decrementAndGet();
            }
        };
    }

    static Matrix rows(List<Image> images, int width, double factor) {
        return Matrix.of(images.stream()
                .map(image -> {
                    double[] row = new double[width];
                    for (int i = 0; i < width; i++) {
                        row[i] = factor * image.get(i);
                    }
                    return row;
                })
                .toArray(double[][]::new));
    }
}
