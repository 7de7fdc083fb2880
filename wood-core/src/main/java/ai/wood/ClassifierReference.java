package ai.wood;

import java.util.List;

/**
 * What a detector must know about its classifier without opening it.
 *
 * @param format the format of its files, such as {@code torch} or {@code onnx}
 * @param shape of the images it takes, such as {@code 3x32x32}
 * @param mean that is subtracted from pixels between 0 and 1, of each channel or of all
 * @param deviation that pixels are then divided by
 */
public record ClassifierReference(String format, String shape, List<Double> mean, List<Double> deviation) {

    public ClassifierReference {
        mean = List.copyOf(mean);
        deviation = List.copyOf(deviation);
    }
}
