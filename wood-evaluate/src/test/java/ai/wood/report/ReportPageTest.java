package ai.wood.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.wood.Browser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser, where one is installed: {@code report-probe.html} uses it as people do and tells what it saw. */
class ReportPageTest {

    private static final int SCORERS = 20;

    @TempDir
    Path folder;

    @Test
    void worksInABrowserOnPhoneAndDesk() throws Exception {
        Optional<Path> browser = Browser.installed();
        assumeTrue(browser.isPresent(), "skipped: no Chromium is installed");
        Report report = Synthetic.report(List.of("plain", Synthetic.HOSTILE), SCORERS, 150);
        String strict = report.html().replace("\"promised\":\"5%\"", "\"promised\":\"0.5%\"");
        Files.writeString(folder.resolve("report.html"), strict);
        JsonNode seen = probe(browser.orElseThrow());

        assertThat(seen.path("errors")).isEmpty();
        assertThat(seen.path("overflow").path("400").asInt()).isLessThanOrEqualTo(400);
        assertThat(seen.path("overflow").path("1600").asInt()).isLessThanOrEqualTo(1600);
        assertThat(seen.path("names").asInt())
                .as("names of scorers leave room for figures on a phone")
                .isLessThan(200);
        assertThat(seen.path("label").asInt())
                .as("a label stays on the line of its choice")
                .isLessThan(8);
        assertThat(seen.path("sections").toString())
                .isEqualTo("[\"scores\",\"roc\",\"results\",\"calibration\",\"examples\",\"confusion\",\"training\"]");
        assertThat(seen.path("promised").asText()).isEqualTo("at most 0.5% promised");
        assertThat(seen.path("rows").asInt()).isEqualTo(2 * SCORERS);
        assertThat(seen.path("crooked").asInt())
                .as("rows whose lines would not meet, because they end within a pixel")
                .isZero();
        assertThat(seen.path("breaks").get(5).asInt())
                .as("a heading such as patch-shuffled:mnist-small may break behind the colon")
                .isEqualTo(1);
        assertThat(seen.path("sorted").asBoolean()).isTrue();
        assertThat(seen.path("best").asInt()).isPositive();
        assertThat(seen.path("histograms").asInt()).isEqualTo(2);
        assertThat(seen.path("curves").asInt()).isEqualTo(SCORERS);
        assertThat(seen.path("zoomed").asBoolean()).isTrue();
        assertThat(seen.path("cursor").asText()).isNotEqualTo("caught at 5.0% alarms");
        assertThat(seen.path("calibrated").asText()).contains("the calibrated one");
        assertThat(seen.path("strictest").asText()).contains("TNR 100.0% on test");
        assertThat(seen.path("shares").asInt()).as("100.0% has one line").isLessThan(30);
        assertThat(seen.path("cutScores").asInt())
                .as("3.92e-8 must not look like 3.9")
                .isZero();
        assertThat(seen.path("pictures").asInt()).isEqualTo(24);
        assertThat(seen.path("brokenPictures").asInt()).isZero();
        assertThat(seen.path("confusion").asInt()).isEqualTo(10);
        assertThat(seen.path("hostile").asBoolean()).isTrue();
    }

    @Test
    void meansSayWhoseTheyAreWhereNetworksSawDifferentSets() throws Exception {
        Optional<Path> program = Browser.installed();
        assumeTrue(program.isPresent(), "skipped: no Chromium is installed");
        String page = Synthetic.report(List.of("plain", "wood"), 3, 50).html();
        try (Browser browser = new Browser(program.orElseThrow(), folder.resolve("profile"))) {
            assertThat(headings(browser, page)).contains("mean seen,", "mean unseen,");
            String parted = page.replace("\"mark\":\"seen\"", "\"mark\":\"seen by wood\"");
            assertThat(headings(browser, parted)).contains("mean seen by some,", "mean unseen by all,");
        }
    }

    @Test
    void whatOneNetworkCouldNotRunIsNotShownUnderItsName() throws Exception {
        Optional<Path> program = Browser.installed();
        assumeTrue(program.isPresent(), "skipped: no Chromium is installed");
        String page = Synthetic.report(List.of("plain", "wood"), 3, 50).html();
        String lacking = page.replaceFirst("(?s)(.*\"name\":\")msp(\")", "$1other$2"); // of the last network
        assertThat(lacking).isNotEqualTo(page);
        Path file = Files.writeString(folder.resolve("lacking.html"), lacking);
        try (Browser browser = new Browser(program.orElseThrow(), folder.resolve("profile"))) {
            browser.open(file.toUri().toString(), 1700, 1200, false);
            browser.until("document.querySelector('#confusion p')");
            browser.value("choose('scorer', 'msp')");
            assertThat(text(browser, "calibration")).startsWith("Network plain, scorer msp.Calibrated threshold");
            assertThat(text(browser, "confusion"))
                    .startsWith("Network plain, scorer msp.")
                    .contains("are accepted");
            browser.value("choose('network', 1)");
            for (String section : List.of("calibration", "confusion")) {
                assertThat(text(browser, section)).isEqualTo("Network wood, scorer msp: could not run, see below.");
            }
        }
    }

    /** What a section says below its explanation. */
    private static String text(Browser browser, String section) throws Exception {
        return browser.value("document.querySelector('#" + section + " > div').textContent")
                .asText();
    }

    private String headings(Browser browser, String page) throws Exception {
        Path file = Files.writeString(Files.createTempFile(folder, "means", ".html"), page);
        browser.open(file.toUri().toString(), 1700, 1200, false);
        browser.until("location.href === '" + file.toUri() + "' && document.querySelector('#results th')");
        return browser.value(
                        "[...document.querySelectorAll('#results th button')].map(b => b.textContent + ',').join()")
                .asText();
    }

    private JsonNode probe(Path program) throws Exception {
        Path probe = folder.resolve("report-probe.html");
        Files.copy(Path.of("src/test/resources/ai/wood/report/report-probe.html"), probe);
        try (Browser browser = new Browser(program, folder.resolve("profile"))) {
            browser.open(probe.toUri().toString(), 1700, 1200, false);
            browser.until("document.getElementById('result')?.textContent");
            assertThat(browser.complaints).isEmpty();
            return new ObjectMapper()
                    .readTree(browser.value("document.getElementById('result').textContent")
                            .asText());
        }
    }
}
