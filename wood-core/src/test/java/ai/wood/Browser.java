package ai.wood;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Chromium without a window, driven as its developer tools do. */
public final class Browser implements AutoCloseable, WebSocket.Listener {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** What the page printed or threw. */
    public final List<String> complaints = Collections.synchronizedList(new ArrayList<>());

    private final Process process;
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final StringBuilder message = new StringBuilder();
    private final WebSocket socket;
    private int asked;

    public static Optional<Path> installed() {
        return Stream.of("chromium", "chromium-browser", "google-chrome")
                .flatMap(name -> Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                        .map(place -> Path.of(place, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    public Browser(Path program, Path profile) throws Exception {
        process = new ProcessBuilder(
                        program.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-background-networking",
                        "--allow-file-access-from-files",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Path port = profile.resolve("DevToolsActivePort");
        for (int tries = 0; tries < 600 && !(Files.exists(port) && Files.size(port) > 0); tries++) {
            Thread.sleep(100);
        }
        HttpClient http = HttpClient.newHttpClient();
        URI list = URI.create("http://127.0.0.1:" + Files.readAllLines(port).get(0) + "/json/list");
        String targets = http.send(java.net.http.HttpRequest.newBuilder(list).build(), BodyHandlers.ofString())
                .body();
        URI page = Stream.iterate(0, i -> i + 1)
                .map(i -> parse(targets).path(i))
                .filter(target -> target.path("type").asText().equals("page"))
                .map(target -> URI.create(target.path("webSocketDebuggerUrl").asText()))
                .findFirst()
                .orElseThrow();
        socket = http.newWebSocketBuilder().buildAsync(page, this).join();
        for (String domain : List.of("Page", "Runtime", "Log", "DOM")) {
            tell(domain + ".enable", Map.of());
        }
    }

    private static JsonNode parse(String text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            throw new IllegalStateException(text, e);
        }
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        message.append(data);
        if (last) {
            JsonNode json = parse(message.toString());
            message.setLength(0);
            if (json.has("id")) {
                CompletableFuture<JsonNode> answer =
                        answers.remove(json.path("id").asInt());
                if (answer != null) {
                    answer.complete(json);
                }
            } else if (List.of("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
                    .contains(json.path("method").asText())) {
                complaints.add(json.path("params").toString());
            }
        }
        from.request(1);
        return CompletableFuture.completedFuture(null);
    }

    public JsonNode tell(String method, Map<String, ?> parameters) {
        int id = ++asked;
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        ObjectNode json = JSON.createObjectNode().put("id", id).put("method", method);
        json.set("params", JSON.valueToTree(parameters));
        socket.sendText(json.toString(), true).join();
        JsonNode result = answer.orTimeout(60, TimeUnit.SECONDS).join();
        if (result.has("error")) {
            throw new IllegalStateException(method + ": " + result);
        }
        return result.path("result");
    }

    /** The value of an expression on the page, awaited where it is promised. */
    public JsonNode value(String expression) {
        JsonNode result =
                tell("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true, "awaitPromise", true));
        if (result.has("exceptionDetails")) {
            throw new IllegalStateException(expression + ": " + result);
        }
        return result.path("result").path("value");
    }

    public void until(String condition) throws InterruptedException {
        for (int tries = 0; tries < 300; tries++) {
            if (value("Boolean(" + condition + ")").asBoolean()) {
                return;
            }
            Thread.sleep(50);
        }
        throw new IllegalStateException("it never came to " + condition + "; the page says "
                + value("document.body.innerText").asText() + complaints);
    }

    public void open(String address, int width, int height, boolean dark) {
        tell(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
        look(dark);
        tell("Page.navigate", Map.of("url", address));
    }

    public void look(boolean dark) {
        tell(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    public void pick(String selector, Path file) {
        int root = tell("DOM.getDocument", Map.of()).path("root").path("nodeId").asInt();
        int node = tell("DOM.querySelector", Map.of("nodeId", root, "selector", selector))
                .path("nodeId")
                .asInt();
        tell("DOM.setFileInputFiles", Map.of("nodeId", node, "files", List.of(file.toString())));
    }

    public void press(String key, int code) {
        for (String type : List.of("keyDown", "keyUp")) {
            tell(
                    "Input.dispatchKeyEvent",
                    Map.of(
                            "type",
                            type,
                            "key",
                            key,
                            "code",
                            key,
                            "windowsVirtualKeyCode",
                            code,
                            "text",
                            key.equals("Enter") ? "\r" : ""));
        }
    }

    public byte[] screenshot() {
        JsonNode shot = tell("Page.captureScreenshot", Map.of("format", "png", "captureBeyondViewport", true));
        return Base64.getDecoder().decode(shot.path("data").asText());
    }

    @Override
    public void close() {
        socket.abort();
        List<ProcessHandle> all = Stream.concat(Stream.of(process.toHandle()), process.descendants())
                .toList();
        process.destroy();
        for (ProcessHandle each : all) { // all of them write to the profile
            each.onExit().completeOnTimeout(each, 10, TimeUnit.SECONDS).join().destroyForcibly();
        }
    }
}
