package ai.wood.server;

import ai.wood.Classifier;
import ai.wood.ClassifierReference;
import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.SampleDetector;
import ai.wood.data.Image;
import ai.wood.data.ImageFile;
import ai.wood.data.Shape;
import ai.wood.data.transform.Normalise;
import ai.wood.score.ScorerKinds;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** A classifier in plain Java that knows dark, grey and bright images, and is unsure of what lies between. */
public final class Brightness implements Classifier<Image> {

    static final Shape SHAPE = new Shape(1, 8, 8);
    static final List<String> CLASSES = List.of("dark", "grey", "bright");
    static final Normalise NORMALISE = Normalise.of(0.4, 0.5);
    private static final double[] CENTRES = {20, 128, 235};

    final AtomicInteger passes = new AtomicInteger();
    final AtomicInteger largest = new AtomicInteger();
    volatile CountDownLatch gate = new CountDownLatch(0);
    volatile boolean broken; // says what is no number
    volatile boolean failing;

    @Override
    public Outputs classify(List<Image> images) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (failing) {
            throw new IllegalStateException("out of order");
        }
        passes.incrementAndGet();
        largest.accumulateAndGet(images.size(), Math::max);
        return Outputs.ofLogits(Matrix.of(images.stream().map(this::logits).toArray(double[][]::new)));
    }

    private double[] logits(Image image) {
        if (broken) {
            return new double[] {Double.NaN, 0, 0};
        }
        float[] input = new float[image.shape().length()];
        NORMALISE.write(image, input, 0);
        double mean = 255
                * IntStream.range(0, input.length)
                        .mapToDouble(i -> 0.4 + 0.5 * input[i])
                        .average()
                        .orElseThrow();
        return Arrays.stream(CENTRES)
                .map(centre -> -Math.abs(mean - centre) / 8)
                .toArray();
    }

    @Override
    public void close() {}

    /** An image of one brightness, with a little noise. */
    static Image image(int brightness, SplittableRandom random) {
        byte[] values = new byte[SHAPE.length()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) Math.max(0, Math.min(255, brightness + random.nextInt(-9, 10)));
        }
        return Image.of(SHAPE, values);
    }

    public static byte[] png(int brightness) {
        return ImageFile.png(image(brightness, new SplittableRandom(brightness)));
    }

    /** Calibrated on images that are dark, grey or bright. */
    public NamedDetector served(String name) {
        return served(name, CLASSES, Optional.of(SHAPE));
    }

    NamedDetector served(String name, List<String> classes, Optional<Shape> shape) {
        SplittableRandom random = new SplittableRandom(1);
        List<Image> ind = IntStream.range(0, 300)
                .mapToObj(i -> image((int) CENTRES[i % 3] + random.nextInt(-15, 16), random))
                .toList();
        Outputs outputs = classify(ind);
        passes.set(0);
        largest.set(0);
        Detector detector = Detector.of(ScorerKinds.wood())
                .classes(classes)
                .classifier(new ClassifierReference("test", SHAPE.toString(), NORMALISE.mean(), NORMALISE.deviation()))
                .calibrate(outputs);
        return shape.isPresent()
                ? NamedDetector.of(name, new SampleDetector<>(detector, this))
                : new NamedDetector(name, detector, Optional.empty());
    }
}
