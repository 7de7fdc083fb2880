package ai.wood.report;

import ai.wood.io.Sha256;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One HTML file with style, script and data inside. The page's own security policy lets that one script run and nothing
 * be loaded.
 *
 * @param title of the window
 * @param warnings what must be read first
 * @param verdicts paragraphs that can be read without the script
 * @param data what the script draws
 */
record Page(String title, List<String> warnings, List<String> verdicts, JsonNode data) {

    private static final Pattern PLACE = Pattern.compile("@([A-Z_]+)@");

    String html() {
        String script = resource("/ai/wood/page/chart.js") + resource("report.js");
        Map<String, String> parts = Map.of(
                "TITLE", Html.escaped(title),
                "STYLE", resource("/ai/wood/page/report.css"),
                "SCRIPT", script,
                "SCRIPT_HASH", "sha256-" + sha256(script),
                "DATA", harmless(data.toString()),
                "WARNINGS", paragraphs("warning", warnings),
                "VERDICTS", paragraphs("verdict", verdicts));
        return PLACE.matcher(resource("report.html"))
                .replaceAll(place -> Matcher.quoteReplacement(part(parts, place.group(1))));
    }

    private static String part(Map<String, String> parts, String name) {
        String part = parts.get(name);
        if (part == null) {
            throw new IllegalStateException("the page has no part " + name);
        }
        return part;
    }

    private static String paragraphs(String style, List<String> texts) {
        return texts.stream()
                .map(text -> "<p class=\"" + style + "\">" + Html.escaped(text) + "</p>")
                .collect(Collectors.joining("\n"));
    }

    /** JSON in which nothing can end the script element around it or a line of a script. */
    static String harmless(String json) {
        return json.replace("<", "\\u003c")
                .replace(">", "\\u003e")
                .replace("&", "\\u0026")
                .replace("\u2028", "\\u2028")
                .replace("\u2029", "\\u2029");
    }

    static String resource(String name) {
        try (InputStream stream = Page.class.getResourceAsStream(name)) {
            if (stream == null) {
                throw new IllegalStateException(name + " is missing from this build");
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha256(String text) {
        byte[] digest = Sha256.digest().digest(text.getBytes(StandardCharsets.UTF_8));
        return Base64.getEncoder().encodeToString(digest);
    }
}
