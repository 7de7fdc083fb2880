package ai.wood.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ai.wood.Detector;
import ai.wood.Matrix;
import ai.wood.Outputs;
import ai.wood.score.ScorerKinds;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command, with a detector that judges logits. */
class ServeCommandTest {

    private static final String SECRET = "correct-horse-battery";
    private static final String NOBODYS = "2001:db8::1"; // an address for documentation: no server starts there

    @TempDir
    static Path folder;

    private static Path bundle;

    @BeforeAll
    static void calibrate() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        double[][] logits = new double[200][];
        for (int i = 0; i < logits.length; i++) {
            logits[i] = new double[] {random.nextGaussian(), random.nextGaussian(), random.nextGaussian()};
            logits[i][i % 3] += 6;
        }
        bundle = folder.resolve("pets.wood");
        Detector.of(ScorerKinds.wood())
                .classes(List.of("cat", "dog", "horse"))
                .calibrate(Outputs.ofLogits(Matrix.of(logits)))
                .save(bundle);
    }

    @Test
    void servesABundleUntilItIsToldToStop() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), SECRET + "\n");
        Process process = start("--port", "0", "--token-file", token.toString());
        try (BufferedReader out = process.inputReader(UTF_8);
                BufferedReader log = process.errorReader(UTF_8)) {
            String address = String.valueOf(out.readLine());
            assertThat(address).startsWith("http://127.0.0.1:").endsWith("/");
            assertThat(log.readLine()).isEqualTo("wood: serving pets at " + address);
            HttpResponse<String> verdict =
                    post(address + "v1/judge-logits", "application/json", "{\"logits\": [[9, 0, 0], [1, 1, 1]]}");
            assertThat(verdict.statusCode()).as(verdict.body()).isEqualTo(200);
            assertThat(verdict.body()).contains("\"label\":\"cat\"", "\"ood\":false", "\"ood\":true");
            assertThat(post(address + "v1/judge", "image/png", "x").statusCode())
                    .as("no network, no images")
                    .isEqualTo(422);
            process.toHandle().destroy(); // a signal that leaves its log open
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(log.readLine()).as("nothing goes wrong while stopping").isNull();
            assertThat(out.readLine()).as("the address is all").isNull();
        } finally {
            process.destroyForcibly();
        }
    }

    private static Process start(String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName(),
                "serve",
                bundle.toString()));
        command.addAll(List.of(options));
        return new ProcessBuilder(command).start();
    }

    @Test
    void aTakenPortIsToldOfInALine() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Process process = start("--port", String.valueOf(taken.getLocalPort()));
            try (BufferedReader log = process.errorReader(UTF_8)) {
                assertThat(log.lines()).singleElement().asString().contains("cannot be listened on");
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static HttpResponse<String> post(String address, String type, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address))
                .header("Content-Type", type)
                .header("Authorization", "Bearer " + SECRET)
                .POST(BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }

    private static String refused(Object... args) {
        StringWriter err = new StringWriter();
        String[] texts = java.util.Arrays.stream(args).map(String::valueOf).toArray(String[]::new);
        assertThat(Main.run(new PrintWriter(new StringWriter()), new PrintWriter(err), texts))
                .isEqualTo(2);
        assertThat(err.toString()).doesNotContain("\tat ");
        return err.toString();
    }

    @Test
    void aPathMayHoldAnEqualsSign() throws IOException {
        Path inFolder = Files.createDirectories(folder.resolve("seed=1")).resolve("pets.wood");
        Path itself = folder.resolve("seed=2");
        Files.copy(bundle, inFolder);
        Files.copy(bundle, itself);
        assertThat(refused("serve", inFolder, bundle)).contains("different names", "[pets, pets]");
        assertThat(refused("serve", "pets=" + itself, bundle)).contains("different names", "[pets, pets]");
        assertThat(refused("serve", itself)).contains("but is 'seed=2'. Maybe name it: NAME=PATH.");
        assertThat(refused("serve", folder.resolve("seed=3"))).contains("seed=3: ");
    }

    @ParameterizedTest
    @CsvSource({"--device,cuda", "--max-batch,8", "--max-wait,5", "--queue,800", "--max-pixels,1000"})
    void refusesOptionsForImagesWhereLogitsAreJudged(String option, String value) {
        assertThat(refused("serve", bundle, "--host", NOBODYS, option, value))
                .contains(option + " is for images only, but without a network logits alone are judged. Maybe leave it"
                        + " out.");
    }

    @Test
    void explainsWhyItDoesNotStart() throws IOException {
        Path weak = Files.writeString(folder.resolve("weak"), "secret");
        assertThat(refused("serve")).contains("[NAME=]PATH");
        assertThat(refused("serve", folder.resolve("nothing.wood"))).contains("nothing.wood");
        assertThat(refused("serve", "a b=" + bundle)).contains("a detector's name", "NAME=PATH");
        assertThat(refused("serve", "")).contains("a path must name a file or folder but is empty");
        assertThat(refused("serve", "pets=")).contains("a path must name a file or folder but is empty");
        assertThat(refused("serve", bundle, "--token-file", weak)).contains("16", "openssl");
        assertThat(refused("serve", bundle, "--token-file", folder.resolve("none")))
                .contains("no such file", "openssl");
        assertThat(refused("serve", bundle, "--token-file", folder))
                .contains("must lie in a regular file but this is a folder. Maybe name a file in it.")
                .doesNotContain("no such file");
        assertThat(refused("serve", bundle, "--token-file", "/dev/null"))
                .contains("must lie in a regular file but this is none. Maybe")
                .doesNotContain("no such file");
        Path large = Files.writeString(folder.resolve("large"), "x".repeat(5000));
        assertThat(refused("serve", bundle, "--token-file", large)).contains("at most 4096 characters but", "Maybe");
        Path lines = Files.writeString(folder.resolve("lines"), "a-secret-of-many\nlines-in-one-file\n");
        assertThat(refused("serve", bundle, "--token-file", lines)).contains("without spaces but", "Maybe");
        assertThat(refused("serve", bundle, "--queue", 3)).contains("fit the queue");
        assertThat(refused("serve", bundle, "--max-wait", -1)).contains("10000 ms and -1 ms");
        assertThat(refused("serve", bundle, "--host", "nowhere.invalid"))
                .contains("nowhere.invalid: must be a name or an address of this machine", "Maybe 127.0.0.1")
                .doesNotContain("--port");
        assertThat(refused("serve", bundle, "--host", NOBODYS)).contains("[2001:db8::1]:8080: cannot be listened on");
        assertThat(refused("serve", bundle, "--false-alarms", 0)).contains("chance of a false alarm");
        assertThat(refused("serve", bundle, bundle, "--port", 0))
                .contains("different names", "[pets, pets]. Maybe give one as NAME=PATH.");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(refused("serve", bundle, "--port", taken.getLocalPort())).contains("cannot be listened on");
        }
    }
}
