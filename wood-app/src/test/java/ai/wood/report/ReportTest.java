package ai.wood.report;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.experiment.Comparison;
import ai.wood.experiment.NetworkOutputs;
import ai.wood.metric.Bootstrap;
import ai.wood.score.Scorers;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReportTest {

    private static Outputs outputs(long seed, double certainty) {
        Random random = new Random(seed);
        return Outputs.ofLogits(Matrix.of(IntStream.range(0, 60)
                .mapToObj(i -> new double[] {certainty + random.nextGaussian(), random.nextGaussian()})
                .toArray(double[][]::new)));
    }

    private static Report report(boolean leaky) {
        NetworkOutputs outputs = new NetworkOutputs(
                "<script>",
                "digits",
                outputs(1, 5),
                List.of(),
                outputs(2, 5),
                leaky,
                outputs(3, 5),
                0.9,
                List.of(
                        new NetworkOutputs.Ood("clothes & shoes", true, outputs(4, 0)),
                        new NetworkOutputs.Ood("noise", false, outputs(5, 5))));
        return new Report(List.of(Comparison.of(outputs, List.of(Scorers.MSP, Scorers.WOOD), 0.9, Bootstrap.NONE)));
    }

    @Test
    void namesAreEscapedAndSeenIsToldFromUnseen() {
        String page = report(false).html();
        assertThat(page)
                .contains("clothes &amp; shoes (seen)", "noise (unseen)", "&lt;script&gt;, wood")
                .doesNotContain("<script>", "mean little");
    }

    @Test
    void choosingOnTestSamplesIsSaid() {
        assertThat(report(true).html()).contains("These figures mean little");
    }

    @Test
    void theHeadlineTellsWhatIsCaught() {
        assertThat(report(false).headline()).contains("of the OOD samples seen in training", "of the unseen ones");
    }
}
