package ai.wood.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.wood.Browser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page in a real browser, where one is installed. With the system property {@code wood.screenshots} naming a folder,
 * images of it are left there.
 */
class TryPageTest {

    @TempDir
    Path folder;

    private static ServerOptions options() {
        return ServerOptions.DEFAULTS.withAddress("127.0.0.1", 0);
    }

    private Browser browser() throws Exception {
        Optional<Path> program = Browser.installed();
        assumeTrue(program.isPresent(), "skipped: no Chromium is installed");
        return new Browser(program.orElseThrow(), folder.resolve("profile"));
    }

    private static String address(DetectorServer server) {
        return "http://127.0.0.1:" + server.port() + "/";
    }

    private static void shoot(Browser browser, String name) throws Exception {
        String to = System.getProperty("wood.screenshots", "");
        if (!to.isEmpty()) {
            Files.write(Path.of(to, name + ".png"), browser.screenshot());
        }
    }

    private static String text(Browser browser, String selector) {
        return browser.value("document.querySelector('" + selector + "').innerText")
                .asText();
    }

    private static void narrow(Browser browser, int width) {
        assertThat(browser.value("document.documentElement.scrollWidth").asInt())
                .as("nothing sticks out at " + width + " px")
                .isLessThanOrEqualTo(width);
    }

    @Test
    void judgesWhatIsPickedClickedPastedAndDropped() throws Exception {
        Path known = Files.write(folder.resolve("known.png"), Brightness.png(20));
        Path unknown = Files.write(folder.resolve("unknown.png"), Brightness.png(75));
        Path broken = Files.write(folder.resolve("broken.png"), new byte[] {1, 2, 3});
        Path text = Files.writeString(folder.resolve("text.txt"), "no image");
        try (DetectorServer server = DetectorServer.start(List.of(new Brightness().served("light")), options());
                Browser browser = browser()) {
            browser.open(address(server), 1200, 900, false);
            browser.until("document.querySelectorAll('#samples button img').length === 9");
            assertThat(text(browser, "#intro")).contains("3 classes: dark, grey, bright");

            browser.pick("#drop input", known);
            browser.until("document.querySelector('.badge')");
            assertThat(text(browser, "#verdict")).contains("In distribution", "It says “dark”", "nearly all");
            assertThat(browser.value("document.querySelectorAll('.classes .bar').length")
                            .asInt())
                    .isEqualTo(3);
            assertThat(browser.value("document.querySelector('#histogram svg').getAttribute('aria-label')")
                            .asText())
                    .contains("300 calibration scores", "threshold", "this image");

            browser.pick("#drop input", unknown);
            browser.until("document.querySelector('.badge.ood')");
            assertThat(text(browser, "#verdict")).contains("Out of distribution", "do not believe it");
            shoot(browser, "desk-light");

            browser.pick("#drop input", broken);
            browser.until("document.querySelector('#error')?.textContent");
            assertThat(text(browser, "#error")).contains("The server says", "not image/png");
            browser.pick("#drop input", text);
            browser.until("document.querySelector('#error')?.textContent.includes('no image')");
            assertThat(browser.complaints)
                    .as("the refusal alone")
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("415");

            browser.value("document.querySelector('#samples button').focus()");
            browser.press("Enter", 13);
            browser.until("document.querySelectorAll('#history li button').length === 3");
            String transfer = "(async () => { const blob = await (await fetch('/v1/samples/5')).blob();"
                    + " const data = new DataTransfer(); data.items.add(new File([blob], 'x.png', { type: 'image/png' }));";
            browser.value(
                    transfer + "document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data })); })()");
            browser.until("document.querySelectorAll('#history li button').length === 4");
            browser.value(transfer + "document.getElementById('drop').dispatchEvent(new DragEvent('drop',"
                    + " { dataTransfer: data, bubbles: true, cancelable: true })); })()");
            browser.until("document.querySelectorAll('#history li button').length === 5");
            assertThat(text(browser, "#before")).startsWith("This visit: 5 judged");
            browser.until("document.querySelector('#live').textContent.includes('No requests in the last hour')");
            assertThat(new String(new Client(server.port()).get("/v1/drift").body(), UTF_8))
                    .as("the page does not reach the monitor")
                    .contains("\"judged\":0", "\"samples\":0");
            browser.value("document.querySelectorAll('#history li button')[4].click()");
            assertThat(text(browser, "#verdict")).contains("It says “dark”");

            narrow(browser, 1200);
            browser.look(true);
            shoot(browser, "desk-dark");
            assertThat(browser.complaints).hasSize(1);
        }
    }

    @Test
    void asksTheOneDetectorThatTakesImages() throws Exception {
        Brightness network = new Brightness();
        NamedDetector logits = network.served("logits", Brightness.CLASSES, Optional.empty());
        try (DetectorServer server = DetectorServer.start(List.of(logits, network.served("light")), options());
                Browser browser = browser()) {
            browser.open(address(server), 1200, 900, false);
            browser.until("document.querySelectorAll('#samples button img').length === 9");
            browser.value("document.querySelector('#samples button').click()");
            browser.until("document.querySelector('.badge') || document.querySelector('#error').textContent");
            assertThat(text(browser, "#error")).isEmpty();
            assertThat(browser.complaints).isEmpty();
        }
    }

    @Test
    void tellsTheClassesOfTheDetectorThatIsChosen() throws Exception {
        Brightness network = new Brightness();
        NamedDetector night = network.served("night", List.of("new", "half", "full"), Optional.of(Brightness.SHAPE));
        try (DetectorServer server = DetectorServer.start(List.of(network.served("light"), night), options());
                Browser browser = browser()) {
            browser.open(address(server), 1200, 900, false);
            browser.until("document.querySelectorAll('#samples button img').length === 9");
            assertThat(text(browser, "#intro")).contains("3 classes: dark, grey, bright.");
            browser.value("(select => { select.value = 1; select.dispatchEvent(new Event('change')); })"
                    + "(document.querySelector('#choice select'))");
            assertThat(text(browser, "#intro"))
                    .contains("trained on. It knows 3 classes: new, half, full.")
                    .doesNotContain("dark");
        }
    }

    @Test
    void fitsAPhone() throws Exception {
        Path unknown = Files.write(folder.resolve("unknown.png"), Brightness.png(75));
        try (DetectorServer server = DetectorServer.start(List.of(new Brightness().served("light")), options());
                Browser browser = browser()) {
            browser.open(address(server), 360, 740, false);
            browser.until("document.querySelectorAll('#samples button img').length === 9");
            browser.pick("#drop input", unknown);
            browser.until("document.querySelector('.badge.ood')");
            browser.until("document.querySelector('#histogram svg').viewBox.baseVal?.width > 0");
            narrow(browser, 360);
            shoot(browser, "phone-light");
            browser.look(true);
            shoot(browser, "phone-dark");
            assertThat(browser.complaints).isEmpty();
        }
    }

    @Test
    void asksForATokenWhereOneIsNeeded() throws Exception {
        Token token = Token.of("correct-horse-battery");
        try (DetectorServer server = DetectorServer.start(
                        List.of(new Brightness().served("light")), options().withToken(token));
                Browser browser = browser()) {
            browser.open(address(server), 800, 600, false);
            browser.until("document.querySelector('#token')?.hidden === false");
            String submit = "(secret => { document.querySelector('#token input').value = secret;"
                    + " document.querySelector('#token').requestSubmit(); })";
            browser.value(submit + "('wrong')");
            browser.until("document.querySelector('#error')?.textContent.includes('token')");
            browser.value(submit + "('correct-horse-battery')");
            browser.until("document.querySelectorAll('#samples button img').length === 9");
            assertThat(browser.value("document.querySelector('#token').hidden").asBoolean())
                    .isTrue();
            assertThat(text(browser, "#error")).isEmpty();
        }
    }
}
