package ai.wood.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.Dataset;
import ai.wood.Shape;
import ai.wood.Threshold;
import ai.wood.calibrate.Calibration;
import ai.wood.data.ArrayDataset;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DataOptionsTest {

    private static final int SIZE = 4000;

    /** One sample in twenty is of class 1, whose scores are lower. */
    @Test
    void aThresholdChosenOnALimitedNumberOfSamplesKeepsItsPromiseWhereClassesAreUnequal() {
        int[] labels = IntStream.range(0, SIZE).map(i -> i % 20 == 0 ? 1 : 0).toArray();
        Dataset all = ArrayDataset.wrap(new Shape(1, 1, 1), new byte[SIZE], labels);
        double alarms = IntStream.range(0, 200)
                .mapToDouble(seed -> alarms(all, seed))
                .average()
                .orElseThrow();
        assertThat(alarms).isBetween(0.04, 0.052);
    }

    private static double alarms(Dataset all, long seed) {
        DataOptions options = DataOptions.of("any", List.of()).withSeed(seed);
        Threshold threshold =
                Calibration.of(scores(options.limited(all, 200), 2 * seed)).conformal(0.95);
        double[] fresh = scores(all, 2 * seed + 1);
        return (double) IntStream.range(0, SIZE)
                        .filter(i -> threshold.isOod(fresh[i]))
                        .count()
                / SIZE;
    }

    private static double[] scores(Dataset samples, long seed) {
        Random random = new Random(seed);
        return IntStream.range(0, samples.size())
                .mapToDouble(i -> random.nextGaussian() - 2 * samples.label(i))
                .toArray();
    }
}
