package ai.wood.experiment;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.data.RowReader;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;

/**
 * Outputs of a real classifier on real images that come with the application: a DenseNet trained on CIFAR-10 with WOOD
 * against SVHN. Its folder's README tells how they were made.
 *
 * @param ind name of the InD set
 * @param validation InD outputs to calibrate and fit on
 * @param test InD outputs to evaluate on
 * @param accuracy share of the test samples that the network classifies rightly
 * @param ood OOD sets to evaluate on
 */
public record BundledOutputs(String ind, Outputs validation, Outputs test, double accuracy, List<Ood> ood) {

    /** An OOD set: its name, whether training saw its kind, and the network's outputs. */
    public record Ood(String name, boolean seen, Outputs outputs) {}

    public static BundledOutputs load() throws IOException {
        Outputs test = logits("cifar10-test");
        int[] labels = Arrays.stream(read("cifar10-test-labels").mapRows(row -> row[0]))
                .mapToInt(label -> (int) label)
                .toArray();
        return new BundledOutputs(
                "CIFAR-10",
                logits("cifar10-validation"),
                test,
                test.accuracy(labels),
                List.of(
                        new Ood("SVHN", true, logits("svhn-test")),
                        new Ood("Tiny-ImageNet-r", false, logits("tiny-imagenet-r-test"))));
    }

    private static Outputs logits(String name) throws IOException {
        return Outputs.ofLogits(read(name + "-logits"));
    }

    private static Matrix read(String name) throws IOException {
        InputStream stream = BundledOutputs.class.getResourceAsStream("demo/" + name + ".npy");
        if (stream == null) {
            throw new FileNotFoundException(name + ".npy is missing from this build");
        }
        try (RowReader reader = RowReader.of(stream, name)) {
            return reader.readAll();
        }
    }
}
