package ai.wood.bundle;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.bundle.DetectorDescription.Classifier;
import ai.wood.data.Image;
import ai.wood.data.Network;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A network whose logits and features are the first values of an image, times the number in its file. */
public final class EchoFormat implements NetworkFormat {

    static final String PART = "network.txt";

    @Override
    public String name() {
        return "echo";
    }

    @Override
    public List<String> parts() {
        return List.of(PART);
    }

    @Override
    public Classifier classifier(Path folder) {
        throw new UnsupportedOperationException("bundles tell it themselves");
    }

    @Override
    public Network open(Path folder, String device) throws IOException {
        double factor = Double.parseDouble(Files.readString(folder.resolve(PART)));
        return new Network() {
            @Override
            public Outputs forward(List<Image> images) {
                return Outputs.ofLogits(rows(images, Toy.CLASSES, factor))
                        .withFeatures(rows(images, Toy.WIDTH, factor));
            }

            @Override
            public void close() {}
        };
    }

    private static Matrix rows(List<Image> images, int width, double factor) {
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
