package ai.wood.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ai.wood.FitData;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Settings;
import ai.wood.data.ArrayDataset;
import ai.wood.data.Shape;
import ai.wood.evaluate.Comparison;
import ai.wood.evaluate.Distance;
import ai.wood.evaluate.NetworkOutputs;
import ai.wood.evaluate.SampleSet;
import ai.wood.evaluate.ScorerSetup;
import ai.wood.metric.Bootstrap;
import ai.wood.score.ScorerKinds;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReportTest {

    private static SampleSet part(String name, long seed, double certainty) {
        Random random = new Random(seed);
        Outputs outputs = Outputs.ofLogits(Matrix.of(IntStream.range(0, 60)
                .mapToObj(i -> new double[] {certainty + random.nextGaussian(), random.nextGaussian()})
                .toArray(double[][]::new)));
        ArrayDataset images = ArrayDataset.wrap(new Shape(1, 2, 2), new byte[240], new int[60]);
        return SampleSet.of(images.withName(name), outputs);
    }

    private static Report report(boolean leaky) {
        return new Report(List.of(comparison("<script>", true, leaky)));
    }

    private static Comparison comparison(String network, boolean seen, boolean leaky) {
        return comparison(network, seen, leaky, 0.9);
    }

    private static Comparison comparison(String network, boolean seen, boolean leaky, double tnr) {
        NetworkOutputs outputs = new NetworkOutputs(
                network,
                null,
                new ScorerSetup(FitData.NONE, Settings.NONE),
                null,
                part("digits", 2, 5),
                part("digits", 3, 5),
                List.of(
                        new NetworkOutputs.Ood(part("clothes & shoes", 4, 0), seen, Distance.NEAR),
                        new NetworkOutputs.Ood(part("noise", 5, 5), false, Distance.FAR)),
                leaky,
                List.of());
        return Comparison.of(outputs, List.of(ScorerKinds.byId("msp"), ScorerKinds.byId("wood")), tnr, Bootstrap.NONE);
    }

    @Test
    void namesCanNeitherEndTheDataNorBecomeMarkup() {
        String page = report(false).html();
        assertThat(page).contains("Network &lt;script&gt; (accuracy", "\\u003cscript\\u003e", "clothes \\u0026 shoes");
        assertThat(page.split("<script", -1)).hasSize(3);
    }

    @Test
    void choosingOnTestSamplesIsSaid() {
        String warning = "<p class=\"warning\">These figures mean little";
        assertThat(report(true).html()).contains(warning);
        assertThat(report(false).html()).doesNotContain(warning);
    }

    @Test
    void theHeadlineTellsWhatIsCaught() {
        assertThat(report(false).headline())
                .contains("at most 10% false alarms", "of the OOD samples seen in training and", "of the unseen ones");
    }

    @Test
    void whatIsPromisedIsNotRounded() {
        Report report = new Report(List.of(comparison("n", true, false, 0.987654)));
        assertThat(report.headline()).contains("at most 1.2346% false alarms promised");
        assertThat(report.html()).contains("\"promised\":\"1.2346%\"");
    }

    @Test
    void tooFewSamplesForAThresholdAreSaid() {
        String note = "60 validation samples are too few for a threshold that keeps 99% of InD samples";
        assertThat(new Report(List.of(comparison("n", true, false, 0.99))).html())
                .containsOnlyOnce(note);
        assertThat(report(false).html()).doesNotContain("too few");
    }

    @Test
    void whatOneNetworkSawInTrainingIsUnseenByAnother() {
        Report report = new Report(List.of(comparison("plain", false, false), comparison("wood", true, false)));
        assertThat(report.headline())
                .containsPattern("Network plain .* of the unseen OOD samples\\. Network wood .* seen in training and");
        assertThat(report.title(0)).isEqualTo("clothes & shoes (seen by wood)");
        assertThat(report.title(1)).isEqualTo("noise (unseen)");
        assertThat(report(false).title(0)).isEqualTo("clothes & shoes (seen)");
        assertThat(report.html()).contains("\"seen\":[false,false]", "\"seen\":[true,false]");
    }

    @Test
    void theSameInputGivesTheSamePage() {
        Report report = report(false);
        assertThat(report.html()).isEqualTo(new Report(report.comparisons()).html());
    }

    @Test
    void nothingIsLoadedFromElsewhere() {
        assertThat(report(false).html())
                .doesNotContainPattern("(src|href)=\"?(https?:)?//")
                .doesNotContain("@import", "url(http");
    }

    @Test
    void networksThatMetDifferentSetsAreRefused() {
        Comparison comparison = report(false).comparisons().get(0);
        NetworkOutputs some = comparison.outputs();
        NetworkOutputs fewer = new NetworkOutputs(
                "other",
                null,
                some.setup(),
                null,
                some.validation(),
                some.test(),
                some.ood().subList(0, 1),
                false,
                List.of());
        Comparison other = Comparison.of(fewer, List.of(ScorerKinds.byId("wood")), 0.9, Bootstrap.NONE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Report(List.of(comparison, other)))
                .withMessageContaining("network other has 1 scorers on [clothes & shoes]");
    }
}
