package ai.wood.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class FiguresTest {

    private static Document parsed(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void everyFigureIsWellFormedWhateverTheNames() throws Exception {
        Report report = Synthetic.report(List.of("../" + Synthetic.HOSTILE + "\u0000", "wood"), 12, 60);
        Map<String, String> figures = new Figures(report).all();
        for (Map.Entry<String, String> figure : figures.entrySet()) {
            Document document = parsed(figure.getValue());
            assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
            assertThat(document.getElementsByTagName("img").getLength()).isZero();
            assertThat(figure.getKey())
                    .matches("[A-Za-z0-9][A-Za-z0-9.-]*\\.svg")
                    .doesNotContain("..");
        }
        assertThat(figures.keySet())
                .contains(
                        "histogram-fashion-mnist-small.svg",
                        "roc-wood-gaussian-noise.svg",
                        "threshold-wood.svg",
                        "probabilities-wood.svg")
                .anyMatch(name -> name.startsWith("loss-"))
                .anyMatch(name -> name.startsWith("training-"))
                .hasSize(6 + 2 * (6 + 2) + 2);
    }

    @Test
    void figuresAreWrittenToTheirFolder(@TempDir Path folder) throws IOException {
        Report report = Synthetic.report(List.of("wood"), 2, 40);
        report.writeFigures(folder.resolve("figures"));
        assertThat(Files.readString(folder.resolve("figures/histogram-fashion-mnist-small.svg")))
                .isEqualTo(report.histogram());
    }

    @Test
    void probabilityBarsShowEveryClass() throws Exception {
        double[] probabilities = {0.5, 0.25, 0.25};
        ProbabilityBars.Panel panel =
                ProbabilityBars.Panel.of("InD", "ind", "data:,", List.of("a", "b", "c"), probabilities);
        Document document = parsed(new ProbabilityBars("title", List.of(panel)).svg());
        assertThat(document.getElementsByTagName("rect").getLength()).isEqualTo(3);
        assertThat(document.getElementsByTagName("rect")
                        .item(0)
                        .getAttributes()
                        .getNamedItem("width")
                        .getNodeValue())
                .isEqualTo("70.0");
    }
}
