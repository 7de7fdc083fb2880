package ai.wood.report;

import ai.wood.Matrix;
import ai.wood.data.Image;
import ai.wood.data.ImageFile;
import ai.wood.data.Shape;
import ai.wood.data.transform.Resize;
import ai.wood.evaluate.SampleSet;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Samples worth a look: those of a set with the most extreme scores. */
record Examples(SampleSet part, Matrix scores) {

    private static final int LARGEST_SIDE = 48;

    /** Indices of the samples with the highest scores, highest first. */
    List<Integer> highest(int count) {
        return ranked(count, -1);
    }

    /** Indices of the samples with the lowest scores, lowest first. */
    List<Integer> lowest(int count) {
        return ranked(count, 1);
    }

    /** Index of a sample in the middle: not chosen to impress. */
    int median() {
        return ranked(scores.columns(), 1).get(scores.columns() / 2);
    }

    private List<Integer> ranked(int count, int sign) {
        return IntStream.range(0, scores.columns())
                .boxed()
                .sorted(Comparator.comparingDouble(i -> sign * scores.get(0, i)))
                .limit(count)
                .toList();
    }

    /** The classes a sample most probably is of, most probable first. */
    static List<Integer> top(double[] probabilities, int count) {
        return IntStream.range(0, probabilities.length)
                .boxed()
                .sorted(Comparator.comparingDouble(i -> -probabilities[i]))
                .limit(count)
                .toList();
    }

    /** A sample's image as an address that holds it, made small where it is large. */
    String picture(int index) {
        byte[] png = ImageFile.png(thumbnail(part.dataset().get(index).image()));
        return "data:image/png;base64," + Base64.getEncoder().encodeToString(png);
    }

    private static Image thumbnail(Image image) {
        Shape shape = image.shape();
        int side = Math.max(shape.height(), shape.width());
        return side <= LARGEST_SIDE
                ? image
                : new Resize(
                                Math.max(1, shape.height() * LARGEST_SIDE / side),
                                Math.max(1, shape.width() * LARGEST_SIDE / side))
                        .apply(image);
    }
}
