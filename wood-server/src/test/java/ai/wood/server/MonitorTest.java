package ai.wood.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.datasketches.kll.KllDoublesSketch;
import org.apache.datasketches.memory.Memory;
import org.junit.jupiter.api.Test;

class MonitorTest {

    private static final ServerOptions OPTIONS = ServerOptions.DEFAULTS.withAddress("127.0.0.1", 0);

    private static String metrics(Client client) throws Exception {
        return new String(client.get("/metrics").body(), UTF_8);
    }

    @Test
    void metricsTellWhatWasJudged() throws Exception {
        try (DetectorServer server = DetectorServer.start(List.of(new Brightness().served("light")), OPTIONS)) {
            Client client = new Client(server.port());
            for (int brightness : new int[] {20, 20, 235, 75}) {
                assertThat(client.post("/v1/judge", "image/png", Brightness.png(brightness))
                                .statusCode())
                        .isEqualTo(200);
            }
            client.post("/v1/judge", "text/plain", new byte[1]);
            String text = metrics(client);
            assertThat(text)
                    .contains("wood_verdicts_total{detector=\"light\",label=\"dark\",verdict=\"ind\"} 2.0")
                    .contains("wood_verdicts_total{detector=\"light\",label=\"bright\",verdict=\"ind\"} 1.0")
                    .contains("wood_ood_rate{detector=\"light\"} 0.25")
                    .contains("wood_drift_alarm{detector=\"light\"} 0.0")
                    .contains("wood_queue_images{detector=\"light\"} 0.0")
                    .contains("wood_http_seconds_count{route=\"/v1/judge\",status=\"200\"} 4")
                    .contains("wood_http_seconds_count{route=\"/v1/judge\",status=\"415\"} 1")
                    .containsPattern("wood_score\\{detector=\"light\",quantile=\"0.5\"\\} [0-9.E-]+")
                    .containsPattern("wood_batch_images_sum\\{detector=\"light\"\\} 4");
            KllDoublesSketch sketch = KllDoublesSketch.heapify(
                    Memory.wrap(client.get("/v1/detectors/light/scores").body()));
            assertThat(sketch.getN()).isEqualTo(4);
        }
    }

    @Test
    void theDashboardShowsOnlyWhatIsExported() throws Exception {
        String dashboard = Files.readString(Path.of("../docs/grafana.json"));
        Set<String> shown = new TreeSet<>();
        Matcher name = Pattern.compile("\\b(?:wood|jvm|system|process)_[a-z_]+").matcher(dashboard);
        while (name.find()) {
            shown.add(name.group());
        }
        assertThat(shown).hasSizeGreaterThan(8);
        try (DetectorServer server = DetectorServer.start(List.of(new Brightness().served("light")), OPTIONS)) {
            Client client = new Client(server.port());
            client.post("/v1/judge", "image/png", Brightness.png(20));
            client.get("/v2/health/live");
            String text = metrics(client);
            Set<String> exported = new TreeSet<>();
            text.lines()
                    .filter(line -> !line.startsWith("#"))
                    .forEach(line -> exported.add(line.replaceFirst("[{ ].*", "")));
            assertThat(exported).containsAll(shown);
        }
    }

    @Test
    void driftIsToldWhenImagesChangeAndForgottenOnRequest() throws Exception {
        try (DetectorServer server = DetectorServer.start(List.of(new Brightness().served("light")), OPTIONS)) {
            Client client = new Client(server.port());
            SplittableRandom random = new SplittableRandom(3);
            for (int i = 0; i < 60; i++) {
                client.post(
                        "/v1/judge",
                        "image/png",
                        Brightness.png(new int[] {20, 128, 235}[i % 3] + random.nextInt(-15, 16)));
            }
            assertThat(drift(client).path("alarm").asBoolean()).isFalse();
            assertThat(drift(client).path("samples").asInt()).isEqualTo(60);
            for (int i = 0; i < 60; i++) {
                client.post("/v1/judge", "image/png", Brightness.png(70 + random.nextInt(9)));
            }
            JsonNode fired = drift(client);
            assertThat(fired.path("alarm").asBoolean()).isTrue();
            assertThat(fired.path("firedAtSample").asInt()).isBetween(61, 120);
            assertThat(fired.path("evidence").asDouble())
                    .isGreaterThanOrEqualTo(fired.path("alarmAt").asDouble());
            assertThat(metrics(client)).contains("wood_drift_alarm{detector=\"light\"} 1.0");
            assertThat(client.post("/v1/drift/restart", "").statusCode()).isEqualTo(200);
            assertThat(drift(client).path("alarm").asBoolean()).isFalse();
            assertThat(drift(client).path("samples").asInt()).isZero();
        }
    }

    /** Those of the page itself, of probes and of load tests: they say nothing of production. */
    @Test
    void requestsThatAskForItDoNotReachTheMonitor() throws Exception {
        try (DetectorServer server = DetectorServer.start(List.of(new Brightness().served("light")), OPTIONS)) {
            Client client = new Client(server.port());
            String pixels = "{\"inputs\":[{\"name\":\"image\",\"shape\":[1,1,8,8],\"datatype\":\"UINT8\",\"data\":"
                    + Collections.nCopies(64, 75) + "}]}";
            for (int i = 0; i < 100; i++) {
                for (int status : new int[] {
                    client.post("/v1/judge?monitor=false", "image/png", Brightness.png(75))
                            .statusCode(),
                    client.post("/v1/judge-logits?monitor=false", "{\"logits\": [[0, 0, 0]]}")
                            .statusCode(),
                    client.post("/v2/models/light/infer?monitor=false", pixels).statusCode()
                }) {
                    assertThat(status).isEqualTo(200);
                }
                client.get("/v2/health/ready");
                client.get("/v2/models/light/ready");
            }
            JsonNode quiet =
                    Client.json(client.get("/v1/drift")).path("detectors").path(0);
            assertThat(quiet.path("drift").path("samples").asInt()).isZero();
            assertThat(quiet.path("drift").path("alarm").asBoolean()).isFalse();
            assertThat(quiet.path("lastHour").path("judged").asInt()).isZero();
            assertThat(metrics(client)).doesNotContainPattern("wood_verdicts_total\\{.*} [1-9]");

            client.post("/v1/judge?monitor=true", "image/png", Brightness.png(75));
            assertThat(drift(client).path("samples").asInt()).isOne();
            assertThat(client.post("/v1/judge?monitor=no", "image/png", Brightness.png(75))
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    private static JsonNode drift(Client client) throws Exception {
        return Client.json(client.get("/v1/drift")).path("detectors").path(0).path("drift");
    }

    @Test
    void scoresOlderThanAnHourAreForgotten() {
        AtomicLong seconds = new AtomicLong(1_000_000_000);
        RecentScores recent = new RecentScores(() -> Instant.ofEpochSecond(seconds.get()));
        assertThat(recent.summary().quantile(0.5)).isNaN();
        for (int minute = 0; minute < 120; minute++) {
            recent.add(minute, minute % 10 == 0);
            seconds.addAndGet(60);
        }
        assertThat(recent.summary().judged()).isBetween(55L, 60L);
        assertThat(recent.summary().quantile(0.5)).isCloseTo(91.0, within(3.0));
        assertThat(recent.summary().oodRate()).isCloseTo(0.1, within(0.02));
        seconds.addAndGet(3700);
        assertThat(recent.summary().judged()).isZero();
    }

    @Test
    void aClockThatIsSetBackKeepsNothingLongerThanAnHour() {
        AtomicLong seconds = new AtomicLong(4_000_000_000L); // decades ahead, and then put right
        RecentScores recent = new RecentScores(() -> Instant.ofEpochSecond(seconds.get()));
        recent.add(7, true);
        seconds.set(1_000_000_000);
        for (int minute = 0; minute < 240; minute++) {
            recent.add(0, false);
            seconds.addAndGet(60);
        }
        assertThat(recent.summary().judged()).isBetween(55L, 60L);
        assertThat(recent.summary().oodRate()).isZero();
    }
}
