package ai.wood.torch.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.wood.SampleDetector;
import ai.wood.Verdict;
import ai.wood.data.Catalogue;
import ai.wood.data.Dataset;
import ai.wood.data.Image;
import ai.wood.data.ImageDetector;
import ai.wood.data.Split;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A detector file with a network that version 0.1.0 wrote at commit 69d6e8c: {@code train --ind mnist-small --ood
 * fashion-mnist-small --network small-cnn --epochs 1}, {@code calibrate --conformal --scorer knn --fit-limit 300}, {@code
 * bundle}. The expected values are that version's verdicts.
 */
class Format1WithNetworkTest {

    private static final Path FILE = Path.of("src/test/resources/ai/wood/torch/format1/with-network.wood");

    private static final int[] LABELS = {4, 7, 9, 9, 4, 4, 8, 2};
    private static final double[] SCORES = {
        0.5647579544777067, 0.6061504832909562, 0.6596949619104304, 0.5641526210995511,
        0.6831357457047841, 0.8198649684282413, 0.8810929625173298, 0.561639949486698
    };
    private static final boolean[] OOD = {false, false, false, false, false, true, true, false};

    @Test
    void itsVerdictsAreThoseOfVersion01() throws IOException {
        List<Image> images = new ArrayList<>();
        for (String name : List.of("mnist-small", "fashion-mnist-small")) {
            Dataset dataset = Catalogue.at(null).open(name, Split.TEST);
            for (int i = 0; i < 4; i++) {
                images.add(dataset.get(i).image());
            }
        }
        try (SampleDetector<Image> detector = ImageDetector.load(FILE, "cpu")) {
            List<Verdict> verdicts = detector.detect(images);
            assertThat(detector.detector().settings().count("k")).isEqualTo(50);
            for (int i = 0; i < LABELS.length; i++) {
                Verdict verdict = verdicts.get(i);
                assertThat(verdict.label()).isEqualTo(LABELS[i]);
                assertThat(verdict.score()).isCloseTo(SCORES[i], within(1e-4)); // processors round differently
                assertThat(verdict.ood()).isEqualTo(OOD[i]);
            }
        }
    }
}
