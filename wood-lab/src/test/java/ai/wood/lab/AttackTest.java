package ai.wood.lab;

import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.Seed;
import ai.wood.server.Brightness;
import ai.wood.server.Client;
import ai.wood.server.DetectorServer;
import ai.wood.server.ServerOptions;
import ai.wood.server.ServerOptions.Limits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The drill of {@code wood bench serve}, smaller. */
class AttackTest {

    @Test
    void everyAttackGetsItsAnswerAndTheServerIsHealthyAfter() throws Exception {
        ServerOptions options = ServerOptions.DEFAULTS
                .withAddress("127.0.0.1", 0)
                .withLimits(Limits.DEFAULTS
                        .withTimes(Duration.ofSeconds(2), Duration.ofSeconds(5))
                        .withBodyBytes(4 << 20));
        ExecutorService attackers = Executors.newFixedThreadPool(16);
        try (DetectorServer server = DetectorServer.start(List.of(new Brightness().served("light")), options)) {
            List<Future<String>> answers = Attack.drill("light", 168, new Seed(5)).stream()
                    .map(attack -> attackers.submit(() -> attack.on(server.port())))
                    .collect(Collectors.toList());
            for (Future<String> answer : answers) {
                assertThat(answer.get()).isEmpty();
            }
            Client client = new Client(server.port());
            assertThat(client.get("/v2/health/ready").statusCode()).isEqualTo(200);
            assertThat(client.post("/v1/judge", "image/png", Brightness.png(20)).statusCode())
                    .isEqualTo(200);
        } finally {
            attackers.shutdownNow();
        }
    }
}
