package ai.wood.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.Scorer;
import ai.wood.Verdict;
import ai.wood.data.Image;
import ai.wood.score.ScorerKinds;
import ai.wood.server.ServerOptions.Batching;
import ai.wood.server.ServerOptions.Limits;
import com.fasterxml.jackson.databind.JsonNode;
import io.javalin.Javalin;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.eclipse.jetty.server.ServerConnector;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The server over real HTTP, with a classifier in plain Java. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class DetectorServerTest {

    private static final ServerOptions OPTIONS = ServerOptions.DEFAULTS.withAddress("127.0.0.1", 0);

    private static final int WORKERS = Runtime.getRuntime().availableProcessors();

    private final Brightness network = new Brightness();
    private @Nullable DetectorServer server;

    private Client start(ServerOptions options, String... names) throws IOException {
        List<NamedDetector> detectors = new ArrayList<>();
        for (String name : names.length == 0 ? new String[] {"light"} : names) {
            detectors.add(network.served(name));
        }
        server = DetectorServer.start(detectors, options);
        return new Client(server.port());
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static JsonNode ok(HttpResponse<byte[]> response) {
        assertThat(response.statusCode()).as(new String(response.body(), UTF_8)).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type")).contains("application/json");
        return Client.json(response);
    }

    private static JsonNode problem(HttpResponse<byte[]> response, int status) {
        String body = new String(response.body(), UTF_8);
        assertThat(response.statusCode()).as(body).isEqualTo(status);
        assertThat(response.headers().firstValue("content-type")).contains("application/problem+json");
        JsonNode json = Client.json(response);
        assertThat(json.path("status").asInt()).isEqualTo(status);
        assertThat(json.path("title").asText()).isNotEmpty();
        assertThat(json.path("detail").asText()).isNotEmpty();
        assertThat(body).doesNotContainIgnoringCase("exception", "jetty", "javalin", "ai.wood", "/home", ".java");
        return json;
    }

    @Test
    void holdsAsManyNewConnectionsAsThereMayBeInAll() {
        Javalin javalin = Javalin.create(config -> Hardening.apply(config, Duration.ofSeconds(1)));
        try {
            ServerConnector connector = (ServerConnector)
                    javalin.start("127.0.0.1", 0).jettyServer().server().getConnectors()[0];
            assertThat(connector.getAcceptQueueSize()).isEqualTo(1024);
        } finally {
            javalin.stop();
        }
    }

    @Test
    void anAddressWithColonsStandsInBrackets() throws IOException {
        boolean known = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .anyMatch(address -> address instanceof Inet6Address && address.isLoopbackAddress());
        assumeTrue(known, "skipped: there is no IPv6");
        start(OPTIONS.withAddress("::1", 0));
        assertThat(Objects.requireNonNull(server).address()).isEqualTo("http://[::1]:" + server.port() + "/");
    }

    @Test
    void judgesAnImageHoweverItIsSent() throws Exception {
        Client client = start(OPTIONS);
        byte[] png = Brightness.png(20);
        JsonNode direct = ok(client.post("/v1/judge", "image/png", png));
        JsonNode base64 = ok(
                client.post("/v1/judge", "{\"image\": \"" + Base64.getEncoder().encodeToString(png) + "\"}"));
        ByteArrayOutputStream form = new ByteArrayOutputStream();
        form.write(
                "--xyz\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.png\"\r\n\r\n".getBytes(ISO_8859_1));
        form.write(png);
        form.write("\r\n--xyz--\r\n".getBytes(ISO_8859_1));
        JsonNode part = ok(client.post("/v1/judge", "multipart/form-data; boundary=xyz", form.toByteArray()));
        assertThat(base64).isEqualTo(direct);
        assertThat(part).isEqualTo(direct);

        Image image = Brightness.image(20, new SplittableRandom(20));
        Verdict verdict = network.served("x")
                .images()
                .orElseThrow()
                .detect(List.of(image))
                .get(0);
        assertThat(direct.path("label").asText()).isEqualTo("dark");
        assertThat(direct.path("probability").asDouble()).isEqualTo(verdict.probability());
        assertThat(direct.path("score").asDouble()).isEqualTo(verdict.score());
        assertThat(direct.path("pValue").asDouble()).isEqualTo(verdict.pValue());
        assertThat(direct.path("ood").asBoolean()).isFalse();
        assertThat(direct.path("threshold").asDouble()).isGreaterThan(verdict.score());
        assertThat(direct.path("top").size()).isEqualTo(3);
        assertThat(direct.path("top").path(0).path("label").asText()).isEqualTo("dark");
        JsonNode between = ok(client.post("/v1/judge", "image/png", Brightness.png(75)));
        assertThat(between.path("ood").asBoolean()).isTrue();
        assertThat(between.path("reason").asText()).contains("above the threshold", "about 1 in 301");
    }

    @Test
    void whatIsNoNumberHasAReasonOfItsOwn() throws Exception {
        Client client = start(OPTIONS);
        network.broken = true;
        JsonNode json = ok(client.post("/v1/judge", "image/png", Brightness.png(20)));
        assertThat(json.path("ood").asBoolean()).isTrue();
        assertThat(json.path("reason").asText())
                .isEqualTo("The classifier's outputs contain NaN or Infinity, or the score is NaN.");
    }

    @Test
    void aServerThatCannotStartLeavesNoThread() {
        Brightness second = new Brightness();
        List<NamedDetector> detectors = List.of(network.served("first-of-two"), second.served("second-of-two"));
        second.failing = true;
        assertThatThrownBy(() -> DetectorServer.start(detectors, OPTIONS)).hasMessageContaining("out of order");
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.contains("of-two"));
    }

    @Test
    void anImageThatCostsTooMuchIsToldTheRule() throws Exception {
        Client client = start(OPTIONS);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        ImageIO.write(new BufferedImage(16, 16, BufferedImage.TYPE_INT_RGB), "jpg", written);
        String jpeg = written.toString(ISO_8859_1);
        int scan = jpeg.indexOf("\u00ff\u00da");
        String bomb = jpeg.substring(0, scan)
                + jpeg.substring(scan, jpeg.length() - 2).repeat(101);
        assertThat(problem(client.post("/v1/judge", "image/jpeg", bomb.getBytes(ISO_8859_1)), 413)
                        .path("detail")
                        .asText())
                .isEqualTo("the image: a JPEG may have at most 100 scans but this one has more");
    }

    @Test
    void findsTheDetectorByName() throws Exception {
        Client client = start(OPTIONS, "one", "two");
        byte[] png = Brightness.png(20);
        assertThat(ok(client.post("/v1/judge?detector=two", "image/png", png))
                        .path("detector")
                        .asText())
                .isEqualTo("two");
        for (String type :
                List.of("image/png; charset=x", "image/png; charset=utf-16", "image/png;a=b", "IMAGE/PNG ;q=1")) {
            assertThat(ok(client.post("/v1/judge?detector=%74wo", type, png))
                            .path("detector")
                            .asText())
                    .as(type)
                    .isEqualTo("two");
        }
        byte[] logits = "{\"logits\": [[9, 0, 0]]}".getBytes(UTF_8);
        ok(client.post("/v1/judge-logits?detector=two", "application/json; charset=x", logits));
        problem(client.post("/v2/models/two/infer", "application/json; charset=x", logits), 400);
        problem(client.post("/v1/judge?detector=%ff", "image/png", png), 400);
        problem(client.post("/v1/judge", "image/png", png), 400);
        problem(client.post("/v1/judge?detector=three", "image/png", png), 404);
        problem(client.get("/v2/models/three"), 404);
    }

    private static String infer(String type, String shape, String data) {
        return "{\"id\":\"7\",\"inputs\":[{\"name\":\"image\",\"shape\":" + shape + ",\"datatype\":\"" + type
                + "\",\"data\":" + data + "}]}";
    }

    private static String numbers(int count, String value) {
        return IntStream.range(0, count).mapToObj(i -> value).collect(Collectors.joining(",", "[", "]"));
    }

    private static JsonNode output(JsonNode answer, String name) {
        for (JsonNode output : answer.path("outputs")) {
            if (output.path("name").asText().equals(name)) {
                return output;
            }
        }
        throw new AssertionError(name + " is not in " + answer);
    }

    @Test
    void speaksTheOpenInferenceProtocol() throws Exception {
        Client client = start(OPTIONS);
        assertThat(ok(client.get("/v2/health/live")).path("live").asBoolean()).isTrue();
        assertThat(ok(client.get("/v2/health/ready")).path("ready").asBoolean()).isTrue();
        assertThat(ok(client.get("/v2")).path("name").asText()).isEqualTo("wood");
        assertThat(ok(client.get("/v2/models/light/ready")).path("ready").asBoolean())
                .isTrue();
        JsonNode metadata = ok(client.get("/v2/models/light"));
        assertThat(metadata.path("inputs").path(0).path("shape").toString()).isEqualTo("[-1,1,8,8]");

        JsonNode bytes = ok(client.post("/v2/models/light/infer", infer("UINT8", "[2,1,8,8]", numbers(128, "235"))));
        assertThat(bytes.path("id").asText()).isEqualTo("7");
        assertThat(bytes.path("model_name").asText()).isEqualTo("light");
        assertThat(output(bytes, "label").path("data").toString()).isEqualTo("[\"bright\",\"bright\"]");
        assertThat(output(bytes, "probabilities").path("shape").toString()).isEqualTo("[2,3]");
        assertThat(output(bytes, "probabilities").path("data").size()).isEqualTo(6);
        assertThat(output(bytes, "ood").path("data").path(0).isBoolean()).isTrue();
        assertThat(output(bytes, "p_value").path("data").path(0).asDouble()).isBetween(0.0, 1.0);
        String nested = "[[["
                + IntStream.range(0, 8).mapToObj(i -> numbers(8, "1.0431373")).collect(Collectors.joining(",")) + "]]]";
        JsonNode floats = ok(client.post("/v2/models/light/infer", infer("FP32", "[1,1,8,8]", nested)));
        assertThat(output(floats, "score").path("data").path(0).asDouble())
                .as("(235 / 255 - 0.4) / 0.5")
                .isCloseTo(output(bytes, "score").path("data").path(0).asDouble(), within(1e-6));
    }

    @Test
    void floatsReachTheNetworkUnchanged() throws Exception {
        Client client = start(OPTIONS);
        for (String value : List.of("-0.5123456", "0.1234567", "3.25")) {
            float[] floats = new float[64];
            Arrays.fill(floats, Float.parseFloat(value));
            Verdict verdict = network.served("x")
                    .images()
                    .orElseThrow()
                    .detect(List.of(Image.normalised(Brightness.SHAPE, floats, 0)))
                    .get(0);
            JsonNode answer = ok(client.post("/v2/models/light/infer", infer("FP32", "[1,1,8,8]", numbers(64, value))));
            assertThat(output(answer, "score").path("data").path(0).asDouble()).isEqualTo(verdict.score());
        }
    }

    @Test
    void theMetadataSayWhatFloatsMeanAndPromiseNoBinaryAnswers() throws Exception {
        Client client = start(OPTIONS);
        JsonNode input = ok(client.get("/v2/models/light")).path("inputs").path(0);
        assertThat(input.path("parameters").path("FP32").asText()).startsWith("(pixel / 255 - mean) / deviation");
        assertThat(input.path("parameters").path("mean").toString()).isEqualTo("[0.4]");
        assertThat(input.path("parameters").path("deviation").toString()).isEqualTo("[0.5]");
        JsonNode server = ok(client.get("/v2"));
        assertThat(server.path("extensions")).isEmpty();
        assertThat(server.path("version").asText())
                .as("that of the program, outside a jar")
                .isEqualTo("development");
    }

    @Test
    void readsRawTensorsAndReturnsTheOutputsAskedFor() throws Exception {
        Client client = start(OPTIONS);
        String header = "{\"inputs\":[{\"name\":\"image\",\"shape\":[1,1,8,8],\"datatype\":\"FP32\","
                + "\"parameters\":{\"binary_data_size\":256}}],\"outputs\":[{\"name\":\"label\"}]}";
        ByteBuffer body = ByteBuffer.allocate(header.length() + 256).order(ByteOrder.LITTLE_ENDIAN);
        body.put(header.getBytes(UTF_8));
        IntStream.range(0, 64).forEach(i -> body.putFloat(0.2f));
        JsonNode answer = ok(client.post(
                "/v2/models/light/infer",
                "application/octet-stream",
                body.array(),
                "Inference-Header-Content-Length",
                String.valueOf(header.length())));
        assertThat(answer.path("outputs").size()).isOne();
        assertThat(output(answer, "label").path("data").path(0).asText()).isEqualTo("grey");
    }

    @Test
    void membersThatAreNullAreAsGoodAsNone() throws Exception {
        Client client = start(OPTIONS);
        String request =
                "{\"id\":null,\"outputs\":null,\"parameters\":null,\"inputs\":[{\"name\":\"image\",\"shape\":[1,1,8,8],"
                        + "\"datatype\":\"UINT8\",\"parameters\":null,\"data\":" + numbers(64, "235") + "}]}";
        JsonNode answer = ok(client.post("/v2/models/light/infer", request));
        assertThat(answer.has("id")).isFalse();
        assertThat(answer.path("outputs").size()).isEqualTo(5);
        assertThat(output(answer, "label").path("data").path(0).asText()).isEqualTo("bright");
    }

    @Test
    void aBatchMayHaveMoreValuesThanAnArray() throws Exception {
        int images = 1 << 26; // of 64 values each
        Client client = start(OPTIONS.withBatch(new Batching(images, Duration.ZERO, images, Duration.ofSeconds(20))));
        ok(client.post("/v2/models/light/infer", infer("UINT8", "[1,1,8,8]", numbers(64, "235"))));
        assertThat(problem(client.post("/v2/models/light/infer", infer("UINT8", "[" + images + ",1,8,8]", "[]")), 400)
                        .path("detail")
                        .asText())
                .isEqualTo("the data must have as many values as the shape says, 4294967296");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "null",
                "{}",
                "{\"inputs\":[]}",
                "{\"inputs\":[{\"name\":\"image\"},{\"name\":\"image\"}]}",
                "{\"outputs\":[{\"name\":\"x\"}]}",
                "{\"inputs\":[{}]}",
                "{\"inputs\":3}",
                "{\"inputs\":[{\"name\":\"image\",\"shape\":[1,1,8,8],\"datatype\":\"INT64\",\"data\":[1]}]}",
                "{\"inputs\":[{\"name\":\"image\",\"shape\":[1,1,8,8],\"datatype\":\"UINT8\",\"data\":[1]}]}",
                "{\"inputs\":[{\"name\":\"image\",\"shape\":[1,3,8,8],\"datatype\":\"UINT8\",\"data\":[1]}]}",
                "{\"inputs\":[{\"name\":\"image\",\"shape\":[1e9,1,8,8],\"datatype\":\"UINT8\",\"data\":[1]}]}",
                "{\"inputs\":null}",
                "{\"inputs\":[null]}",
                "{\"inputs\":[{\"name\":\"image\",\"shape\":null,\"datatype\":\"UINT8\",\"data\":[1]}]}",
                "{\"inputs\":[{\"name\":\"image\",\"shape\":[0,1,8,8],\"datatype\":\"UINT8\",\"data\":[]}]}",
                "{\"inputs\":[{\"name\":\"image\",\"shape\":[1,1,8,8],\"datatype\":\"UINT8\",\"data\":[\"a\"]}]}",
                "{\"inputs\":[{\"name\":\"image\",\"shape\":[1,1,8,8],\"datatype\":\"UINT8\",\"data\":[",
                "{\"inputs\":[{\"name\":\"image\",\"shape\":[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]}]}",
                "{\"inputs\":[{\"name\":\"image\",\"shape\":[1,1,8,8],\"datatype\":\"UINT8\",\"parameters\":{\"binary_data_size\":64}}]}",
            })
    void refusesRequestsThatAreNone(String request) throws Exception {
        Client client = start(OPTIONS);
        JsonNode json = problem(client.post("/v2/models/light/infer", request), 400);
        assertThat(json.path("error").asText()).isNotEmpty();
        problem(client.post("/v1/judge-logits", request), 400);
        problem(client.post("/v1/judge", request), 400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[1.5,1,8,8]", "[1,1.5,8,8]", "[1,1,8,8.25]", "[-1,1,8,8]", "[1,1,8,8,1]"})
    void refusesShapesThatAreNone(String shape) throws Exception {
        Client client = start(OPTIONS);
        assertThat(problem(client.post("/v2/models/light/infer", infer("UINT8", shape, numbers(64, "20"))), 400)
                        .path("detail")
                        .asText())
                .isEqualTo("the shape must be [N, 1, 8, 8] with N from 1 to 80");
    }

    @ParameterizedTest
    @CsvSource({"UINT8,256", "UINT8,-1", "UINT8,0.5", "FP32,1e39", "FP32,1e400"})
    void refusesValuesThatAreNoPixels(String type, String value) throws Exception {
        Client client = start(OPTIONS);
        problem(client.post("/v2/models/light/infer", infer(type, "[1,1,8,8]", numbers(64, value))), 400);
    }

    @Test
    void judgesLogitsWithoutANetwork() throws Exception {
        Client client = start(OPTIONS);
        JsonNode answer = ok(client.post("/v1/detect", "{\"logits\": [[30, 0, 0], [1, 1, 1]]}"));
        assertThat(answer.path("verdicts").path(0).path("label").asText()).isEqualTo("dark");
        assertThat(answer.path("verdicts").path(0).path("ood").asBoolean()).isFalse();
        assertThat(answer.path("verdicts").path(1).path("ood").asBoolean()).isTrue();
        assertThat(answer.path("verdicts").path(1).path("score").asDouble()).isCloseTo(2.0 / 3, within(1e-12));
        assertThat(network.passes).as("the one that warms up").hasValue(1);
        for (String wrong :
                List.of("[]", "[[]]", "[[1,2]]", "[[1,2,3],[1,2,3,4]]", "[[1,2,\"x\"]]", "[1,2,3]", "[[1,2,[3]]]")) {
            problem(client.post("/v1/detect", "{\"logits\": " + wrong + "}"), 400);
        }
        problem(client.post("/v1/judge-logits", "text/plain", new byte[0]), 415);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NaN", "\"NaN\"", "null", "Infinity", "\"Infinity\"", "1e999"})
    void aRowWithoutAPredictionIsOodAndHasNoScore(String logit) throws Exception {
        Client client = start(OPTIONS);
        JsonNode verdicts = ok(client.post("/v1/detect", "{\"logits\": [[" + logit + ", 0, 0], [30, 0, 0]]}"))
                .path("verdicts");
        JsonNode verdict = verdicts.path(0);
        assertThat(verdict.path("ood").asBoolean()).isTrue();
        assertThat(verdict.path("score").isNull()).isTrue();
        assertThat(verdict.path("pValue").asDouble()).as("the smallest").isEqualTo(1.0 / 301);
        assertThat(verdicts.path(1).path("ood").asBoolean()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Infinity", "\"-Infinity\"", "-1e999"})
    void aLogitOfMinusInfinityIsAClassWithoutMass(String logit) throws Exception {
        Client client = start(OPTIONS);
        JsonNode verdict = ok(client.post("/v1/detect", "{\"logits\": [[30, 0, " + logit + "]]}"))
                .path("verdicts")
                .path(0);
        assertThat(verdict.path("ood").asBoolean()).isFalse();
        assertThat(verdict.path("score").isNumber()).isTrue();
        assertThat(verdict.path("top").path(2).path("probability").asDouble()).isZero();
    }

    @Test
    void detectsOnProbabilities() throws Exception {
        Client client = start(OPTIONS);
        JsonNode verdicts = ok(client.post(
                        "/v1/detect", "{\"probabilities\": [[1, 0, 0], [0.5, 0.25, 0.25]], \"features\": [[1], [2]]}"))
                .path("verdicts");
        assertThat(verdicts.path(0).path("ood").asBoolean()).isFalse();
        assertThat(verdicts.path(1).path("ood").asBoolean()).isTrue();
        assertThat(verdicts.path(1).path("score").asDouble()).isEqualTo(0.625);
        for (String wrong : List.of(
                "{\"probabilities\": [[0.5, 0.6, 0.1]]}",
                "{\"probabilities\": [[1, 0, null]]}",
                "{\"probabilities\": [[1, 0, 0]], \"logits\": [[1, 0, 0]]}",
                "{\"logits\": [[1, 0, 0]], \"features\": [[1], [2]]}",
                "{\"logits\": [[1, 0, 0]], \"features\": [[NaN]]}",
                "{\"logits\": [[1, 0, 0]], \"layers\": {\"a\": [[Infinity]]}}",
                "{\"layers\": {\"a\": [[1]]}}",
                "{\"logit\": [[1, 0, 0]]}")) {
            problem(client.post("/v1/detect", wrong), 400);
        }
    }

    @Test
    void detectsOnFeaturesAloneWhereTheScorerNeedsNothingElse() throws Exception {
        SplittableRandom random = new SplittableRandom(3);
        double[][] training = new double[200][];
        double[][] heldOut = new double[200][];
        for (int i = 0; i < 200; i++) {
            training[i] = new double[] {1 + random.nextDouble(), random.nextDouble()};
            heldOut[i] = new double[] {1 + random.nextDouble(), random.nextDouble()};
        }
        Detector detector = Detector.of(ScorerKinds.knn())
                .fit(Outputs.ofFeatures(Matrix.of(training)))
                .calibrate(Outputs.ofFeatures(Matrix.of(heldOut)));
        server = DetectorServer.start(List.of(new NamedDetector("rows", detector, Optional.empty())), OPTIONS);
        Client client = new Client(server.port());
        JsonNode verdicts = ok(client.post("/v1/detect", "{\"features\": [[1.5, 0.5], [-9, 9]]}"))
                .path("verdicts");
        assertThat(verdicts.path(0).path("ood").asBoolean()).isFalse();
        assertThat(verdicts.path(1).path("ood").asBoolean()).isTrue();
        assertThat(verdicts.path(0).path("label").isNull()).isTrue();
        assertThat(verdicts.path(0).path("probability").isNull()).isTrue();
        assertThat(verdicts.path(0).path("top")).isEmpty();
        assertThat(new String(client.get("/metrics").body(), UTF_8))
                .contains("wood_verdicts_total{detector=\"rows\",label=\"any\",verdict=\"ood\"} 1.0");
        ok(client.get("/v1/detectors"));
        assertThat(ok(client.post("/v1/detect", "{\"features\": [[1.5, 0.5]], \"logits\": [[1, 9]]}"))
                        .path("verdicts")
                        .path(0))
                .isEqualTo(verdicts.path(0));
        problem(client.post("/v1/detect", "{\"features\": [[1]]}"), 400);
        JsonNode missing = problem(client.post("/v1/detect", "{\"logits\": [[1, 0, 0]]}"), 422);
        assertThat(missing.path("detail").asText()).contains("features");
    }

    @Test
    void aBusyServerRefusesAndSaysWhenToComeBack() throws Exception {
        Batching batching = new Batching(2, Duration.ofMillis(1), 4, Duration.ofSeconds(20));
        Client client = start(OPTIONS.withBatch(batching));
        network.gate = new CountDownLatch(1);
        List<CompletableFuture<HttpResponse<byte[]>>> all = IntStream.range(0, 12)
                .mapToObj(i -> client.postLater("/v1/judge", "image/png", Brightness.png(20)))
                .toList();
        while (all.stream().filter(CompletableFuture::isDone).count() < 8) {
            Thread.sleep(10);
        }
        HttpResponse<byte[]> refused = all.stream()
                .filter(CompletableFuture::isDone)
                .findFirst()
                .orElseThrow()
                .join();
        assertThat(problem(refused, 429).path("detail").asText()).startsWith("there are too many images in the queue");
        assertThat(Integer.parseInt(refused.headers().firstValue("retry-after").orElseThrow()))
                .isPositive();
        network.gate.countDown();
        List<Integer> codes = all.stream().map(each -> each.join().statusCode()).toList();
        assertThat(codes).containsOnly(200, 429);
        assertThat(codes.stream().filter(code -> code == 200)).hasSize(4);
        ok(client.post("/v1/judge", "image/png", Brightness.png(20)));
    }

    @Test
    void gathersRequestsIntoBatches() throws Exception {
        Batching batching = new Batching(8, Duration.ofMillis(5), 64, Duration.ofSeconds(20));
        Client client = start(OPTIONS.withBatch(batching));
        network.gate = new CountDownLatch(1);
        List<CompletableFuture<HttpResponse<byte[]>>> all = IntStream.range(0, 40)
                .mapToObj(i -> client.postLater("/v1/judge", "image/png", Brightness.png(i % 2 == 0 ? 20 : 235)))
                .toList();
        while (!metric(client, "wood_queue_images{detector=\"light\"}").equals("40.0")) {
            Thread.sleep(20);
        }
        network.gate.countDown();
        for (int i = 0; i < all.size(); i++) {
            assertThat(ok(all.get(i).join()).path("label").asText()).isEqualTo(i % 2 == 0 ? "dark" : "bright");
        }
        assertThat(network.largest).hasValue(8);
        assertThat(network.passes.get()).isBetween(6, 11);
    }

    private static String metric(Client client, String name) throws Exception {
        return new String(client.get("/metrics").body(), UTF_8)
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElse("");
    }

    @Test
    void aDeadlineThatPassesIsTold() throws Exception {
        Batching batching = new Batching(2, Duration.ofMillis(1), 64, Duration.ofSeconds(1));
        Client client = start(OPTIONS.withBatch(batching));
        network.gate = new CountDownLatch(1);
        List<CompletableFuture<HttpResponse<byte[]>>> all = IntStream.range(0, 20)
                .mapToObj(i -> client.postLater("/v1/judge", "image/png", Brightness.png(20)))
                .toList();
        all.forEach(each -> problem(each.join(), 504));
        network.gate.countDown();
        ok(client.post("/v1/judge", "image/png", Brightness.png(20)));
        assertThat(network.passes.get())
                .as("late images leave the queue unjudged")
                .isLessThanOrEqualTo(5);
    }

    @Test
    @Timeout(60)
    void aDeadlineThatPassesBeforeARequestIsWorkedOnIsTold() throws Exception {
        BusyServer busy = new BusyServer(Duration.ofSeconds(1));
        List<CompletableFuture<HttpResponse<byte[]>>> all = busy.occupyWorkers();
        CompletableFuture<HttpResponse<byte[]>> late = busy.judgeLater();
        try {
            problem(late.get(20, TimeUnit.SECONDS), 504);
            all.forEach(each -> problem(each.join(), 504));
        } finally {
            busy.gate.countDown();
        }
        ok(busy.judgeLater().join());
        assertThat(network.passes.get()).as("late images are not judged").isEqualTo(2);
    }

    /** Else a server that gets more than it can do begins everything shortly before it is late, and answers nothing. */
    @Test
    @Timeout(60)
    void whatHasWaitedForHalfOfItsDeadlineIsNotBegun() throws Exception {
        BusyServer busy = new BusyServer(Duration.ofSeconds(4));
        List<CompletableFuture<HttpResponse<byte[]>>> all = busy.occupyWorkers();
        CompletableFuture<HttpResponse<byte[]>> late = busy.judgeLater();
        Thread.sleep(3000);
        busy.gate.countDown();
        problem(late.get(20, TimeUnit.SECONDS), 504);
        all.forEach(CompletableFuture::join);
        ok(busy.judgeLater().join());
        assertThat(network.passes.get()).as("late images are not judged").isEqualTo(2);
    }

    /** The time that a request waits for its image to be decoded counts in the queue of images too. */
    @Test
    @Timeout(60)
    void whatWasAnsweredThatItIsLateIsNotJudged() throws Exception {
        BusyServer busy = new BusyServer(Duration.ofSeconds(4));
        network.gate = new CountDownLatch(1);
        CompletableFuture<HttpResponse<byte[]>> first = busy.judgeLaterInTheQueue();
        Thread.sleep(100); // until the first is a batch of its own
        busy.occupyWorkers();
        CompletableFuture<HttpResponse<byte[]>> second = busy.judgeLater();
        Thread.sleep(1000);
        busy.gate.countDown();
        problem(first.get(20, TimeUnit.SECONDS), 504);
        problem(second.get(20, TimeUnit.SECONDS), 504);
        network.gate.countDown();
        ok(busy.judgeLater().join());
        assertThat(network.passes.get())
                .as("warming up, the first and the last")
                .isEqualTo(3);
    }

    /** What is judged must not wait behind bodies that nobody has looked at yet: both would be late. */
    @Test
    @Timeout(60)
    void aVerdictThatIsReadyIsSentWhileOthersAreWorkedOn() throws Exception {
        BusyServer busy = new BusyServer(Duration.ofSeconds(20));
        network.gate = new CountDownLatch(1);
        CompletableFuture<HttpResponse<byte[]>> judged = busy.judgeLaterInTheQueue();
        List<CompletableFuture<HttpResponse<byte[]>>> all = busy.occupyWorkers();
        network.gate.countDown();
        try {
            ok(judged.get(30, TimeUnit.SECONDS));
        } finally {
            busy.gate.countDown();
        }
        all.forEach(each -> ok(each.join()));
    }

    @Test
    @Timeout(60)
    void bodiesThatAreTooManyTogetherAreRefusedForThatReason() throws Exception {
        Limits limits = new Limits(1000, 1 << 20, Duration.ofSeconds(10), Duration.ofSeconds(20), 1000);
        BusyServer busy = new BusyServer(Duration.ofSeconds(20), limits);
        List<CompletableFuture<HttpResponse<byte[]>>> all = busy.occupyWorkers();
        try {
            String logits = "{\"logits\": [[0, 0, 9]]}" + " ".repeat(970);
            HttpResponse<byte[]> refused = busy.client.post("/v1/judge-logits?detector=light", logits);
            assertThat(problem(refused, 429).path("detail").asText())
                    .isEqualTo(
                            "all requests, and answers not read yet, may have 1000 bytes together; try again in 1 s");
        } finally {
            busy.gate.countDown();
        }
        all.forEach(each -> ok(each.join()));
    }

    /** A server all of whose workers can be kept busy, by logits for its second detector, until a gate opens. */
    private final class BusyServer {

        private final CountDownLatch begun = new CountDownLatch(WORKERS);
        private final CountDownLatch gate = new CountDownLatch(1);
        private final Client client;

        BusyServer(Duration deadline) throws Exception {
            this(deadline, Limits.DEFAULTS);
        }

        BusyServer(Duration deadline, Limits limits) throws Exception {
            NamedDetector light = network.served("light");
            Batching batching = new Batching(2, Duration.ofMillis(1), 64, deadline);
            server = DetectorServer.start(
                    List.of(light, slow(light)), OPTIONS.withBatch(batching).withLimits(limits));
            client = new Client(server.port());
        }

        private NamedDetector slow(NamedDetector light) {
            Detector own = light.detector();
            Scorer stuck = outputs -> {
                begun.countDown();
                await(gate);
                return own.scorer().score(outputs);
            };
            Detector slow = new Detector(new Detector.Parts(
                    own.kind(),
                    own.settings(),
                    stuck,
                    own.policy(),
                    own.thresholds(),
                    own.scores(),
                    own.labels(),
                    own.classes(),
                    own.data(),
                    null));
            return new NamedDetector("slow", slow, Optional.empty());
        }

        List<CompletableFuture<HttpResponse<byte[]>>> occupyWorkers() throws InterruptedException {
            byte[] logits = "{\"logits\": [[0, 0, 9]]}".getBytes(UTF_8);
            List<CompletableFuture<HttpResponse<byte[]>>> all = IntStream.range(0, WORKERS)
                    .mapToObj(i -> client.postLater("/v1/judge-logits?detector=slow", "application/json", logits))
                    .toList();
            begun.await();
            return all;
        }

        CompletableFuture<HttpResponse<byte[]>> judgeLater() {
            return client.postLater("/v1/judge?detector=light", "image/png", Brightness.png(20));
        }

        /** The same, and waits until the image is in the queue. */
        CompletableFuture<HttpResponse<byte[]>> judgeLaterInTheQueue() throws Exception {
            CompletableFuture<HttpResponse<byte[]>> judged = judgeLater();
            while (!metric(client, "wood_queue_images{detector=\"light\"}").equals("1.0")) {
                Thread.sleep(20);
            }
            return judged;
        }
    }

    private static void await(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void stoppingFinishesWhatWasAccepted() throws Exception {
        Client client = start(OPTIONS.withBatch(new Batching(4, Duration.ofMillis(1), 64, Duration.ofSeconds(20))));
        network.gate = new CountDownLatch(1);
        List<CompletableFuture<HttpResponse<byte[]>>> all = IntStream.range(0, 30)
                .mapToObj(i -> client.postLater("/v1/judge", "image/png", Brightness.png(20)))
                .toList();
        while (!metric(client, "wood_queue_images{detector=\"light\"}").equals("30.0")) {
            Thread.sleep(20);
        }
        DetectorServer stopped = Objects.requireNonNull(server);
        Thread stop = new Thread(stopped::close);
        stop.start();
        int status = 200;
        while (status == 200) {
            status = client.get("/v2/health/ready").statusCode();
        }
        assertThat(status).isEqualTo(503);
        int head = client.head("/v2/health/ready").statusCode();
        problem(client.post("/v1/judge", "image/png", Brightness.png(20)), 503);
        network.gate.countDown();
        all.forEach(each -> ok(each.join()));
        stop.join();
        assertThat(head).isEqualTo(503);
    }

    @Test
    void aBodyThatIsCutByStoppingIsToldSo() throws Exception {
        Client client = start(OPTIONS);
        String head = String.join(
                "\r\n",
                "POST /v1/judge HTTP/1.1",
                "Host: x",
                "Content-Type: image/png",
                "Content-Length: 1000",
                "Expect: 100-continue",
                "",
                "");
        try (Socket socket = client.connect()) {
            socket.getOutputStream().write(head.getBytes(ISO_8859_1));
            String goOn = "HTTP/1.1 100 Continue\r\n\r\n"; // said when the body begins to be read
            assertThat(socket.getInputStream().readNBytes(goOn.length()))
                    .asString()
                    .isEqualTo(goOn);
            Objects.requireNonNull(server).close();
            assertThat(socket.getInputStream().readAllBytes())
                    .asString()
                    .startsWith("HTTP/1.1 503")
                    .contains("the server is stopping");
        }
    }

    @Test
    void aTokenOpensWhatIsNotOpen() throws Exception {
        Client client = start(OPTIONS.withToken(Token.of("correct-horse-battery")));
        for (String path : List.of("/v1/drift", "/v1/detectors", "/metrics", "/v2/models/light", "/v2")) {
            HttpResponse<byte[]> refused = client.get(path);
            problem(refused, 401);
            assertThat(client.head(path).statusCode()).isEqualTo(401);
            assertThat(refused.headers().firstValue("www-authenticate")).contains("Bearer");
            assertThat(client.get(path, "Authorization", "Bearer correct-horse-batterz")
                            .statusCode())
                    .isEqualTo(401);
            for (String wrong : List.of("", "Bearer", "Basic ", "Bearer Bearer ", "Bearer: ")) {
                assertThat(client.get(path, "Authorization", wrong + "correct-horse-battery")
                                .statusCode())
                        .as(wrong)
                        .isEqualTo(401);
            }
            for (String scheme : List.of("bearer ", "Bearer ", "BEARER  ")) {
                assertThat(client.get(path, "Authorization", scheme + "correct-horse-battery")
                                .statusCode())
                        .as(scheme)
                        .isEqualTo(200);
            }
            assertThat(client.get(path, "Authorization", "Bearer Correct-Horse-Battery")
                            .statusCode())
                    .isEqualTo(401);
        }
        problem(client.post("/v1/judge", "image/png", Brightness.png(20)), 401);
        for (String open : List.of("/", "/v2/health/live", "/v2/health/ready", "/openapi.json", "/page/chart.js")) {
            assertThat(client.get(open).statusCode()).as(open).isEqualTo(200);
        }
    }

    @Test
    void everyAnswerCarriesSecurityHeadersAndNoName() throws Exception {
        Client client = start(OPTIONS);
        for (HttpResponse<byte[]> response : List.of(
                client.get("/"),
                client.get("/nothing"),
                client.get("/v1/judge"),
                client.get("/v1/drift"),
                client.post("/v1/judge", "image/png", new byte[3]))) {
            var headers = response.headers();
            assertThat(headers.firstValue("content-security-policy").orElse("")).startsWith("default-src 'none'");
            assertThat(headers.firstValue("x-content-type-options")).contains("nosniff");
            assertThat(headers.firstValue("cache-control")).contains("no-store");
            assertThat(headers.firstValue("server")).isEmpty();
        }
        problem(client.get("/nothing"), 404);
        problem(client.get("/v1/judge"), 405);
        assertThat(client.get("/v1/judge").headers().firstValue("allow")).contains("POST");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/page/page.js",
                "/v1/detectors",
                "/v1/detectors/light/scores",
                "/v2/health/ready",
                "/v2/models/light",
                "/v2/models/dark",
                "/v1/judge",
                "/nothing",
            })
    void headIsGetWithoutABody(String path) throws Exception {
        Client client = start(OPTIONS);
        HttpResponse<byte[]> get = client.get(path);
        HttpResponse<byte[]> head = client.head(path);
        assertThat(head.statusCode()).isEqualTo(get.statusCode());
        assertThat(head.headers()).isEqualTo(get.headers());
        assertThat(head.body()).isEmpty();
    }

    @Test
    void pagesOfOtherSitesMayNotAsk() throws Exception {
        Client client = start(OPTIONS);
        byte[] png = Brightness.png(20);
        for (String site : List.of("cross-site", "same-site")) {
            problem(client.post("/v1/judge", "image/png", png, "Sec-Fetch-Site", site), 403);
        }
        String own = "http://127.0.0.1:" + Objects.requireNonNull(server).port();
        for (String origin : List.of("http://example.org", "null", "", "http://127.0.0.1", own + "0")) {
            problem(client.post("/v1/judge", "image/png", png, "Origin", origin), 403);
        }
        ok(client.post("/v1/judge", "image/png", png, "Origin", own));
        ok(client.post("/v1/judge", "image/png", png, "Origin", own.replace("http:", "HTTPS:")));
        String behindAProxy = "https://example.org"; // which asks by a name of its own
        ok(client.post("/v1/judge", "image/png", png, "Origin", behindAProxy, "Sec-Fetch-Site", "same-origin"));
        ok(client.get("/v1/drift", "Origin", "http://example.org"));
    }

    @Test
    void slowBodiesEndInTimeAndHoldNobodyUp() throws Exception {
        Limits limits = Limits.DEFAULTS.withTimes(Duration.ofMillis(1500), Duration.ofSeconds(3));
        Client client = start(OPTIONS.withLimits(limits));
        String head = "POST /v1/judge HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: 1000\r\n\r\n";
        List<Thread> slow = IntStream.range(0, 100)
                .mapToObj(i -> new Thread(() -> {
                    try {
                        String answer = client.raw(200, List.of(head, "a", "b", "c", "d"));
                        if (!answer.startsWith("HTTP/1.1 408")) {
                            throw new IllegalStateException(answer);
                        }
                    } catch (IOException | InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }))
                .toList();
        List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
        slow.forEach(thread -> thread.setUncaughtExceptionHandler((t, failure) -> failures.add(failure)));
        slow.forEach(Thread::start);
        for (int i = 0; i < 20; i++) {
            ok(client.post("/v1/judge", "image/png", Brightness.png(20)));
        }
        for (Thread thread : slow) {
            thread.join();
        }
        assertThat(failures).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /page/chart.js", "POST /v1/judge-logits"})
    @Timeout(60)
    void clientsThatDoNotReadTheirAnswersHoldNobodyUp(String route) throws Exception {
        Client client = start(OPTIONS);
        String rows = "[0, 0, 9],".repeat(999) + "[0, 0, 9]";
        String body = route.startsWith("GET") ? "" : "{\"logits\": [" + rows + "]}";
        byte[] requests = (route + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                        + body.length() + "\r\n\r\n" + body)
                .repeat(route.startsWith("GET") ? 1000 : 60)
                .getBytes(ISO_8859_1);
        List<Socket> deaf = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                Socket socket = new Socket();
                deaf.add(socket);
                socket.setReceiveBufferSize(4096);
                socket.connect(new InetSocketAddress(
                        InetAddress.getLoopbackAddress(),
                        Objects.requireNonNull(server).port()));
                new Thread(() -> {
                            try {
                                socket.getOutputStream().write(requests);
                            } catch (IOException e) {
                                return; // it was closed
                            }
                        })
                        .start();
            }
            Thread.sleep(3000); // until what lies between server and client is full
            long start = System.nanoTime();
            for (int i = 0; i < 5; i++) {
                ok(client.post("/v1/judge", "image/png", Brightness.png(20)));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        } finally {
            for (Socket socket : deaf) {
                socket.close();
            }
        }
    }

    @Test
    void nonsenseOnTheWireGetsAQuietAnswer() throws Exception {
        Client client =
                start(OPTIONS.withLimits(Limits.DEFAULTS.withTimes(Duration.ofSeconds(1), Duration.ofSeconds(1))));
        assertThat(client.raw(0, List.of("NONSENSE\r\n\r\n")))
                .startsWith("HTTP/1.1 400")
                .doesNotContain("etty");
        assertThat(client.raw(0, List.of("GET / HTTP/1.1\r\nHost: x\r\nA: " + "x".repeat(20_000) + "\r\n\r\n")))
                .startsWith("HTTP/1.1 431")
                .doesNotContain("etty");
        assertThat(client.raw(0, List.of("GET / HTTP/1.1\r\nHo")))
                .as("a header that never ends")
                .doesNotContain("200");
        ok(client.get("/v2/health/live"));
    }
}
